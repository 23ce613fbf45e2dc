package clickhouse

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"vantage/loaders/discover"
	"vantage/model"
)

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
