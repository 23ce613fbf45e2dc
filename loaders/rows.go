package loaders

import (
	"errors"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/units"
)

// rows decodes logs whose samples are objects of named values, in whatever shape
// they are laid out.
type rows struct {
	fields *fields
	shape  shape // nil is plain
	step   int64 // of the file's name, for rows without one
	named  bool  // the file's name does tell a step
	summed bool  // the log has no total: rewards are sums of components

	grouped bool // some row before told its group

	relogs  bool     // the trainer logs rows twice
	answers []uint64 // then: hashes of the answers of the record at hand
	visit   func(key, v value)

	picked [roles]value // of the row at hand
	rank   [roles]int

	parts   components
	capture *capture // takes down the text of a sample; nil while a log is read
	prompts prompts
	groups  map[string]string // interned: an id comes once per sample
	note    Note
	used    [roles]string // the name under which a role was first met
	told    [roles]string // what note.How was made of
	extra   unused
	others  int // how many names note.How was made of
}

func newRows(f *fields, name string) *rows {
	r := &rows{fields: f, groups: map[string]string{}}
	r.step, r.named = stepOfName(name)
	r.visit = r.pick
	return r
}

// weak is added to the rank of a null: any other field is better.
const weak = 1000

// pick keeps a field if it is the best so far for its role. Of a key that comes
// twice the last one counts.
func (r *rows) pick(key, v value) {
	if r.extra.rows < maxLooked {
		r.extra.meet(key.raw)
	}
	r.pickAt(key.raw, v)
}

func (r *rows) pickAt(key []byte, v value) {
	if v.kind == object && r.fields.parents[string(key)] {
		r.pickWithin(key, v)
	}
	p, ok := r.fields.place(key)
	if r.capture != nil && (!ok || !p.role.isText()) {
		r.capture.field(key, v)
	}
	if ok = ok && fits(p.role, v); !ok || slices.Contains(r.parts.also, string(key)) {
		r.parts.pick(value{kind: text, raw: key}, v)
	}
	if !ok {
		return
	}
	if p.role == roleGroup || p.role == roleTruth {
		v = v.written()
	}
	rank := p.rank
	if v.kind == null {
		rank += weak
	}
	if r.picked[p.role].kind == absent || rank <= r.rank[p.role] {
		r.picked[p.role], r.rank[p.role] = v, rank
	}
}

// pickWithin picks from an object some of whose fields have names with dots.
func (r *rows) pickWithin(key []byte, v value) {
	path := append(append(make([]byte, 0, 64), key...), '.')
	_ = scanObject(v.raw, func(k, v value) { r.pickAt(append(path[:len(key)+1:len(key)+1], k.raw...), v) })
}

// choose sets a role to a value that a shape has found out by itself.
func (r *rows) choose(as role, v value) {
	if v.kind != absent {
		r.picked[as], r.rank[as] = v, 0
	}
}

// fits reports whether a value can play a role: names alone do not decide,
// "reward" may be an object of averages and "tokens" a list.
func fits(as role, v value) bool {
	switch as {
	case roleReward:
		_, ok := v.toFloat()
		return ok
	case roleStep:
		_, ok := v.toInt()
		return ok
	case roleGroup:
		return v.kind == number || v.kind == real || v.kind == text && len(v.raw) > 0
	case rolePrompt, roleResponse:
		return v.kind == text || v.kind == list || v.kind == counted
	case roleTruth:
		return v.kind != null
	case roleLength, roleTotal, rolePromptLength:
		n, ok := v.toInt()
		return ok && n > 0 && n <= math.MaxInt32
	case roleTokens:
		return v.kind == list
	default:
		return true
	}
}

var errNoSample = errors.New("no sample: the row has neither a reward nor a prompt nor a response")

// Line implements [Decoder].
func (r *rows) Line(dst []model.Record, line []byte) ([]model.Record, error) {
	before := len(dst)
	r.answers = r.answers[:0]
	var empty error
	lay := r.shape
	if lay == nil {
		lay = plain
	}
	err := lay(r, line, func() {
		var bad error
		if dst, bad = r.finish(dst); bad != nil {
			empty = bad
		}
	})
	if err != nil {
		return dst[:before], err
	}
	if len(dst) == before {
		return dst, empty
	}
	if err := r.belongs(dst[before:]); err != nil {
		return dst[:before], err
	}
	return dst, nil
}

var errNoGroup = errors.New("no prompt: the rows before it have one, and without it is of no group")

// belongs refuses the only sample of a record if nothing tells its group, where that is told
// of the samples before: one such row would leave all of them without groups.
func (r *rows) belongs(samples []model.Record) error {
	if samples[0].Prompt != 0 || samples[0].Group != "" {
		r.grouped = true
	} else if r.grouped && len(samples) == 1 {
		return errNoGroup
	}
	return nil
}

