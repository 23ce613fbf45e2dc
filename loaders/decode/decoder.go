// Package decode turns one record of a log into samples.
//
// In: a record, as package framing cuts it. Out: [model.Record]s, and a [Note] that says which fields
// were taken for what. A [Decoder] belongs to one file and reads its records in order. Package formats
// makes it, package loaders calls it; packages parquet and decode/fast share its rules and its memory of
// prompts, so that they give the same samples.
//
// What a log means is decided by the names of its fields:
//
//	fields.go   the roles that a field can play, and which names play them, in a format and usually
//	layouts.go  where the samples of a record are
//	decoder.go  RowDecoder: fields of a row → sample
//
// Each other file does a part of that: components, prompts, groups of lists, CSV, and what is said of it.
package decode

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"vantage/estimators"
	"vantage/loaders/jsonscan"
	"vantage/model"
)

// Decoder reads the records of one file in order.
type Decoder interface {
	// Decode appends the samples of a record to dst; the caller sets File, Line, Offset and IndexInLine.
	// It keeps nothing of the record's memory. An error is a short sentence for a person; dst is
	// then returned unchanged.
	Decode(dst []model.Record, record []byte) ([]model.Record, error)

	// Note describes the records so far.
	Note() Note
}

// Note says what a decoder found in its file.
type Note struct {
	Provenance string // one sentence: which fields were taken for what
	LengthUnit model.LengthUnit
	Components []string // names of Record.Components, in their order; later ones are only added
	HasTruth   bool     // prompts are told apart by their ground truth too
	HasTotal   bool     // rewards are a field of the log

	SumsComponents bool // rewards are the sum of the components
	NamesRewards   bool // the names of components, or of what holds them, say that they are rewards: not any number is one

	Stepless     bool // neither a field nor the name of the file tells the step
	GroupIsIndex bool // the group id is from a field with the name of an index

	SawGroup, SawStep, InOrder bool // see [Learned]

	Missing []string // columns that a person named and no row has had so far
}

// RowDecoder reads samples whose values have names: the fields of JSON objects, or the columns of a
// table. For each sample its caller, mostly a [Layout], calls BeginRow, then Pick or Set for the
// fields, then FinishRow.
type RowDecoder struct {
	Fields        *Fields
	Layout        Layout                       // nil: a record is an object, and holds one sample
	HashResponses bool                         // set ResponseHashes: the trainer may log rows twice
	Wants         func(isEvaluation bool) bool // nil: all rows, whatever their columns say of evaluations
	FileName      string
	FileStep      int64 // the step that FileName tells, 0 if none; for rows without one
	hasFileStep   bool
	StepOfPath    bool // rows have the step that their file tells, if it does, whatever their fields say

	Learned
	Seen    SeenNames
	Prompts PromptCache
	Capture *TextCapture // keeps the text of a sample; nil while a log is read

	// The row at hand. Its values point into the record.
	Values     [RoleCount]jsonscan.Value
	Ranks      [RoleCount]int // of the names of the values, or derivedRank
	Components Components
	status     model.Status
	evaluated  bool // see Evaluated
	whole      *model.Whole
	picked     int // fields so far

	shapedNames [RoleCount]string // of the fields of a rank of shapedRank

	ResponseHashes []uint64 // of the samples of the last record, if HashResponses

	passedOver model.PassedOver
	wholes     *wholes // nil unless rows are some of their group: see PickedRows

	steps  newestStep // see SetNewestStep
	epochs epochs

	groupIDs map[string]string // by the bytes of the field: an id comes once per sample
	visit    func(key, v jsonscan.Value)
	noted    noteState
}

// Learned is what the rows so far have shown of a log. Later rows are read by it.
type Learned struct {
	Used           [RoleCount]string // the field that was first used for a role, "" if none was
	LengthUnit     model.LengthUnit
	HasTruth       bool   // some prompt had a ground truth
	SumsComponents bool   // there is no total: the reward is the sum of the components
	SawGroup       bool   // some row had a prompt or a group id
	Padding        string // the id that fills up lists of tokens, "" if none does: see PaddingOf
	SawStep        bool   // some row had a step that the name of the file does not tell: one without a step is no sample
	InOrder        bool   // a row is read by the rows before it too, as its step or the samples of its group: no clone can read a part of the file
}

