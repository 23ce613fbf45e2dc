package clickhouse

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/ClickHouse/ch-go/proto"

	"vantage/loaders/discover"
	"vantage/model"
)

// choice is which parts of the steps are read. The zero value reads all.
type choice struct {
	attempts    [][]start // oldest first, each the starts of which it consists; nil if no column tells them
	shown       int       // number of the attempt that is read, from 1; 0 is all
	evaluations []string  // values of the column for splits that mean an evaluation
	split       discover.Split
}

// start is one start of the run.
type start struct {
	value string
	first int64   // step
	later []int64 // the first steps of later starts of the same attempt, which replace what stands from there on
}

// replacedAt returns the step at which the run was resumed so that rows of a step were replaced.
func (s start) replacedAt(step int64) (resumed int64, replaced bool) {
	i := slices.IndexFunc(s.later, func(first int64) bool { return first <= step })
	if i < 0 {
		return 0, false
	}
	return s.later[i], true
}

// choose decides what to read of the parts: attempt as [Options.Attempt]. Doubt is a sentence on starts that cannot be
// told apart.
func (t *table) choose(parts tally, attempt int, split discover.Split) (c choice, doubt string) {
	c.split = cmp.Or(split, discover.SplitTrain)
	hasTraining := false
	values := map[string]bool{}
	for _, all := range parts {
		for _, p := range all {
			values[p.split] = true
		}
	}
	for _, value := range slices.Sorted(maps.Keys(values)) {
		if isEvaluation(t.m.split.name, value) {
			c.evaluations = append(c.evaluations, value)
		} else {
			hasTraining = true
		}
	}
	if c.split == discover.SplitTrain && !hasTraining && len(c.evaluations) > 0 {
		c.split = discover.SplitVal
	}
	starts, known := c.findStarts(parts)
	if !known {
		doubt = fmt.Sprintf("counted as one run, though %s has %d values (%s, %s, …) and nothing tells which is the newest: name the column that says when rows were written with written=COLUMN in the address", t.m.attempt.name, len(starts), nameOf(starts[0].value), nameOf(starts[1].value))
		starts = nil
	}
	if c.shown = max(0, attempt); len(starts) > 1 {
		c.attempts = toAttempts(starts)
		if attempt == newestAttempt {
			c.shown = len(c.attempts)
		}
	}
	return c, doubt
}

// nameOf is a value of a column as it is shown.
func nameOf(value string) string {
	if value == "" {
		return "NULL"
	}
	return value
}

// findStarts returns the starts of the run in their order: that of their numbers, or of when their first rows were
// written. It reports whether the order is known.
func (c *choice) findStarts(parts tally) (starts []start, known bool) {
	found, written := map[string]int64{}, map[string]float64{}
	for step, all := range parts {
		for _, p := range all {
			if !c.isOfSplit(p.split) {
				continue
			}
			if first, ok := found[p.attempt]; !ok || step < first {
				found[p.attempt] = step
			}
			if at, ok := written[p.attempt]; !ok || p.written < at {
				written[p.attempt] = p.written
			}
		}
	}
	number := func(value string) float64 {
		n, err := strconv.ParseFloat(value, 64)
		if err != nil && value != "" { // rows of before there was such a column
			known = false
		}
		return n
	}
	known = true
	order := map[string]float64{}
	for value, first := range found {
		order[value] = number(value)
		starts = append(starts, start{value: value, first: first})
	}
	if !known {
		order, known = written, len(starts) < 2 || !slices.Contains(slices.Collect(maps.Values(written)), 0)
	}
	slices.SortFunc(starts, func(a, b start) int {
		return cmp.Or(cmp.Compare(order[a.value], order[b.value]), cmp.Compare(a.value, b.value))
	})
	return starts, known
}

// toAttempts divides starts into attempts as package attempts does for files: one from the first step of its attempt, or
// before, is a new attempt, any other continues it and replaces what was written from its first step on.
func toAttempts(starts []start) (all [][]start) {
	for _, s := range starts {
		if len(all) == 0 || s.first <= all[len(all)-1][0].first {
			all = append(all, []start{s})
			continue
		}
		newest := &all[len(all)-1]
		for i := range *newest {
			(*newest)[i].later = append((*newest)[i].later, s.first)
		}
		*newest = append(*newest, s)
	}
	return all
}

