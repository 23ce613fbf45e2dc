package model

import (
	"fmt"

	"vantage/estimators"
	"vantage/model/units"
)

// Rollout says which rows of a group are outputs of one rollout. An agent that summarises or restarts
// its context gives several rows per rollout, each with the tokens of one context, and a trainer that
// knows rollouts counts their reward once. Most logs have one row per rollout and say nothing of it.
type Rollout struct {
	Number int32 // of the rollout within its group, from 1; 0 if the log tells none
	Output int32 // index of the row among the outputs of its rollout
}

// follows reports whether a row of rollout r, right after a row of the same group and rollout o, is
// another output of it.
func (r Rollout) follows(o Rollout) bool {
	return r.Number > 0 && r.Number == o.Number && r.Output > o.Output
}

// lastRow is the group and the rollout of the row that was added last.
type lastRow struct {
	group   uint32
	rollout Rollout
}

// addRollout adds row n, the newest, to the rollout of the row before it, or to one of its own. It
// returns false for an output that must follow another and does not: trainers write the outputs of a
// rollout side by side, in their order.
func (c *stepColumns) addRollout(n int, group uint32, r Rollout) bool {
	first, joins := int32(n), group == c.last.group && r.follows(c.last.rollout)
	if joins {
		if c.firstOutput == nil {
			c.firstOutput = append(make([]int32, 0, cap(c.rewards)), InputOrder(n)...)
		}
		first = c.firstOutput[n-1]
	}
	if c.firstOutput != nil {
		c.firstOutput = append(c.firstOutput, first)
	}
	c.last = lastRow{group, r}
	return joins || r.Output == 0 || r.Number == 0
}

// addRollouts adds rows [from, to) of a block, row n and up of the step, to rollouts. It returns how
// many are not where they must be.
func (c *stepColumns) addRollouts(n int, b *Block, from, to int) (stray int) {
	if b.Rollout == nil {
		if c.firstOutput != nil {
			c.firstOutput = appendOwn(c.firstOutput, n+to-from)
		}
		c.last = lastRow{}
		return 0
	}
	for i, r := range b.Rollout[from:to] {
		if !c.addRollout(n+i, numberAt(c.groups, n+i), r) {
			stray++
		}
	}
	return stray
}

// appendOwn appends rows that are rollouts of their own, up to n rows in all.
func appendOwn(firstOutput []int32, n int) []int32 {
	for len(firstOutput) < n {
		firstOutput = append(firstOutput, int32(len(firstOutput)))
	}
	return firstOutput
}

// appendFirstOutputs appends the rollouts of rows [from, to) of o to n rows.
func (c *stepColumns) appendFirstOutputs(n int, o *stepColumns, from, to int) {
	if c.firstOutput == nil && o.firstOutput == nil {
		return
	}
	c.firstOutput = appendOwn(c.firstOutput, n)
	if o.firstOutput == nil {
		c.firstOutput = appendOwn(c.firstOutput, n+to-from)
		return
	}
	for _, first := range o.firstOutput[from:to] {
		c.firstOutput = append(c.firstOutput, int32(n+max(0, int(first)-from)))
	}
}

// Rollouts returns how many rollouts the rows are outputs of.
func (s Snapshot) Rollouts() int {
	n := 0
	for i := range s.Steps {
		n += s.Steps[i].Rollouts
	}
	return n
}

// RolloutEvidence says how the estimator of the settings counts rollouts of several rows, "" if the
// log has none.
func (s Snapshot) RolloutEvidence(set Settings) string {
	rollouts := s.Rollouts()
	e, err := set.FindEstimator()
	if err != nil || rollouts == s.Rows {
		return ""
	}
	return fmt.Sprintf("%s in %s: %s", units.Plural(rollouts, "rollouts"), units.Plural(s.Rows, "rows"), CountedRollouts(e))
}

// CountedRollouts says how an estimator counts a rollout of several rows.
func CountedRollouts(e *estimators.Estimator) string {
	name := e.Framework + " " + e.Name
	switch e.Outputs {
	case estimators.LastOutput:
		return name + " counts each rollout once, by its last row, and gives all its rows the same advantage"
	case estimators.EachOutput:
		return name + " counts each row as a sample: in its trainer only grpo counts rollouts"
	case estimators.ByRollout:
		return name + " gets each row and which rollout it is of"
	case estimators.OutputsUnknown:
	}
	return name + " is assumed to count each rollout once, by its last row, as verl grpo does"
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// CountedAs returns whether a row is the last output of its rollout, whose reward counts, and the row of
// the first output, whose prompt is that of the group.
func (s Step) CountedAs(row int) (first int, last bool) {
	if s.FirstOutputs == nil {
		return row, true
	}
	first = int(s.FirstOutputs[row])
	return first, row+1 == len(s.FirstOutputs) || int(s.FirstOutputs[row+1]) != first
}