// begin forgets the row before.
func (r *rows) begin() {
	clear(r.picked[:])
	r.parts.begin()
	if r.capture != nil {
		r.capture.begin()
	}
}

// finish makes a record of what was picked.
func (r *rows) finish(dst []model.Record) ([]model.Record, error) {
	if r.picked[roleReward].kind == absent {
		r.total()
	}
	r.part()
	has := func(as role) bool { return r.picked[as].kind != absent }
	if !has(roleReward) && !has(rolePrompt) && !has(roleResponse) && !r.rewarded() {
		return dst, errNoSample
	}
	if r.capture != nil {
		r.capture.finish(r)
	}
	r.learn()
	r.extra.rows++
	asked := r.prompts.of(r.picked[rolePrompt], r.picked[roleTruth])
	rec := model.Record{
		Step:      r.step,
		Group:     r.group(),
		Prompt:    asked.hash,
		Preview:   asked.preview,
		Reward:    estimators.MissingReward(),
		Parts:     r.parts.row(),
		Advantage: r.picked[roleAdvantage].toAdvantage(),
		Length:    r.length(),
	}
	if r.relogs {
		r.answers = append(r.answers, hash64(r.picked[roleResponse].raw))
	}
	if x, ok := r.picked[roleReward].toFloat(); ok {
		rec.Reward = x
	}
	if n, ok := r.picked[roleStep].toInt(); ok {
		rec.Step = n
	}
	return append(dst, rec), nil
}

// total makes a reward of what the reward functions gave, in a log that has no reward of its
// own: what one row lacks must not be another thing than what the others have.
func (r *rows) total() {
	if r.used[roleReward] != "" && r.used[roleReward] != r.parts.under && !r.summed {
		return
	}
	if r.parts.given.kind != absent {
		r.picked[roleReward], r.rank[roleReward] = r.parts.given, givenRank
		return
	}
	if sum, ok := r.parts.total(); ok {
		r.picked[roleReward], r.rank[roleReward], r.summed = floatValue(sum), 0, true
	}
}

// givenRank is that of what stands within another field: a total among rewards, an answer at
// the end of a conversation.
const givenRank = weak - 1

// part takes the answer off a conversation that holds both: else each answer would be a
// prompt of its own.
func (r *rows) part() {
	all := r.picked[rolePrompt]
	if all.kind != list || r.picked[roleResponse].kind != absent || r.called(rolePrompt) != conversationName {
		return
	}
	turns := elements(all)
	if n := len(answered(all)); 0 < n && n < len(turns) {
		r.picked[rolePrompt] = conversation(turns[:len(turns)-n])
		r.picked[roleResponse], r.rank[roleResponse] = conversation(turns[len(turns)-n:]), givenRank
	}
}

// conversationName is the field of which nobody knows whether the answer is in it.
const conversationName = "messages"

func (r *rows) group() string {
	v := r.picked[roleGroup]
	if v.kind == absent {
		return ""
	}
	if known, ok := r.groups[string(v.raw)]; ok {
		return known
	}
	if len(r.groups) >= maxMemo {
		clear(r.groups)
	}
	id := r.id(v, r.rank[roleGroup])
	r.groups[string(v.raw)] = id
	return id
}

// id is the group that a field names; the rank tells which field it is.
func (r *rows) id(v value, rank int) string {
	id := string(v.text())
	if rank < len(r.fields.names[roleGroup]) && r.fields.names[roleGroup][rank] == "uid" {
		id = withoutRollout(id)
	}
	return id
}

