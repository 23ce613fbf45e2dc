package scalars

import (
	"fmt"
	"math"
	"slices"

	"vantage/model/diagnosis"
	"vantage/model/units"
)

// When a held-out score has parted from the reward.
const (
	fallNoises   = 4.0    // of the score's noise: what a fall from the best of some evaluations is beyond luck
	fallRare     = 0.05   // chance of the falling trend, of which there are few points
	stepNoises   = 7.0    // of the score's noise: a fall at once, without a trend
	lateNoises   = 1.5    // of the score's noise: less than its end by as much, it still gains
	partedGain   = 0.2    // of the scale: the gain of the reward in which a held-out score should have a part
	partedShare  = 1. / 6 // of that gain at most is the score's
	partedBound  = 1. / 3 // the same with its error
	partedErrors = 3.0    // standard errors, since each evaluation is tried as a beginning
	leastParted  = 4      // evaluations
	surelyParted = 8      // evaluations from which a score that does not gain is no score that lags
	evalSmoothes = 3      // evaluations of a level
)

// gainOfReward is the course that should gain with a held-out score: the component for right answers where there is one, since a format
// is learned without.
func (r *run) gainOfReward() *course {
	for _, p := range r.parts {
		if isOfAnswers(p.Part) {
			return p
		}
	}
	return r.reward
}

// isOfAnswers reports whether a component seems to be about right answers.
func isOfAnswers(part string) bool {
	return diagnosis.HasWord(part, []string{"acc", "correct", "answer", "solve", "verif", "exact", "math", "pass"}) && !isOfForm(part)
}

// isOfForm reports whether a component seems to be about the form of an answer.
func isOfForm(part string) bool {
	return diagnosis.HasWord(part, []string{
		"format", "length", "len_", "penalty", "overlong", "tag", "xml", "style", "think", "repet",
		"boxed", "eos", "language", "count",
	})
}

// parting is where a held-out score parts from the reward: it falls while that gains, or does not gain with it.
type parting struct {
	first int // evaluation from which on it holds
	at    int // evaluation at which it sets in: the score gained until then
	falls bool
}

// parting returns where the held-out score parts from the reward, nil if it does not, or one of the two is not known.
func (r *run) parting() *parting {
	e, reward := r.eval, r.gainOfReward()
	if e == nil || reward == nil {
		return nil
	}
	n := len(e.values)
	smooth, end := Smooth(e.values, evalSmoothes), diagnosis.Median(e.values[n-evalSmoothes:])
	gained := func(i int) float64 { return reward.change(reward.at(e.steps[i])) }
	best := slices.Index(smooth, slices.Max(smooth[:n-evalSmoothes]))
	fall, after := smooth[best]-end, TrendOf(e.values[best+1:]) // without the best, which was chosen
	isFall := fall >= max(gainShare*e.scale, fallNoises*e.noise)
	isSure := after.Z < 0 && after.P <= fallRare || fall >= stepNoises*e.noise
	if isFall && isSure && gained(best) >= reward.matters() {
		return &parting{first: best, at: best, falls: true}
	}
	start := diagnosis.Median(e.values[:evalSmoothes])
	for i := 0; i+leastParted <= n; i++ {
		by, change := gained(i)/reward.scale, (end-smooth[i])/e.scale
		if i < evalSmoothes {
			change = (end - start) / e.scale
		}
		change = max(change, TrendOf(e.values[i:]).Change/e.scale) // of two ways to see a gain the one that sees more
		bound := change + partedErrors*e.noise/e.scale*math.Sqrt(2./evalSmoothes)
		if by < partedGain || change > partedShare*by || bound > partedBound*by {
			continue
		}
		p := &parting{first: i, at: i}
		for p.at+leastParted < n && gained(p.at+1) >= partedGain*reward.scale && end-smooth[p.at] > lateNoises*e.noise {
			p.at++
		}
		return p
	}
	return nil
}

