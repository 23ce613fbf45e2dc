package decode

import (
	"errors"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"vantage/estimators"
	"vantage/loaders/jsonscan"
	"vantage/model"
	"vantage/model/units"
)

// RowDecoder decodes logs whose samples are objects of named values, in whatever shape
// they are laid out.
type RowDecoder struct {
	Fields         *Fields
	Layout         Layout // nil is plain
	FileStep       int64  // of the file's name, for rows without one
	hasFileStep    bool   // the file's name does tell a step
	SumsComponents bool   // the log has no total: rewards are sums of components

	SawGroup bool // some row before told its group

	HashResponses  bool     // the trainer logs rows twice
	ResponseHashes []uint64 // then: hashes of the answers of the record at hand
	visit          func(key, v jsonscan.Value)

	Values [RoleCount]jsonscan.Value // of the row at hand
	Ranks  [RoleCount]int

	Components Components
	Capture    *TextCapture // takes down the text of a sample; nil while a log is read
	Prompts    PromptCache
	groupIDs   map[string]string // interned: an id comes once per sample
	Found      Note
	Used       [RoleCount]string // the name under which a role was first met
	notedUsed  [RoleCount]string // what note.How was made of
	Seen       SeenNames
	notedSeen  int // how many names note.How was made of
}

func NewRowDecoder(f *Fields, name string) *RowDecoder {
	r := &RowDecoder{Fields: f, groupIDs: map[string]string{}}
	r.FileStep, r.hasFileStep = StepFromPath(name)
	r.visit = r.Pick
	return r
}

// nullPenalty is added to the rank of a null: any other field is better.
const nullPenalty = 1000

// Pick keeps a field if it is the best so far for its role. Of a key that comes
// twice the last one counts.
func (r *RowDecoder) Pick(key, v jsonscan.Value) {
	if r.Seen.Rows < MaxNameRows {
		r.Seen.Add(key.Raw)
	}
	r.pickPath(key.Raw, v)
}

func (r *RowDecoder) pickPath(key []byte, v jsonscan.Value) {
	if v.Kind == jsonscan.Object && r.Fields.Parents[string(key)] {
		r.pickNested(key, v)
	}
	p, ok := r.Fields.Lookup(key)
	if r.Capture != nil && (!ok || !p.Role.IsText()) {
		r.Capture.field(key, v)
	}
	if ok = ok && CanPlay(p.Role, v); !ok || slices.Contains(r.Components.Requested, string(key)) {
		r.Components.pick(jsonscan.Value{Kind: jsonscan.String, Raw: key}, v)
	}
	if !ok {
		return
	}
	if p.Role == RoleGroup || p.Role == RoleTruth {
		v = v.Literal()
	}
	rank := p.Rank
	if v.Kind == jsonscan.Null {
		rank += nullPenalty
	}
	if r.Values[p.Role].Kind == jsonscan.Absent || rank <= r.Ranks[p.Role] {
		r.Values[p.Role], r.Ranks[p.Role] = v, rank
	}
}

// pickNested picks from an object some of whose fields have names with dots.
func (r *RowDecoder) pickNested(key []byte, v jsonscan.Value) {
	path := append(append(make([]byte, 0, 64), key...), '.')
	_ = jsonscan.ScanObject(v.Raw, func(k, v jsonscan.Value) { r.pickPath(append(path[:len(key)+1:len(key)+1], k.Raw...), v) })
}

// Set sets a role to a value that a shape has found out by itself.
func (r *RowDecoder) Set(as Role, v jsonscan.Value) {
	if v.Kind != jsonscan.Absent {
		r.Values[as], r.Ranks[as] = v, 0
	}
}

// CanPlay reports whether a value can play a role: names alone do not decide,
// "reward" may be an object of averages and "tokens" a list.
func CanPlay(as Role, v jsonscan.Value) bool {
	switch as {
	case RoleReward:
		_, ok := v.ToFloat()
		return ok
	case RoleStep:
		_, ok := v.ToInt()
		return ok
	case RoleGroup:
		return v.Kind == jsonscan.Number || v.Kind == jsonscan.Float || v.Kind == jsonscan.String && len(v.Raw) > 0
	case RolePrompt, RoleResponse:
		return v.Kind == jsonscan.String || v.Kind == jsonscan.Array || v.Kind == jsonscan.RuneCount
	case RoleTruth:
		return v.Kind != jsonscan.Null
	case RoleLength, RoleTotalTokens, RolePromptLength:
		n, ok := v.ToInt()
		return ok && n > 0 && n <= math.MaxInt32
	case RoleTokens:
		return v.Kind == jsonscan.Array
	default:
		return true
	}
}