// withoutRollout strips "_{rollout}_{output}" of a verl uid, if both are there.
func withoutRollout(uid string) string {
	id := uid
	for range 2 {
		i := strings.LastIndexByte(id, '_')
		if i <= 0 || !isDigits(id[i+1:]) {
			return uid
		}
		id = id[:i]
	}
	return id
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// learn notes what the row has that none before it had; a column that a person named
// counts as met in whatever row it comes. The unit of lengths is settled by the first row
// that has one: a file must not mix two.
func (r *rows) learn() {
	for as := range roles {
		if r.picked[as].kind == absent {
			continue
		}
		if known := r.used[as]; known == "" || r.fields.asked != nil && r.fields.asked[as] != "" && r.fields.asked[as] != known {
			r.used[as] = r.called(as)
		}
	}
	r.note.HasTruth = r.note.HasTruth || r.picked[roleTruth].kind != absent && r.picked[rolePrompt].kind != absent
	if r.note.LengthUnit != model.LengthUnknown {
		return
	}
	if _, ok := r.tokens(); ok {
		r.note.LengthUnit = model.LengthTokens
	} else if r.picked[roleResponse].kind != absent {
		r.note.LengthUnit = model.LengthCharacters
	}
}

// called is the name of the field that was picked, or that it is no field.
func (r *rows) called(as role) string {
	switch rank := r.rank[as] % weak; {
	case rank < len(r.fields.names[as]):
		return r.fields.names[as][rank]
	case as == roleReward && rank == givenRank:
		return r.parts.under
	case as == roleResponse && rank == givenRank:
		return conversationName
	}
	return "the record"
}

func (r *rows) length() int32 {
	n, ok := 0, false
	switch r.note.LengthUnit {
	case model.LengthTokens:
		n, ok = r.tokens()
	case model.LengthCharacters:
		n, ok = characters(r.picked[roleResponse]), r.picked[roleResponse].kind != absent
	case model.LengthUnknown:
	}
	if !ok {
		return -1
	}
	return int32(min(n, math.MaxInt32))
}

func (r *rows) tokens() (int, bool) {
	if n, ok := r.picked[roleLength].toInt(); ok {
		return int(n), true
	}
	if v := r.picked[roleTokens]; v.kind == list {
		return v.count(), true
	}
	total, ok := r.picked[roleTotal].toInt()
	asked, also := r.picked[rolePromptLength].toInt()
	return int(total - asked), ok && also && total >= asked
}

func characters(v value) int {
	if all := v.toMessages(); len(all) > 0 {
		n := 0
		for _, m := range all {
			n += utf8.RuneCount(m.appendContent(nil))
		}
		return n
	}
	switch v.kind {
	case text:
		return countRunes(v.raw)
	case counted:
		return int(v.x)
	default:
		return 0
	}
}

// Note implements [Decoder].
func (r *rows) Note() Note {
	if r.told != r.used || len(r.note.Components) != len(r.parts.names) || r.note.How != "" && r.others != len(r.extra.names) {
		r.told, r.others = r.used, len(r.extra.names)
		r.note.Components = r.parts.names[:len(r.parts.names):len(r.parts.names)]
		r.note.How, r.note.Lacks = r.how(), r.lacks()
	}
	return r.note
}

// lacks are the columns that a person named and no row has had.
func (r *rows) lacks() []string {
	var names []string
	for as := range roles {
		if name := r.fields.asked[as]; name != "" && r.used[as] != name {
			names = append(names, name)
		}
	}
	return names
}

func (r *rows) how() string {
	parts := []string{"no reward"}
	switch name := r.used[roleReward]; {
	case r.summed:
		parts[0] = "reward computed as the sum of " + strings.Join(r.parts.summands(), ", ")
		if all := r.parts.summands(); len(all) == 1 {
			parts[0] = "reward from " + all[0] + " (the only reward function)"
		}
	case name != "":
		parts[0] = "reward from " + name
	}
	say := func(what string, as role) {
		if name := r.used[as]; name != "" {
			parts = append(parts, what+" from "+name)
		}
	}
	say("step", roleStep)
	switch {
	case r.used[roleStep] != "":
	case r.named:
		parts = append(parts, "step from the file name")
	default:
		parts = append(parts, "no step, so all rows are step 0")
	}
	say("group id", roleGroup)
	say("prompt", rolePrompt)
	say("ground truth", roleTruth)
	say("advantage", roleAdvantage)
	if n := len(r.parts.names); n > 0 && !r.summed {
		parts = append(parts, units.Plural(n, "components"))
	}
	switch r.note.LengthUnit {
	case model.LengthTokens:
		parts = append(parts, "lengths in tokens")
	case model.LengthCharacters:
		parts = append(parts, "lengths in characters of "+r.used[roleResponse])
	case model.LengthUnknown:
	}
	for _, name := range r.lacks() {
		parts = append(parts, "no column "+name)
	}
	how := strings.Join(parts, ", ") + r.unused()
	if r.fields.doubt != nil {
		how += r.fields.doubt(r.parts.names)
	}
	return how
}

// rewarded reports whether the row at hand has a reward, or components to sum.
func (r *rows) rewarded() bool {
	_, ok := r.parts.total()
	return ok || r.parts.given.kind != absent || r.picked[roleReward].kind != absent
}

// twin implements copier.
func (r *rows) twin() copier {
	t := newRows(r.fields, "")
	t.shape, t.step, t.named, t.summed, t.grouped = r.shape, r.step, r.named, r.summed, r.grouped
	t.note, t.used, t.told = r.Note(), r.used, r.told
	t.parts = r.parts.twin()
	r.extra.rows = maxLooked // what they tell must not differ
	t.extra, t.others = r.extra, r.others
	return t
}

// same implements copier: whether another has learned nothing that this one does
// not know.
func (r *rows) same(n Note) bool {
	have := r.Note()
	return have.How == n.How && have.LengthUnit == n.LengthUnit && have.HasTruth == n.HasTruth && slices.Equal(have.Components, n.Components)
}
