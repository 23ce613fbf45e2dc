package fast

import (
	"bytes"
	"math"
	"slices"

	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
	"vantage/model"
)

// template is the order of the keys of a row, and all else that does not change from row
// to row.
type template struct {
	before      literal       // what stands before the first value
	fields      []field       // nil if no order is known
	firstOwn    int           // the first slot that is not shared by the samples of a group
	groupFirst  bool          // all that they share stands before it
	tokenCounts []decode.Role // that are numbers of tokens
	groupRank   int           // of the name that the group id has
}

// field is a value of a row.
type field struct {
	kind      jsonscan.Kind
	role      decode.Role // noRole if it plays none
	component int         // number of the reward function whose value it is, or -1
	after     literal
}

const noRole = decode.RoleCount

// isShared reports whether all samples of a group have the same there.
func (s field) isShared() bool {
	return s.role == decode.RoleStep || s.role == decode.RoleGroup || s.role == decode.RolePrompt || s.role == decode.RoleTruth
}

// isNumber reports whether the value is wanted as a number, whatever its kind.
func (s *field) isNumber() bool {
	return s.kind == jsonscan.Number || s.kind == jsonscan.Bool || s.role == decode.RoleReward || s.role == decode.RoleAdvantage
}

// isCount reports whether the value is a number of tokens.
func (s *field) isCount() bool {
	return s.role == decode.RoleLength || s.role == decode.RoleTotalTokens || s.role == decode.RolePromptLength
}

// maxFailedLearns is how often an order is learned in vain: then the log has none.
const maxFailedLearns = 64

// Learn takes the order of keys of a row that has been read the long way.
func (q *Reader) Learn(line []byte) {
	if q.failedLearns++; q.failedLearns > maxFailedLearns {
		return
	}
	q.template, q.parts, q.sharedPrefix, q.prompt.any = template{}, nil, nil, false
	var o template
	var best bestFields
	s, from := jsonscan.Scanner{Data: line}, 0
	for more := true; more; more = s.Peek() != '}' {
		key, v, at, ok := s.Field()
		if !ok {
			return
		}
		next, rank, ok := q.classify(key, v)
		if !ok {
			return
		}
		o.addLiteral(line[from:at])
		from = s.Pos
		best.claim(o.fields, &next, rank)
		o.fields = append(o.fields, next)
		s.SkipSpace()
	}
	o.addLiteral(append(line[from:len(line):len(line)], '\n'))
	o.groupRank = best[decode.RoleGroup].rank
	if best[decode.RoleReward].slot > 0 && q.hasLength(best[decode.RoleLength].slot, best[decode.RoleResponse].slot) {
		q.useTemplate(o)
	}
}

// addLiteral notes what stands behind the slots so far.
func (o *template) addLiteral(text []byte) {
	if n := len(o.fields); n > 0 {
		o.fields[n-1].after = newLiteral(text)
	} else {
		o.before = newLiteral(text)
	}
}

// bestFields are the slots that play the roles, numbered from 1, and the ranks of their names.
type bestFields [decode.RoleCount]struct{ slot, rank int }

// claim sees which of two slots plays the role that both might.
func (w *bestFields) claim(before []field, next *field, rank int) {
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

// useTemplate notes what the order means for every row to come.
func (q *Reader) useTemplate(o template) {
	o.firstOwn = slices.IndexFunc(o.fields, func(s field) bool { return (s.role != noRole || s.component >= 0) && !s.isShared() })
	o.groupFirst = !slices.ContainsFunc(o.fields[o.firstOwn:], field.isShared)
	clear(q.spans[:])
	q.spans[decode.RoleAdvantage].x = math.NaN()
	for _, s := range o.fields {
		if s.isCount() && s.kind != jsonscan.Number {
			return
		}
		q.spans[s.role].kind = s.kind
		for len(q.parts) <= s.component {
			q.parts = append(q.parts, math.NaN())
		}
		if s.isCount() {
			o.tokenCounts = append(o.tokenCounts, s.role)
		}
	}
	q.template = o
}

// hasLength reports whether the row has its length where quick looks for it.
func (q *Reader) hasLength(length, response int) bool {
	switch q.slow.Found.LengthUnit {
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
func (q *Reader) classify(key, v jsonscan.Value) (s field, rank int, ok bool) {
	s = field{kind: v.Kind, role: noRole, component: -1}
	p, known := q.slow.Fields.Lookup(key.Raw)
	if known && decode.CanPlay(p.Role, v) {
		s.role = p.Role
		if slices.Contains(q.slow.Components.Requested, string(key.Raw)) || bytes.EqualFold(key.Raw, []byte(decode.ConversationField)) {
			return s, 0, false
		}
		return s, p.Rank, v.Kind == jsonscan.String || v.Kind == jsonscan.Number || v.Kind == jsonscan.Array && (p.Role == decode.RolePrompt || p.Role == decode.RoleResponse)
	}
	name := string(key.Text())
	if known { // another value of that kind may play the role; null never will
		return s, 0, v.Kind == jsonscan.Null && !decode.IsComponent(name)
	}
	switch v.Kind {
	case jsonscan.Object:
		_, nested := decode.ComponentPrefix(key.Raw)
		return s, 0, !nested && !q.slow.Fields.Parents[string(key.Raw)]
	case jsonscan.Number, jsonscan.Bool:
		if at, part := q.slow.Components.Index[name]; part {
			s.component = at
		}
		return s, 0, true
	default:
		return s, 0, !decode.IsComponent(name)
	}
}