// NewRowDecoder returns the decoder of a file. Its name is relative to the opened path.
func NewRowDecoder(f *Fields, name string) *RowDecoder {
	r := &RowDecoder{Fields: f, FileName: name, groupIDs: map[string]string{}}
	r.FileStep, r.hasFileStep = stepFromPath(name)
	r.Components.fields = f
	r.visit = r.Pick
	return r
}

// Decode implements [Decoder].
func (r *RowDecoder) Decode(dst []model.Record, record []byte) ([]model.Record, error) {
	before, passedOver := len(dst), r.passedOver
	r.ResponseHashes = r.ResponseHashes[:0]
	layout := r.Layout
	if layout == nil {
		layout = oneObject
	}
	defer r.forgetRow()
	var noSample error
	err := layout(r, record, func() {
		var err error
		if dst, err = r.FinishRow(dst); err != nil {
			noSample = err
		}
	})
	switch {
	case err != nil:
	case len(dst) == before:
		return dst, noSample
	default:
		if err = r.Require(dst[before:]); err == nil && r.wholes != nil && r.Capture == nil {
			dst = slices.Insert(dst, before, r.wholes.add(&dst[before])...)
		}
	}
	if err != nil {
		r.passedOver = passedOver
		return dst[:before], err
	}
	return dst, nil
}

// End returns the samples of the last step that have no row: see [PickedRows].
func (r *RowDecoder) End() []model.Record {
	if r.wholes == nil {
		return nil
	}
	return r.wholes.end()
}

// LeaveOut counts a sample that a [Layout] passes over since its agent is not trained.
func (r *RowDecoder) LeaveOut() { r.passedOver.Untrained++ }

// TakePassedOver returns what was passed over since the last call.
func (r *RowDecoder) TakePassedOver() model.PassedOver {
	n := r.passedOver
	r.passedOver = model.PassedOver{}
	return n
}

// Why a row is refused that lacks what the rows before it have.
var (
	ErrNoGroup = errors.New("no prompt: the rows before it have one, and without it is of no group")
	ErrNoStep  = errors.New("no step: the rows before it have a whole number there")
)

// SeeStep notes the step of a row: see SawStep.
func (r *RowDecoder) SeeStep(step int64) {
	r.SawStep = r.SawStep || !r.hasFileStep || step != r.FileStep
	r.epochs.last = max(r.epochs.last, step)
}

// Require refuses the only sample of a record, if it has one, that lacks what samples before it have: a single one without prompt and group
// id would leave all of them without groups, and one without a step would begin the run anew.
func (r *RowDecoder) Require(samples []model.Record) error {
	if len(samples) == 0 {
		return nil
	}
	step, hasStep := r.Values[RoleStep].ToInt()
	if hasStep {
		r.SeeStep(step)
	}
	hasGroup := samples[0].Prompt != 0 || samples[0].Group != ""
	r.SawGroup = r.SawGroup || hasGroup
	switch {
	case len(samples) > 1:
	case !hasGroup && r.SawGroup:
		return ErrNoGroup
	case !hasStep && r.SawStep:
		return ErrNoStep
	}
	return nil
}

// forgetRow drops the values of the row: they keep the block of the file alive in which they stand.
func (r *RowDecoder) forgetRow() {
	clear(r.Values[:])
	r.Components.reset()
	r.epochs.row = jsonscan.Value{}
	r.picked, r.status, r.evaluated, r.whole = 0, model.StatusTrains, false, nil
}

// BeginRow forgets the values of the row before.
func (r *RowDecoder) BeginRow() {
	r.forgetRow()
	if r.Capture != nil {
		r.Capture.beginSample()
	}
}

// nullPenalty is added to the rank of a null: any other field is preferred.
const nullPenalty = 1000

// derivedRank is the rank of a value that is part of another field: the total among the reward
// components, the answer at the end of a conversation.
const derivedRank = nullPenalty - 1

// shapedRank is the rank of a value whose role the shape of its record tells, and not its name: see [RowDecoder.pickAs].
const shapedRank = derivedRank - 1

