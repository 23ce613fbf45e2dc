package loaders

import (
	"bytes"
	"math"

	"vantage/loaders/quoted"
	"vantage/model"
)

// quick reads the rows of a large log whose keys come in one order. It learns the
// order from a row that was read the long way, and then compares bytes where that
// looks names up. A row that differs in anything, a key, a kind of value, a way to
// write a number, is left to the long way: quick reads a row as [rows] does, or
// not at all.
type quick struct {
	rows   *rows
	slots  []slot
	tail   []byte // what follows the last value, to the end of the line
	own    int    // the first slot that is not shared by the samples of a group
	leads  bool   // all that they share stands before it
	counts []role // that are numbers of tokens
	wasted int    // rows that were learned from in vain since the last that was read

	line  []byte
	found [roles]finding
	other finding // one that plays no role
	head  []byte  // of the row before, up to the value of the own slot; nil if it must not be used
	last  shared
	parts []float64
	block model.Block
	old   model.Block // whose memory it takes
	asked seen        // prompt and truth of the row before
	group []byte
	rank  int // of the name that the group id has
}

// shared is what the samples of a group have in common.
type shared struct {
	step          int64
	prompt, group int32
}

// finding is the value that plays a role in the row at hand. It holds no pointer,
// since it is written for every value of millions of rows.
type finding struct {
	kind     kind
	from, to int     // in the row, without quotes
	x        float64 // of a text: how many characters it has once decoded, -1 if that was not counted
}

// seen are the bytes of a prompt and its truth.
type seen struct {
	prompt, truth []byte
	any           bool
}

func newQuick(r *rows) *quick { return &quick{rows: r} }

// begin starts a block in the memory of one that nobody needs any more.
func (q *quick) begin(old model.Block) {
	q.block = model.Block{
		Step: old.Step[:0], Offset: old.Offset[:0], Reward: old.Reward[:0], Length: old.Length[:0],
		Prompts: append(old.Prompts[:0], model.Prompt{}), Groups: append(old.Groups[:0], ""), // the first is none
	}
	q.old = old
	q.asked.any, q.group, q.head = false, q.group[:0], nil
}

// row reads the line that p begins with into the block, and returns its size. If that
// is 0, nothing was read, and the line is left to the long way.
//
// It does not look for the newline: what stands between the values is compared, texts
// end at a control character, and nothing else has room for one. A row that begins as
// the one before, as those of a group do, is read from where it may differ.
func (q *quick) row(p []byte, offset int64) int {
	if q.tail == nil {
		return 0
	}
	same := q.head != nil && bytes.HasPrefix(p, q.head)
	first, at := 0, 0
	if same {
		first, at = q.own, len(q.head)-len(q.slots[q.own].lead)
	}
	q.line, q.head = p, nil
	begin, at := q.values(p, first, at)
	if at == 0 || !bytes.HasPrefix(p[at:], q.tail) || !q.take(offset, same) {
		return 0
	}
	q.head, q.wasted = p[:begin], 0
	return at + len(q.tail)
}

// values reads the slots from the first on, whose lead is at at. It returns where the
// value of the own slot begins and where the last value ends; 0 if one is not as
// learned.
func (q *quick) values(p []byte, first, at int) (begin, end int) {
	for i := first; i < len(q.slots); i++ {
		slot := &q.slots[i]
		if at+len(slot.lead) > len(p) || string(p[at:at+len(slot.lead)]) != string(slot.lead) {
			return 0, 0
		}
		at += len(slot.lead)
		if i == q.own {
			begin = at
		}
		v := &q.found[max(slot.role, 0)]
		if slot.role < 0 {
			v = &q.other
		}
		v.kind = slot.kind
		if at = v.read(p, at); at == 0 {
			return 0, 0
		}
		if slot.part >= 0 {
			q.part(slot.part, q.other.x)
		}
	}
	return begin, at
}

