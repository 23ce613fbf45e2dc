package loaders

import (
	"bytes"
	"math"
	"slices"

	"vantage/model"
)

// order is the order of the keys of a row, and all else that does not change from row
// to row.
type order struct {
	start  between // what stands before the first value
	slots  []slot  // nil if no order is known
	own    int     // the first slot that is not shared by the samples of a group
	leads  bool    // all that they share stands before it
	counts []role  // that are numbers of tokens
	rank   int     // of the name that the group id has
}

// slot is a value of a row.
type slot struct {
	kind  kind
	role  role // noRole if it plays none
	part  int  // number of the reward function whose value it is, or -1
	after between
}

const noRole = roles

// isShared reports whether all samples of a group have the same there.
func (s slot) isShared() bool {
	return s.role == roleStep || s.role == roleGroup || s.role == rolePrompt || s.role == roleTruth
}

// isNumber reports whether the value is wanted as a number, whatever its kind.
func (s *slot) isNumber() bool {
	return s.kind == number || s.kind == boolean || s.role == roleReward || s.role == roleAdvantage
}

// isCount reports whether the value is a number of tokens.
func (s *slot) isCount() bool {
	return s.role == roleLength || s.role == roleTotal || s.role == rolePromptLength
}

// maxWasted is how often an order is learned in vain: then the log has none.
const maxWasted = 64

// learn takes the order of keys of a row that has been read the long way.
func (q *quick) learn(line []byte) {
	if q.wasted++; q.wasted > maxWasted {
		return
	}
	q.order, q.parts, q.head, q.asked.any = order{}, nil, nil, false
	var o order
	var best winners
	s, from := scanner{data: line}, 0
	for more := true; more; more = s.peek() != '}' {
		key, v, at, ok := s.pair()
		if !ok {
			return
		}
		next, rank, ok := q.classify(key, v)
		if !ok {
			return
		}
		o.stand(line[from:at])
		from = s.at
		best.enter(o.slots, &next, rank)
		o.slots = append(o.slots, next)
		s.space()
	}
	o.stand(append(line[from:len(line):len(line)], '\n'))
	o.rank = best[roleGroup].rank
	if best[roleReward].slot > 0 && q.lengthened(best[roleLength].slot, best[roleResponse].slot) {
		q.settle(o)
	}
}

// pair reads a key and its value from the brace or the comma before them, and returns
// where the value begins.
func (s *scanner) pair() (key, v value, at int, ok bool) {
	if s.at++; s.at > len(s.data) {
		return key, v, 0, false
	}
	s.space()
	key, err := s.text()
	if err != nil {
		return key, v, 0, false
	}
	s.space()
	s.at++ // the colon
	s.space()
	at = s.at
	v, err = s.value()
	return key, v, at, err == nil
}

// stand notes what stands behind the slots so far.
func (o *order) stand(text []byte) {
	if n := len(o.slots); n > 0 {
		o.slots[n-1].after = newBetween(text)
	} else {
		o.start = newBetween(text)
	}
}

// winners are the slots that play the roles, numbered from 1, and the ranks of their names.
type winners [roles]struct{ slot, rank int }

// enter sees which of two slots plays the role that both might.
func (w *winners) enter(before []slot, next *slot, rank int) {
	if next.role == noRole {
		return
	}
	best := &w[next.role]
	if best.slot > 0 && rank > best.rank {
		next.role = noRole
		return
	}
	if best.slot > 0 {
		before[best.slot-1].role = noRole
	}
	best.slot, best.rank = len(before)+1, rank
}

// settle notes what the order means for every row to come.
func (q *quick) settle(o order) {
	o.own = slices.IndexFunc(o.slots, func(s slot) bool { return (s.role != noRole || s.part >= 0) && !s.isShared() })
	o.leads = !slices.ContainsFunc(o.slots[o.own:], slot.isShared)
	clear(q.found[:])
	q.found[roleAdvantage].x = math.NaN()
	for _, s := range o.slots {
		if s.isCount() && s.kind != number {
			return
		}
		q.found[s.role].kind = s.kind
		for len(q.parts) <= s.part {
			q.parts = append(q.parts, math.NaN())
		}
		if s.isCount() {
			o.counts = append(o.counts, s.role)
		}
	}
	q.order = o
}

// lengthened reports whether the row has its length where quick looks for it.
func (q *quick) lengthened(length, response int) bool {
	switch q.long.note.LengthUnit {
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
	s = slot{kind: v.kind, role: noRole, part: -1}
	p, known := q.long.fields.place(key.raw)
	if known && fits(p.role, v) {
		s.role = p.role
		if slices.Contains(q.long.parts.also, string(key.raw)) || bytes.EqualFold(key.raw, []byte(conversationName)) {
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
		return s, 0, !nested && !q.long.fields.parents[string(key.raw)]
	case number, boolean:
		if at, part := q.long.parts.index[name]; part {
			s.part = at
		}
		return s, 0, true
	default:
		return s, 0, !isComponent(name)
	}
}
