package loaders

import (
	"bytes"
	"math"
	"slices"

	"vantage/model"
)

// template is the order of the keys of a row, and all else that does not change from row
// to row.
type template struct {
	before      literal // what stands before the first value
	fields      []field // nil if no order is known
	firstOwn    int     // the first slot that is not shared by the samples of a group
	groupFirst  bool    // all that they share stands before it
	tokenCounts []Role  // that are numbers of tokens
	groupRank   int     // of the name that the group id has
}

// field is a value of a row.
type field struct {
	kind      Kind
	role      Role // noRole if it plays none
	component int  // number of the reward function whose value it is, or -1
	after     literal
}

const noRole = RoleCount

// isShared reports whether all samples of a group have the same there.
func (s field) isShared() bool {
	return s.role == RoleStep || s.role == RoleGroup || s.role == RolePrompt || s.role == RoleTruth
}

// isNumber reports whether the value is wanted as a number, whatever its kind.
func (s *field) isNumber() bool {
	return s.kind == Number || s.kind == Bool || s.role == RoleReward || s.role == RoleAdvantage
}

// isCount reports whether the value is a number of tokens.
func (s *field) isCount() bool {
	return s.role == RoleLength || s.role == RoleTotalTokens || s.role == RolePromptLength
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
	s, from := Scanner{Data: line}, 0
	for more := true; more; more = s.Peek() != '}' {
		key, v, at, ok := s.Pair()
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
	o.groupRank = best[RoleGroup].rank
	if best[RoleReward].slot > 0 && q.hasLength(best[RoleLength].slot, best[RoleResponse].slot) {
		q.useTemplate(o)
	}
}

// Pair reads a key and its value from the brace or the comma before them, and returns
// where the value begins.
func (s *Scanner) Pair() (key, v Value, at int, ok bool) {
	if s.Pos++; s.Pos > len(s.Data) {
		return key, v, 0, false
	}
	s.SkipSpace()
	key, err := s.str()
	if err != nil {
		return key, v, 0, false
	}
	s.SkipSpace()
	s.Pos++ // the colon
	s.SkipSpace()
	at = s.Pos
	v, err = s.Value()
	return key, v, at, err == nil
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
type bestFields [RoleCount]struct{ slot, rank int }

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
	q.spans[RoleAdvantage].x = math.NaN()
	for _, s := range o.fields {
		if s.isCount() && s.kind != Number {
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
	switch q.slow.note.LengthUnit {
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
func (q *Reader) classify(key, v Value) (s field, rank int, ok bool) {
	s = field{kind: v.Kind, role: noRole, component: -1}
	p, known := q.slow.Fields.Lookup(key.Raw)
	if known && CanPlay(p.Role, v) {
		s.role = p.Role
		if slices.Contains(q.slow.Components.Requested, string(key.Raw)) || bytes.EqualFold(key.Raw, []byte(ConversationField)) {
			return s, 0, false
		}
		return s, p.Rank, v.Kind == String || v.Kind == Number || v.Kind == Array && (p.Role == RolePrompt || p.Role == RoleResponse)
	}
	name := string(key.Text())
	if known { // another value of that kind may play the role; null never will
		return s, 0, v.Kind == Null && !IsComponent(name)
	}
	switch v.Kind {
	case Object:
		_, nested := ComponentPrefix(key.Raw)
		return s, 0, !nested && !q.slow.Fields.Parents[string(key.Raw)]
	case Number, Bool:
		if at, part := q.slow.Components.Index[name]; part {
			s.component = at
		}
		return s, 0, true
	default:
		return s, 0, !IsComponent(name)
	}
}
