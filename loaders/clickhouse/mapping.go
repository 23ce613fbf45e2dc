package clickhouse

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"vantage/loaders/decode"
	"vantage/loaders/discover"
	"vantage/model"
	"vantage/model/units"
)

// mapping says which columns play which role. The zero column is none.
type mapping struct {
	run, step, group, sample  column
	reward, advantage, length column
	tokens                    column // lists whose length is that of the response
	prompt, truth             column // read only if they are named, or if there is nothing else to group by
	promptID                  column // identifies prompts over all steps
	attempt, split            column // tell the starts of a run apart, and evaluation from training
	written                   column // when a row was written
	components                []column
	statuses                  []column // say whether a sample trains: see statusOf
	statusOf                  decode.Statuses
	sums                      bool // the reward is the sum of components
	unused                    []string
}

type role struct {
	key    string      // that names its column in an address; "" if none does
	field  decode.Role // whose names count, if only tables have no names for it
	names  []string    // that only tables have, the most telling first
	column *column
}

// runNames are the names of columns that tell runs apart, the most telling first.
var runNames = []string{"run", "run_id", "run_name", "experiment", "experiment_name", "exp_name", "job_id"}

// roles are all that a column can tell, but for the components of rewards.
func (m *mapping) roles() []role {
	return []role{
		{"run_column", 0, runNames, &m.run},
		{"step", decode.RoleStep, nil, &m.step},
		{"group", decode.RoleGroup, nil, &m.group},
		{"prompt", decode.RolePrompt, nil, &m.prompt},
		{"sample", 0, []string{
			"sample", "sample_idx", "sample_index", "sample_id", "rollout_idx", "rollout_index", "generation_idx",
			"completion_idx", "response_idx", "row", "row_idx", "row_number", "idx",
		}, &m.sample},
		{"reward", decode.RoleReward, nil, &m.reward},
		{"advantage", decode.RoleAdvantage, nil, &m.advantage},
		{"length", decode.RoleLength, nil, &m.length},
		{
			"attempt", 0,
			[]string{"run_attempt", "attempt", "attempt_id", "restart", "restart_id", "restart_count", "resume_id", "resume_count"},
			&m.attempt,
		},
		{"split", 0, discover.EvaluationColumns(), &m.split},
		{"written", 0, []string{
			"written_at", "created_at", "inserted_at", "logged_at", "timestamp", "_timestamp", "datetime", "event_time",
			"time", "ts",
		}, &m.written},
		{"", 0, []string{
			"prompt_id", "prompt_idx", "prompt_hash", "problem_id", "example_id", "task_id", "task_hash", "question_id", "qid",
			"query_id",
		}, &m.promptID},
		{"", decode.RoleTokens, nil, &m.tokens},
		{"", decode.RoleTruth, nil, &m.truth},
	}
}

// roleKeys are the keys by which an address names columns.
func roleKeys() (keys []string) {
	for _, r := range (&mapping{}).roles() {
		if r.key != "" {
			keys = append(keys, r.key)
		}
	}
	return keys
}

type column struct{ name, kind string }

// base returns the kind without what says that values may be missing or are few.
func (c column) base() string {
	kind := c.kind
	for _, outer := range []string{"LowCardinality(", "Nullable("} {
		if inner, ok := strings.CutPrefix(kind, outer); ok {
			kind = strings.TrimSuffix(inner, ")")
		}
	}
	return kind
}

func (c column) isInteger() bool {
	return strings.HasPrefix(c.base(), "Int") && !strings.HasPrefix(c.base(), "Interval") || strings.HasPrefix(c.base(), "UInt")
}

func (c column) isNumber() bool {
	b := c.base()
	return c.isInteger() || strings.HasPrefix(b, "Float") || strings.HasPrefix(b, "BFloat") || strings.HasPrefix(b, "Decimal") ||
		b == "Bool"
}

