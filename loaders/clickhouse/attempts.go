package clickhouse

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"

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

type start struct {
	value string
	first int64   // step
	later []int64 // the first steps of later starts of the same attempt, which replace what stands from there on
}

// stepPart is the rows of a step that have one value in the column for attempts and one in that for splits, as texts; ""
// where the table has no such column. Parts are kept in the order of their steps.
type stepPart struct {
	step           int64
	attempt, split string
	rows           uint64
	mark           uint64  // changes when rewards do; 0 if that was not asked
	written        float64 // when the first of the rows was written, in any unit; 0 if no column tells
}

const newestAttempt = 0

func decide(parts []stepPart, m *mapping, attempt int, split discover.Split) (d decision) {
	d.split = cmp.Or(split, discover.SplitTrain)
	values, hasTraining := map[string]bool{}, false
	for _, p := range parts {
		values[p.split] = true
	}
	for _, value := range slices.Sorted(maps.Keys(values)) {
		if discover.IsEvaluation(m.split.name, value) {
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
		d.doubt = fmt.Sprintf("counted as one run, though %s has %d values (%s, %s, …) and nothing tells which is the newest: name the "+
			"column that holds the time of writing with written=COLUMN in the address",
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

// startsOf returns the starts of the run in their order: that of their numbers, or of when their first rows were
// written. It reports whether the order is known.
func (d *decision) startsOf(parts []stepPart) (starts []start, known bool) {
	numbers, written, hasNumbers := map[string]float64{}, map[string]float64{}, true
	for _, p := range parts {
		if !d.isOfSplit(p.split) {
			continue
		}
		earliest, isKnown := written[p.attempt]
		if !isKnown {
			n, err := strconv.ParseFloat(p.attempt, 64)
			numbers[p.attempt], hasNumbers = n, hasNumbers && (err == nil || p.attempt == "") // rows of before there was such a column
			starts = append(starts, start{value: p.attempt, first: p.step})
		}
		if !isKnown || p.written < earliest {
			written[p.attempt] = p.written
		}
	}
	order, known := numbers, hasNumbers
	if !known { // one start needs no order; of several all must tell their time
		order, known = written, len(starts) < 2 || !slices.Contains(slices.Collect(maps.Values(written)), 0)
	}
	sort.Slice(starts, func(i, j int) bool {
		a, b := starts[i].value, starts[j].value
		return cmp.Or(cmp.Compare(order[a], order[b]), cmp.Compare(a, b)) < 0
	})
	return starts, known
}

// toAttempts divides starts into attempts as package runs does for files, which has to find the starts in the order of
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

func (d *decision) isOfSplit(value string) bool {
	return d.split == discover.SplitAll || slices.Contains(d.evaluations, value) == (d.split == discover.SplitVal)
}

// unread is why rows are not read.
type unread struct {
	attempt int
	cause   model.AttemptCause
	resumed int64 // the step, if a later start of the attempt replaced them
}

// isShown reports whether a part is of the attempt that is read, and was not replaced; else why not.
func (d *decision) isShown(p stepPart) (shown bool, why unread) {
	number, s := 1, start{}
	for i, starts := range d.attempts {
		if at := slices.IndexFunc(starts, func(s start) bool { return s.value == p.attempt }); at >= 0 {
			number, s = i+1, starts[at]
		}
	}
	replaced := slices.IndexFunc(s.later, func(first int64) bool { return first <= p.step })
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

func (t *table) isWanted(step int64) bool { return step >= t.target.First && step <= t.target.Last }

func (t *table) counts(parts []stepPart) map[int64]stepCount {
	counts := map[int64]stepCount{}
	for _, p := range parts {
		if shown, _ := t.decided.isShown(p); shown && t.decided.isOfSplit(p.split) && t.isWanted(p.step) && p.rows > 0 {
			c := counts[p.step]
			counts[p.step] = stepCount{p.step, c.rows + p.rows, c.mark + p.mark, c.parts + p.attempt + "\x00" + p.split + "\x00"}
		}
	}
	return counts
}

// withoutAttempts joins the parts of a step that only the column for attempts tells apart.
func withoutAttempts(parts []stepPart) (joined []stepPart) {
	for _, p := range parts {
		p.attempt = ""
		i := len(joined) - 1
		for i >= 0 && joined[i].step == p.step && joined[i].split != p.split {
			i--
		}
		if i < 0 || joined[i].step != p.step {
			joined = append(joined, p)
			continue
		}
		joined[i].rows, joined[i].mark = joined[i].rows+p.rows, joined[i].mark+p.mark
	}
	return joined
}

// countParts counts the rows of the steps from one on. With marks it also asks for a number that changes when rewards do.
func (r *reader) countParts(ctx context.Context, from int64, marks bool) (counted []stepPart, err error) {
	t, last := r.table, int64(math.MaxInt64)
	if !t.hasParts() {
		from, last = max(from, t.target.First), t.target.Last
	}
	mark := "toUInt64(0)"
	if marks {
		of := t.m.reward
		if of.name == "" {
			of = t.m.components[0]
		}
		mark = "toUInt64(ifNull(sum(ifNull(cityHash64(" + of.as("Float64") + "), 0)), 0))"
	}
	written := "toFloat64(0)" // if that cannot matter, or no column tells
	if t.m.written.name != "" && t.m.attempt.name != "" {
		written = "toFloat64(ifNull(min(" + t.m.written.as("Float64") + "), 0))"
	}
	keys := "vantage_s"
	key := func(c column, as string) string {
		if c.name == "" {
			return "''"
		}
		keys += ", " + as
		return c.orEmpty()
	}
	var steps proto.ColInt64
	var rows, marked proto.ColUInt64
	var attempt, split proto.ColStr
	var first proto.ColFloat64
	step := t.m.step.quoted()
	what, columns := selecting(
		output{"vantage_s", "toInt64(assumeNotNull(" + step + "))", &steps}, output{"vantage_n", "toUInt64(count())", &rows},
		output{"vantage_mark", mark, &marked},
		output{"vantage_a", key(t.m.attempt, "vantage_a"), &attempt}, output{"vantage_b", key(t.m.split, "vantage_b"), &split},
		output{"vantage_w", written, &first},
	)
	conditions := append(t.ofRun(), fmt.Sprintf("%s >= %d", step, from))
	if last != math.MaxInt64 {
		conditions = append(conditions, fmt.Sprintf("%s <= %d", step, last))
	}
	err = r.conn.query(ctx, what+t.target.from()+where(conditions)+" GROUP BY "+keys+" ORDER BY "+keys, columns, func(n int) error {
		for i := range n {
			counted = append(counted, stepPart{steps.Row(i), attempt.Row(i), split.Row(i), rows.Row(i), marked.Row(i), first.Row(i)})
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
	t, o := *r.table, &r.source.options
	t.decided = decide(r.parts, &t.m, o.Attempt, o.Split)
	if tellsStarts := len(t.decided.attempts) > 0 || t.decided.doubt != ""; tellsStarts && !r.believed &&
		t.target.Columns["attempt"] == "" {
		// A column that numbers the samples of a group, as the attempts of a model at a problem, is none for attempts of the run: then
		// hardly any two rows of a group have one value.
		values := []string{t.m.step.quoted(), t.groupHash(), t.m.attempt.orEmpty()}
		counts, err := r.count(ctx, &t, append(t.ofRun(), t.m.step.quoted()+" IS NOT NULL"), "count()", "uniq("+strings.Join(values, ", ")+
			")")
		if err != nil {
			return err
		}
		if r.believed = true; counts[0] < 2*counts[1] {
			t.m = t.m.withoutColumn(t.m.attempt)
			r.parts = withoutAttempts(r.parts)
			t.decided = decide(r.parts, &t.m, o.Attempt, o.Split)
		}
	}
	r.table = &t
	r.source.texts.note(func() { r.source.texts.table = r.table })
	return nil
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
func (t *table) notRead(parts []stepPart) model.Attempts {
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
	for _, p := range parts {
		shown, why := d.isShown(p)
		if shown || !d.isOfSplit(p.split) || !t.isWanted(p.step) {
			continue
		}
		one := left[why]
		if one == nil {
			one = &model.LeftOut{
				OlderRows: model.OlderRows{Attempt: why.attempt, Of: all.Count, Cause: why.cause, Step: why.resumed}, First: p.step,
			}
			left[why] = one
		}
		if one.Steps == 0 || one.Last != p.step {
			one.Steps++
		}
		one.Last, one.Samples = p.step, one.Samples+int(p.rows)
	}
	if all.Count == 1 && len(left) == 0 {
		return model.Attempts{}
	}
	for _, one := range left {
		all.NotRead = append(all.NotRead, *one)
	}
	replacedBy := func(rows model.LeftOut) int { // which start of the attempt
		return slices.IndexFunc(d.attempts[rows.Attempt-1], func(s start) bool {
			return rows.Cause == model.Resumed && s.first == rows.Step
		})
	}
	sort.Slice(all.NotRead, func(i, j int) bool {
		a, b := all.NotRead[i], all.NotRead[j]
		return cmp.Or(cmp.Compare(a.Attempt, b.Attempt), cmp.Compare(replacedBy(a), replacedBy(b))) < 0
	})
	return all
}

func (r *reader) evaluation() model.Evaluation {
	t, found := r.table, map[string]*model.EvaluationEvidence{}
	d, sum := &t.decided, model.Evaluation{Shown: r.source.options.Split == discover.SplitVal}
	if d.split != discover.SplitTrain && !sum.Shown {
		return model.Evaluation{} // it counts
	}
	for _, p := range r.parts {
		if shown, _ := d.isShown(p); !shown || !slices.Contains(d.evaluations, p.split) || !t.isWanted(p.step) {
			continue
		}
		if n := len(sum.Steps); n == 0 || sum.Steps[n-1] != p.step {
			sum.Steps = append(sum.Steps, p.step)
		}
		sum.Rows += int(p.rows)
		if found[p.split] == nil {
			found[p.split] = &model.EvaluationEvidence{
				Kind: "column", Why: fmt.Sprintf("%s is %s", t.m.split.name, p.split), First: p.step, File: r.fileName(p.step),
			}
		}
		found[p.split].Steps++
	}
	for _, split := range slices.Sorted(maps.Keys(found)) {
		sum.Evidence = append(sum.Evidence, *found[split])
	}
	return sum
}