// Pick takes a field by its name: as the value of its role, if it is preferred to those before it,
// or as a reward component. Of fields with the same name the last counts.
func (r *RowDecoder) Pick(key, v jsonscan.Value) {
	if r.picked++; r.picked > MaxFields {
		return
	}
	r.Seen.Add(key.Raw)
	r.pickPath(key.Raw, v)
}

// pickPath is Pick for a path of names with dots.
func (r *RowDecoder) pickPath(path []byte, v jsonscan.Value) {
	if v.Kind == jsonscan.Object && r.Fields.IsParent(path) {
		r.pickNested(path, v)
	}
	if status := r.Fields.StatusOf(path, v); status == Evaluated {
		r.evaluated = true
	} else {
		r.status = max(r.status, status)
	}
	p, ok := r.Fields.LookupFor(path, v)
	v = p.valueOf(v)
	if r.Capture != nil && (!ok || !p.Role.isText()) {
		r.Capture.addField(path, v)
	}
	isOfEpoch := ok && IsEpoch(p.Role, path)
	if ok = ok && p.accepts(path, v) || isOfEpoch; !ok || r.Fields.IsRequested(path) {
		r.Components.pick(jsonscan.Value{Kind: jsonscan.String, Raw: path}, v)
	}
	switch {
	case isOfEpoch:
		r.pickEpoch(p, v)
	case ok:
		r.pickRole(p, v)
	}
}

// valueOf returns the value of a field as its role has it: a turn is a conversation of one.
func (p FieldRole) valueOf(v jsonscan.Value) jsonscan.Value {
	if p.Role == RolePrompt || p.Role == RoleResponse {
		return asTurns(v)
	}
	return v
}

// accepts reports whether a value can play the role of a field of that name.
func (p FieldRole) accepts(name []byte, v jsonscan.Value) bool {
	isOther := p.Role == RolePrompt && slices.Contains(otherConversations, strings.ToLower(string(name)))
	return p.Role.Accepts(v) && (!isOther || len(v.Messages()) > 0)
}

// pickRole takes a value for a role, if its name is preferred to those before it.
func (r *RowDecoder) pickRole(p FieldRole, v jsonscan.Value) {
	isOfPath := p.Role == RoleStep && r.StepOfPath && r.hasFileStep && r.Fields.chosen[RoleStep] == ""
	if isOfPath {
		return
	}
	switch p.Role {
	case RoleStep:
		v, _ = stepIn(v)
	case RoleGroup, RoleRollout, RoleTruth:
		v = v.Literal()
	default:
	}
	rank := p.Rank
	if v.Kind == jsonscan.Null {
		rank += nullPenalty
	}
	before, rankBefore := r.Values[p.Role], r.Ranks[p.Role]
	if !r.Has(p.Role) || rank <= rankBefore {
		r.Values[p.Role], r.Ranks[p.Role] = v, rank
		v, rank = before, rankBefore
	}
	if p.Role == RoleReward && v.Kind != jsonscan.Absent {
		r.keepPart(v, rank)
	}
}

// keepPart keeps a value that could be the reward, and is not, if its name is that of a part.
func (r *RowDecoder) keepPart(v jsonscan.Value, rank int) {
	isSingle := v.Kind == jsonscan.Number || v.Kind == jsonscan.ComputedNumber || v.Kind == jsonscan.Bool
	if rank >= len(r.Fields.names[RoleReward]) || !isSingle {
		return
	}
	if name := r.Fields.names[RoleReward][rank]; r.Fields.IsPlainPart(name) {
		r.Components.SetPlain(name, v)
	}
}

// dropPartAsReward makes a row without the reward that the rows before it have one whose reward is missing, though it has a part of it.
func (r *RowDecoder) dropPartAsReward() {
	used, rank := r.Used[RoleReward], r.Ranks[RoleReward]
	isPart := r.Has(RoleReward) && rank < len(r.Fields.names[RoleReward]) && r.Fields.IsPlainPart(r.Fields.names[RoleReward][rank])
	if !isPart || used == "" || r.Fields.IsPlainPart(used) {
		return
	}
	r.keepPart(r.Values[RoleReward], rank)
	r.Values[RoleReward], r.Ranks[RoleReward] = jsonscan.Value{Kind: jsonscan.Null}, nullPenalty
}