// newestAttempt is the value of [Options.Attempt] for the newest.
const newestAttempt = 0

// isOfSplit reports whether rows with a value in the column for splits are asked for.
func (c *choice) isOfSplit(value string) bool {
	return c.split == discover.SplitAll || slices.Contains(c.evaluations, value) == (c.split == discover.SplitVal)
}

// startOf returns the start that wrote a part, and the number of its attempt, from 1.
func (c *choice) startOf(p part) (number int, s start) {
	for i, starts := range c.attempts {
		for _, s := range starts {
			if s.value == p.attempt {
				return i + 1, s
			}
		}
	}
	return 1, s
}

// keeps reports whether a part of a step is read.
func (c *choice) keeps(step int64, p part) bool {
	return c.isOfSplit(p.split) && c.isShown(step, p)
}

// isShown reports whether a part of a step is of the attempt that is read, and was not replaced.
func (c *choice) isShown(step int64, p part) bool {
	number, s := c.startOf(p)
	_, replaced := s.replacedAt(step)
	return c.shown == 0 || number == c.shown && !replaced
}

// counts returns how many rows are read of each step.
func (t *table) counts(parts tally) map[int64]stepCount {
	counts := map[int64]stepCount{}
	for step, all := range parts {
		if step < t.target.First || step > t.target.Last {
			continue
		}
		now := stepCount{step: step}
		for _, p := range all {
			if t.choice.keeps(step, p) {
				now.rows, now.mark, now.parts = now.rows+p.rows, now.mark+p.mark, now.parts+p.attempt+"\x00"+p.split+"\x00"
			}
		}
		if now.rows > 0 {
			counts[step] = now
		}
	}
	return counts
}

// chosen is the condition for what is read of the steps, nothing if that is all.
func (t *table) chosen() (conditions []string) {
	c := &t.choice
	if len(c.evaluations) > 0 && c.split != discover.SplitAll {
		in := " IN ("
		if c.split == discover.SplitTrain {
			in = " NOT IN ("
		}
		values := make([]string, len(c.evaluations))
		for i, value := range c.evaluations {
			values[i] = quoteText(value)
		}
		conditions = append(conditions, orEmpty(t.m.split)+in+strings.Join(values, ", ")+")")
	}
	if len(c.attempts) == 0 || c.shown == 0 || c.shown > len(c.attempts) {
		return conditions
	}
	var parts []string
	for _, s := range c.attempts[c.shown-1] {
		one := orEmpty(t.m.attempt) + " = " + quoteText(s.value)
		if len(s.later) > 0 {
			one += fmt.Sprintf(" AND %s < %d", quoteName(t.m.step.name), slices.Min(s.later))
		}
		parts = append(parts, one)
	}
	return append(conditions, "("+strings.Join(parts, " OR ")+")")
}

// isEvaluation reports whether a value of a column says that a row is of an evaluation: split = 'val', is_eval = 1,
// is_train = 0.
func isEvaluation(column, value string) bool {
	switch strings.ToLower(value) {
	case "1", "true", "yes":
		return discover.IsValidation(column)
	case "0", "false", "no":
		words := strings.FieldsFunc(strings.ToLower(column), func(r rune) bool { return !unicode.IsLetter(r) })
		return slices.Contains(words, "train") || slices.Contains(words, "training")
	case "test", "dev":
		return true
	}
	return discover.IsValidation(value)
}

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

// saidLeftOut is what was said last of rows that do not count, or that may not.
type saidLeftOut struct {
	attempts   model.Attempts
	evaluation model.Evaluation
	untrained  bool // there is no training: validation is read in its place
}

// noteLeftOut says which rows do not count, since they are of another attempt or of an evaluation, and which may be there
// twice. It reports whether that is news.
func (r *reader) noteLeftOut() (news bool) {
	untrained := r.table.choice.split == discover.SplitVal && r.source.options.Split != discover.SplitVal
	now := saidLeftOut{r.table.notRead(r.parts), r.evaluation(), untrained}
	for _, doubt := range []string{r.doubt, r.doubledSentence()} {
		if doubt != "" {
			now.attempts.Doubts = append(now.attempts.Doubts, doubt)
		}
	}
	if reflect.DeepEqual(now, r.said) {
		return false
	}
	r.said = now
	c := r.chunk()
	c.Attempts, c.Evaluation = &now.attempts, &now.evaluation
	if untrained {
		c.Notes = append(c.Notes, "training: as long as there is none, validation is read")
	}
	return true
}

