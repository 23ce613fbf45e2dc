package fast

import (
	"bytes"
	"math"

	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
	"vantage/loaders/jsonscan/strspan"
	"vantage/model"
)

// Reader reads the rows of one file that fit its template.
type Reader struct {
	slow         *decode.RowDecoder // reads the other rows
	template     template
	failedLearns int // rows from which a template was learned since the last row that fitted

	// The row at hand.
	buf        []byte
	spans      [decode.RoleCount + 1]span // by role; the last is that of fields without one
	components []float64

	// The row before. Its bytes are those of buf.
	sharedPrefix []byte // up to the first field that differs within a group; nil if not known
	group        groupKey
	prompt       promptBytes
	groupID      []byte

	block blockBuilder
}

// span is where the value of a role stands in the current row. It holds no pointer: one is written
// for each value of millions of rows.
type span struct {
	kind     jsonscan.Kind // the same in all rows
	from, to int           // in buf, without quotes
	number   float64       // of a text: its characters once decoded, -1 if they were not counted
}

// promptBytes are the undecoded bytes of a prompt and its ground truth.
type promptBytes struct {
	prompt, truth []byte
	known         bool
}

// New returns a reader without a template that leaves rows to slow.
func New(slow *decode.RowDecoder) *Reader { return &Reader{slow: slow} }

// BeginBlock starts a block in the memory of old, which nobody may use any more.
func (r *Reader) BeginBlock(old model.Block) {
	r.block.reset(old)
	r.prompt.known, r.groupID, r.sharedPrefix = false, nil, nil
}

// EndBlock returns the block.
func (r *Reader) EndBlock() model.Block { return r.block.finish() }

// ReadRows reads lines into the block, from the one that begins at p[at] to the first that does not
// fit the template or begins at limit or later. It returns where that begins, and how many lines were
// read. p[0] has the given offset in the file; p must not change before EndBlock.
//
// It does not search for newlines: the bytes between values are compared, texts end at a control
// character, and nothing else can hold one. A row that begins as the one before, as rows of a group
// do, is read from the first byte that may differ.
func (r *Reader) ReadRows(p []byte, at, limit int, offset int64) (end, n int) {
	r.buf = p
	for at < limit && r.template.fields != nil {
		end := r.readRow(p, at, offset+int64(at))
		if end == 0 {
			break
		}
		at, n = end, n+1
	}
	return at, n
}

// readRow reads one line and returns where the next begins, 0 if it does not fit.
func (r *Reader) readRow(p []byte, at int, offset int64) (end int) {
	t := &r.template
	samePrefix := r.sharedPrefix != nil && bytes.HasPrefix(p[at:], r.sharedPrefix)
	afterPrefix := at + len(r.sharedPrefix)
	if !samePrefix {
		r.sharedPrefix = nil
		afterPrefix = r.readValues(p, t.fields[:t.firstOwn], t.before.match(p, at))
	}
	end = r.readValues(p, t.fields[t.firstOwn:], afterPrefix)
	if end == 0 || !r.addRow(offset, samePrefix && t.sharedFirst) {
		r.sharedPrefix = nil
		return 0
	}
	if !samePrefix {
		r.sharedPrefix, r.failedLearns = p[at:afterPrefix], 0
	}
	return end
}

// readValues reads the values of some fields, the first of which begins at at. It returns where the
// value after the last begins, 0 if something does not fit or at is 0.
func (r *Reader) readValues(p []byte, fields []field, at int) int {
	for i := 0; i < len(fields) && at > 0; i++ {
		f, next := &fields[i], 0
		v := &r.spans[f.role]
		if f.kind == jsonscan.Number {
			next = v.readNumber(p, at, &f.after)
		}
		if next == 0 {
			next = v.read(p, at, f)
		}
		if f.component >= 0 {
			r.components[f.component] = v.number
		}
		at = next
	}
	return at
}

// read reads a value of any kind and the literal after it, and returns where that ends, 0 if
// something does not fit.
func (v *span) read(p []byte, at int, f *field) (end int) {
	if f.kind == jsonscan.String && !f.isNumber() {
		end = v.readString(p, at)
	} else {
		end = v.scan(p, at, f)
	}
	if end == 0 {
		return 0
	}
	return f.after.match(p, end)
}

// scan reads a value as the RowDecoder does.
func (v *span) scan(p []byte, at int, f *field) (end int) {
	s := jsonscan.Scanner{Data: p, Pos: at}
	value, err := s.Value()
	if err != nil || value.Kind != f.kind || hasNewlineOrNUL(p[at:s.Pos]) {
		return 0
	}
	v.from, v.to = at, s.Pos
	if value.Kind == jsonscan.String {
		v.from, v.to = at+1, s.Pos-1
	}
	ok := true
	switch {
	case f.role == decode.RoleAdvantage:
		v.number = value.ToAdvantage()
	case f.isNumber():
		v.number, ok = value.ToFloat()
	}
	if !ok {
		return 0
	}
	return s.Pos
}

// readString measures a string without looking at its characters.
func (v *span) readString(p []byte, at int) (end int) {
	if at == len(p) || p[at] != '"' {
		return 0
	}
	c, ok := strspan.Measure(p[at+1:])
	if !ok {
		return 0
	}
	v.from, v.to, v.number = at+1, at+1+c.Bytes, -1
	if n, ok := c.Characters(); ok {
		v.number = float64(n)
	}
	return v.to + 1
}

