package clickhouse

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ClickHouse/ch-go/proto"
)

// part is the rows of a step that have one value in the column for attempts and one in that for splits, as texts; ""
// where the table has no such column.
type part struct {
	attempt, split string
	rows           uint64
	mark           uint64  // changes when rewards do; 0 if that was not asked
	written        float64 // when the first of the rows was written, in any unit; 0 if no column tells
}

// tally is the parts of the steps of the run.
type tally map[int64][]part

// replace takes what was counted from a step on.
func (t tally) replace(from int64, counted tally) {
	for step := range t {
		if step >= from && counted[step] == nil {
			delete(t, step)
		}
	}
	for step, parts := range counted {
		t[step] = parts
	}
}

// forgetAttempts joins the parts of a step that only the column for attempts tells apart.
func (t tally) forgetAttempts() {
	for step, parts := range t {
		var joined []part
		for _, p := range parts {
			p.attempt = ""
			if i := slices.IndexFunc(joined, func(j part) bool { return j.split == p.split }); i >= 0 {
				joined[i].rows, joined[i].mark = joined[i].rows+p.rows, joined[i].mark+p.mark
				continue
			}
			joined = append(joined, p)
		}
		t[step] = joined
	}
}

// countParts counts the rows of the steps from one on.
func (r *reader) countParts(ctx context.Context, from int64, marks bool) (tally, error) {
	var step proto.ColInt64
	var rows, mark proto.ColUInt64
	var attempt, split proto.ColStr
	var written proto.ColFloat64
	counted := tally{}
	columns := proto.Results{
		{Name: "vantage_s", Data: &step},
		{Name: "vantage_n", Data: &rows},
		{Name: "vantage_mark", Data: &mark},
		{Name: "vantage_a", Data: &attempt},
		{Name: "vantage_b", Data: &split},
		{Name: "vantage_w", Data: &written},
	}
	err := r.query(ctx, r.table.countsSQL(from, marks), columns, func(n int) error {
		for i := range n {
			s := step.Row(i)
			counted[s] = append(counted[s], part{attempt.Row(i), split.Row(i), rows.Row(i), mark.Row(i), written.Row(i)})
		}
		return nil
	})
	return counted, err
}

// hasParts reports whether steps may consist of several parts. All steps are then counted, since an attempt may begin
// before those that the address asks for.
func (t *table) hasParts() bool { return t.m.attempt.name != "" || t.m.split.name != "" }

// countsSQL counts the rows of each part of each step from one on. With marks it also says a number that changes when
// rewards do.
func (t *table) countsSQL(from int64, marks bool) string {
	step := quoteName(t.m.step.name)
	mark, keys := "toUInt64(0)", []string{"vantage_s"}
	if marks {
		mark = "toUInt64(ifNull(sum(ifNull(cityHash64(" + t.markColumn() + "), 0)), 0))"
	}
	key := func(c column, as string) string {
		if c.name == "" {
			return ", '' AS " + as
		}
		keys = append(keys, as)
		return ", " + orEmpty(c) + " AS " + as
	}
	what := fmt.Sprintf("toInt64(assumeNotNull(%s)) AS vantage_s, toUInt64(count()) AS vantage_n, %s AS vantage_mark", step, mark)
	what += key(t.m.attempt, "vantage_a") + key(t.m.split, "vantage_b") + ", " + t.firstWritten() + " AS vantage_w"
	conditions, by := append(t.ofRun(), t.counted(from)...), strings.Join(keys, ", ")
	return "SELECT " + what + t.target.from() + " WHERE " + strings.Join(conditions, " AND ") + " GROUP BY " + by + " ORDER BY " + by
}

// counted is the condition for the steps to count.
func (t *table) counted(from int64) []string {
	step, last := quoteName(t.m.step.name), int64(math.MaxInt64)
	if !t.hasParts() {
		from, last = max(from, t.target.First), t.target.Last
	}
	conditions := []string{fmt.Sprintf("%s >= %d", step, from)}
	if last != math.MaxInt64 {
		conditions = append(conditions, fmt.Sprintf("%s <= %d", step, last))
	}
	return conditions
}

// firstWritten is when the first of some rows was written, 0 if that cannot matter or no column tells.
func (t *table) firstWritten() string {
	if t.m.written.name == "" || t.m.attempt.name == "" {
		return "toFloat64(0)"
	}
	return "toFloat64(ifNull(min(CAST(" + quoteName(t.m.written.name) + " AS Nullable(Float64))), 0))"
}

// maxParts is how many values a column may have to tell attempts or splits.
const maxParts = 64

// checkParts leaves out the columns for attempts and splits if they have so many values that they tell something else:
// if a person named one, that is an error.
func (r *reader) checkParts(ctx context.Context, t *table) error {
	if !t.hasParts() {
		return nil
	}
	var attempts, splits proto.ColUInt64
	columns := proto.Results{{Name: "vantage_a", Data: &attempts}, {Name: "vantage_b", Data: &splits}}
	var many []*column
	err := r.query(ctx, t.valuesSQL(), columns, func(int) error {
		if attempts.Row(0) > maxParts {
			many = append(many, &t.m.attempt)
		}
		if splits.Row(0) > maxParts {
			many = append(many, &t.m.split)
		}
		return nil
	})
	for _, c := range many {
		if role := map[*column]string{&t.m.attempt: "attempt", &t.m.split: "split"}[c]; t.target.Columns[role] != "" {
			return fmt.Errorf("the column %s of %s= has more than %d values: it tells something else", c.name, role, maxParts)
		}
		t.m.unused = append(t.m.unused, c.name)
		*c = column{}
	}
	return err
}

// valuesSQL counts the values of the columns for attempts and splits, up to some.
func (t *table) valuesSQL() string {
	values := func(c column) string {
		if c.name == "" {
			return "toUInt64(0)"
		}
		return fmt.Sprintf("toUInt64(uniqUpTo(%d)(%s))", maxParts, orEmpty(c))
	}
	sql := "SELECT " + values(t.m.attempt) + " AS vantage_a, " + values(t.m.split) + " AS vantage_b" + t.target.from()
	if conditions := t.ofRun(); len(conditions) > 0 {
		sql += " WHERE " + strings.Join(conditions, " AND ")
	}
	return sql
}

// numbersSamples reports whether the column for attempts numbers the samples of a group, as the attempts of a model at a
// problem are: then hardly any two rows of a group have one value.
func (r *reader) numbersSamples(ctx context.Context) (numbers bool, err error) {
	var rows, values proto.ColUInt64
	t := r.table
	keys := []string{quoteName(t.m.step.name), t.groupHash(), orEmpty(t.m.attempt)}
	sql := "SELECT toUInt64(count()) AS vantage_n, toUInt64(uniq(" + strings.Join(keys, ", ") + ")) AS vantage_v" + t.target.from() +
		" WHERE " + strings.Join(append(t.ofRun(), quoteName(t.m.step.name)+" IS NOT NULL"), " AND ")
	err = r.query(ctx, sql, proto.Results{{Name: "vantage_n", Data: &rows}, {Name: "vantage_v", Data: &values}}, func(int) error {
		numbers = rows.Row(0) < 2*values.Row(0)
		return nil
	})
	return numbers, err
}