// notRead returns which attempts there are, and what is not read of them.
func (t *table) notRead(parts tally) model.Attempts {
	c := &t.choice
	if len(c.attempts) == 0 {
		if c.shown > 1 {
			return model.Attempts{Shown: c.shown, Count: 1}
		}
		return model.Attempts{}
	}
	all := model.Attempts{Shown: c.shown, Count: len(c.attempts)}
	if c.shown == 0 {
		return all
	}
	left := map[unread]*model.LeftOut{}
	for step, of := range parts {
		if step < t.target.First || step > t.target.Last {
			continue
		}
		here := map[unread]uint64{} // rows
		for _, p := range of {
			if why, is := c.whyNotRead(step, p); is {
				here[why] += p.rows
			}
		}
		for why, rows := range here {
			why.add(left, len(c.attempts), step, rows)
		}
	}
	for _, one := range left {
		all.NotRead = append(all.NotRead, *one)
	}
	if all.Count == 1 && len(left) == 0 {
		return model.Attempts{}
	}
	slices.SortFunc(all.NotRead, func(a, b model.LeftOut) int {
		return cmp.Or(cmp.Compare(a.Attempt, b.Attempt), cmp.Compare(c.startAt(a.OlderRows), c.startAt(b.OlderRows)))
	})
	return all
}

// startAt is which start of its attempt replaced rows first.
func (c *choice) startAt(rows model.OlderRows) int {
	return slices.IndexFunc(c.attempts[rows.Attempt-1], func(s start) bool { return rows.Cause == model.Resumed && s.first == rows.Step })
}

// unread is why rows are not read.
type unread struct {
	attempt int
	cause   model.AttemptCause
	resumed int64 // the step, if a later start of the attempt replaced them
}

// whyNotRead reports whether a part of a step is of another attempt, or was replaced.
func (c *choice) whyNotRead(step int64, p part) (why unread, is bool) {
	if !c.isOfSplit(p.split) || c.keeps(step, p) {
		return unread{}, false
	}
	switch number, start := c.startOf(p); {
	case number < c.shown:
		return unread{attempt: number, cause: model.Numbered}, true
	case number > c.shown:
		return unread{attempt: number, cause: model.Chosen}, true
	default:
		resumed, _ := start.replacedAt(step)
		return unread{number, model.Resumed, resumed}, true
	}
}

// add adds rows of a step to what is left out for one reason.
func (u unread) add(left map[unread]*model.LeftOut, attempts int, step int64, rows uint64) {
	one := left[u]
	if one == nil {
		one = &model.LeftOut{OlderRows: model.OlderRows{Attempt: u.attempt, Of: attempts, Cause: u.cause, Step: u.resumed}, First: step, Last: step}
		left[u] = one
	}
	one.First, one.Last = min(one.First, step), max(one.Last, step)
	one.Steps, one.Samples = one.Steps+1, one.Samples+int(rows)
}

// evaluation returns what is known of evaluations in the attempt that is read.
func (r *reader) evaluation() model.Evaluation {
	t := r.table
	c, steps, found := &t.choice, map[int64]bool{}, map[string]*model.EvaluationEvidence{}
	sum := model.Evaluation{Shown: r.source.options.Split == discover.SplitVal}
	for step, of := range r.parts {
		for _, p := range of {
			if !slices.Contains(c.evaluations, p.split) || step < t.target.First || step > t.target.Last || !c.isShown(step, p) {
				continue
			}
			steps[step], sum.Rows = true, sum.Rows+int(p.rows)
			why := found[p.split]
			if why == nil {
				why = &model.EvaluationEvidence{Kind: "column", Why: fmt.Sprintf("%s is %s", t.m.split.name, p.split), First: step}
				found[p.split] = why
			}
			why.Steps, why.First = why.Steps+1, min(why.First, step)
		}
	}
	if c.split != discover.SplitTrain && !sum.Shown {
		return model.Evaluation{} // it counts
	}
	sum.Steps = slices.Sorted(maps.Keys(steps))
	for _, split := range slices.Sorted(maps.Keys(found)) {
		why := *found[split]
		why.File = r.fileName(why.First)
		sum.Evidence = append(sum.Evidence, why)
	}
	return sum
}