func (c column) isText() bool {
	b := c.base()
	return b == "String" || strings.HasPrefix(b, "FixedString") || strings.HasPrefix(b, "Enum") || b == "UUID"
}

func (c column) isNullable() bool {
	return c.kind != c.base() && c.kind != "LowCardinality("+c.base()+")"
}

func (c column) accepts(r decode.Role) bool {
	switch r {
	case decode.RoleReward, decode.RoleAdvantage:
		return c.isNumber()
	case decode.RoleStep, decode.RoleLength, decode.RoleTotalTokens, decode.RolePromptLength:
		return c.isInteger()
	case decode.RoleGroup:
		return c.isInteger() || c.isText()
	case decode.RoleTokens:
		return strings.HasPrefix(c.kind, "Array(")
	default:
		return c.isText()
	}
}

var errNoColumn = errors.New("the table has no column")

// mapColumns decides which column plays which role: named ones, then those with the names that files have.
func mapColumns(columns []column, fields *decode.Fields, named map[string]string) (mapping, error) {
	m := mapping{statusOf: fields.Statuses}
	m.statuses = slices.DeleteFunc(slices.Clone(columns), func(c column) bool {
		return m.statusOf[c.name] == nil || !c.isNumber() && !c.isText()
	})
	find := func(names ...string) column {
		for _, name := range names {
			if i := slices.IndexFunc(columns, func(c column) bool { return strings.EqualFold(c.name, name) }); i >= 0 {
				return columns[i]
			}
		}
		return column{}
	}
	m.takeFields(columns, fields)
	for _, r := range m.roles() {
		if r.names != nil {
			*r.column = find(r.names...)
		}
		if name := named[r.key]; name != "" {
			if *r.column = find(name); r.column.name == "" {
				return m, fmt.Errorf("%w %s for the %s: it has %s", errNoColumn, name, strings.TrimSuffix(r.key, "_column"),
					listNames(columns))
			}
		}
	}
	if named["prompt"] == "" && m.group.name != "" {
		m.prompt, m.truth = column{}, column{} // texts are not read unless they are asked for
	}
	m.components = slices.DeleteFunc(m.components, func(c column) bool {
		return c == m.reward || c == m.step || c == m.length || c == m.advantage
	})
	if err := m.fitParts(named); err != nil {
		return m, err
	}
	m.sums = m.reward.name == "" && len(m.summands()) > 0
	m.unused = m.unusedNames(columns)
	return m, m.check(columns)
}

func (m *mapping) check(columns []column) error {
	switch {
	case m.step.name == "":
		return fmt.Errorf("%w of whole numbers that is called step: name it with step=COLUMN in the address; it has %s", errNoColumn,
			listNames(columns))
	case m.reward.name == "" && !m.sums:
		return fmt.Errorf("%w of numbers that is called reward: name it with reward=COLUMN in the address; it has %s", errNoColumn,
			listNames(columns))
	case m.group.name == "" && m.prompt.name == "":
		return fmt.Errorf("%w that tells which samples share a prompt: name it with group=COLUMN in the address; it has %s", errNoColumn,
			listNames(columns))
	}
	return nil
}

// unusedNames are the columns that tell nothing of samples; when they were written is no part of them.
func (m *mapping) unusedNames(columns []column) (names []string) {
	used := slices.Concat(m.components, m.statuses)
	for _, r := range m.roles() {
		if r.column != &m.written {
			used = append(used, *r.column)
		}
	}
	for _, c := range columns {
		if !slices.Contains(used, c) {
			names = append(names, c.name)
		}
	}
	return names
}

// takeFields finds the columns of the roles that files have too, and components.
func (m *mapping) takeFields(columns []column, fields *decode.Fields) {
	roles, best := m.roles(), map[int]int{}
	for _, c := range columns {
		field, ok := fields.Lookup([]byte(c.name))
		at := slices.IndexFunc(roles, func(r role) bool { return r.names == nil && r.field == field.Role })
		ok = ok && at >= 0 && c.accepts(field.Role)
		if (!ok || fields.IsRequested([]byte(c.name))) && c.isNumber() && fields.IsComponent(c.name) &&
			len(m.components) < decode.MaxComponents {
			m.components = append(m.components, c)
		}
		if rank, known := best[at]; ok && (!known || field.Rank < rank) {
			best[at], *roles[at].column = field.Rank, c
		}
	}
}

