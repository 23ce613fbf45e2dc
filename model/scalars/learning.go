package scalars

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"vantage/model/diagnosis"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// Detectors of runs that gain nothing, or lose what they gained.

// nearTop is the rate of success from which a run need not gain.
const nearTop = 0.85

// isRate reports whether a course is a rate: what is measured by 1, and never outside of 0 to 1.
func (c *course) isRate() bool {
	return c.scale == 1 && slices.Min(c.values) >= 0 && slices.Max(c.values) <= 1
}

// notLearning finds a reward that does not gain in as many steps as could show a gain.
func (r *run) notLearning() ([]diagnosis.Finding, string) {
	c := r.reward
	if c == nil {
		return nil, r.lacks(Reward, "reward", diagnosis.LeastLearning)
	}
	if n := len(c.Values); n < diagnosis.LeastLearning {
		return nil, fmt.Sprintf("%s of %s: a gain needs %d", units.Plural(n, "values"), c.name(), diagnosis.LeastLearning)
	}
	gain := diagnosis.GainOf(c.Values)
	if l := r.Learning(); l.Form != nil {
		worth := r.parts[slices.IndexFunc(r.parts, func(p *course) bool { return p.name() == l.Form.Worth })]
		third := len(worth.values) / 3
		e := worth.evidence(worth.name(), false, [2]int{0, third}, [2]int{len(worth.values) - third, len(worth.values)})
		return []diagnosis.Finding{worth.finding(diagnosis.Watch, 0, l.Form.Title(l.Steps), e)}, ""
	}
	isNearTop := c.isRate() && gain.Level-gain.By >= nearTop
	trend := TrendOf(c.Values)
	rises := trend.Z > 0 && trend.P < rareGain
	reach := max(c.scale, slices.Max(c.Values)-slices.Min(c.Values))
	if c.isConstant() || isNearTop || rises || !gain.ShowsNone(reach) {
		return nil, ""
	}
	severity, title := diagnosis.Watch, fmt.Sprintf("%s gains nothing over %s: %s", c.name(), units.Plural(len(c.Values), "steps"),
		gain.String())
	if why := r.standsStill(); why != "" && gain.RulesOut(reach, c.floor()) {
		severity, title = diagnosis.Alarm, title+", and "+why
	}
	third := len(c.values) / 3
	f := c.finding(severity, 0, title, c.evidence(c.name(), false, [2]int{0, third}, [2]int{len(c.values) - third, len(c.values)}))
	return []diagnosis.Finding{f}, ""
}

// standsStill says what keeps a run from learning: most groups have equal rewards, or the gradient is 0; "" if neither is logged.
func (r *run) standsStill() string {
	if c := newCourse(r.Of(GradNorm, leastPoints)); c != nil && diagnosis.Median(c.Values) == 0 {
		return c.name() + " is 0 at most steps"
	}
	if z := newCourse(r.Of(ZeroStd, leastShares)); z != nil {
		if share := mean(z.Values); share >= diagnosis.DeadGroups {
			return units.Share(share) + " of the groups have equal rewards"
		}
	}
	return ""
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, x := range values {
		sum += x
	}
	return sum / float64(len(values))
}

func (c *course) isConstant() bool { return isConstant(c.Series) }

func isConstant(s *Series) bool { return slices.Min(s.Values) == slices.Max(s.Values) }

// nothingTrains finds a run whose gradient, or whose spread of rewards, is 0 from its first to its last step.
func (r *run) nothingTrains() ([]diagnosis.Finding, string) {
	spread, gradient := r.Of(RewardStd, leastPoints), r.Of(GradNorm, leastPoints)
	if spread == nil && gradient == nil && r.reward == nil {
		return nil, r.lacks(GradNorm, "norm of the gradient", leastPoints)
	}
	flows := gradient != nil && !(isConstant(gradient) && gradient.Values[0] == 0)
	for _, s := range []*Series{gradient, spread} {
		isNone := r.own == nil && s != nil && isConstant(s) && s.Values[0] == 0 // samples show their spread themselves
		if isNone && (s != spread || !flows) {
			c := newCourse(s)
			title := fmt.Sprintf("%s is 0 at all %s: no sample trains", c.name(), units.Plural(len(s.Values), "steps"))
			return []diagnosis.Finding{c.finding(diagnosis.Alarm, 0, title, r.withReward(c, 0)...)}, ""
		}
	}
	return slices.Concat(r.allAdvantages0(), r.allOneReward(), r.rateOf0()), ""
}

// allOneReward finds a reward whose greatest and least value are its mean at all steps: every sample got that.
func (r *run) allOneReward() []diagnosis.Finding {
	c := r.reward
	if c == nil || r.own != nil || !c.isConstant() {
		return nil
	}
	isThat := func(s *Series) bool {
		return len(s.Values) >= len(c.Values) && isConstant(s) && s.Values[0] == c.Values[0]
	}
	for _, name := range extremesOf(c.Name) {
		i := slices.IndexFunc(r.Series, func(s Series) bool { return s.Name == name })
		if i < 0 || !isThat(&r.Series[i]) {
			return nil
		}
	}
	title := fmt.Sprintf("%s is %s for every sample of %s: no sample trains", c.name(), units.Short(c.Values[0]),
		units.Plural(len(c.Values), "steps"))
	return []diagnosis.Finding{c.finding(diagnosis.Alarm, 0, title, c.ends(c.name(), false, 0))}
}