var errNoSample = errors.New("no sample: the row has neither a reward nor a prompt nor a response")

// Decode implements [Decoder].
func (r *RowDecoder) Decode(dst []model.Record, line []byte) ([]model.Record, error) {
	before := len(dst)
	r.ResponseHashes = r.ResponseHashes[:0]
	var empty error
	lay := r.Layout
	if lay == nil {
		lay = OneObject
	}
	err := lay(r, line, func() {
		var bad error
		if dst, bad = r.FinishRow(dst); bad != nil {
			empty = bad
		}
	})
	if err != nil {
		return dst[:before], err
	}
	if len(dst) == before {
		return dst, empty
	}
	if err := r.requireGroup(dst[before:]); err != nil {
		return dst[:before], err
	}
	return dst, nil
}

var errNoGroup = errors.New("no prompt: the rows before it have one, and without it is of no group")

// requireGroup refuses the only sample of a record if nothing tells its group, where that is told
// of the samples before: one such row would leave all of them without groups.
func (r *RowDecoder) requireGroup(samples []model.Record) error {
	if samples[0].Prompt != 0 || samples[0].Group != "" {
		r.SawGroup = true
	} else if r.SawGroup && len(samples) == 1 {
		return errNoGroup
	}
	return nil
}

// BeginRow forgets the row before.
func (r *RowDecoder) BeginRow() {
	clear(r.Values[:])
	r.Components.reset()
	if r.Capture != nil {
		r.Capture.begin()
	}
}

