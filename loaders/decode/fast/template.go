package fast

import (
	"bytes"
	"math"
	"slices"

	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
)

// template is what all rows have in common: the order of the keys, and what their fields mean.
type template struct {
	before      literal // before the first value
	fields      []field // nil if there is no template
	firstOwn    int     // the first field that may differ within a group
	sharedFirst bool    // all fields that do not differ within a group come before it
}

// field is a value of a row.
type field struct {
	kind      jsonscan.Kind
	role      decode.Role // noRole if it plays none
	component int         // index of the reward component, -1 if it is none
	after     literal     // up to the next value
}

const noRole = decode.RoleCount

// isShared reports whether the value is the same in all samples of a group.
func (f field) isShared() bool {
	return f.role == decode.RoleStep || f.role == decode.RoleGroup || f.role == decode.RolePrompt || f.role == decode.RoleTruth
}

// isNumber reports whether the value is read as a number, whatever its kind.
func (f *field) isNumber() bool {
	return f.kind == jsonscan.Number || f.kind == jsonscan.Bool || f.role == decode.RoleReward || f.role == decode.RoleAdvantage
}

func (f *field) isTokenCount() bool { return isTokenCount(f.role) }

func isTokenCount(role decode.Role) bool {
	return role == decode.RoleLength || role == decode.RoleTotalTokens || role == decode.RolePromptLength
}

// maxFailedLearns is how many templates are learned of which no row fits: then the log has no order.
const maxFailedLearns = 64

// Learn makes the template of a row that the RowDecoder has read. There is none if the Reader could
// not read the row itself.
func (r *Reader) Learn(line []byte) {
	if r.failedLearns++; r.failedLearns > maxFailedLearns {
		return
	}
	r.template, r.components, r.sharedPrefix, r.prompt.known = template{}, nil, nil, false
	var t template
	var best bestFields
	s, literalStart := jsonscan.Scanner{Data: line}, 0
	for more := true; more; more = s.Peek() != '}' {
		key, v, valueStart, ok := s.Field()
		if !ok {
			return
		}
		next, rank, ok := r.classify(key, v)
		if !ok {
			return
		}
		t.addLiteral(line[literalStart:valueStart])
		literalStart = s.Pos
		best.assign(t.fields, &next, rank)
		t.fields = append(t.fields, next)
		s.SkipSpace()
	}
	t.addLiteral(append(line[literalStart:len(line):len(line)], '\n'))
	r.groupRank = best[decode.RoleGroup].rank
	if best[decode.RoleReward].number > 0 && r.hasLength(best[decode.RoleLength].number, best[decode.RoleResponse].number) {
		r.use(t)
	}
}

// addLiteral sets the bytes after the fields so far.
func (t *template) addLiteral(text []byte) {
	if n := len(t.fields); n > 0 {
		t.fields[n-1].after = newLiteral(text)
	} else {
		t.before = newLiteral(text)
	}
}

// bestFields are the fields that play the roles, by number from 1, and the ranks of their names.
type bestFields [decode.RoleCount]struct{ number, rank int }

// assign decides whether the next field or one before plays the role of next, and takes it from the
// other.
func (b *bestFields) assign(before []field, next *field, rank int) {
	if next.role == noRole {
		return
	}
	best := &b[next.role]
	if best.number > 0 && rank > best.rank {
		next.role = noRole
		return
	}
	if best.number > 0 {
		before[best.number-1].role = noRole
	}
	best.number, best.rank = len(before)+1, rank
}

// use makes t the template of the rows to come, unless it cannot be used.
func (r *Reader) use(t template) {
	t.firstOwn = slices.IndexFunc(t.fields, func(f field) bool { return (f.role != noRole || f.component >= 0) && !f.isShared() })
	t.sharedFirst = !slices.ContainsFunc(t.fields[t.firstOwn:], field.isShared)
	clear(r.spans[:])
	r.spans[decode.RoleAdvantage].number, r.tokenCounts = math.NaN(), nil
	for _, f := range t.fields {
		if f.isTokenCount() && f.kind != jsonscan.Number {
			return
		}
		r.spans[f.role].kind = f.kind
		for len(r.components) <= f.component {
			r.components = append(r.components, math.NaN())
		}
		if f.isTokenCount() {
			r.tokenCounts = append(r.tokenCounts, f.role)
		}
	}
	r.template = t
}

// classify returns the field that a key and its value make, and the rank of the key among the names
// of its role. It is not ok if the value may mean something else in another row: only the RowDecoder
// can tell then.
func (r *Reader) classify(key, v jsonscan.Value) (f field, rank int, ok bool) {
	f = field{kind: v.Kind, role: noRole, component: -1}
	p, hasRole := r.slow.Fields.Lookup(key.Raw)
	if hasRole && p.Role.Accepts(v) {
		f.role = p.Role
		if r.slow.Fields.IsRequested(key.Raw) || bytes.EqualFold(key.Raw, []byte(decode.ConversationField)) {
			return f, 0, false
		}
		return f, p.Rank, v.Kind == jsonscan.String || v.Kind == jsonscan.Number || v.Kind == jsonscan.Array && (p.Role == decode.RolePrompt || p.Role == decode.RoleResponse)
	}
	if hasRole { // another value of that kind may play the role; null never does
		return f, 0, v.Kind == jsonscan.Null && !decode.IsComponentName(string(key.Text()))
	}
	f.component, ok = r.componentOf(key, v)
	return f, 0, ok
}

// componentOf returns the index of the component that a field without a role gives, -1 for none. It
// is not ok if the field may give one in another row.
func (r *Reader) componentOf(key, v jsonscan.Value) (index int, ok bool) {
	name := string(key.Text())
	_, holdsComponents := decode.ComponentPrefix(key.Raw)
	switch v.Kind {
	case jsonscan.Object:
		return -1, !holdsComponents && !r.slow.Fields.IsParent(key.Raw)
	case jsonscan.Number, jsonscan.Bool:
		if i, known := r.slow.Components.Index[name]; known {
			return i, true
		}
		return -1, true
	case jsonscan.String:
		return -1, !holdsComponents && !decode.IsComponentName(name) && !r.slow.Fields.IsRequested(key.Raw)
	default:
		return -1, !decode.IsComponentName(name)
	}
}