// extremesOf are the names of the greatest and the least value beside a mean: of critic/score/mean they end in /max and /min.
func extremesOf(mean string) []string {
	stem, _ := strings.CutSuffix(mean, "mean")
	return []string{stem + "max", stem + "min"}
}

// allAdvantages0 finds advantages of which the greatest and the least are 0 at all steps.
func (r *run) allAdvantages0() []diagnosis.Finding {
	s := r.withoutAdvantages()
	if s == nil {
		return nil
	}
	c := newCourse(s)
	title := fmt.Sprintf("%s and the least one are 0 at all %s: no sample trains", c.name(), units.Plural(len(s.Values), "steps"))
	return []diagnosis.Finding{c.finding(diagnosis.Alarm, 0, title, r.withReward(c, 0)...)}
}

// rateOf0 finds a learning rate that is 0 at all steps while the reward does not gain.
func (r *run) rateOf0() []diagnosis.Finding {
	rate := r.Of(LR, leastPoints)
	if rate == nil || !r.Still() || r.reward == nil || r.gainsAnything() || r.isRounded() {
		return nil
	}
	c := newCourse(rate)
	title := fmt.Sprintf("%s is 0 at all %s, and %s gains nothing: no weight changes", c.name(), units.Plural(len(rate.Values), "steps"),
		r.reward.name())
	return []diagnosis.Finding{c.finding(diagnosis.Alarm, 0, title, r.reward.ends(r.reward.name(), false, 0))}
}

// withoutAdvantages is the greatest advantage of each step, where it and the least one are 0 at all steps; nil otherwise.
func (r *run) withoutAdvantages() (greatest *Series) {
	hasLeast := false
	for _, w := range witnesses() {
		if w.of != ofLeast && w.of != ofGreatest {
			continue
		}
		for _, s := range r.named(w.pattern) {
			if len(s.Values) < leastPoints || !isConstant(s) || s.Values[0] != 0 {
				return nil
			}
			if hasLeast = hasLeast || w.of == ofLeast; w.of == ofGreatest {
				greatest = s
			}
		}
	}
	if !hasLeast {
		return nil
	}
	return greatest
}

// gainsAnything reports whether the reward gains beyond chance.
func (r *run) gainsAnything() bool {
	gain := diagnosis.GainOf(r.reward.Values)
	return gain.IsGain()
}

// isRounded reports whether no series has more than a few decimals, as in the lines that a console shows: a small number may be 0 there.
func (r *run) isRounded() bool {
	return !slices.ContainsFunc(r.Series, func(s Series) bool { return len(s.Values) > 0 && roundingOf(s.Values) == 0 })
}

// unfilled says that the reward is one value at all steps, so that nothing can be said of its course: "" if it is not.
func (r *run) unfilled() string {
	if c := r.reward; c != nil && c.isConstant() {
		return fmt.Sprintf("%s is %s at all %s", c.name(), units.Short(c.Values[0]), units.Plural(len(c.Values), "steps"))
	}
	return ""
}

// When a reward has lost a good part of what it had.
const (
	fallDepth   = 0.5  // of its height was lost at the deepest level after the best
	regained    = 0.75 // of what was lost: then the fall is over
	fallenRare  = 1e-4
	fallenSteps = 0.1 // of the run at least that the reward is down
)

// fallByHalf finds a reward that loses a third or more of its height and does not regain it, without reaching its floor, which
// [run.rewardCollapse] names.
func (r *run) fallByHalf() ([]diagnosis.Finding, string) {
	c := r.reward
	if c == nil {
		return nil, r.lacks(Reward, "reward", leastPoints)
	}
	if r.collapsed() != nil {
		return nil, ""
	}
	fall, found := c.lasting()
	if !found || c.swings(fall.high, fall.end, fall.since) || r.otherWeights(fall.since, fall.high-fall.end) {
		return c.swingsWider(), ""
	}
	severity := diagnosis.Watch
	if fall.lost >= collapseShare {
		severity = diagnosis.Alarm
	}
	title := fmt.Sprintf("%s falls from %s to %s and has not regained it: %s of its height is lost",
		c.name(), units.Short(fall.high), units.Short(fall.end), units.Share(fall.lost))
	f := c.finding(severity, fall.since, title, c.ends(c.name(), false, fall.since))
	r.blameData(&f, c, fall.since)
	return []diagnosis.Finding{f}, ""
}

// fallOf is a fall from the best level to that at the end.
type fallOf struct {
	high, low, end float64 // best level, deepest one after it, and that at the end
	lost           float64 // share of the height that is lost at the end
	since          int     // index from which most of it is lost
}