// pickNested picks the fields of an object into which names with dots reach.
func (r *RowDecoder) pickNested(path []byte, object jsonscan.Value) {
	prefix := append(append(make([]byte, 0, 64), path...), '.')
	object.EachField(func(key, v jsonscan.Value) { r.pickPath(append(prefix[:len(prefix):len(prefix)], key.Raw...), v) })
}

// SetStatus makes the fields of an object say the status of the row, whatever those picked before did.
func (r *RowDecoder) SetStatus(object jsonscan.Value) {
	r.status = model.StatusTrains
	object.EachField(func(key, v jsonscan.Value) { r.status = max(r.status, r.Fields.StatusOf(key.Raw, v)) })
}

// Set sets the value of a role, whatever the fields picked before; an absent value changes nothing.
func (r *RowDecoder) Set(role Role, v jsonscan.Value) {
	if v.Kind != jsonscan.Absent {
		r.Values[role], r.Ranks[role] = v, 0
	}
}

// SetWhole says what the row tells of its group, of which the log may hold only some samples.
func (r *RowDecoder) SetWhole(w *model.Whole) { r.whole = w }

// newestStep is the greatest step of the rows so far, and that at the first row of the group at hand.
type newestStep struct {
	group       string
	known       bool
	newest, now int64
}

// SetNewestStep sets the step of the row to the greatest so far, for groups that are written when they are done, in whatever order they
// were begun: their rows stand together, and that of the first counts. ok is false if the row does not tell its step.
func (r *RowDecoder) SetNewestStep(step int64, ok bool) {
	r.InOrder = true
	s := &r.steps
	if ok && (!s.known || step > s.newest) {
		s.newest, s.known = step, true
	}
	if group := r.Values[RoleGroup].Raw; s.group != string(group) || s.group == "" {
		s.group, s.now = string(group), s.newest
	}
	if s.known {
		r.Set(RoleStep, jsonscan.Value{Kind: jsonscan.Number, Raw: strconv.AppendInt(nil, s.now, 10)})
	}
}

// Has reports whether the row has a value for the role.
func (r *RowDecoder) Has(role Role) bool { return r.Values[role].Kind != jsonscan.Absent }

// HasReward reports whether the row has a reward, or components that make one.
func (r *RowDecoder) HasReward() bool {
	_, ok := r.Components.sum()
	return ok || r.Components.total.Kind != jsonscan.Absent || r.Has(RoleReward)
}

var errNoSample = errors.New("not a sample: the row has no reward, prompt or response")

// MaxFields bounds the fields of a row, and the columns of a table: more are no log of samples, and would
// take seconds for each row.
const MaxFields = 10_000

// ErrTooManyFields is the error for a row of more than MaxFields.
var ErrTooManyFields = fmt.Errorf("it has more than %d fields: not a sample", MaxFields)

// FinishRow appends the sample of the row to dst, or returns why there is none.
func (r *RowDecoder) FinishRow(dst []model.Record) ([]model.Record, error) {
	r.dropPartAsReward()
	if !r.Has(RoleReward) {
		r.deriveReward()
	}
	r.splitConversation()
	r.stepFromEpoch()
	if r.picked > MaxFields {
		return dst, ErrTooManyFields
	}
	if !r.Has(RoleReward) && !r.Has(RolePrompt) && !r.Has(RoleResponse) && !r.HasReward() {
		return dst, errNoSample
	}
	if r.Wants != nil && !r.Wants(r.evaluated) {
		r.passedOver.Evaluated += model.Count01(r.evaluated)
		return dst, nil
	}
	if r.Capture != nil {
		r.Capture.endSample(r)
	}
	r.learn()
	r.Seen.Rows++
	prompt := r.Prompts.Get(r.Values[RolePrompt], r.Values[RoleTruth])
	group, rollout := r.group()
	if v := r.Values[RoleRollout]; v.Kind != jsonscan.Absent {
		rollout = RolloutOf(v)
	}
	rec := model.Record{
		Step:       r.FileStep,
		Group:      group,
		Rollout:    rollout,
		Prompt:     prompt.Hash,
		Preview:    prompt.Preview,
		Reward:     estimators.MissingReward(),
		Components: append([]float64(nil), r.Components.values...), // nil if the log has none
		Advantage:  r.Values[RoleAdvantage].ToAdvantage(),
		Length:     r.length(),
		Status:     r.status,
		Whole:      r.whole,
	}
	if r.HashResponses {
		r.ResponseHashes = append(r.ResponseHashes, jsonscan.Hash64(r.Values[RoleResponse].Raw))
	}
	if x, ok := r.Values[RoleReward].ToFloat(); ok {
		rec.Reward = x
	}
	if n, ok := r.Values[RoleStep].ToInt(); ok {
		rec.Step = n
	}
	return append(dst, rec), nil
}

