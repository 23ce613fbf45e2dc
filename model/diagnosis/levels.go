package diagnosis

import (
	"fmt"
	"math"
	"slices"

	"vantage/model"
	"vantage/model/units"
)

// The levels of a reward of few values: its mean may rise while the best of them is reached less and less.

// Limits of what the levels of a reward tell.
const (
	topFall    = 0.5  // of its level that the share of the best reward loses
	topLost    = 0.08 // of the samples that it loses at least
	middleRise = 0.25 // of the samples that the rewards between gain
)

// topShare is the share of samples that reach the reward of what is solved, and middleShare of those between that and what is wrong.
func (o *Observations) topShare() series {
	return o.seriesOf(func(s *Observed) Moments {
		return Moments{N: s.Reward.N, Sum: float64(s.Top), Squares: float64(s.Top)}
	})
}

func (o *Observations) middleShare() series {
	return o.seriesOf(func(s *Observed) Moments {
		middle := float64(s.Reward.N - s.Top - s.Bottom)
		return Moments{N: s.Reward.N, Sum: middle, Squares: middle}
	})
}

// middleTakesOver finds a level between right and wrong that takes over while right answers become few, though the mean does not fall:
// the model stops trying, because that costs it less than to be wrong.
func (e *evidence) middleTakesOver() (Finding, bool) {
	if e.continuous || e.tooFew() != "" || e.High <= e.Low {
		return Finding{}, false
	}
	top, middle, rewards := e.topShare(), e.middleShare(), e.rewards()
	down, isDown := top.shiftOf(-1)
	up, isUp := middle.shiftOf(1)
	falls := isDown && -down.done() >= max(topLost, topFall*down.level.mean())
	rises := isUp && up.done() >= middleRise
	if !falls || !rises {
		return Finding{}, false
	}
	n, span := len(e.Steps), rewards.span()
	before, after := rewards.pooled(down.b-3*span, down.b).mean(), rewards.pooled(n-span, n).mean() // not the best span, which was luck
	if after < before-0.05*(e.High-e.Low) {
		return Finding{}, false // then the fall is told
	}
	from := min(down.b, n-1)
	if e.isOutageAt(from) {
		return Finding{}, false // a part of the reward is gone, and with it the best level
	}
	shown := e.around(top, "samples with the best reward", from, n, true, "samples")
	between := e.around(middle, "samples with a reward between", from, n, true, "samples")
	f := Finding{Severity: Alarm, first: from, last: n - 1, Series: Series{shown.Name, top.values()}}
	f.Evidence = []Evidence{shown, between, e.around(rewards, "reward", from, n, false, "samples")}
	f.Title = fmt.Sprintf("right answers fall from %s to %s of samples while the mean reward holds: %s have a reward between right and "+
		"wrong, as of answers that do not try",
		units.Share(down.level.mean()), units.Share(down.settled.mean()), units.Share(up.settled.mean()))
	f.Example = e.example(from, func(g *GroupFacts) bool { return float64(g.Mean) > e.Low && float64(g.Mean) < e.High })
	f.Advice = "read answers of this group: their reward must be below the mean of the attempts; give the lowest reward to an answer " +
		"that does not try, and go back to a checkpoint before the onset"
	return f, true
}

// isOutageAt reports whether the reward, or a column of it, becomes one value at about a step.
func (e *evidence) isOutageAt(step int) bool {
	outages, _ := outage(e)
	return slices.ContainsFunc(outages, func(f Finding) bool { return f.first >= step-leastSteps && f.first <= step+leastSteps })
}

// Limits of what one reward for a whole step looks like.
const (
	oneOfSteps  = 0.95 // of the steps have one reward
	oneChanges  = 0.25 // of them have another one than the step before: a level that a run keeps is none
	groupsAlike = 2    // groups that a step has at least
)

// oneRewardPerStep finds steps whose samples all have one reward, which is another from step to step: the reward function returns one
// value for the batch.
func (e *evidence) oneRewardPerStep() (Finding, bool) {
	s := e.seriesOf(func(s *Observed) Moments {
		if len(s.Groups) < groupsAlike || s.Reward.N <= len(s.Groups) {
			return Moments{}
		}
		one := float64(model.Count01(s.Level.Constant()))
		return Moments{N: 1, Sum: one, Squares: one}
	})
	from := s.beyond(oneOfSteps)
	if s.pooled(from, len(s)).mean() < oneOfSteps || s[from:].steps() < leastSteps {
		return Finding{}, false
	}
	changes, last := 0, math.NaN()
	values := map[float64]bool{}
	for i := from; i < len(s); i++ {
		if one := e.Steps[i].Level; s[i].Sum == 1 {
			changes += model.Count01(last == last && one.Low != last)
			last, values[one.Low] = one.Low, true
		}
	}
	if changes < leastSteps || float64(changes) < oneChanges*float64(s[from:].steps()) {
		return Finding{}, false
	}
	f := e.finding(s, "steps with one reward", from, len(s), true, "steps")
	f.Title = fmt.Sprintf("all samples of a step have one reward, in %s of steps, and %s come from step to step: the reward function "+
		"returns one value for the whole batch",
		units.Share(s.pooled(from, len(s)).mean()), units.Plural(len(values), "values"))
	f.Series = Series{"reward", e.rewards().values()}
	f.Example = e.example(from, func(*GroupFacts) bool { return true })
	f.Advice = "make the reward function return a reward for each answer, in the order of the answers: a mean over the batch, or one " +
		"value that is repeated, teaches nothing"
	return f, true
}
