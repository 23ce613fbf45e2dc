package clickhouse

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/ClickHouse/ch-go/proto"

	"vantage/loaders/discover"
	"vantage/model"
)

// decision is which parts of the steps are read. The zero value reads all.
type decision struct {
	attempts    [][]start // oldest first, each the starts of which it consists; nil if no column tells them
	shown       int       // number of the attempt that is read, from 1; 0 is all
	doubt       string    // a sentence on starts that cannot be told apart
	evaluations []string  // values of the column for splits that mean an evaluation
	split       discover.Split
}

// start is one start of the run.
type start struct {
	value string
	first int64   // step
	later []int64 // the first steps of later starts of the same attempt, which replace what stands from there on
}

// stepPart is the rows of a step that have one value in the column for attempts and one in that for splits, as texts; ""
// where the table has no such column.
type stepPart struct {
	attempt, split string
	rows           uint64
	mark           uint64  // changes when rewards do; 0 if that was not asked
	written        float64 // when the first of the rows was written, in any unit; 0 if no column tells
}

// tally is the parts of the steps of the run.
type tally map[int64][]stepPart

// newestAttempt is the value of [Options.Attempt] for the newest.
const newestAttempt = 0

// decide decides what to read of the parts: attempt as [Options.Attempt].
func decide(parts tally, m *mapping, attempt int, split discover.Split) (d decision) {
	d.split = cmp.Or(split, discover.SplitTrain)
	values, hasTraining := map[string]bool{}, false
	for _, all := range parts {
		for _, p := range all {
			values[p.split] = true
		}
	}
	for _, value := range slices.Sorted(maps.Keys(values)) {
		if isEvaluation(m.split.name, value) {
			d.evaluations = append(d.evaluations, value)
		} else {
			hasTraining = true
		}
	}
	if d.split == discover.SplitTrain && !hasTraining && len(d.evaluations) > 0 {
		d.split = discover.SplitVal
	}
	starts, known := d.startsOf(parts)
	if !known {
		d.doubt = fmt.Sprintf("counted as one run, though %s has %d values (%s, %s, …) and nothing tells which is the newest: name the column that says when rows were written with written=COLUMN in the address",
			m.attempt.name, len(starts), cmp.Or(starts[0].value, "NULL"), cmp.Or(starts[1].value, "NULL"))
		starts = nil
	}
	if d.shown = max(0, attempt); len(starts) > 1 {
		d.attempts = toAttempts(starts)
		if attempt == newestAttempt {
			d.shown = len(d.attempts)
		}
	}
	return d
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

// startsOf returns the starts of the run in their order: that of their numbers, or of when their first rows were
// written. It reports whether the order is known.
func (d *decision) startsOf(parts tally) (starts []start, known bool) {
	first, written := map[string]int64{}, map[string]float64{}
	for step, all := range parts {
		for _, p := range all {
			if !d.isOfSplit(p.split) {
				continue
			}
			if at, ok := first[p.attempt]; !ok || step < at {
				first[p.attempt] = step
			}
			if at, ok := written[p.attempt]; !ok || p.written < at {
				written[p.attempt] = p.written
			}
		}
	}
	for value, step := range first {
		starts = append(starts, start{value: value, first: step})
	}
	order, known := byNumber(starts)
	if !known { // one start needs no order; of several all must tell their time
		order, known = written, len(starts) < 2 || !slices.Contains(slices.Collect(maps.Values(written)), 0)
	}
	slices.SortFunc(starts, func(a, b start) int {
		return cmp.Or(cmp.Compare(order[a.value], order[b.value]), cmp.Compare(a.value, b.value))
	})
	return starts, known
}

// byNumber returns the numbers of starts, if all have one. None is that of rows of before there was such a column.
func byNumber(starts []start) (order map[string]float64, known bool) {
	order = map[string]float64{}
	for _, s := range starts {
		n, err := strconv.ParseFloat(s.value, 64)
		if err != nil && s.value != "" {
			return nil, false
		}
		order[s.value] = n
	}
	return order, true
}

// toAttempts divides starts into attempts as package attempts does for files, which has to find the starts in the order of
// steps first: one from the first step of its attempt, or before, is a new attempt, any other continues it and replaces what
// was written from its first step on.
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

// isOfSplit reports whether rows with a value in the column for splits are asked for.
func (d *decision) isOfSplit(value string) bool {
	return d.split == discover.SplitAll || slices.Contains(d.evaluations, value) == (d.split == discover.SplitVal)
}

// unread is why rows are not read.
type unread struct {
	attempt int
	cause   model.AttemptCause
	resumed int64 // the step, if a later start of the attempt replaced them
}

// isShown reports whether a part of a step is of the attempt that is read, and was not replaced; else why not.
func (d *decision) isShown(step int64, p stepPart) (shown bool, why unread) {
	number, s := 1, start{}
	for i, starts := range d.attempts {
		if at := slices.IndexFunc(starts, func(s start) bool { return s.value == p.attempt }); at >= 0 {
			number, s = i+1, starts[at]
		}
	}
	replaced := slices.IndexFunc(s.later, func(first int64) bool { return first <= step })
	switch {
	case d.shown == 0:
		return true, unread{}
	case number < d.shown:
		return false, unread{attempt: number, cause: model.Numbered}
	case number > d.shown:
		return false, unread{attempt: number, cause: model.Chosen}
	case replaced >= 0:
		return false, unread{number, model.Resumed, s.later[replaced]}
	}
	return true, unread{}
}

// counts returns how many rows are read of each step.
func (t *table) counts(parts tally) map[int64]stepCount {
	counts := map[int64]stepCount{}
	for step, all := range parts {
		now := stepCount{step: step}
		for _, p := range all {
			if shown, _ := t.decided.isShown(step, p); shown && t.decided.isOfSplit(p.split) {
				now.rows, now.mark, now.parts = now.rows+p.rows, now.mark+p.mark, now.parts+p.attempt+"\x00"+p.split+"\x00"
			}
		}
		if t.isWanted(step) && now.rows > 0 {
			counts[step] = now
		}
	}
	return counts
}

// isWanted reports whether the address asks for a step.
func (t *table) isWanted(step int64) bool { return step >= t.target.First && step <= t.target.Last }

// replace takes what was counted from a step on.
func (t tally) replace(from int64, counted tally) {
	maps.DeleteFunc(t, func(step int64, _ []stepPart) bool { return step >= from })
	maps.Copy(t, counted)
}

// forgetAttempts joins the parts of a step that only the column for attempts tells apart.
func (t tally) forgetAttempts() {
	for step, parts := range t {
		var joined []stepPart
		for _, p := range parts {
			p.attempt = ""
			if i := slices.IndexFunc(joined, func(j stepPart) bool { return j.split == p.split }); i >= 0 {
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
			counted[s] = append(counted[s], stepPart{attempt.Row(i), split.Row(i), rows.Row(i), mark.Row(i), written.Row(i)})
		}
		return nil
	})
	return counted, err
}

// hasParts reports whether steps may consist of several parts. All steps are then counted, since an attempt may begin
// before those that the address asks for.
func (t *table) hasParts() bool { return t.m.attempt.name != "" || t.m.split.name != "" }

// maxParts is how many values a column may have to tell attempts or splits.
const maxParts = 64

// checkParts leaves out the columns for attempts and splits if they have so many values that they tell something else:
// if a person named one, that is an error.
func (r *reader) checkParts(ctx context.Context, t *table) error {
	if !t.hasParts() {
		return nil
	}
	columns := []column{t.m.attempt, t.m.split}
	var what []string
	for _, c := range columns {
		if c.name == "" {
			what = append(what, "0")
		} else {
			what = append(what, fmt.Sprintf("uniqUpTo(%d)(%s)", maxParts, c.orEmpty()))
		}
	}
	values, err := r.count(ctx, t, t.ofRun(), what...)
	for i, role := range []string{"attempt", "split"} {
		switch {
		case values[i] <= maxParts:
		case t.target.Columns[role] != "":
			return fmt.Errorf("the column %s of %s= has more than %d values: it tells something else", columns[i].name, role, maxParts)
		default:
			t.m = t.m.withoutColumn(columns[i])
		}
	}
	return err
}

// decide decides what is read of the parts. Who reads texts meanwhile keeps the table that was.
func (r *reader) decide(ctx context.Context) error {
	t := *r.table
	t.decided = decide(r.parts, &t.m, r.source.options.Attempt, r.source.options.Split)
	if tellsStarts := len(t.decided.attempts) > 0 || t.decided.doubt != ""; tellsStarts && !r.believed && t.target.Columns["attempt"] == "" {
		numbers, err := r.numbersSamples(ctx)
		if err != nil {
			return err
		}
		if r.believed = true; numbers {
			t.m = t.m.withoutColumn(t.m.attempt)
			r.parts.forgetAttempts()
			t.decided = decide(r.parts, &t.m, r.source.options.Attempt, r.source.options.Split)
		}
	}
	r.table = &t
	r.source.texts.use(r.table)
	return nil
}

// numbersSamples reports whether the column for attempts numbers the samples of a group, as the attempts of a model at a
// problem are: then hardly any two rows of a group have one value.
func (r *reader) numbersSamples(ctx context.Context) (bool, error) {
	t := r.table
	values := []string{t.m.step.quoted(), t.groupHash(), t.m.attempt.orEmpty()}
	counts, err := r.count(ctx, t, append(t.ofRun(), t.m.step.quoted()+" IS NOT NULL"), "count()", "uniq("+strings.Join(values, ", ")+")")
	return counts[0] < 2*counts[1], err
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
	untrained := r.table.decided.split == discover.SplitVal && r.source.options.Split != discover.SplitVal
	now := saidLeftOut{r.table.notRead(r.parts), r.evaluation(), untrained}
	for _, doubt := range []string{r.table.decided.doubt, r.doubledSentence()} {
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
	d := &t.decided
	all := model.Attempts{Shown: d.shown, Count: len(d.attempts)}
	switch {
	case len(d.attempts) == 0 && d.shown > 1:
		return model.Attempts{Shown: d.shown, Count: 1}
	case len(d.attempts) == 0:
		return model.Attempts{}
	case d.shown == 0:
		return all
	}
	left := map[unread]*model.LeftOut{}
	for step, of := range parts {
		counted := map[unread]bool{}
		for _, p := range of {
			shown, why := d.isShown(step, p)
			if shown || !d.isOfSplit(p.split) || !t.isWanted(step) {
				continue
			}
			one := left[why]
			if one == nil {
				one = &model.LeftOut{OlderRows: model.OlderRows{Attempt: why.attempt, Of: all.Count, Cause: why.cause, Step: why.resumed}, First: step, Last: step}
				left[why] = one
			}
			one.First, one.Last, one.Samples = min(one.First, step), max(one.Last, step), one.Samples+int(p.rows)
			if !counted[why] {
				counted[why], one.Steps = true, one.Steps+1
			}
		}
	}
	if all.Count == 1 && len(left) == 0 {
		return model.Attempts{}
	}
	for _, one := range left {
		all.NotRead = append(all.NotRead, *one)
	}
	replacedBy := func(rows model.LeftOut) int { // which start of the attempt
		return slices.IndexFunc(d.attempts[rows.Attempt-1], func(s start) bool { return rows.Cause == model.Resumed && s.first == rows.Step })
	}
	slices.SortFunc(all.NotRead, func(a, b model.LeftOut) int {
		return cmp.Or(cmp.Compare(a.Attempt, b.Attempt), cmp.Compare(replacedBy(a), replacedBy(b)))
	})
	return all
}

// evaluation returns what is known of evaluations in the attempt that is read.
func (r *reader) evaluation() model.Evaluation {
	t := r.table
	d, steps, found := &t.decided, map[int64]bool{}, map[string]*model.EvaluationEvidence{}
	sum := model.Evaluation{Shown: r.source.options.Split == discover.SplitVal}
	if d.split != discover.SplitTrain && !sum.Shown {
		return model.Evaluation{} // it counts
	}
	for step, of := range r.parts {
		for _, p := range of {
			if shown, _ := d.isShown(step, p); !shown || !slices.Contains(d.evaluations, p.split) || !t.isWanted(step) {
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
	sum.Steps = slices.Sorted(maps.Keys(steps))
	for _, split := range slices.Sorted(maps.Keys(found)) {
		why := *found[split]
		why.File = r.fileName(why.First)
		sum.Evidence = append(sum.Evidence, why)
	}
	return sum
}