// fitParts leaves out columns for attempts, splits and times that have another role or cannot hold such values; one that a
// person named is an error.
func (m *mapping) fitParts(named map[string]string) error {
	taken := append([]column{m.run, m.step, m.group, m.sample, m.reward, m.advantage, m.length}, m.components...)
	for _, x := range []struct {
		role   string
		column *column
		fits   bool
		what   string
	}{
		{"attempt", &m.attempt, m.attempt.isInteger() || m.attempt.isText(), "numbers or names"},
		{"split", &m.split, m.split.isInteger() || m.split.isText() || m.split.base() == "Bool", "names, or 0 and 1"},
		{"written", &m.written, m.written.isNumber() || strings.HasPrefix(m.written.base(), "Date"), "times"},
	} {
		if x.column.name == "" || x.fits && !slices.Contains(taken, *x.column) {
			continue
		}
		if named[x.role] != "" && !x.fits {
			return fmt.Errorf("the column %s of %s= is a %s, which holds no %s", x.column.name, x.role, x.column.kind, x.what)
		} else if named[x.role] == "" {
			*x.column = column{}
		}
	}
	return nil
}

// withoutColumn returns a mapping in which a column for attempts or splits plays no role.
func (m mapping) withoutColumn(c column) mapping {
	m.unused = append(slices.Clip(m.unused), c.name)
	for _, part := range []*column{&m.attempt, &m.split} {
		if *part == c {
			*part = column{}
		}
	}
	return m
}

// summands are the components that count in the sum of a table without a reward.
func (m *mapping) summands() []int {
	var all []int
	for i, c := range m.components {
		if decode.IsSummand(c.name) {
			all = append(all, i)
		}
	}
	return all
}

// lengthUnit is what lengths count: the characters of responses are not read.
func (m *mapping) lengthUnit() model.LengthUnit {
	if m.length.name != "" || m.tokens.name != "" {
		return model.LengthTokens
	}
	return model.LengthUnknown
}

func listNames(columns []column) string {
	return joinSome(model.Mapped(columns, func(c column) string { return c.name }))
}

func joinSome(names []string) string {
	const most = 12
	if n := len(names); n > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), n-most)
	}
	return strings.Join(names, ", ")
}

func (t *table) provenance() string {
	m := &t.m
	parts := []string{"reward from " + m.reward.name}
	if m.sums {
		names := model.Mapped(m.summands(), func(i int) string { return m.components[i].name })
		parts[0] = "reward computed as the sum of " + strings.Join(names, ", ")
	}
	for _, p := range []struct {
		what string
		c    column
	}{
		{"step", m.step},
		{"group id", m.group},
		{"order in a group", m.sample},
		{"prompt", m.prompt},
		{"prompts told apart", m.promptID},
		{"ground truth", m.truth},
		{"advantage", m.advantage},
	} {
		if p.c.name != "" {
			parts = append(parts, p.what+" from "+p.c.name)
		}
	}
	if len(t.decided.attempts) > 0 {
		parts = append(parts, "attempts from "+m.attempt.name)
	}
	if len(t.decided.evaluations) > 0 {
		parts = append(parts, "evaluations from "+m.split.name)
	}
	if n := len(m.components); n > 0 && !m.sums {
		parts = append(parts, units.Plural(n, "components"))
	}
	if m.lengthUnit() == model.LengthTokens {
		parts = append(parts, "lengths in tokens")
	}
	sentence := strings.Join(parts, ", ")
	if len(m.unused) > 0 {
		sentence += "; other fields: " + joinSome(m.unused)
	}
	return sentence
}
