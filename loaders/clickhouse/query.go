package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ClickHouse/ch-go/proto"

	"vantage/loaders/clickhouse/wire"
)

// table writes the statements for one run of a table.
type table struct {
	target Target
	m      mapping
	run    string // name of the run, if the table has several
	choice choice // which attempts are read, and whether training or evaluation
}

// quoteName quotes an identifier.
func quoteName(name string) string {
	return "`" + strings.NewReplacer(`\`, `\\`, "`", "\\`").Replace(name) + "`"
}

// quoteText quotes a text.
func quoteText(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\x00", `\0`).Replace(text) + "'"
}

func (t Target) from() string {
	from := " FROM " + quoteName(t.Database) + "." + quoteName(t.Table)
	if t.Final {
		from += " FINAL"
	}
	return from
}

// describeSQL lists the columns of the table.
func (t Target) describeSQL() string {
	return "DESCRIBE TABLE " + quoteName(t.Database) + "." + quoteName(t.Table)
}

// maxRuns is how many runs a sentence names, and one more.
const maxRuns = 9

// runsSQL lists runs.
func (t *table) runsSQL() string {
	return fmt.Sprintf("SELECT DISTINCT %s AS vantage_run%s ORDER BY vantage_run LIMIT %d", orEmpty(t.m.run), t.target.from(), maxRuns)
}

// selection is steps of the run, and of those all groups or one in so many.
type selection struct {
	lo, hi int64 // inclusive
	oneIn  int   // 0 and 1 are all
}

// where is the condition for some steps. Columns are compared as they are, so that the server can use its index.
func (t *table) where(s selection) string {
	conditions := append(t.ofRun(), t.chosen()...)
	step := quoteName(t.m.step.name)
	conditions = append(conditions, fmt.Sprintf("%s >= %d", step, s.lo), fmt.Sprintf("%s <= %d", step, s.hi))
	if s.oneIn > 1 {
		conditions = append(conditions, fmt.Sprintf("%s %% %d = 0", t.groupHash(), s.oneIn))
	}
	return " WHERE " + strings.Join(conditions, " AND ")
}

// orEmpty is a column as text, which is empty for NULL.
func orEmpty(c column) string {
	return "ifNull(CAST(" + quoteName(c.name) + " AS Nullable(String)), '')"
}

// ofRun is the condition for the run, nothing if the table has no column for it.
func (t *table) ofRun() []string {
	switch {
	case t.m.run.name == "":
		return nil
	case t.run == "" && (isNullable(t.m.run) || t.m.run.isNumber()):
		return []string{orEmpty(t.m.run) + " = ''"}
	case t.m.run.isNumber():
		return []string{quoteName(t.m.run.name) + " = " + t.run} // it is a number: see chooseRun
	}
	return []string{quoteName(t.m.run.name) + " = " + quoteText(t.run)}
}

// groupHash is a number by which whole groups are chosen.
func (t *table) groupHash() string {
	names := make([]string, 0, 2)
	for _, c := range t.groupColumns() {
		names = append(names, orEmpty(c))
	}
	return "cityHash64(" + strings.Join(names, ", ") + ")"
}

// groupColumns are the columns whose values tell groups apart: the id, or prompt and ground truth.
func (t *table) groupColumns() []column {
	if t.m.group.name != "" {
		return []column{t.m.group}
	}
	return slices.DeleteFunc([]column{t.m.prompt, t.m.truth}, func(c column) bool { return c.name == "" })
}

// markColumn is the column whose change makes a step another.
func (t *table) markColumn() string {
	c := t.m.reward
	if c.name == "" {
		c = t.m.components[0]
	}
	return "CAST(" + quoteName(c.name) + " AS Nullable(Float64))"
}

// stepless counts rows without a step.
func (t *table) steplessSQL() string {
	conditions := append(t.ofRun(), quoteName(t.m.step.name)+" IS NULL")
	return "SELECT toUInt64(count()) AS vantage_n" + t.target.from() + " WHERE " + strings.Join(conditions, " AND ")
}

// values are the columns that each sample has, beside its number in the group: reward, advantage, length,
// components.
func (t *table) values() []string {
	var all []string
	for _, c := range []column{t.m.reward, t.m.advantage, t.m.length} {
		if c.name != "" {
			all = append(all, "CAST("+quoteName(c.name)+" AS Nullable(Float64))")
		}
	}
	if t.m.length.name == "" && t.m.tokens.name != "" {
		all = append(all, "CAST(length("+quoteName(t.m.tokens.name)+") AS Nullable(Float64))")
	}
	for _, c := range t.m.components {
		all = append(all, "CAST("+quoteName(c.name)+" AS Nullable(Float64))")
	}
	return all
}

// sampleNumber is the number of a sample within its group or step, NULL where there is none.
func (t *table) sampleNumber() string {
	switch c := t.m.sample; {
	case c.isNumber():
		return "CAST(" + quoteName(c.name) + " AS Nullable(Int64))"
	case c.isText():
		return "toInt64OrNull(CAST(" + quoteName(c.name) + " AS Nullable(String)))"
	}
	return "CAST(NULL AS Nullable(Int64))"
}

// groupsSQL asks for the groups of some steps: a row each, with an array per column. A sample whose reward is
// NULL keeps its place, since the tuple around it is not NULL.
func (t *table) groupsSQL(s selection) string {
	var inner, outer strings.Builder
	inner.WriteString("SELECT toInt64(assumeNotNull(" + quoteName(t.m.step.name) + ")) AS vantage_s")
	outer.WriteString("SELECT vantage_s, ")
	keys := t.groupKeys(&inner, &outer)
	values := t.values()
	inner.WriteString(", groupArray((" + t.sampleNumber() + ", " + strings.Join(values, ", ") + ")) AS vantage_t")
	for i := range len(values) + 1 {
		_, _ = fmt.Fprintf(&outer, ", vantage_t.%d AS v%d", i+1, i)
	}
	return outer.String() + " FROM (" + inner.String() + t.target.from() + t.where(s) + " GROUP BY vantage_s, " + keys + ") ORDER BY vantage_s, " + keys
}

// groupKeys writes what tells groups apart, and what they are shown by: id, id of the prompt, prompt, truth. The
// groups of a step come in the order of their ids, which is that of numbers for numbers.
func (t *table) groupKeys(inner, outer *strings.Builder) (keys string) {
	text := func(name, as string) string { return "ifNull(CAST(" + name + " AS Nullable(String)), '') AS " + as }
	anyOf := func(c column, as string) string {
		if c.name == "" {
			return ", '' AS " + as
		}
		return ", any(" + quoteName(c.name) + ") AS " + as
	}
	promptID := t.m.promptID
	if promptID == t.m.group {
		promptID = column{} // it need not come twice
	}
	if t.m.group.name != "" {
		keys = "vantage_g"
		inner.WriteString(", " + quoteName(t.m.group.name) + " AS vantage_g")
		outer.WriteString(text("vantage_g", "id") + ", toUInt64(0) AS hash")
	} else {
		keys = "vantage_h"
		inner.WriteString(", " + t.groupHash() + " AS vantage_h")
		outer.WriteString("'' AS id, vantage_h AS hash")
	}
	inner.WriteString(anyOf(promptID, "vantage_p") + anyOf(t.m.prompt, "vantage_q") + anyOf(t.m.truth, "vantage_r"))
	outer.WriteString(", " + text("vantage_p", "pid") + ", " + text("vantage_q", "prompt") + ", " + text("vantage_r", "truth"))
	return keys
}

// groupKey tells one group of a step from the others.
type groupKey struct {
	id   string
	hash uint64 // of prompt and ground truth, where there is no id
}

// textsSQL asks for everything that the table has of the samples of one group, each as JSON, with what tells their
// order.
func (t *table) textsSQL(step int64, group groupKey) string {
	var same string
	switch c := t.m.group; {
	case c.name == "":
		same = t.groupHash() + " = " + strconv.FormatUint(group.hash, 10)
	case group.id == "":
		same = orEmpty(c) + " = ''"
	case c.isInteger():
		same = quoteName(c.name) + " = " + group.id
	default:
		same = quoteName(c.name) + " = " + quoteText(group.id)
	}
	conditions := append(append(t.ofRun(), t.chosen()...), quoteName(t.m.step.name)+" = "+strconv.FormatInt(step, 10), same)
	columns := []string{t.sampleNumber() + " AS vantage_v0"}
	for i, v := range t.values() {
		columns = append(columns, fmt.Sprintf("%s AS vantage_v%d", v, i+1))
	}
	return "SELECT " + strings.Join(columns, ", ") + ", formatRowNoNewline('JSONEachRow', *) AS vantage_line" + t.target.from() + " WHERE " + strings.Join(conditions, " AND ")
}

// whole are the settings with which a server answers whole or with an error. With others, which the profile of a user
// may have, it leaves out the shards that are away, or what is over a limit, and says nothing.
func whole() map[string]string {
	return map[string]string{
		"skip_unavailable_shards": "0",
		"read_overflow_mode":      "throw", "read_overflow_mode_leaf": "throw", "result_overflow_mode": "throw", "timeout_overflow_mode": "throw",
		"timeout_overflow_mode_leaf": "throw", "group_by_overflow_mode": "throw", "sort_overflow_mode": "throw", "distinct_overflow_mode": "throw",
	}
}

// allowed is how a user may ask.
type allowed struct {
	settings []wire.Setting // of each query
	limit    int            // an answer of fewer rows is whole; 0 is no limit
}

// errCut says that an answer has as many rows as the profile of the user allows, so that some may be missing.
var errCut = errors.New("the answer may be cut")

// do runs a query whose result has such columns. Who reads a result that may be cut sees it before it is an error.
func (a allowed) do(ctx context.Context, conn *wire.Conn, sql string, columns proto.Results, each func(rows int) error) error {
	all := 0
	err := conn.Do(ctx, wire.Query{SQL: sql, Settings: a.settings, Columns: columns, OnBlock: func(rows int) error {
		all += rows
		return each(rows)
	}})
	if err == nil && a.limit > 0 && all >= a.limit {
		return errCut
	}
	return err
}

// allowedSettings returns what to set with each query: that it cannot write, that blocks are small, and that answers
// are whole. A user of the profile readonly=1 can neither write nor set anything: if that profile lets the server leave
// something out, it is an error, but for a limit of rows, which an answer can be compared with.
func (s *Source) allowedSettings(ctx context.Context, conn *wire.Conn) (allowed, error) {
	var told proto.ColStr
	rows, readonly, limited := 0, "", false
	var set []wire.Setting
	err := conn.Do(ctx, wire.Query{
		SQL: settingsSQL(), Columns: proto.Results{{Name: "vantage_told", Data: &told}},
		OnBlock: func(n int) error {
			rows += n
			readonly, set = missing(told.Row(0))
			return nil
		},
		OnLimit: func() { limited = true }, // system.settings says 0, whatever the profile has
	})
	switch {
	case err != nil:
		return allowed{}, err
	case rows == 0:
		return allowed{}, s.target.leavesOut(wire.Setting{Name: "offset", Value: "0"})
	case readonly == "1" && len(set) > 0:
		return allowed{}, s.target.leavesOut(set[0])
	case readonly == "1" && limited:
		limit, err := findLimit(ctx, conn)
		return allowed{limit: limit}, err
	case readonly == "1":
		return allowed{}, nil
	case readonly != "2":
		set = append(set, wire.Setting{Name: "readonly", Value: "2"})
	}
	set = append(set, wire.Setting{Name: "limit", Value: "0"}, wire.Setting{Name: "offset", Value: "0"}) // no query is told these
	return allowed{settings: append(set, wire.Setting{Name: "max_block_size", Value: "8192"})}, nil
}

// maxLimit is the largest limit that is told from larger ones.
const maxLimit = 1 << 20

// findLimit returns to how many rows the profile limits an answer, at most maxLimit: no setting tells it.
func findLimit(ctx context.Context, conn *wire.Conn) (limit int, err error) {
	var zero proto.ColUInt8
	err = conn.Do(ctx, wire.Query{
		SQL:     fmt.Sprintf("SELECT toUInt8(0) AS vantage_zero FROM (SELECT arrayJoin(range(%d)))", maxLimit),
		Columns: proto.Results{{Name: "vantage_zero", Data: &zero}},
		OnBlock: func(rows int) error { limit += rows; return nil },
	})
	return limit, err
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

// settingsSQL asks for the settings that count, as the profile of the user has them: in one row, since a limit may
// stand for this answer too. A server lacks settings that are younger than it.
func settingsSQL() string {
	names := []string{"'readonly'"}
	for name := range whole() {
		names = append(names, quoteText(name))
	}
	return "SELECT arrayStringConcat(groupArray(concat(name, '=', value)), ' ') AS vantage_told FROM system.settings WHERE name IN (" + strings.Join(names, ", ") + ")"
}

// leavesOut is the error for a profile with which rows may be missing.
func (t Target) leavesOut(need wire.Setting) error {
	return &Error{text: fmt.Sprintf("the profile of %s on %s sets %s so that rows may be missing from an answer, and allows no other: ask for a user with %s=%s or with readonly=2", t.User, t.Host, need.Name, need.Name, need.Value)}
}
