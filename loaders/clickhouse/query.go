package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ClickHouse/ch-go/proto"

	"vantage/loaders/clickhouse/wire"
	"vantage/loaders/discover"
	"vantage/model"
)

// table writes the statements for one run of a table.
type table struct {
	target  Target
	m       mapping
	run     string   // name of the run, if the table has several
	decided decision // which attempts are read, and whether training or evaluation
}

func quoteName(name string) string {
	return "`" + strings.NewReplacer(`\`, `\\`, "`", "\\`").Replace(name) + "`"
}

func quoteText(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\x00", `\0`).Replace(text) + "'"
}

func (c column) quoted() string { return quoteName(c.name) }

func (c column) as(kind string) string { return "CAST(" + c.quoted() + " AS Nullable(" + kind + "))" }

func (c column) orEmpty() string { return "ifNull(" + c.as("String") + ", '')" }

// where is a condition of several, nothing of none.
func where(conditions []string) string {
	if len(conditions) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(conditions, " AND ")
}

func (t Target) quoted() string { return quoteName(t.Database) + "." + quoteName(t.Table) }

func (t Target) from() string {
	if t.Final {
		return " FROM " + t.quoted() + " FINAL"
	}
	return " FROM " + t.quoted()
}

func (t *table) ofRun() []string {
	switch run := t.m.run; {
	case run.name == "":
		return nil
	case t.run == "" && (run.isNullable() || run.isNumber()):
		return []string{run.orEmpty() + " = ''"}
	case run.isNumber():
		return []string{run.quoted() + " = " + t.run} // it is a number: see chooseRun
	default:
		return []string{run.quoted() + " = " + quoteText(t.run)}
	}
}

func (t *table) ofReading() []string {
	conditions, c := t.ofRun(), &t.decided
	if len(c.evaluations) > 0 && c.split != discover.SplitAll {
		in := " IN ("
		if c.split == discover.SplitTrain {
			in = " NOT IN ("
		}
		values := model.Mapped(c.evaluations, quoteText)
		conditions = append(conditions, t.m.split.orEmpty()+in+strings.Join(values, ", ")+")")
	}
	if c.shown == 0 || c.shown > len(c.attempts) {
		return conditions
	}
	var starts []string
	for _, s := range c.attempts[c.shown-1] {
		one := t.m.attempt.orEmpty() + " = " + quoteText(s.value)
		if len(s.later) > 0 {
			one += fmt.Sprintf(" AND %s < %d", t.m.step.quoted(), slices.Min(s.later))
		}
		starts = append(starts, one)
	}
	return append(conditions, "("+strings.Join(starts, " OR ")+")")
}

// groupHash is a number by which whole groups are chosen: of the id, or of prompt and ground truth.
func (t *table) groupHash() string {
	if t.m.group.name != "" {
		return "cityHash64(" + t.m.group.orEmpty() + ")"
	}
	var texts []string
	for _, c := range []column{t.m.prompt, t.m.truth} {
		if c.name != "" {
			texts = append(texts, c.orEmpty())
		}
	}
	return "cityHash64(" + strings.Join(texts, ", ") + ")"
}

// field is a number that each sample has, beside its own in the group.
type field struct {
	means     meaning
	component int    // which, if it is one
	sql       string // a nullable float
}

type meaning int

const (
	meansReward meaning = iota
	meansAdvantage
	meansLength
	meansComponent
	meansStatus
)

func (t *table) fields() (all []field) {
	m := &t.m
	if m.reward.name != "" {
		all = append(all, field{meansReward, 0, m.reward.as("Float64")})
	}
	if m.advantage.name != "" {
		all = append(all, field{meansAdvantage, 0, m.advantage.as("Float64")})
	}
	if m.length.name != "" {
		all = append(all, field{meansLength, 0, m.length.as("Float64")})
	} else if m.tokens.name != "" {
		all = append(all, field{meansLength, 0, "CAST(length(" + m.tokens.quoted() + ") AS Nullable(Float64))"})
	}
	for i, c := range m.components {
		all = append(all, field{meansComponent, i, c.as("Float64")})
	}
	if len(m.statuses) > 0 {
		all = append(all, field{meansStatus, 0, m.statusSQL()})
	}
	return all
}

// statusSQL is an expression for the status of a row, as a number of model.Status: the greatest of those that its columns give.
func (m *mapping) statusSQL() string {
	numbers := []string{"0"}
	for _, c := range m.statuses {
		cases := ""
		for _, value := range slices.Sorted(maps.Keys(m.statusOf[c.name])) {
			condition := "lower(" + c.orEmpty() + ") = " + quoteText(value)
			if value == "*" { // anything
				condition = c.orEmpty() + " != ''"
			}
			cases += fmt.Sprintf("%s, %d, ", condition, m.statusOf[c.name][value])
		}
		numbers = append(numbers, "multiIf("+cases+"0)")
	}
	return "CAST(greatest(" + strings.Join(numbers, ", ") + ") AS Nullable(Float64))"
}

// sampleNumber is the number of a sample within its group or step, NULL where there is none.
func (t *table) sampleNumber() string {
	switch c := t.m.sample; {
	case c.isNumber():
		return c.as("Int64")
	case c.isText():
		return "toInt64OrNull(" + c.as("String") + ")"
	}
	return "CAST(NULL AS Nullable(Int64))"
}

type selection struct {
	lo, hi int64 // inclusive
	oneIn  int   // 0 and 1 are all
}

// groupsSQL asks for the groups of some steps: a row each, with an array per field, and with what tells groups apart and
// what they are shown by: id, id of the prompt, prompt, truth. The groups of a step come in the order of their ids, which is
// that of numbers for numbers. A sample whose reward is NULL keeps its place, since the tuple around it is not NULL.
func (t *table) groupsSQL(s selection) string {
	inner := "SELECT toInt64(assumeNotNull(" + t.m.step.quoted() + ")) AS vantage_s"
	outer := "SELECT vantage_s, "
	text := func(name, as string) string { return "ifNull(CAST(" + name + " AS Nullable(String)), '') AS " + as }
	anyOf := func(c column, as string) string {
		if c.name == "" {
			return ", '' AS " + as
		}
		return ", any(" + c.quoted() + ") AS " + as
	}
	keys := "vantage_s, vantage_h"
	if t.m.group.name != "" {
		keys = "vantage_s, vantage_g"
		inner += ", " + t.m.group.quoted() + " AS vantage_g"
		outer += text("vantage_g", "id") + ", toUInt64(0) AS hash"
	} else {
		inner += ", " + t.groupHash() + " AS vantage_h"
		outer += "'' AS id, vantage_h AS hash"
	}
	promptID := t.m.promptID
	if promptID == t.m.group {
		promptID = column{} // it need not come twice
	}
	inner += anyOf(promptID, "vantage_p") + anyOf(t.m.prompt, "vantage_q") + anyOf(t.m.truth, "vantage_r")
	outer += ", " + text("vantage_p", "pid") + ", " + text("vantage_q", "prompt") + ", " + text("vantage_r", "truth")
	numbers := []string{t.sampleNumber()}
	for _, f := range t.fields() {
		numbers = append(numbers, f.sql)
	}
	inner += ", groupArray((" + strings.Join(numbers, ", ") + ")) AS vantage_t"
	for i := range numbers {
		outer += fmt.Sprintf(", vantage_t.%d AS v%d", i+1, i)
	}
	// columns are compared as they are, so that the server can use its index
	conditions := append(t.ofReading(), fmt.Sprintf("%s >= %d", t.m.step.quoted(), s.lo), fmt.Sprintf("%s <= %d", t.m.step.quoted(), s.hi))
	if s.oneIn > 1 {
		conditions = append(conditions, fmt.Sprintf("%s %% %d = 0", t.groupHash(), s.oneIn))
	}
	return outer + " FROM (" + inner + t.target.from() + where(conditions) + " GROUP BY " + keys + ") ORDER BY " + keys
}

// groupKey tells one group of a step from the others.
type groupKey struct {
	id   string
	hash uint64 // of prompt and ground truth, where there is no id
}

// session is a connection, and how the user may ask.
type session struct {
	*wire.Conn
	settings []wire.Setting // of each query
	limit    int            // an answer of fewer rows is whole; 0 is no limit
}

// errCut says that an answer has as many rows as the profile of the user allows, so that some may be missing.
var errCut = errors.New("the answer may be cut")

// query runs a query whose result has such columns. Who reads a result that may be cut sees it before it is an error.
func (s *session) query(ctx context.Context, sql string, columns proto.Results, each func(rows int) error) error {
	all := 0
	err := s.Do(ctx, wire.Query{SQL: sql, Settings: s.settings, Columns: columns, OnBlock: func(rows int) error {
		all += rows
		return each(rows)
	}})
	if err == nil && s.limit > 0 && all >= s.limit {
		return errCut
	}
	return err
}

// output is a column of an answer: its name, what is asked for, and where it goes.
type output struct {
	name, sql string
	data      proto.ColResult
}

func selecting(outputs ...output) (sql string, columns proto.Results) {
	what := make([]string, len(outputs))
	for i, o := range outputs {
		what[i] = o.sql + " AS " + o.name
		columns = append(columns, proto.ResultColumn{Name: o.name, Data: o.data})
	}
	return "SELECT " + strings.Join(what, ", "), columns
}

func (r *reader) count(ctx context.Context, t *table, conditions []string, what ...string) ([]uint64, error) {
	counts, data, outputs := make([]uint64, len(what)), make([]proto.ColUInt64, len(what)), make([]output, len(what))
	for i := range what {
		outputs[i] = output{fmt.Sprintf("vantage_%d", i), "toUInt64(" + what[i] + ")", &data[i]}
	}
	sql, columns := selecting(outputs...)
	err := r.conn.query(ctx, sql+t.target.from()+where(conditions), columns, func(int) error {
		for i := range data {
			counts[i] = data[i].Row(0)
		}
		return nil
	})
	return counts, err
}

// whole are the settings with which a server answers whole or with an error. With others, which the profile of a user
// may have, it leaves out the shards that are away, or what is over a limit, and says nothing.
func whole() map[string]string {
	return map[string]string{
		"skip_unavailable_shards": "0",
		"read_overflow_mode":      "throw", "read_overflow_mode_leaf": "throw", "result_overflow_mode": "throw", "timeout_overflow_mode": "throw",
		"timeout_overflow_mode_leaf": "throw", "group_by_overflow_mode": "throw", "sort_overflow_mode": "throw",
		"distinct_overflow_mode": "throw",
	}
}

// dial connects, and asks what may be set.
func (s *Source) dial(ctx context.Context) (*session, error) {
	config, err := s.target.tls(s.options.Disk)
	if err != nil {
		return nil, err
	}
	conn, err := wire.Dial(ctx, wire.Options{
		Address: s.target.address(), User: s.target.User, Password: s.target.Password, TLS: config, Timeout: s.options.timeout,
	})
	if err != nil {
		return nil, err
	}
	settings, limit, err := s.allowedSettings(ctx, conn)
	if err != nil {
		_ = conn.Close() // no query is to follow without settings
		return nil, err
	}
	return &session{conn, settings, limit}, nil
}

// allowedSettings returns what to set with each query: that it cannot write, that blocks are small, and that answers
// are whole. A user of the profile readonly=1 can neither write nor set anything: if that profile lets the server leave
// something out, it is an error, but for a limit of rows, which an answer can be compared with.
func (s *Source) allowedSettings(ctx context.Context, conn *wire.Conn) (set []wire.Setting, limit int, err error) {
	names := []string{"'readonly'"}
	for name := range whole() {
		names = append(names, quoteText(name))
	}
	var told proto.ColStr
	rows, readonly, limited := 0, "", false
	err = conn.Do(ctx, wire.Query{
		// in one row, since a limit may stand for this answer too; a server lacks settings that are younger than it
		SQL: "SELECT arrayStringConcat(groupArray(concat(name, '=', value)), ' ') AS vantage_told FROM system.settings " +
			"WHERE name IN (" + strings.Join(names, ", ") + ")",
		Columns: proto.Results{{Name: "vantage_told", Data: &told}},
		OnBlock: func(n int) error {
			rows += n
			readonly, set = missing(told.Row(0))
			return nil
		},
		OnLimit: func() { limited = true }, // system.settings says 0, whatever the profile has
	})
	switch {
	case err != nil:
		return nil, 0, err
	case rows == 0:
		return nil, 0, s.target.leavesOut(wire.Setting{Name: "offset", Value: "0"})
	case readonly == "1" && len(set) > 0:
		return nil, 0, s.target.leavesOut(set[0])
	case readonly == "1" && limited:
		limit, err = findLimit(ctx, conn)
		return nil, limit, err
	case readonly == "1":
		return nil, 0, nil
	case readonly != "2":
		set = append(set, wire.Setting{Name: "readonly", Value: "2"})
	}
	set = append(set, wire.Setting{Name: "limit", Value: "0"}, wire.Setting{Name: "offset", Value: "0"}) // no query is told these
	return append(set, wire.Setting{Name: "max_block_size", Value: "8192"}), 0, nil
}

// missing returns the setting readonly, and those of whole that are others in "name=value name=value".
func missing(told string) (readonly string, set []wire.Setting) {
	for setting := range strings.FieldsSeq(told) {
		name, value, _ := strings.Cut(setting, "=")
		if want, known := whole()[name]; !known {
			readonly = value
		} else if value != want {
			set = append(set, wire.Setting{Name: name, Value: want})
		}
	}
	return readonly, set
}

// findLimit returns to how many rows the profile limits an answer, at most a million: no setting tells it.
func findLimit(ctx context.Context, conn *wire.Conn) (limit int, err error) {
	var zero proto.ColUInt8
	err = conn.Do(ctx, wire.Query{
		SQL:     fmt.Sprintf("SELECT toUInt8(0) AS vantage_zero FROM (SELECT arrayJoin(range(%d)))", 1<<20),
		Columns: proto.Results{{Name: "vantage_zero", Data: &zero}},
		OnBlock: func(rows int) error { limit += rows; return nil },
	})
	return limit, err
}

func (t Target) leavesOut(need wire.Setting) error {
	return &Error{text: fmt.Sprintf("the profile of %s on %s sets %s so that rows may be missing from an answer, and allows no other: "+
		"ask for a user with %s=%s or with readonly=2", t.User, t.Host, need.Name, need.Name, need.Value)}
}