// deriveReward makes a reward of the components, in a log without rewards of its own: in other logs
// the reward of a row that lacks it would be something else than those of the others.
func (r *RowDecoder) deriveReward() {
	if r.Used[RoleReward] != "" && r.Used[RoleReward] != r.Components.totalName && !r.SumsComponents {
		return
	}
	if r.Components.total.Kind != jsonscan.Absent {
		r.Values[RoleReward], r.Ranks[RoleReward] = r.Components.total, derivedRank
		return
	}
	if sum, ok := r.Components.sum(); ok {
		r.Set(RoleReward, jsonscan.FromFloat(sum))
		r.SumsComponents = true
	}
}

func (r *RowDecoder) group() (string, model.Rollout) {
	v := r.Values[RoleGroup]
	if v.Kind == jsonscan.Absent {
		return "", model.Rollout{}
	}
	var rollout model.Rollout
	v.Raw, rollout = r.SplitGroup(v.Raw, r.Ranks[RoleGroup])
	if known, ok := r.groupIDs[string(v.Raw)]; ok {
		return known, rollout
	}
	if len(r.groupIDs) >= maxCached {
		clear(r.groupIDs)
	}
	id := string(v.Text())
	r.groupIDs[string(v.Raw)] = id
	return id, rollout
}

// RolloutOf returns the rollout with an id, which does not tell the place of a row among its outputs.
func RolloutOf(id jsonscan.Value) model.Rollout {
	return model.Rollout{Number: int32(jsonscan.Hash64(id.Raw)>>33) | 1, Output: -1}
}

// SplitGroup returns the id of the group in the bytes of a value, and the rollout; rank is that of its name.
func (r *RowDecoder) SplitGroup(id []byte, rank int) (group []byte, rollout model.Rollout) {
	if r.Fields.SplitGroupID == nil || rank >= len(r.Fields.names[RoleGroup]) {
		return id, model.Rollout{}
	}
	return r.Fields.SplitGroupID(r.Fields.names[RoleGroup][rank], id)
}

// Clone returns a decoder for another part of the same file that knows what r has learned. Both then
// learn on their own.
func (r *RowDecoder) Clone() *RowDecoder {
	r.Note()
	r.Seen.Stop() // their provenance must not differ
	c := NewRowDecoder(r.Fields, "")
	c.StepOfPath = r.StepOfPath
	c.Layout, c.HashResponses, c.Wants, c.FileName, c.FileStep, c.hasFileStep = r.Layout, r.HashResponses, r.Wants, r.FileName, r.FileStep,
		r.hasFileStep
	c.Learned, c.Seen, c.noted, c.Components = r.Learned, r.Seen, r.noted, r.Components.clone()
	return c
}

// ReadAt says where the file is, of which the name may be a part only: see StepOfPath.
func (r *RowDecoder) ReadAt(path string) {
	if r.StepOfPath && !r.hasFileStep {
		r.FileStep, r.hasFileStep = stepFromPath(path)
	}
}

// SameNote reports whether a clone, whose note is n, has learned nothing that r does not know.
func (r *RowDecoder) SameNote(n Note) bool {
	have := r.Note()
	refusesTheSame := have.SawGroup == n.SawGroup && have.SawStep == n.SawStep
	readsTheSame := have.InOrder == n.InOrder && have.LengthUnit == n.LengthUnit && have.HasTruth == n.HasTruth
	return refusesTheSame && readsTheSame && have.Provenance == n.Provenance &&
		slices.Equal(have.Components, n.Components)
}

// Reset makes r read another file with the same columns. It keeps the memory of prompts.
func (r *RowDecoder) Reset(name string) {
	r.FileName = name
	r.FileStep, r.hasFileStep = stepFromPath(name)
	r.Learned, r.noted, r.epochs = Learned{}, noteState{}, epochs{}
	r.Components.forget()
}

