package scalars

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"vantage/model/diagnosis"
	"vantage/model/units"
)

// What the figures tell in which a trainer compares its own log-probabilities of the sampled tokens with those of the engine that sampled
// them. With the same weights they differ by rounding alone.

// gap is a figure of the difference of sampler and trainer, with the levels from which it matters.
type gap struct {
	means        Meaning
	what         string
	watch, alarm float64 // levels; of what falls with the difference, below the usual one
}

// gaps are these, the surer ones first. With equal weights in bfloat16 a log-probability differs by 0.005 to 0.04 nats, in FP8 by up to
// 0.07; from 0.2 on the weight of a typical token is off by a fifth. A KL by the third estimator is about half of the square of that, and
// more with heavy tails. Probabilities differ less than their logarithms. The ratio of whole answers may be far from 1 in long healthy
// answers, so that it has to fall to a tenth, from a level of a half and more, to be an alarm.
func gaps() []gap {
	return []gap{
		{LogProbGap, "the log-probabilities of the sampled tokens differ by %s nats between sampler and trainer", 0.1, 0.2},
		{ProbFactor, "the probabilities of the sampled tokens differ by a factor of %s between sampler and trainer", 1.1, 1.22},
		{ProbGap, "the probabilities of the sampled tokens differ by %s between sampler and trainer", 0.05, 0.1},
		{ProbCorrelation, "the probabilities of sampler and trainer correlate by %s", 0.9, 0.7},
		{SampledRatio, "the importance ratio of trainer to sampler is %s on average", 0.3, 0.1},
		{StepKL, "the KL divergence between sampler and trainer is %s nats per token", 0.03, 0.1},
	}
}

// falls reports whether a figure is the less the more sampler and trainer differ.
func (g *gap) falls() bool { return g.alarm < g.watch }

// beyond reports whether a value is at or beyond a level.
func (g *gap) beyond(x, level float64) bool {
	if g.falls() {
		return x <= level
	}
	return x >= level
}

// When a gap that is not large yet is growing.
const (
	gapTimes = 4.0 // its start
	gapLeast = 0.5 // of the level at which it is watched
	rateHalf = 0.5 // of an importance ratio: from which it must have fallen
)

// engineMismatch finds that the engine that samples and the trainer part: by the level of what differs, and by its course.
func (r *run) engineMismatch() ([]diagnosis.Finding, string) {
	seen := false
	for _, g := range gaps() {
		s := r.gapOf(&g)
		if s == nil {
			continue
		}
		seen = true
		if f, found := newCourse(s).parts(&g); found {
			f.Evidence = append(f.Evidence, r.otherGaps(s, f.Since)...)
			return []diagnosis.Finding{f}, ""
		}
	}
	if !seen {
		return nil, "the log does not compare the log-probabilities of sampler and trainer"
	}
	return nil, ""
}

// gapOf is the series of a gap, nil without one. Of the KL divergences it is one against the sampling engine, which kl_drift does not
// judge already.
func (r *run) gapOf(g *gap) *Series {
	if g.means != StepKL {
		return r.Of(g.means, leastPoints)
	}
	if r.Of(KL, leastPoints) == nil {
		return nil
	}
	all := r.All(StepKL, leastPoints)
	if i := slices.IndexFunc(all, func(s *Series) bool { return isOfEngine(s.Name) }); i >= 0 {
		return all[i]
	}
	return nil
}

// isOfEngine reports whether a KL divergence is one against what sampled, not against the weights before the update.
func isOfEngine(name string) bool {
	return slices.ContainsFunc(list("mismatch gen_kl policy_kl_error js_divergence behave sample rollout vllm sglang engine inference"),
		func(w string) bool {
			return strings.Contains(name, w)
		})
}

// parts says how far sampler and trainer are apart by a course; false if that is nothing.
func (c *course) parts(g *gap) (diagnosis.Finding, bool) {
	start, end := c.start(), c.end()
	within := func(level float64) func(float64) bool { return func(x float64) bool { return g.beyond(x, level) } }
	var level float64
	severity := diagnosis.Alarm
	hasFallen := start >= rateHalf
	switch grows := !g.falls() && g.watch < 1 && end >= gapTimes*math.Abs(start) && TrendOf(c.values).P <= rareGain; {
	case g.means == SampledRatio && !hasFallen && g.beyond(end, g.watch):
		level, severity = g.watch, diagnosis.Watch // long answers may have it
	case g.beyond(end, g.alarm):
		level = g.watch // where it set in
	case g.beyond(end, g.watch):
		level, severity = g.watch, diagnosis.Watch
	case grows && end >= gapLeast*g.watch:
		level, severity = gapLeast*g.watch, diagnosis.Watch
	default:
		return diagnosis.Finding{}, false
	}
	since := c.stays(0, within(level))
	if since < 0 {
		return diagnosis.Finding{}, false
	}
	title := fmt.Sprintf(g.what, units.Short(end))
	if differs := !within(level)(start); differs {
		title += ", " + units.Short(start) + " at the start, as where new weights do not reach the sampler"
	} else {
		title += ", and did from the start"
	}
	return c.finding(severity, since, title, c.ends(c.name(), false, since)), true
}

// otherGaps are the other figures of the difference at the same steps.
func (r *run) otherGaps(but *Series, since int64) (all []diagnosis.Evidence) {
	for _, g := range gaps() {
		if s := r.gapOf(&g); s != nil && s.Name != but.Name {
			c := newCourse(s)
			all = append(all, c.ends(c.name(), false, c.at(since)))
		}
	}
	return all
}