func (r *run) evalDivergence() ([]diagnosis.Finding, string) {
	switch {
	case r.eval == nil:
		return nil, r.lacks(Eval, "held-out score", leastEvaluations)
	case r.reward == nil:
		if f := r.evalFalls(); f != nil {
			return f, ""
		}
		return nil, r.lacks(Reward, "reward", leastPoints)
	}
	parting := r.parting()
	if parting == nil {
		return r.evalFalls(), ""
	}
	e, reward, at := r.eval, r.gainOfReward(), parting.at
	from := reward.at(e.steps[at])
	what := "falls"
	if !parting.falls {
		what = "does not gain"
	}
	title := fmt.Sprintf("%s gains (%s) while the held-out score %s (%s)", reward.name(), arrow(reward.smooth[from], reward.end()), what,
		arrow(e.smooth[at], e.end()))
	n, severity := len(e.values), diagnosis.Alarm
	if !parting.falls && n < surelyParted {
		severity = diagnosis.Watch // it may lag
	}
	held := e.evidence(e.name(), false, [2]int{at, min(at+evalSmoothes, n-evalSmoothes)}, [2]int{n - evalSmoothes, n})
	return []diagnosis.Finding{e.finding(severity, at, title, held, reward.ends(reward.name(), false, from))}, ""
}

// lostShare is which part of its height a held-out score must have lost to be named by itself.
const lostShare = 0.2

// evalFalls finds a held-out score that loses a good part of its height for good, whatever the reward does: an alarm where that does not
// fall with it. A reward that collapses says it all.
func (r *run) evalFalls() []diagnosis.Finding {
	e := r.eval
	n := len(e.values)
	smooth, end := Smooth(e.values, evalSmoothes), diagnosis.Median(e.values[n-max(evalSmoothes, n/3):])
	smooth[0] = e.values[0] // of the model as it was
	best := slices.Index(smooth, slices.Max(smooth[:n-evalSmoothes]))
	fall, after := smooth[best]-end, TrendOf(e.values[best:])
	isLarge := fall >= max(lostShare*(smooth[best]-e.floor()), gainShare*e.scale, fallNoises*e.noise)
	isFar := isLarge && (after.Z < 0 && after.P <= fallRare || fall >= stepNoises*e.noise)
	since := e.stays(best, func(x float64) bool { return x <= smooth[best]-fall/2 })
	if !isFar || since < 0 || r.reward != nil && r.collapsed() != nil {
		return nil
	}
	severity := diagnosis.Alarm
	if r.reward != nil && r.reward.falls(r.reward.at(e.steps[best])) {
		severity = diagnosis.Watch
	}
	title := fmt.Sprintf("the held-out score falls (%s) and stays there", arrow(smooth[best], end))
	held := e.evidence(e.name(), false, [2]int{best, best + 1}, [2]int{n - evalSmoothes, n})
	return []diagnosis.Finding{e.finding(severity, max(since, best+1), title, held)}
}

// When a component has been given up.
const (
	partFall  = 0.3  // of its best level
	partRise  = 0.1  // of the scale, for the one that rises
	partTimes = 2    // times the fall, where that is less: parts of small rewards
	partRare  = 1e-4 // chance, with every point as a place tried
)

// givenUp returns the index at which a component falls from its best for good, and by how much; -1 if it does not.
func (c *course) givenUp() (best int, fall float64) {
	n := len(c.values)
	best = slices.Index(c.smooth, c.spread[1])
	fall = c.smooth[best] - c.end()
	if fall < max(partFall*math.Abs(c.smooth[best]), c.ofNoise()) || n-best < c.window {
		return -1, 0
	}
	p, higher := Differ(c.values[max(0, best-c.window):best+1], c.values[n-c.window:])
	if higher || p*float64(n) > partRare && ShiftOf(c.values[best:]).P > partRare {
		return -1, 0
	}
	return best, fall
}