// length returns the length of the response in the unit of the log, -1 if the row does not tell it.
func (r *RowDecoder) length() int32 {
	n, ok := 0, false
	switch r.LengthUnit {
	case model.LengthTokens:
		n, ok = r.tokens()
	case model.LengthCharacters:
		n, ok = CountCharacters(r.Values[RoleResponse]), r.Has(RoleResponse)
	case model.LengthUnknown:
	}
	if !ok {
		return -1
	}
	return int32(min(n, math.MaxInt32))
}

// tokens returns the number of tokens of the response, if the row tells it.
func (r *RowDecoder) tokens() (n int, ok bool) {
	if n, ok := r.Values[RoleLength].ToInt(); ok {
		return int(n), true
	}
	if n, ok := r.listedTokens(); ok {
		return n, true
	}
	total, hasTotal := r.Values[RoleTotalTokens].ToInt()
	prompt, hasPrompt := r.Values[RolePromptLength].ToInt()
	return int(total - prompt), hasTotal && hasPrompt && total >= prompt
}

// CountCharacters returns the characters of a text, or of the contents of a list of {role, content}.
func CountCharacters(v jsonscan.Value) int {
	if messages := v.Messages(); len(messages) > 0 {
		n := 0
		for _, m := range messages {
			n += utf8.RuneCount(m.AppendContent(nil))
		}
		return n
	}
	switch v.Kind {
	case jsonscan.String:
		return jsonscan.CountRunes(v.Raw)
	case jsonscan.CountedText:
		return int(v.Float)
	default:
		return 0
	}
}

// Bounds of what is shown of a sample.
const (
	maxText       = 1 << 20 // bytes of prompt, response or truth
	maxFields     = 64
	maxFieldBytes = 400
)

// TextCapture keeps the text of one sample of a record while a RowDecoder decodes that.
type TextCapture struct {
	IndexInLine int32 // the sample, from 0
	Found       bool
	Text        model.Text // copied out of the record

	Each func(index int32, t model.Text) // gets every sample of the record, in place of Text; nil: only one is wanted

	next   int32         // number of the next sample
	fields []model.Field // of the sample at hand
}

func (c *TextCapture) beginSample() { c.fields = nil }

// addField keeps a field that is not shown as a text of its own.
func (c *TextCapture) addField(name []byte, v jsonscan.Value) {
	if len(c.fields) < maxFields {
		c.fields = append(c.fields, model.Field{Name: string(name), Value: readable(v, maxFieldBytes)})
	}
}

func (c *TextCapture) endSample(r *RowDecoder) {
	if c.next == c.IndexInLine || c.Each != nil {
		c.Found = true
		c.Text = model.Text{
			Prompt:   spoken(r.Values[RolePrompt]),
			Response: spoken(r.Values[RoleResponse]),
			Truth:    readable(r.Values[RoleTruth], maxText),
			Fields:   c.fields,
		}
	}
	if c.Each != nil {
		c.Each(c.next, c.Text)
	}
	c.next++
}

// spoken returns a prompt or a response as a person reads it: "" for a conversation of no turns.
func spoken(v jsonscan.Value) string {
	if v.Kind == jsonscan.Array && v.Len() == 0 {
		return ""
	}
	return readable(v, maxText)
}

// readable returns a value as a person reads it, cut to about limit bytes with a "…".
func readable(v jsonscan.Value, limit int) string {
	var b []byte
	switch messages := v.Messages(); {
	case len(messages) > 0:
		for i, m := range messages {
			if i > 0 {
				b = append(b, "\n\n"...)
			}
			b = append(m.AppendSpeaker(b), ": "...)
			n := len(b)
			b = m.AppendContent(b)
			if len(b) > n && m.ToolCalls.Len() > 0 {
				b = append(b, '\n')
			}
			b = m.AppendCalls(b)
			if len(b) > limit {
				break
			}
		}
	case v.Kind == jsonscan.ComputedNumber:
		b = strconv.AppendFloat(nil, v.Float, 'g', -1, 64)
	default:
		b = appendValue(nil, v)
	}
	if len(b) > limit {
		return string(jsonscan.Clip(b, limit)) + "…"
	}
	return string(b)
}
