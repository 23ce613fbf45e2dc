package diagnosis

import (
	"fmt"
	"math"

	"vantage/model/units"
)

// The recipe of a reward: its unit, and the weights of its parts. A person who changes it at a step moves the reward, and no answer
// became worse.

// Limits of what a change of the recipe looks like.
const (
	otherUnit     = 1.5  // times: less is a change like others
	oneFactor     = 1.25 // times that mean, spread and best reward may be apart from one factor
	unmoved       = 0.1  // of its range that a part may lose where it holds
	recipeMisfit  = 0.05 // of the change of the reward that the sum of its parts may miss
	unexplained   = 0.5  // of the change of the reward that the columns miss with the weights of before
	onePartSteps  = 10   // on each side that show whether a part holds
	leastOfRecipe = 3    // steps on each side
)

// otherRecipe says how the rewards changed by a change of their unit or of the weights of their parts at about a step, which it returns
// too; "" if they did not.
func (e *evidence) otherRecipe(near int) (at int, how string) {
	s := e.rewards()
	if at = s.jumpNear(near); at < leastOfRecipe || len(s)-at < leastOfRecipe {
		return at, ""
	}
	factor, isOne := e.factorAt(at)
	unit := 1.
	if isOne {
		unit = factor
	}
	moved, held := e.partsAround(at, unit)
	if moved {
		return at, ""
	}
	switch {
	case isOne:
		how = fmt.Sprintf("all rewards are multiplied by %s", units.Short(factor))
	case held && e.otherWeights(at):
		how = "the parts of the reward have other weights"
	default:
		return at, ""
	}
	if held {
		return at, how + " while its other columns hold"
	}
	return at, how
}

// jumpNear is the step near another at which a series changes most from one step to the next.
func (s series) jumpNear(near int) int {
	at, most := near, 0.0
	for i := max(1, near-s.span()); i < min(len(s), near+s.span()+1); i++ {
		if d := math.Abs(s[i].mean() - s[i-1].mean()); d > most {
			at, most = i, d
		}
	}
	return at
}

// factorAt is the factor by which mean, spread, best and worst of the rewards change at a step, if it is one.
func (e *evidence) factorAt(at int) (factor float64, isOne bool) {
	span := e.rewards().span()
	before, after := e.spreadOf(at-span, at), e.spreadOf(at, at+span)
	factor = after.mean / before.mean
	isLarge := math.Abs(math.Log(factor)) >= math.Log(otherUnit)
	near := func(was, is float64) bool { return math.Abs(math.Log(is/was/factor)) <= math.Log(oneFactor) }
	low := math.Abs(after.low-factor*before.low) <= (oneFactor-1)*factor*max(math.Abs(before.low), before.spread)
	return factor, isLarge && near(before.spread, after.spread) && near(before.high, after.high) && low
}

// spreadOfRewards is how the rewards of some steps lie.
type spreadOfRewards struct{ mean, spread, high, low float64 }

func (e *evidence) spreadOf(from, to int) (of spreadOfRewards) {
	squares, n, high, low := 0.0, 0, Moments{}, Moments{}
	for i := max(0, from); i < min(len(e.Steps), to); i++ {
		if s := &e.Steps[i]; s.Reward.N > 0 {
			mean := s.Reward.mean()
			squares += s.Reward.Squares - mean*s.Reward.Sum
			n += s.Reward.N
			high.add(s.Level.High)
			low.add(s.Level.Low)
		}
	}
	return spreadOfRewards{e.rewards().pooled(from, to).mean(), math.Sqrt(max(0, squares) / float64(n)), high.mean(), low.mean()}
}

// partsAround reports whether a reward column falls at a step, by another factor than that of all rewards, and whether one that is not about
// form holds.
func (e *evidence) partsAround(at int, unit float64) (moved, held bool) {
	for _, c := range e.columns() {
		before, after := c.pooled(at-onePartSteps, at), c.pooled(at, at+onePartSteps)
		if before.N == 0 || after.N == 0 {
			continue
		}
		falls := before.mean()-after.mean() > unmoved*c.width
		hasUnit := math.Abs(math.Log(after.mean()/before.mean()/unit)) <= math.Log(oneFactor)
		moved = moved || falls && (unit == 1 || !hasUnit)
		held = held || !falls && !isStyle(c.name)
	}
	return moved, held
}

// otherWeights reports whether the reward is a sum of its columns before a step and after it, each time with other weights: by those of
// before, the columns do not explain half of its change.
func (e *evidence) otherWeights(at int) bool {
	s, columns := e.rewards(), e.columns()
	if len(columns) == 0 {
		return false
	}
	change := s.pooled(at, at+onePartSteps).mean() - s.pooled(at-onePartSteps, at).mean()
	weightsOf := func(from, to int) (weights []float64, fits bool) {
		rows, totals := e.sums(from, to)
		weights, misfit := WeightsOf(rows, totals)
		return weights, weights != nil && misfit <= recipeMisfit*math.Abs(change)
	}
	before, fitsBefore := weightsOf(0, at)
	_, fitsAfter := weightsOf(at, len(s))
	if !fitsBefore || !fitsAfter {
		return false
	}
	explained := 0.0
	for k, c := range columns {
		explained += before[k] * (c.pooled(at, at+onePartSteps).mean() - c.pooled(at-onePartSteps, at).mean())
	}
	return math.Abs(change-explained) >= unexplained*math.Abs(change)
}

// sums are the means of the columns at each step of a range that has all, and of the reward.
func (e *evidence) sums(from, to int) (rows [][]float64, totals []float64) {
	s, columns := e.rewards(), e.columns()
	for i := from; i < to; i++ {
		row, known := make([]float64, len(columns)), s[i].N > 0
		for k := range columns {
			known = known && columns[k].series[i].N > 0
			row[k] = columns[k].series[i].mean()
		}
		if known {
			rows, totals = append(rows, row), append(totals, s[i].mean())
		}
	}
	return rows, totals
}

// recipeFinding is a watch on rewards whose recipe changed at a step.
func (e *evidence) recipeFinding(at int, how string) Finding {
	s := e.rewards()
	f := e.finding(s, "reward", at, len(s), false, "samples")
	f.Severity = Watch
	f.Title = fmt.Sprintf("from one step to the next %s: another unit or weight, it seems, and not another model", how)
	f.Example.Step = e.Steps[at].Step
	f.Advice = "if the unit or a weight of the reward was changed here, compare the steps before and after it by another column; if " +
		"not, look at the grader's log at this step"
	return f
}