// read reads a value of the kind that is expected, and returns where it ends; 0 if
// another stands there.
func (v *finding) read(p []byte, at int) (end int) {
	switch v.kind {
	case number:
		x, size, ok := quickNumber(p[at:])
		if !ok {
			return 0
		}
		v.from, v.to, v.x = at, at+size, x
		return v.to
	case text:
		return v.readText(p, at)
	default:
		s := scanner{data: p, at: at}
		found, err := s.value()
		if err != nil || found.kind != v.kind || broken(p[at:s.at]) {
			return 0
		}
		v.from, v.to = at, s.at
		if v.kind == boolean {
			v.x, _ = found.toFloat()
		}
		return s.at
	}
}

func (v *finding) readText(p []byte, at int) (end int) {
	if at == len(p) || p[at] != '"' {
		return 0
	}
	c, ok := quoted.Measure(p[at+1:])
	if !ok {
		return 0
	}
	v.from, v.to, v.x = at+1, at+1+c.Bytes, -1
	if n, sure := c.Characters(); sure {
		v.x = float64(n)
	}
	return v.to + 1
}

// broken reports whether a list or an object goes on beyond its line, or has a NUL.
func broken(raw []byte) bool {
	return bytes.IndexByte(raw, '\n') >= 0 || bytes.IndexByte(raw, 0) >= 0
}

// part keeps what a reward function gave.
func (q *quick) part(at int, x float64) {
	for len(q.parts) <= at {
		q.parts = append(q.parts, math.NaN())
	}
	q.parts[at] = x
}

// take adds the row at hand to the block; same says that it begins as the one before.
func (q *quick) take(offset int64, same bool) bool {
	reward, ok := q.number(roleReward)
	length, long := q.length()
	if !ok || !long || !q.share(same) {
		return false
	}
	advantage := math.NaN()
	switch v := &q.found[roleAdvantage]; v.kind {
	case absent:
	case number:
		advantage = v.x
	default:
		advantage = q.value(roleAdvantage).toAdvantage()
	}
	q.add(offset, reward, advantage, length)
	for k, x := range q.parts {
		q.setPart(k, x)
	}
	return true
}

// share finds what the row has in common with others of its group. All that stands
// before the own slot is known if the row begins as the one before.
func (q *quick) share(same bool) bool {
	if same && q.leads {
		return true
	}
	step, ok := q.step()
	if g := &q.found[roleGroup]; !ok || g.kind == text && g.from == g.to {
		return false
	}
	q.last = shared{step, q.prompt(), q.called()}
	return true
}

// value is what plays a role, as the long way has it.
func (q *quick) value(as role) value {
	v := &q.found[as]
	return value{kind: v.kind, raw: q.line[v.from:v.to]}
}

// number is what plays a role, if it is a number.
func (q *quick) number(as role) (float64, bool) {
	if v := &q.found[as]; v.kind == number {
		return v.x, true
	}
	return q.value(as).toFloat()
}

func (q *quick) step() (int64, bool) {
	switch v := &q.found[roleStep]; v.kind {
	case absent:
		return q.rows.step, true
	case number:
		return int64(v.x), v.x == math.Trunc(v.x)
	default:
		return q.value(roleStep).toInt()
	}
}

// length is that of the response, as rows.length has it. Numbers that are none
// leave the row to the long way.
func (q *quick) length() (int32, bool) {
	for _, as := range q.counts {
		if v := &q.found[as]; v.kind != absent && (v.kind != number || v.x < 1 || v.x > math.MaxInt32 || v.x != math.Trunc(v.x)) {
			return 0, false
		}
	}
	switch q.rows.note.LengthUnit {
	case model.LengthTokens:
		return int32(q.found[roleLength].x), q.found[roleLength].kind == number
	case model.LengthCharacters:
		v := q.value(roleResponse)
		if n := q.found[roleResponse].x; v.kind == text && n >= 0 && !bytes.HasPrefix(v.raw, []byte(messagesText)) {
			return int32(min(n, math.MaxInt32)), true
		}
		return int32(min(characters(v), math.MaxInt32)), true
	default:
		return -1, true
	}
}

