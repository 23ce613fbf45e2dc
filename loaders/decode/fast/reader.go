package fast

import (
	"bytes"
	"math"

	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
	"vantage/loaders/jsonscan/strspan"
	"vantage/model"
)

// Reader reads the rows of a large log whose keys come in one order. It learns the
// order from a row that was read the long way, and then compares bytes where that
// looks names up. A row that differs in anything, a key, a kind of value, a way to
// write a number, is left to the long way: quick reads a row as [rows] does, or
// not at all.
type Reader struct {
	slow         *decode.RowDecoder // reads what quick leaves
	template     template
	failedLearns int // rows that were learned from in vain since the last that was read

	buf          []byte                     // that the row at hand stands in
	spans        [decode.RoleCount + 1]span // by role; the last is of values that play none
	parts        []float64
	sharedPrefix []byte // of the row before, up to its first own value; nil if it must not be used
	group        groupKey
	prompt       promptBytes // prompt and truth of the row before
	groupID      []byte
	block        blockBuilder
}

// span is the value that plays a role in the row at hand. It holds no pointer,
// since it is written for every value of millions of rows.
type span struct {
	kind     jsonscan.Kind // the same in all rows
	from, to int           // in the buffer, without quotes
	x        float64       // as a number; of a text that is none, how many characters it has once decoded, -1 if that was not counted
}

// promptBytes are the bytes of a prompt and its truth, where they stand in the buffer.
type promptBytes struct {
	prompt, truth []byte
	any           bool
}

func New(r *decode.RowDecoder) *Reader { return &Reader{slow: r} }

// BeginBlock starts a block in the memory of one that nobody needs any more.
func (q *Reader) BeginBlock(old model.Block) {
	q.block.reset(old)
	q.prompt.any, q.groupID, q.sharedPrefix = false, nil, nil
}

// EndBlock hands the block over.
func (q *Reader) EndBlock() model.Block { return q.block.finish() }

// ReadRows reads lines into the block, from the one that begins at at to the first that is
// left to the long way, or that begins at limit or behind it. It returns where that
// begins, and how many were read. The buffer begins at from in the file.
//
// It does not look for the newline: what stands between the values is compared, texts
// end at a control character, and nothing else has room for one. A row that begins as
// the one before, as those of a group do, is read from where it may differ.
func (q *Reader) ReadRows(p []byte, at, limit int, from int64) (end, n int) {
	q.buf = p
	for at < limit && q.template.fields != nil {
		end := q.readRow(p, at, from+int64(at))
		if end == 0 {
			break
		}
		at, n = end, n+1
	}
	return at, n
}

// readRow reads one line, and returns where the next begins; 0 if it was not read.
func (q *Reader) readRow(p []byte, at int, offset int64) (end int) {
	o := &q.template
	same := q.sharedPrefix != nil && bytes.HasPrefix(p[at:], q.sharedPrefix)
	own := at + len(q.sharedPrefix)
	if !same {
		q.sharedPrefix = nil
		own = q.readValues(p, o.fields[:o.firstOwn], o.before.match(p, at))
	}
	end = q.readValues(p, o.fields[o.firstOwn:], own)
	if end == 0 || !q.addRow(offset, same && o.groupFirst) {
		q.sharedPrefix = nil
		return 0
	}
	if !same {
		q.sharedPrefix, q.failedLearns = p[at:own], 0
	}
	return end
}

// readValues reads the values of some slots, the first of which stands at at. It returns
// where the value after the last stands; 0 if something is not as learned.
func (q *Reader) readValues(p []byte, slots []field, at int) int {
	for i := 0; i < len(slots) && at > 0; i++ {
		slot, next := &slots[i], 0
		v := &q.spans[slot.role]
		if slot.kind == jsonscan.Number {
			next = v.readNumber(p, at, &slot.after)
		}
		if next == 0 {
			next = v.read(p, at, slot)
		}
		if slot.component >= 0 {
			q.parts[slot.component] = v.x
		}
		at = next
	}
	return at
}

// read reads a value of the kind that is expected and what follows it, and returns where
// that ends; 0 if others stand there.
func (v *span) read(p []byte, at int, slot *field) (end int) {
	if slot.kind == jsonscan.String && !slot.isNumber() {
		end = v.readString(p, at)
	} else {
		end = v.readSlowly(p, at, slot)
	}
	if end == 0 {
		return 0
	}
	return slot.after.match(p, end)
}

// readSlowly reads a value as the long way does.
func (v *span) readSlowly(p []byte, at int, slot *field) (end int) {
	s := jsonscan.Scanner{Data: p, Pos: at}
	found, err := s.Value()
	if err != nil || found.Kind != slot.kind || hasNewlineOrNUL(p[at:s.Pos]) {
		return 0
	}
	v.from, v.to = at, s.Pos
	if found.Kind == jsonscan.String {
		v.from, v.to = at+1, s.Pos-1
	}
	ok := true
	switch {
	case slot.role == decode.RoleAdvantage:
		v.x = found.ToAdvantage()
	case slot.isNumber():
		v.x, ok = found.ToFloat()
	}
	if !ok {
		return 0
	}
	return s.Pos
}

// readString passes over a text.
func (v *span) readString(p []byte, at int) (end int) {
	if at == len(p) || p[at] != '"' {
		return 0
	}
	c, ok := strspan.Measure(p[at+1:])
	if !ok {
		return 0
	}
	v.from, v.to, v.x = at+1, at+1+c.Bytes, -1
	if n, sure := c.Characters(); sure {
		v.x = float64(n)
	}
	return v.to + 1
}

