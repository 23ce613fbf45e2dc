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
	long   *rows // reads what quick leaves
	order  order
	wasted int // rows that were learned from in vain since the last that was read

	buf   []byte             // that the row at hand stands in
	found [roles + 1]finding // by role; the last is of values that play none
	parts []float64
	head  []byte // of the row before, up to its first own value; nil if it must not be used
	last  shared
	asked seen // prompt and truth of the row before
	group []byte
	tray  tray
}

// finding is the value that plays a role in the row at hand. It holds no pointer,
// since it is written for every value of millions of rows.
type finding struct {
	kind     kind    // the same in all rows
	from, to int     // in the buffer, without quotes
	x        float64 // as a number; of a text that is none, how many characters it has once decoded, -1 if that was not counted
}

// seen are the bytes of a prompt and its truth, where they stand in the buffer.
type seen struct {
	prompt, truth []byte
	any           bool
}

func newQuick(r *rows) *quick { return &quick{long: r} }

// begin starts a block in the memory of one that nobody needs any more.
func (q *quick) begin(old model.Block) {
	q.tray.begin(old)
	q.asked.any, q.group, q.head = false, nil, nil
}

// end hands the block over.
func (q *quick) end() model.Block { return q.tray.end() }

// rows reads lines into the block, from the one that begins at at to the first that is
// left to the long way, or that begins at limit or behind it. It returns where that
// begins, and how many were read. The buffer begins at from in the file.
//
// It does not look for the newline: what stands between the values is compared, texts
// end at a control character, and nothing else has room for one. A row that begins as
// the one before, as those of a group do, is read from where it may differ.
func (q *quick) rows(p []byte, at, limit int, from int64) (end, n int) {
	q.buf = p
	for at < limit && q.order.slots != nil {
		end := q.row(p, at, from+int64(at))
		if end == 0 {
			break
		}
		at, n = end, n+1
	}
	return at, n
}

// row reads one line, and returns where the next begins; 0 if it was not read.
func (q *quick) row(p []byte, at int, offset int64) (end int) {
	o := &q.order
	same := q.head != nil && bytes.HasPrefix(p[at:], q.head)
	own := at + len(q.head)
	if !same {
		q.head = nil
		own = q.values(p, o.slots[:o.own], o.start.pass(p, at))
	}
	end = q.values(p, o.slots[o.own:], own)
	if end == 0 || !q.take(offset, same && o.leads) {
		q.head = nil
		return 0
	}
	if !same {
		q.head, q.wasted = p[at:own], 0
	}
	return end
}

// values reads the values of some slots, the first of which stands at at. It returns
// where the value after the last stands; 0 if something is not as learned.
func (q *quick) values(p []byte, slots []slot, at int) int {
	for i := 0; i < len(slots) && at > 0; i++ {
		slot, next := &slots[i], 0
		v := &q.found[slot.role]
		if slot.kind == number {
			next = v.number(p, at, &slot.after)
		}
		if next == 0 {
			next = v.read(p, at, slot)
		}
		if slot.part >= 0 {
			q.parts[slot.part] = v.x
		}
		at = next
	}
	return at
}

// read reads a value of the kind that is expected and what follows it, and returns where
// that ends; 0 if others stand there.
func (v *finding) read(p []byte, at int, slot *slot) (end int) {
	if slot.kind == text && !slot.isNumber() {
		end = v.measure(p, at)
	} else {
		end = v.scan(p, at, slot)
	}
	if end == 0 {
		return 0
	}
	return slot.after.pass(p, end)
}

// scan reads a value as the long way does.
func (v *finding) scan(p []byte, at int, slot *slot) (end int) {
	s := scanner{data: p, at: at}
	found, err := s.value()
	if err != nil || found.kind != slot.kind || broken(p[at:s.at]) {
		return 0
	}
	v.from, v.to = at, s.at
	if found.kind == text {
		v.from, v.to = at+1, s.at-1
	}
	ok := true
	switch {
	case slot.role == roleAdvantage:
		v.x = found.toAdvantage()
	case slot.isNumber():
		v.x, ok = found.toFloat()
	}
	if !ok {
		return 0
	}
	return s.at
}

// measure passes over a text.
func (v *finding) measure(p []byte, at int) (end int) {
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

// take adds the row at hand to the block; known says that it has the same in common with
// its group as the row before.
func (q *quick) take(offset int64, known bool) bool {
	length, ok := q.length()
	if !ok || !known && !q.share() {
		return false
	}
	q.tray.put(offset, q.last, q.found[roleReward].x, q.found[roleAdvantage].x, length, q.parts)
	return true
}

// share finds what the row has in common with others of its group.
func (q *quick) share() bool {
	step, ok := q.step()
	if g := &q.found[roleGroup]; !ok || g.kind == text && g.from == g.to {
		return false
	}
	q.last = shared{step, q.prompt(), q.called()}
	return !q.long.grouped || q.last.group != 0 || q.tray.Prompts[q.last.prompt].Hash != 0
}

// value is what plays a role, as the long way has it.
func (q *quick) value(as role) value {
	v := &q.found[as]
	return value{kind: v.kind, raw: q.buf[v.from:v.to]}
}

func (q *quick) step() (int64, bool) {
	v := &q.found[roleStep]
	if v.kind == absent {
		return q.long.step, true
	}
	if v.kind == number && math.Abs(v.x) < 1<<53 {
		return int64(v.x), v.x == math.Trunc(v.x)
	}
	return q.value(roleStep).toInt()
}

// length is that of the response, as rows.length has it. Numbers that are none
// leave the row to the long way.
func (q *quick) length() (int32, bool) {
	for _, as := range q.order.counts {
		if x := q.found[as].x; x < 1 || x != float64(int32(x)) {
			return 0, false
		}
	}
	switch q.long.note.LengthUnit {
	case model.LengthTokens:
		return int32(q.found[roleLength].x), true
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

// prompt numbers the prompt of the row: mostly it is that of the row before.
func (q *quick) prompt() int32 {
	if q.found[rolePrompt].kind == absent {
		return 0
	}
	b := &q.tray
	v, truth := q.value(rolePrompt), q.value(roleTruth)
	if q.asked.any && bytes.Equal(v.raw, q.asked.prompt) && bytes.Equal(truth.raw, q.asked.truth) {
		return int32(len(b.Prompts) - 1)
	}
	q.asked = seen{v.raw, truth.raw, true}
	var found prompt
	if len(v.raw)+len(truth.raw) < maxShort && v.kind == text && len(v.raw) > 0 {
		found = q.long.prompts.anew(v, truth)
	} else {
		found = q.long.prompts.of(v, truth)
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
	b := &q.tray
	v := q.value(roleGroup)
	if len(b.Groups) == 1 || !bytes.Equal(v.raw, q.group) {
		q.group = v.raw
		b.Groups = append(b.Groups, q.long.id(v, q.order.rank))
	}
	return int32(len(b.Groups) - 1)
}

// record adds a row that was read the long way.
func (q *quick) record(r *model.Record) {
	b := &q.tray
	prompt, group := int32(0), int32(0)
	if r.Prompt != 0 {
		b.Prompts, q.asked.any = append(b.Prompts, model.Prompt{Hash: r.Prompt, Preview: r.Preview}), false
		prompt = int32(len(b.Prompts) - 1)
	}
	if r.Group != "" {
		b.Groups, q.group = append(b.Groups, r.Group), nil
		group = int32(len(b.Groups) - 1)
	}
	q.last, q.head = shared{r.Step, prompt, group}, nil
	q.tray.put(r.Offset, q.last, r.Reward, r.Advantage, r.Length, r.Parts)
}