// add appends a sample to the block. Columns that say nothing are begun by the first
// sample that has something to say.
func (q *quick) add(offset int64, reward, advantage float64, length int32) {
	b, of := &q.block, q.last
	n := b.Len()
	b.Step, b.Offset = append(b.Step, of.step), append(b.Offset, offset)
	b.Reward, b.Length = append(b.Reward, reward), append(b.Length, length)
	b.Prompt = column(b.Prompt, q.old.Prompt, n, of.prompt, 0, of.prompt == 0)
	b.Group = column(b.Group, q.old.Group, n, of.group, 0, of.group == 0)
	b.Advantage = column(b.Advantage, q.old.Advantage, n, advantage, math.NaN(), advantage != advantage)
}

// column appends to a column of n values that is nil as long as all are none; then it
// begins in the memory of an old one.
func column[T any](c, old []T, n int, x, none T, nothing bool) []T {
	switch {
	case c != nil:
		return append(c, x)
	case nothing:
		return nil
	}
	c = old[:0]
	for range n {
		c = append(c, none)
	}
	return append(c, x)
}

// setPart sets what reward function k gave to the newest sample.
func (q *quick) setPart(k int, x float64) {
	b := &q.block
	for len(b.Parts) <= k {
		b.Parts = append(b.Parts, make([]float64, 0, cap(b.Reward)))
	}
	for len(b.Parts[k]) < b.Len() {
		b.Parts[k] = append(b.Parts[k], math.NaN())
	}
	b.Parts[k][b.Len()-1] = x
}

// end hands the block over.
func (q *quick) end() model.Block {
	for k := range q.block.Parts {
		for len(q.block.Parts[k]) < q.block.Len() {
			q.block.Parts[k] = append(q.block.Parts[k], math.NaN())
		}
	}
	return q.block
}

// prompt numbers the prompt of the row: mostly it is that of the row before.
func (q *quick) prompt() int32 {
	if q.found[rolePrompt].kind == absent {
		return 0
	}
	b := &q.block
	v, truth := q.value(rolePrompt), q.value(roleTruth)
	if q.asked.any && bytes.Equal(v.raw, q.asked.prompt) && bytes.Equal(truth.raw, q.asked.truth) {
		return int32(len(b.Prompts) - 1)
	}
	q.asked = seen{append(q.asked.prompt[:0], v.raw...), append(q.asked.truth[:0], truth.raw...), true}
	var found prompt
	if len(v.raw)+len(truth.raw) < maxShort && v.kind == text && len(v.raw) > 0 {
		found = prompt{hash: q.rows.prompts.hash(v, truth), preview: q.rows.prompts.preview(v)}
	} else {
		found = q.rows.prompts.of(v, truth)
	}
	b.Prompts = append(b.Prompts, model.Prompt{Hash: found.hash, Preview: found.preview})
	return int32(len(b.Prompts) - 1)
}

// maxShort is the size of a prompt from which it pays to remember what was found.
const maxShort = 256

// called numbers the group id of the row: mostly it is that of the row before.
func (q *quick) called() int32 {
	if q.found[roleGroup].kind == absent {
		return 0
	}
	b := &q.block
	v := q.value(roleGroup)
	if len(b.Groups) == 1 || !bytes.Equal(v.raw, q.group) {
		q.group = append(q.group[:0], v.raw...)
		b.Groups = append(b.Groups, q.rows.id(v, q.rank))
	}
	return int32(len(b.Groups) - 1)
}

// record adds a row that was read the long way.
func (q *quick) record(r *model.Record) {
	b := &q.block
	prompt, group := int32(0), int32(0)
	if r.Prompt != 0 {
		b.Prompts, q.asked.any = append(b.Prompts, model.Prompt{Hash: r.Prompt, Preview: r.Preview}), false
		prompt = int32(len(b.Prompts) - 1)
	}
	if r.Group != "" {
		b.Groups, q.group = append(b.Groups, r.Group), q.group[:0]
		group = int32(len(b.Groups) - 1)
	}
	q.last, q.head = shared{r.Step, prompt, group}, nil
	q.add(r.Offset, r.Reward, r.Advantage, r.Length)
	for k, x := range r.Parts {
		q.setPart(k, x)
	}
}