// hasNewlineOrNUL reports whether a list or an object goes on beyond its line, or has a NUL.
func hasNewlineOrNUL(raw []byte) bool {
	return bytes.IndexByte(raw, '\n') >= 0 || bytes.IndexByte(raw, 0) >= 0
}

// addRow adds the row at hand to the block; known says that it has the same in common with
// its group as the row before.
func (q *Reader) addRow(offset int64, known bool) bool {
	length, ok := q.length()
	if !ok || !known && !q.readGroup() {
		return false
	}
	q.block.addRow(offset, q.group, q.spans[decode.RoleReward].x, q.spans[decode.RoleAdvantage].x, length, q.parts)
	return true
}

// readGroup finds what the row has in common with others of its group.
func (q *Reader) readGroup() bool {
	step, ok := q.step()
	if g := &q.spans[decode.RoleGroup]; !ok || g.kind == jsonscan.String && g.from == g.to {
		return false
	}
	q.group = groupKey{step, q.promptNumber(), q.groupNumber()}
	return !q.slow.SawGroup || q.group.group != 0 || q.block.Prompts[q.group.prompt].Hash != 0
}

// value is what plays a role, as the long way has it.
func (q *Reader) value(as decode.Role) jsonscan.Value {
	v := &q.spans[as]
	return jsonscan.Value{Kind: v.kind, Raw: q.buf[v.from:v.to]}
}

func (q *Reader) step() (int64, bool) {
	v := &q.spans[decode.RoleStep]
	if v.kind == jsonscan.Absent {
		return q.slow.FileStep, true
	}
	if v.kind == jsonscan.Number && math.Abs(v.x) < 1<<53 {
		return int64(v.x), v.x == math.Trunc(v.x)
	}
	return q.value(decode.RoleStep).ToInt()
}

// length is that of the response, as rows.length has it. Numbers that are none
// leave the row to the long way.
func (q *Reader) length() (int32, bool) {
	for _, as := range q.template.tokenCounts {
		if x := q.spans[as].x; x < 1 || x != float64(int32(x)) {
			return 0, false
		}
	}
	switch q.slow.Found.LengthUnit {
	case model.LengthTokens:
		return int32(q.spans[decode.RoleLength].x), true
	case model.LengthCharacters:
		v := q.value(decode.RoleResponse)
		if n := q.spans[decode.RoleResponse].x; v.Kind == jsonscan.String && n >= 0 && !bytes.HasPrefix(v.Raw, []byte(jsonscan.MessagesPrefix)) {
			return int32(min(n, math.MaxInt32)), true
		}
		return int32(min(decode.CountCharacters(v), math.MaxInt32)), true
	default:
		return -1, true
	}
}

// promptNumber numbers the prompt of the row: mostly it is that of the row before.
func (q *Reader) promptNumber() int32 {
	if q.spans[decode.RolePrompt].kind == jsonscan.Absent {
		return 0
	}
	b := &q.block
	v, truth := q.value(decode.RolePrompt), q.value(decode.RoleTruth)
	if q.prompt.any && bytes.Equal(v.Raw, q.prompt.prompt) && bytes.Equal(truth.Raw, q.prompt.truth) {
		return int32(len(b.Prompts) - 1)
	}
	q.prompt = promptBytes{v.Raw, truth.Raw, true}
	var found decode.Prompt
	if len(v.Raw)+len(truth.Raw) < memoMinBytes && v.Kind == jsonscan.String && len(v.Raw) > 0 {
		found = q.slow.Prompts.Compute(v, truth)
	} else {
		found = q.slow.Prompts.Get(v, truth)
	}
	b.Prompts = append(b.Prompts, model.Prompt{Hash: found.Hash, Preview: found.Preview})
	return int32(len(b.Prompts) - 1)
}

// memoMinBytes is the size of a prompt from which it pays to remember what was found.
const memoMinBytes = 256

// groupNumber numbers the group id of the row: mostly it is that of the row before.
func (q *Reader) groupNumber() int32 {
	if q.spans[decode.RoleGroup].kind == jsonscan.Absent {
		return 0
	}
	b := &q.block
	v := q.value(decode.RoleGroup)
	if len(b.Groups) == 1 || !bytes.Equal(v.Raw, q.groupID) {
		q.groupID = v.Raw
		b.Groups = append(b.Groups, q.slow.GroupID(v, q.template.groupRank))
	}
	return int32(len(b.Groups) - 1)
}

// AddRecord adds a row that was read the long way.
func (q *Reader) AddRecord(r *model.Record) {
	b := &q.block
	prompt, group := int32(0), int32(0)
	if r.Prompt != 0 {
		b.Prompts, q.prompt.any = append(b.Prompts, model.Prompt{Hash: r.Prompt, Preview: r.Preview}), false
		prompt = int32(len(b.Prompts) - 1)
	}
	if r.Group != "" {
		b.Groups, q.groupID = append(b.Groups, r.Group), nil
		group = int32(len(b.Groups) - 1)
	}
	q.group, q.sharedPrefix = groupKey{r.Step, prompt, group}, nil
	q.block.addRow(r.Offset, q.group, r.Reward, r.Advantage, r.Length, r.Components)
}
