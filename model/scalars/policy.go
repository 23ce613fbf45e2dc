package scalars

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"vantage/model/diagnosis"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// entropyFloor is the share of its start at which the entropy counts as gone: a policy with a tenth of the nats per token chooses at about
// one token in ten of those at which it chose before.
const entropyFloor = 0.1

// solvedFrom is the rate of success from which there is hardly anything left to gain.
const solvedFrom = 0.9

func (r *run) entropyCollapse() ([]diagnosis.Finding, string) {
	c := r.entropy
	switch {
	case c == nil:
		return nil, r.lacks(Entropy, "entropy", leastPoints)
	case c.start() <= 0:
		return nil, c.name() + " begins at or below 0"
	}
	from := c.stays(0, func(x float64) bool { return x <= entropyFloor*c.start() })
	if from <= 0 || len(c.values)-from < c.window/2 {
		return nil, ""
	}
	title := fmt.Sprintf("entropy %s, at most a tenth of its start", arrow(c.start(), c.end()))
	p := r.reward // of which there are more points than of a held-out score
	if p == nil {
		p = r.eval
	}
	if p == nil {
		return []diagnosis.Finding{c.finding(diagnosis.Watch, from, title+"; no reward is logged to tell whether that pays", c.ends(c.name(), false, from))}, ""
	}
	stalled, ok := p.stalls()
	from = max(from, c.at(p.steps[stalled]))
	gained := p.ends(p.name(), false, p.at(c.steps[from]))
	switch {
	case !ok || len(c.values)-from < c.window:
		return []diagnosis.Finding{c.finding(diagnosis.Watch, from, title+", while "+p.name()+" still gains", c.ends(c.name(), false, from), gained)}, ""
	case p.scale == 1 && p.end() >= solvedFrom:
		return []diagnosis.Finding{c.finding(diagnosis.Watch, from, title+"; there is hardly anything left to gain", c.ends(c.name(), false, from), gained)}, ""
	}
	return []diagnosis.Finding{c.finding(diagnosis.Alarm, from, title+", and "+p.name()+" no longer gains", c.ends(c.name(), false, from), gained)}, ""
}

// When a KL is a drift.
const (
	klLarge     = 1.0  // nats per token: the reference gives e⁻¹ of their probability to the policy's tokens
	stepKLLarge = 0.1  // the same against what sampled: importance ratios are off by a tenth and more at most tokens
	klBend      = 2.5  // times as steep: a power below 1.5 of the step bends less, and a square more
	klRare      = 1e-3 // chance of such a bend in a straight line with noise
	klWatched   = 1. / 3
)

func (r *run) klDrift() ([]diagnosis.Finding, string) {
	large, s := klLarge, r.Of(KL, leastPoints)
	if s == nil {
		large, s = stepKLLarge, r.Of(StepKL, leastPoints)
	}
	if s == nil {
		return nil, r.lacks(KL, "KL", leastPoints)
	}
	c := newCourse(s)
	bend := BendOf(c.values)
	at := min(int(bend.At), len(c.values)-1)
	end, before := c.end(), c.smooth[at]
	if bend.P > klRare || bend.After < klBend*max(0, bend.Before) || bend.After <= 0 || end < klWatched*large || end-before < end/3 {
		return nil, ""
	}
	severity := diagnosis.Alarm
	if end < large {
		severity = diagnosis.Watch
	}
	title := fmt.Sprintf("%s %s, and steeper and steeper", c.name(), arrow(before, end))
	return []diagnosis.Finding{c.finding(severity, at, title, c.ends(c.name(), false, at))}, ""
}

// When a gradient is a spike.
const (
	spikeTimes   = 10.0 // its neighbours' median: less is what clipping is for
	spikeSigmas  = 8.0  // of the spread of the logarithm: an uneven gradient has large ones by nature
	spikeShare   = 0.15 // of the steps at most: what is frequent is no exception
	spikeAlarm   = 3    // as many are no accident
	spikeWindow  = 31   // points of which the neighbours' median is taken
	spikeWarmUp  = 0.05 // of the steps: the optimizer has no second moments yet
	leastNumbers = 3    // logged steps in a row that are no numbers
)

func (r *run) gradientSpikes() ([]diagnosis.Finding, string) {
	s := r.Of(GradNorm, leastPoints)
	if s == nil {
		return nil, r.lacks(GradNorm, "norm of the gradient", leastPoints)
	}
	lost, _ := slices.BinarySearch(s.Broken, s.Steps[len(s.Steps)-1])
	if broken := s.Broken[lost:]; len(broken) >= leastNumbers {
		f := newCourse(s).finding(diagnosis.Alarm, 0, fmt.Sprintf("%s is not a number any more at %s", sanitize.Line(s.Name), units.Plural(len(broken), "steps")))
		f.Since, f.Example.Step = broken[0], broken[0]
		return []diagnosis.Finding{f}, ""
	}
	var at []int // indexes of values that are not 0: without signal there is no gradient
	for i, x := range s.Values {
		if x > 0 {
			at = append(at, i)
		}
	}
	norms := make([]float64, len(at))
	for i, k := range at {
		norms[i] = s.Values[k]
	}
	times := make([]float64, len(at))
	for i, typical := range Smooth(norms, spikeWindow) {
		times[i] = math.Log(norms[i] / typical)
	}
	off := make([]float64, len(times))
	for i, x := range times {
		off[i] = math.Abs(x)
	}
	limit := max(math.Log(spikeTimes), spikeSigmas*sigmaOfMAD*diagnosis.Median(off))
	var spikes []int
	for i, x := range times {
		if x >= limit && float64(i) >= spikeWarmUp*float64(len(times)) {
			spikes = append(spikes, i)
		}
	}
	n := len(spikes)
	if n == 0 || float64(n) > spikeShare*float64(len(times)) {
		return nil, ""
	}
	last := spikes[n-1]
	severity := diagnosis.Watch
	if n >= spikeAlarm && last >= len(at)/2 {
		severity = diagnosis.Alarm
	}
	largest := slices.MaxFunc(spikes, func(i, k int) int { return cmp.Compare(times[i], times[k]) })
	step := s.Steps[at[spikes[0]]]
	f := diagnosis.Finding{
		Severity: severity, Since: step, Until: s.Steps[at[last]],
		Title: fmt.Sprintf("%s of %s are %s times their neighbours and more, the largest %s times", units.Plural(n, "updates"), units.Count(len(at)),
			units.Fixed(math.Exp(limit), 0), units.Short(math.Exp(times[largest]))),
		Example: diagnosis.Example{Step: s.Steps[at[largest]]},
		Series:  diagnosis.Series{Name: s.Name, Values: s.Values},
		Evidence: []diagnosis.Evidence{{
			Name: sanitize.Line(s.Name), Before: diagnosis.Median(norms), After: norms[largest], BeforeFrom: s.Steps[0], BeforeTo: s.Steps[len(s.Steps)-1],
			AfterFrom: s.Steps[at[largest]], AfterTo: s.Steps[at[largest]], BeforeSamples: len(norms), AfterSamples: 1, Of: "values",
		}},
	}
	return []diagnosis.Finding{f}, ""
}