// rewardHacking tells it by a held-out score that falls, or by a component that falls while another rises and the total does not fall. One
// for the form of answers may fall where right answers rise.
func (r *run) rewardHacking() ([]diagnosis.Finding, string) {
	if p := r.parting(); p != nil && p.falls && r.reward != nil {
		return r.evalDivergence()
	}
	if r.eval == nil && len(r.parts) == 0 {
		return nil, "the log has neither a held-out score nor components of the reward"
	}
	for _, c := range r.parts {
		if f, found := r.risesWithout(c); found {
			return []diagnosis.Finding{f}, ""
		}
		best, fall := c.givenUp()
		if best < 0 || r.reward != nil && r.reward.change(r.reward.at(c.steps[best])) <= -r.reward.matters() {
			continue
		}
		rises := func(o *course) bool {
			return o != c && o.change(o.at(c.steps[best])) >= max(min(partRise*o.scale, partTimes*fall), o.ofNoise())
		}
		rising := slices.IndexFunc(r.parts, rises)
		if rising < 0 || slices.ContainsFunc(r.parts, func(o *course) bool { return isOfAnswers(o.Part) && rises(o) }) {
			continue
		}
		severity := diagnosis.Alarm
		if isOfForm(c.Part) {
			severity = diagnosis.Watch
		}
		o, from := r.parts[rising], c.leaves(best)
		title := fmt.Sprintf("%s falls (%s) while %s rises", c.name(), arrow(c.smooth[best], c.end()), o.name())
		return []diagnosis.Finding{c.finding(severity, from, title, c.ends(c.name(), false, from),
			o.ends(o.name(), false, o.at(c.steps[from])))}, ""
	}
	return nil, ""
}

// risesWithout finds a reward that gains while the component for right answers falls for good: what it gains by may be none of the
// components.
func (r *run) risesWithout(c *course) (f diagnosis.Finding, found bool) {
	if r.reward == nil || c.Name == r.reward.Name || !isOfAnswers(c.Part) {
		return f, false
	}
	best, _ := c.givenUp()
	total := r.reward
	if best < 0 || total.change(total.at(c.steps[best])) < max(partRise*total.scale, total.ofNoise()) {
		return f, false
	}
	from := c.leaves(best)
	title := fmt.Sprintf("%s falls (%s) while %s rises", c.name(), arrow(c.smooth[best], c.end()), total.name())
	return c.finding(diagnosis.Alarm, from, title, c.ends(c.name(), false, from),
		total.ends(total.name(), false, total.at(c.steps[from]))), true
}

// leaves is the index from which a course that is given up has left its best level.
func (c *course) leaves(best int) int {
	fall := c.smooth[best] - c.end()
	return max(best, c.stays(best, func(x float64) bool { return x < c.smooth[best]-fall/4 }))
}

// When the reward has collapsed.
const (
	collapseShare = 0.5 // of the level before: what is left is half or less
	collapseRare  = 1e-4
	collapseSets  = 0.25 // of the fall: where it sets in
)

func (r *run) rewardCollapse() ([]diagnosis.Finding, string) {
	if r.reward == nil {
		return nil, r.lacks(Reward, "reward", leastPoints)
	}
	if found := r.collapsed(); found != nil {
		return found, ""
	}
	return r.dip(), ""
}

// collapsed finds a reward of which half or less is left at the end.
func (r *run) collapsed() []diagnosis.Finding {
	c := r.reward
	best := slices.Index(c.smooth, c.spread[1])
	high, end := c.smooth[best], c.end()
	floor := min(0, c.spread[0]) // a rate of success has 0 for its floor, other rewards what was seen
	fall := high - end
	least := max(collapseShare*(high-floor), 2*c.matters())
	if std := r.Of(RewardStd, leastPoints); std != nil && c.scale > 1 {
		least = max(least, diagnosis.Median(std.Values)/2)
	}
	if fall < least || len(c.values)-best < c.window/2 {
		return nil
	}
	since := c.stays(best, func(x float64) bool { return x <= high-collapseSets*fall })
	if since < 0 || c.swings(high, end, since) || r.otherWeights(since, fall) {
		return nil
	}
	if p, _ := Differ(c.values[:since], c.values[since:]); p > collapseRare && ShiftOf(c.values).P > collapseRare {
		return nil
	}
	title := fmt.Sprintf("%s falls from %s to %s and stays there", c.name(), units.Short(high), units.Short(end))
	f := c.finding(diagnosis.Alarm, since, title, c.ends(c.name(), false, since))
	if how := r.otherUnit(since); how != "" {
		f.Severity, f.Title = diagnosis.Watch, how
		f.Advice = "if the unit or a weight of the reward was changed here, compare the steps before and after it by another " +
			"metric; if not, look at the grader's log at this step"
	}
	r.blameData(&f, c, since)
	return []diagnosis.Finding{f}
}