// FinishRow makes a record of what was picked.
func (r *RowDecoder) FinishRow(dst []model.Record) ([]model.Record, error) {
	if r.Values[RoleReward].Kind == jsonscan.Absent {
		r.fillTotal()
	}
	r.splitConversation()
	has := func(as Role) bool { return r.Values[as].Kind != jsonscan.Absent }
	if !has(RoleReward) && !has(RolePrompt) && !has(RoleResponse) && !r.HasReward() {
		return dst, errNoSample
	}
	if r.Capture != nil {
		r.Capture.finish(r)
	}
	r.noteFields()
	r.Seen.Rows++
	asked := r.Prompts.Get(r.Values[RolePrompt], r.Values[RoleTruth])
	rec := model.Record{
		Step:       r.FileStep,
		Group:      r.group(),
		Prompt:     asked.Hash,
		Preview:    asked.Preview,
		Reward:     estimators.MissingReward(),
		Components: r.Components.snapshot(),
		Advantage:  r.Values[RoleAdvantage].ToAdvantage(),
		Length:     r.length(),
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

// fillTotal makes a reward of what the reward functions gave, in a log that has no reward of its
// own: what one row lacks must not be another thing than what the others have.
func (r *RowDecoder) fillTotal() {
	if r.Used[RoleReward] != "" && r.Used[RoleReward] != r.Components.totalName && !r.SumsComponents {
		return
	}
	if r.Components.loggedTotal.Kind != jsonscan.Absent {
		r.Values[RoleReward], r.Ranks[RoleReward] = r.Components.loggedTotal, derivedRank
		return
	}
	if sum, ok := r.Components.total(); ok {
		r.Values[RoleReward], r.Ranks[RoleReward], r.SumsComponents = jsonscan.FromFloat(sum), 0, true
	}
}

// derivedRank is that of what stands within another field: a total among rewards, an answer at
// the end of a conversation.
const derivedRank = nullPenalty - 1

// splitConversation takes the answer off a conversation that holds both: else each answer would be a
// prompt of its own.
func (r *RowDecoder) splitConversation() {
	all := r.Values[RolePrompt]
	if all.Kind != jsonscan.Array || r.Values[RoleResponse].Kind != jsonscan.Absent || r.FieldName(RolePrompt) != ConversationField {
		return
	}
	turns := all.Elements()
	if n := len(FromAssistant(all)); 0 < n && n < len(turns) {
		r.Values[RolePrompt] = Conversation(turns[:len(turns)-n])
		r.Values[RoleResponse], r.Ranks[RoleResponse] = Conversation(turns[len(turns)-n:]), derivedRank
	}
}

// ConversationField is the field of which nobody knows whether the answer is in it.
const ConversationField = "messages"

func (r *RowDecoder) group() string {
	v := r.Values[RoleGroup]
	if v.Kind == jsonscan.Absent {
		return ""
	}
	if known, ok := r.groupIDs[string(v.Raw)]; ok {
		return known
	}
	if len(r.groupIDs) >= maxMemo {
		clear(r.groupIDs)
	}
	id := r.GroupID(v, r.Ranks[RoleGroup])
	r.groupIDs[string(v.Raw)] = id
	return id
}

// GroupID is the group that a field names; the rank tells which field it is.
func (r *RowDecoder) GroupID(v jsonscan.Value, rank int) string {
	id := string(v.Text())
	if rank < len(r.Fields.Names[RoleGroup]) && r.Fields.Names[RoleGroup][rank] == "uid" {
		id = TrimRolloutSuffix(id)
	}
	return id
}

// TrimRolloutSuffix strips "_{rollout}_{output}" of a verl uid, if both are there.
func TrimRolloutSuffix(uid string) string {
	id := uid
	for range 2 {
		i := strings.LastIndexByte(id, '_')
		if i <= 0 || !IsDigits(id[i+1:]) {
			return uid
		}
		id = id[:i]
	}
	return id
}

func IsDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// noteFields notes what the row has that none before it had; a column that a person named
// counts as met in whatever row it comes. The unit of lengths is settled by the first row
// that has one: a file must not mix two.
func (r *RowDecoder) noteFields() {
	for as := range RoleCount {
		if r.Values[as].Kind == jsonscan.Absent {
			continue
		}
		if known := r.Used[as]; known == "" || r.Fields.overrides != nil && r.Fields.overrides[as] != "" && r.Fields.overrides[as] != known {
			r.Used[as] = r.FieldName(as)
		}
	}
	r.Found.HasTruth = r.Found.HasTruth || r.Values[RoleTruth].Kind != jsonscan.Absent && r.Values[RolePrompt].Kind != jsonscan.Absent
	if r.Found.LengthUnit != model.LengthUnknown {
		return
	}
	if _, ok := r.tokens(); ok {
		r.Found.LengthUnit = model.LengthTokens
	} else if r.Values[RoleResponse].Kind != jsonscan.Absent {
		r.Found.LengthUnit = model.LengthCharacters
	}
}

// FieldName is the name of the field that was picked, or that it is no field.
func (r *RowDecoder) FieldName(as Role) string {
	switch rank := r.Ranks[as] % nullPenalty; {
	case rank < len(r.Fields.Names[as]):
		return r.Fields.Names[as][rank]
	case as == RoleReward && rank == derivedRank:
		return r.Components.totalName
	case as == RoleResponse && rank == derivedRank:
		return ConversationField
	}
	return "the record"
}

func (r *RowDecoder) length() int32 {
	n, ok := 0, false
	switch r.Found.LengthUnit {
	case model.LengthTokens:
		n, ok = r.tokens()
	case model.LengthCharacters:
		n, ok = CountCharacters(r.Values[RoleResponse]), r.Values[RoleResponse].Kind != jsonscan.Absent
	case model.LengthUnknown:
	}
	if !ok {
		return -1
	}
	return int32(min(n, math.MaxInt32))
}

func (r *RowDecoder) tokens() (int, bool) {
	if n, ok := r.Values[RoleLength].ToInt(); ok {
		return int(n), true
	}
	if v := r.Values[RoleTokens]; v.Kind == jsonscan.Array {
		return v.Len(), true
	}
	total, ok := r.Values[RoleTotalTokens].ToInt()
	asked, also := r.Values[RolePromptLength].ToInt()
	return int(total - asked), ok && also && total >= asked
}

func CountCharacters(v jsonscan.Value) int {
	if all := v.Messages(); len(all) > 0 {
		n := 0
		for _, m := range all {
			n += utf8.RuneCount(m.AppendContent(nil))
		}
		return n
	}
	switch v.Kind {
	case jsonscan.String:
		return jsonscan.CountRunes(v.Raw)
	case jsonscan.RuneCount:
		return int(v.Float)
	default:
		return 0
	}
}

// Note implements [Decoder].
func (r *RowDecoder) Note() Note {
	if r.notedUsed != r.Used || len(r.Found.Components) != len(r.Components.Names) || r.Found.Provenance != "" && r.notedSeen != len(r.Seen.names) {
		r.notedUsed, r.notedSeen = r.Used, len(r.Seen.names)
		r.Found.Components = r.Components.Names[:len(r.Components.Names):len(r.Components.Names)]
		r.Found.Provenance, r.Found.Missing = r.provenance(), r.missing()
	}
	return r.Found
}

// missing are the columns that a person named and no row has had.
func (r *RowDecoder) missing() []string {
	var names []string
	for as := range RoleCount {
		if name := r.Fields.overrides[as]; name != "" && r.Used[as] != name {
			names = append(names, name)
		}
	}
	return names
}

func (r *RowDecoder) provenance() string {
	parts := []string{"no reward"}
	switch name := r.Used[RoleReward]; {
	case r.SumsComponents:
		parts[0] = "reward computed as the sum of " + strings.Join(r.Components.summands(), ", ")
		if all := r.Components.summands(); len(all) == 1 {
			parts[0] = "reward from " + all[0] + " (the only reward function)"
		}
	case name != "":
		parts[0] = "reward from " + name
	}
	say := func(what string, as Role) {
		if name := r.Used[as]; name != "" {
			parts = append(parts, what+" from "+name)
		}
	}
	say("step", RoleStep)
	switch {
	case r.Used[RoleStep] != "":
	case r.hasFileStep:
		parts = append(parts, "step from the file name")
	default:
		parts = append(parts, "no step, so all rows are step 0")
	}
	say("group id", RoleGroup)
	say("prompt", RolePrompt)
	say("ground truth", RoleTruth)
	say("advantage", RoleAdvantage)
	if n := len(r.Components.Names); n > 0 && !r.SumsComponents {
		parts = append(parts, units.Plural(n, "components"))
	}
	switch r.Found.LengthUnit {
	case model.LengthTokens:
		parts = append(parts, "lengths in tokens")
	case model.LengthCharacters:
		parts = append(parts, "lengths in characters of "+r.Used[RoleResponse])
	case model.LengthUnknown:
	}
	for _, name := range r.missing() {
		parts = append(parts, "no column "+name)
	}
	how := strings.Join(parts, ", ") + r.unusedFields()
	if r.Fields.RewardCaveat != nil {
		how += r.Fields.RewardCaveat(r.Components.Names)
	}
	return how
}

// HasReward reports whether the row at hand has a reward, or components to sum.
func (r *RowDecoder) HasReward() bool {
	_, ok := r.Components.total()
	return ok || r.Components.loggedTotal.Kind != jsonscan.Absent || r.Values[RoleReward].Kind != jsonscan.Absent
}

// Clone implements copier.
func (r *RowDecoder) Clone() *RowDecoder {
	t := NewRowDecoder(r.Fields, "")
	t.Layout, t.FileStep, t.hasFileStep, t.SumsComponents, t.SawGroup = r.Layout, r.FileStep, r.hasFileStep, r.SumsComponents, r.SawGroup
	t.Found, t.Used, t.notedUsed = r.Note(), r.Used, r.notedUsed
	t.Components = r.Components.clone()
	r.Seen.Rows = MaxNameRows // what they tell must not differ
	t.Seen, t.notedSeen = r.Seen, r.notedSeen
	return t
}

// SameNote implements copier: whether another has learned nothing that this one does
// not know.
func (r *RowDecoder) SameNote(n Note) bool {
	have := r.Note()
	return have.Provenance == n.Provenance && have.LengthUnit == n.LengthUnit && have.HasTruth == n.HasTruth && slices.Equal(have.Components, n.Components)
}

// Wants reports whether a column can play a role.
func (r *RowDecoder) Wants(name string) bool {
	if p, ok := r.Fields.Lookup([]byte(name)); ok {
		return p.Role != RoleTokens
	}
	return r.Components.Wants(name) && (!r.Components.AcceptAll || IsComponent(name) || !strings.Contains(name, "."))
}

// Reset prepares for another file of the same columns: all but the memory of prompts is as new.
func (r *RowDecoder) Reset(name string) {
	r.FileStep, r.hasFileStep = StepFromPath(name)
	r.SumsComponents, r.Found, r.Used, r.notedUsed = false, Note{}, [RoleCount]string{}, [RoleCount]string{}
	clear(r.Components.Index)
	r.Components = Components{AcceptAll: r.Components.AcceptAll, Requested: r.Components.Requested, Index: r.Components.Index, values: r.Components.values[:0]}
}