// lasting returns the fall of a course that lasts to its end.
func (c *course) lasting() (f fallOf, found bool) {
	level := means(c.values, c.window)
	if span := slices.Max(level) - slices.Min(level); !units.IsFinite(span) {
		return f, false // sums of such values overflow
	}
	best := slices.Index(level, slices.Max(level))
	f.high, f.end = level[best], mean(c.values[len(c.values)-c.window:])
	f.low = slices.Min(level[best:])
	height := f.high - c.floor()
	if height <= 0 || f.high-f.low < c.matters() {
		return f, false
	}
	f.lost = (f.high - f.end) / height
	deep := (f.high-f.low)/height >= fallDepth && f.end < f.low+regained*(f.high-f.low)
	if f.lost < diagnosis.FallShare && !(deep && f.lost >= diagnosis.FallShare/2) {
		return f, false
	}
	half := f.high - (f.high-f.low)/2
	f.since = best + slices.IndexFunc(level[best:], func(x float64) bool { return x <= half })
	if float64(len(c.values)-f.since) < fallenSteps*float64(len(c.values)) {
		return f, false
	}
	before := c.values[max(0, best-c.window):f.since]
	after, _ := Differ(before, c.values[f.since:])
	lowest := best + slices.Index(level[best:], f.low)
	deepest, _ := Differ(before, c.values[max(f.since, lowest-c.window/2):min(len(c.values), lowest+c.window/2+1)])
	return f, after <= fallenRare || deep && deepest*float64(len(c.values)) <= rareGain
}

// swings reports whether a course that fell at an index went as far down before and came back: see [diagnosis.Swings].
func (c *course) swings(high, low float64, since int) bool {
	return diagnosis.Swings(means(c.values, max(leastDip, c.window/2)), high, low, since)
}

// swingsWider finds a course that goes up and down more and more: see [diagnosis.SwingOf].
func (c *course) swingsWider() []diagnosis.Finding {
	width := max(leastDip, c.window/2)
	least := max(2*gainShare*c.scale, gainNoises*c.noise*math.Sqrt(2/float64(width)))
	s, found := diagnosis.SwingOf(means(c.values, width), c.floor(), least)
	if !found || len(c.values) < diagnosis.LeastSwung {
		return nil
	}
	f := c.finding(diagnosis.Alarm, s.First, c.name()+" "+s.String(),
		c.evidence(c.name(), false, [2]int{max(0, s.Peak-width/2), s.Peak + 1}, [2]int{s.Trough, min(len(c.values), s.Trough+width/2+1)}))
	f.Advice = diagnosis.SwingAdvice
	return []diagnosis.Finding{f}
}

// floor is the least that a reward may be: 0 of a rate of success, of others what was seen.
func (c *course) floor() float64 { return min(0, slices.Min(c.smooth)) }

// means are the means of as many values around each, cut at the ends.
func means(values []float64, width int) []float64 {
	all := make([]float64, len(values))
	for i := range values {
		all[i] = mean(values[max(0, i-width/2):min(len(values), i+width/2+1)])
	}
	return all
}

// Learning is by how much the reward gains over the run; nil without one.
func (r *run) Learning() *diagnosis.Learning {
	x := r.Of(Reward, 2)
	if x == nil {
		return nil
	}
	l := &diagnosis.Learning{Name: sanitize.Line(x.Name), Steps: len(x.Values), Gain: diagnosis.GainOf(x.Values)}
	var parts []diagnosis.PartGain
	for _, p := range r.parts {
		isDead := isOfAnswers(p.Part) && p.Values[0] <= 0 // from its first step to its last
		if p.Name == x.Name || p.isConstant() && !isDead || len(p.Values) < diagnosis.LeastLearning {
			continue
		}
		most := max(p.scale, slices.Max(p.Values))
		parts = append(parts, diagnosis.PartGain{
			Name: p.Name, IsForm: isOfForm(p.Part), IsWorth: p.Means == Solved || isOfAnswers(p.Part),
			Least: min(0, slices.Min(p.Values)), Most: most, Gain: diagnosis.GainOf(p.Values),
		})
	}
	l.Form = l.OnlyForm(parts)
	return l
}

// twoValued reports whether rewards take two values, as far as the spread within groups shows: groups that have both of two values spread
// over a third of their range and more, and partial credits spread less.
func (r *run) twoValued(height float64) bool {
	z, spread := r.Of(ZeroStd, leastShares), r.Of(RewardStd, leastShares)
	if z == nil || spread == nil {
		return false
	}
	alive, sum := 0.0, 0.0
	for i, step := range z.Steps {
		if at, found := slices.BinarySearch(spread.Steps, step); found {
			alive += 1 - z.Values[i]
			sum += spread.Values[at]
		}
	}
	const leastSpread = 0.3 // of one other among eight
	return alive > 0 && sum/alive >= leastSpread*height && !math.IsInf(sum, 0)
}
