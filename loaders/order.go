package loaders

import (
	"bytes"
	"slices"

	"vantage/model"
)

// slot is what stands at a place of the row.
type slot struct {
	lead []byte // all bytes from the value before to this one
	kind kind
	role role // -1 if it plays none
	part int  // number of the reward function whose value it is, or -1
}

// isShared reports whether all samples of a group have the same there.
func (s slot) isShared() bool {
	return s.role == roleStep || s.role == roleGroup || s.role == rolePrompt || s.role == roleTruth
}

// maxWasted is how often an order is learned in vain: then the log has none.
const maxWasted = 64

// learn takes the order of keys of a row that has been read the long way.
func (q *quick) learn(line []byte) {
	if q.wasted++; q.wasted > maxWasted {
		return
	}
	q.slots, q.tail, q.parts, q.head = q.slots[:0], nil, nil, nil
	clear(q.found[:])
	q.asked.any = false
	s, from := scanner{data: line}, 0
	var winners [roles]struct{ slot, rank int }
	for {
		if s.at++; s.at > len(line) { // the brace, or a comma
			return
		}
		s.space()
		key, err := s.text()
		if err != nil {
			return
		}
		s.space()
		s.at++ // the colon
		s.space()
		lead := bytes.Clone(line[from:s.at])
		v, err := s.value()
		if err != nil {
			return
		}
		from = s.at
		next, rank, ok := q.classify(key, v)
		if !ok {
			q.slots = nil
			return
		}
		next.lead = lead
		if next.role >= 0 {
			if w := &winners[next.role]; w.slot == 0 || rank <= w.rank {
				if w.slot > 0 {
					q.slots[w.slot-1].role = -1
				}
				w.slot, w.rank = len(q.slots)+1, rank
			} else {
				next.role = -1
			}
		}
		q.slots = append(q.slots, next)
		s.space()
		if s.peek() == '}' {
			break
		}
	}
	if winners[roleReward].slot == 0 || !q.lengthened(winners[roleLength].slot, winners[roleResponse].slot) {
		q.slots = nil
		return
	}
	q.rank, q.tail = winners[roleGroup].rank, append(bytes.Clone(line[from:]), '\n')
	q.settle()
}

// settle notes what the order means for every row to come.
func (q *quick) settle() {
	q.own = slices.IndexFunc(q.slots, func(s slot) bool { return (s.role >= 0 || s.part >= 0) && !s.isShared() })
	q.counts = q.counts[:0]
	for _, s := range q.slots {
		if s.role == roleLength || s.role == roleTotal || s.role == rolePromptLength {
			q.counts = append(q.counts, s.role)
		}
	}
	q.leads = !slices.ContainsFunc(q.slots[q.own:], func(s slot) bool { return s.isShared() })
}

// lengthened reports whether the row has its length where quick looks for it.
func (q *quick) lengthened(length, response int) bool {
	switch q.rows.note.LengthUnit {
	case model.LengthTokens:
		return length > 0
	case model.LengthCharacters:
		return response > 0
	default:
		return true
	}
}

// classify says what a pair of the row means, and its rank among those of the same
// role; not ok if only the long way can tell.
func (q *quick) classify(key, v value) (s slot, rank int, ok bool) {
	s = slot{kind: v.kind, role: -1, part: -1}
	p, known := q.rows.fields.place(key.raw)
	if known && fits(p.role, v) {
		s.role = p.role
		if slices.Contains(q.rows.parts.also, string(key.raw)) {
			return s, 0, false
		}
		return s, p.rank, v.kind == text || v.kind == number || v.kind == list && (p.role == rolePrompt || p.role == roleResponse)
	}
	name := string(key.text())
	if known { // another value of that kind may play the role; null never will
		return s, 0, v.kind == null && !isComponent(name)
	}
	switch v.kind {
	case object:
		_, nested := nest(key.raw)
		return s, 0, !nested && !q.rows.fields.parents[string(key.raw)]
	case number, boolean:
		if at, part := q.rows.parts.index[name]; part {
			s.part = at
		}
		return s, 0, true
	default:
		return s, 0, !isComponent(name)
	}
}