// hasNewlineOrNUL reports whether a list or an object continues after its line, or has a NUL.
func hasNewlineOrNUL(raw []byte) bool {
	return bytes.IndexByte(raw, '\n') >= 0 || bytes.IndexByte(raw, 0) >= 0
}

// addRow adds the current row to the block. It returns false if only the RowDecoder can read it.
// sameGroup says that r.group is that of the row.
func (r *Reader) addRow(offset int64, sameGroup bool) bool {
	length, ok := r.length()
	if !ok || !sameGroup && !r.readGroup() {
		return false
	}
	r.block.addRow(offset, r.group, r.spans[decode.RoleReward].number, r.spans[decode.RoleAdvantage].number, length, r.components)
	return true
}

// readGroup sets r.group to that of the current row.
func (r *Reader) readGroup() bool {
	step, ok := r.step()
	if g := &r.spans[decode.RoleGroup]; !ok || g.kind == jsonscan.String && g.from == g.to {
		return false
	}
	r.group = groupKey{step, r.promptNumber(), r.groupNumber()}
	return !r.slow.SawGroup || r.group.group != 0 || r.block.Prompts[r.group.prompt].Hash != 0
}

// value returns the value of a role as the RowDecoder has it.
func (r *Reader) value(role decode.Role) jsonscan.Value {
	v := &r.spans[role]
	return jsonscan.Value{Kind: v.kind, Raw: r.buf[v.from:v.to]}
}

func (r *Reader) step() (int64, bool) {
	v := &r.spans[decode.RoleStep]
	if v.kind == jsonscan.Absent {
		return r.slow.FileStep, true
	}
	if v.kind == jsonscan.Number && math.Abs(v.number) < 1<<53 {
		return int64(v.number), v.number == math.Trunc(v.number)
	}
	return r.value(decode.RoleStep).ToInt()
}

// length returns the length of the response, as RowDecoder does. Numbers of tokens that cannot be
// true leave the row to that.
func (r *Reader) length() (int32, bool) {
	for _, role := range r.template.tokenCounts {
		if x := r.spans[role].number; x < 1 || x != float64(int32(x)) {
			return 0, false
		}
	}
	switch r.slow.LengthUnit {
	case model.LengthTokens:
		return int32(r.spans[decode.RoleLength].number), true
	case model.LengthCharacters:
		v := r.value(decode.RoleResponse)
		if n := r.spans[decode.RoleResponse].number; v.Kind == jsonscan.String && n >= 0 && !bytes.HasPrefix(v.Raw, []byte(jsonscan.MessagesPrefix)) {
			return int32(min(n, math.MaxInt32)), true
		}
		return int32(min(decode.CountCharacters(v), math.MaxInt32)), true
	default:
		return -1, true
	}
}

// minCachedPrompt is the size of a prompt, in bytes, from which looking it up is quicker than
// computing its hash and preview.
const minCachedPrompt = 256

// promptNumber returns the index of the row's prompt in the block: mostly that of the row before.
func (r *Reader) promptNumber() int32 {
	if r.spans[decode.RolePrompt].kind == jsonscan.Absent {
		return 0
	}
	b := &r.block
	v, truth := r.value(decode.RolePrompt), r.value(decode.RoleTruth)
	if r.prompt.known && bytes.Equal(v.Raw, r.prompt.prompt) && bytes.Equal(truth.Raw, r.prompt.truth) {
		return int32(len(b.Prompts) - 1)
	}
	r.prompt = promptBytes{v.Raw, truth.Raw, true}
	if len(v.Raw)+len(truth.Raw) < minCachedPrompt && v.Kind == jsonscan.String && len(v.Raw) > 0 {
		b.Prompts = append(b.Prompts, r.slow.Prompts.Compute(v, truth))
	} else {
		b.Prompts = append(b.Prompts, r.slow.Prompts.Get(v, truth))
	}
	return int32(len(b.Prompts) - 1)
}

// groupNumber returns the index of the row's group id in the block: mostly that of the row before.
func (r *Reader) groupNumber() int32 {
	if r.spans[decode.RoleGroup].kind == jsonscan.Absent {
		return 0
	}
	b := &r.block
	v := r.value(decode.RoleGroup)
	if len(b.Groups) == 1 || !bytes.Equal(v.Raw, r.groupID) {
		r.groupID = v.Raw
		b.Groups = append(b.Groups, r.slow.GroupID(v, r.template.groupRank))
	}
	return int32(len(b.Groups) - 1)
}

// AddRecord adds a row that the RowDecoder has read.
func (r *Reader) AddRecord(rec *model.Record) {
	b := &r.block
	prompt, group := int32(0), int32(0)
	if rec.Prompt != 0 {
		b.Prompts, r.prompt.known = append(b.Prompts, model.Prompt{Hash: rec.Prompt, Preview: rec.Preview}), false
		prompt = int32(len(b.Prompts) - 1)
	}
	if rec.Group != "" {
		b.Groups, r.groupID = append(b.Groups, rec.Group), nil
		group = int32(len(b.Groups) - 1)
	}
	r.group, r.sharedPrefix = groupKey{rec.Step, prompt, group}, nil
	b.addRow(rec.Offset, r.group, rec.Reward, rec.Advantage, rec.Length, rec.Components)
}
