package diagnosis

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"vantage/model/units"
)

// Learning is by how much a reward gains over a run: the mean of its last third of steps against that of its first.
type Learning struct {
	Name  string    // of the reward, as logged: sanitised
	Steps int       // that have a value
	Gain            // of all samples
	Same  *Gain     // of the prompts that come in both thirds, each against itself; nil if too few do
	Form  *FormGain // nil if not all of the gain is form, or parts do not show it
}

// Gain is a difference of two means with its standard error.
type Gain struct {
	By    float64
	Error float64 // NaN if there are too few values to tell
	Level float64 // the later mean
}

// When a gain, or its absence, is known.
const (
	LeastLearning = 50   // steps in which a reward should have gained
	gainErrors    = 2    // standard errors that a gain is beyond chance
	leastPower    = 0.15 // of the range of the reward: a gain of that size must show, for its absence to mean anything
	batches       = 4    // of steps in a third: their means differ by the noise, whatever it has in common from step to step
)

// String is the gain with its error, "+0.03 ± 0.02".
func (g *Gain) String() string {
	by := strings.TrimSpace(units.Signed(g.By))
	if math.IsNaN(g.Error) {
		return by
	}
	return by + " ± " + units.Short(g.Error)
}

// String is one line: "reward +0.03 ± 0.02 over 300 steps (same prompts: +0.01 ± 0.02)".
func (l *Learning) String() string {
	text := fmt.Sprintf("%s %s over %s", l.Name, l.Gain.String(), units.Plural(l.Steps, "steps"))
	if l.Same != nil {
		text += " (same prompts: " + l.Same.String() + ")"
	}
	if l.Form != nil {
		text += "; all of the gain is " + l.Form.Form
	}
	return text
}

// IsGain reports whether a gain is beyond chance.
func (g *Gain) IsGain() bool { return g.By > gainErrors*g.Error }

// ShowsNone reports whether a gain is not beyond chance, and one of a good tenth of the range of the reward would be. A gain that may as
// well be as large is not nothing.
func (g *Gain) ShowsNone(reach float64) bool {
	return !g.IsGain() && gainErrors*g.Error <= leastPower*reach && max(0, g.By)+g.Error <= leastPower*reach
}

// RulesOut reports whether a gain is surely less than a good tenth of the range of a reward, and than half of the height from which it
// began.
func (g *Gain) RulesOut(reach, floor float64) bool {
	most := g.By + gainErrors*g.Error
	return most <= leastPower*reach && most <= (g.Level-g.By-floor)/2
}

// GainOf is the gain of values in order. The error is that of the means of a few batches in each third, so that noise which lasts some
// steps does not look like many witnesses.
func GainOf(values []float64) Gain {
	n := len(values)
	if n < 2 {
		return Gain{By: math.NaN(), Error: math.NaN(), Level: math.NaN()}
	}
	third := max(1, n/3)
	before, v1 := batchMean(values[:third])
	after, v2 := batchMean(values[n-third:])
	return Gain{By: after - before, Error: math.Sqrt(v1 + v2), Level: after}
}

// batchMean returns a mean and its squared standard error by batches: NaN of too few values for three of them.
func batchMean(values []float64) (mean, variance float64) {
	n := len(values)
	for _, x := range values {
		mean += x / float64(n)
	}
	k := min(batches, n)
	if k < 3 {
		return mean, math.NaN()
	}
	for b := range k {
		batch := values[b*n/k : (b+1)*n/k]
		sum := 0.0
		for _, x := range batch {
			sum += x
		}
		d := sum/float64(len(batch)) - mean
		variance += d * d
	}
	return mean, variance / float64(k*(k-1))
}

// learning is by how much the reward of the samples gains, nil of fewer than two steps with one.
func (o *Observations) learning() *Learning {
	means := o.rewards().known()
	if len(means) < 2 {
		return nil
	}
	l := &Learning{Name: "reward", Steps: len(means), Gain: GainOf(means), Same: o.gainOfSame()}
	l.Form = l.OnlyForm(o.partGains())
	return l
}

// known are the means of the steps that have values.
func (s series) known() []float64 {
	return slices.DeleteFunc(s.values(), func(x float64) bool { return x != x })
}

// leastSame is how many prompts must come in both thirds to be compared.
const leastSame = 8

// gainOfSame is the gain of the prompts that come in the first and in the last third of the steps, each against itself: their mean, with an
// error by how much they differ.
func (o *Observations) gainOfSame() *Gain {
	if !o.byPrompt || len(o.Steps) < 2*leastSteps {
		return nil
	}
	third := len(o.Steps) / 3
	before, after := o.promptMeans(0, third), o.promptMeans(len(o.Steps)-third, len(o.Steps))
	var gains, level Moments
	for prompt, was := range before {
		if is, again := after[prompt]; again {
			gains.add(is.mean() - was.mean())
			level.add(is.mean())
		}
	}
	if gains.N < leastSame {
		return nil
	}
	n := float64(gains.N)
	variance := max(0, gains.Squares/n-gains.mean()*gains.mean()) / (n - 1)
	return &Gain{By: gains.mean(), Error: math.Sqrt(variance), Level: level.mean()}
}

// gainOfSources is the gain of the sources that come in the first and in the last third of the steps, each against itself; nil if fewer
// than two are named, or none comes in both.
func (e *evidence) gainOfSources() *Gain {
	if e.texts == nil || len(e.texts.sourceList()) < 2 {
		return nil
	}
	var sum Gain
	samples, variance, third := 0.0, 0.0, len(e.Steps)/3
	for _, name := range e.texts.sourceList() {
		s := e.groupSeries(func(step, group int) bool { return e.texts.sourceOf(step, group) == name })
		if s[:third].steps() < leastSteps || s[len(s)-third:].steps() < leastSteps {
			continue
		}
		n, gain := float64(s.pooled(0, len(s)).N), GainOf(s.known())
		sum.By, sum.Level = sum.By+n*gain.By, sum.Level+n*gain.Level
		samples, variance = samples+n, variance+n*n*gain.Error*gain.Error
	}
	if samples == 0 {
		return nil
	}
	return &Gain{By: sum.By / samples, Error: math.Sqrt(variance) / samples, Level: sum.Level / samples}
}

// asksOthers reports whether the prompts of the last third of the steps are longer or shorter than those of the first, as in a curriculum.
func (e *evidence) asksOthers() bool {
	s, third := e.askedLengths(), len(e.Steps)/3
	c := s.compare(0, third, len(s)-third, len(s))
	return c.asksOthers()
}

// promptMeans are the mean rewards of the groups of each prompt in steps [from, to).
func (o *Observations) promptMeans(from, to int) map[uint32]Moments {
	all := map[uint32]Moments{}
	for i := from; i < to; i++ {
		for _, g := range o.Steps[i].Groups {
			if g.Prompt > 0 && g.Valid > 0 {
				m := all[g.Prompt]
				m.add(float64(g.Mean))
				all[g.Prompt] = m
			}
		}
	}
	return all
}

// nearTop is the share of the range of rewards from which a run need not gain.
const nearTop = 0.85

// learnsNothing finds a reward that does not gain, in as many steps as could show a gain.
func learnsNothing(e *evidence) ([]Finding, string) {
	if n := len(e.rewards().known()); n < LeastLearning {
		return nil, fmt.Sprintf("%s: a gain needs %d", units.Plural(n, "steps"), LeastLearning)
	}
	l, reach := e.learning(), e.High-e.Low
	gain := &l.Gain
	if l.Same != nil {
		gain = l.Same // whatever prompts come when
	} else if ofSources := e.gainOfSources(); ofSources != nil {
		gain = ofSources
	} else if e.asksOthers() {
		return nil, "prompts became longer or shorter, and none came again: their rewards compare other tasks"
	}
	isNearTop := !e.continuous && gain.Level-gain.By-e.Low >= nearTop*reach
	if l.Form != nil {
		return []Finding{e.formFinding(l)}, ""
	}
	if reach <= 0 || isNearTop || l.IsGain() || !gain.ShowsNone(reach) {
		return nil, ""
	}
	s := e.rewards()
	f := e.finding(s, "reward", 0, len(s), false, "samples")
	f.Evidence = []Evidence{e.thirds(s, "reward")}
	f.Severity, f.Title, f.Example.Step = Watch, "the reward gains nothing: "+l.String(), e.Steps[0].Step
	dead := e.seriesOf(func(s *Observed) Moments { return s.shareOf(equalFates()) }).pooled(0, len(s))
	if share := dead.mean(); share >= DeadGroups && gain.RulesOut(reach, e.Low) {
		f.Severity = Alarm
		f.Title += fmt.Sprintf(", and %s of the groups have equal rewards", units.Share(share))
	}
	return []Finding{f}, ""
}

// thirds is the evidence of the first third of the steps against the last.
func (e *evidence) thirds(s series, name string) Evidence {
	n, third := len(s), max(1, len(s)/3)
	before, after := s.pooled(0, third), s.pooled(n-third, n)
	return Evidence{
		Name: name, Before: before.mean(), After: after.mean(), BeforeFrom: e.Steps[0].Step, BeforeTo: e.Steps[third-1].Step,
		AfterFrom: e.Steps[n-third].Step, AfterTo: e.Steps[n-1].Step, BeforeSamples: before.N, AfterSamples: after.N, Of: "samples",
	}
}

// DeadGroups is the share of groups with equal rewards from which a run that gains nothing has little to gain from.
const DeadGroups = 0.5

// WithoutNeedlessWord leaves out that a run does not learn, where another finding says why: an alarm, or a reward that falls.
func (d *Diagnosis) WithoutNeedlessWord() {
	isWhy := func(f Finding) bool {
		return f.Kind != NotLearning && (f.Severity == Alarm || f.Kind == FallByHalf || f.Kind == RewardCollapse)
	}
	if slices.ContainsFunc(d.Findings, isWhy) {
		d.Findings = slices.DeleteFunc(d.Findings, func(f Finding) bool { return f.Kind == NotLearning })
	}
}

// namedByGroups finds nothing: too_hard, saturated and equal_rewards say of samples that none trains.
func namedByGroups(*evidence) ([]Finding, string) { return nil, "" }

// When a reward has lost a good part of what it had: the same limits as of a trainer's own figures.
const (
	FallShare = 1. / 3 // of its height above the floor is lost at the end
	fallSteps = 0.1    // of the run at least that it is down
)

// fallsByHalf finds a reward that loses a third or more of its height, without reaching its floor: that is [collapse].
func fallsByHalf(e *evidence) ([]Finding, string) {
	if why := e.tooFew(); why != "" {
		return nil, why
	}
	s := e.rewards()
	named, _ := e.collapses()
	isDown := slices.ContainsFunc(named, func(f Finding) bool { return f.Severity != Over })
	if isDown || e.High <= e.Low {
		return nil, ""
	}
	k, found := s.shiftOf(-1)
	if !found || s.swings(&k) || !e.leaves(&k, 1-FallShare) || float64(len(s)-k.b) < fallSteps*float64(len(s)) {
		return e.swingsWider(s), ""
	}
	within, ofPrompts := e.within(meanOfGroup, [2]int{k.a, k.b}, [2]int{len(s) - s.span(), len(s)})
	if within < 0.5 || e.newSourcesOnly(k.a, k.b) || ofPrompts != ofPrompts && e.mayBeHarder(s, &k) {
		return nil, "" // other prompts, not another model
	}
	f := e.finding(s, "reward", k.b, len(s), false, "samples")
	f.Severity = Watch
	lost := -k.done() / (k.level.mean() - e.Low)
	f.Title = fmt.Sprintf("the reward falls from %s to %s and has not regained it: %s of its height is lost",
		units.Short(f.Evidence[0].Before), units.Short(f.Evidence[0].After), units.Share(lost))
	return []Finding{f}, ""
}

// swingsWider finds a reward that goes up and down more and more.
func (e *evidence) swingsWider(s series) []Finding {
	width := max(leastSteps, s.span()/2)
	variance, _ := s.variance(0, len(s))
	noise := math.Sqrt(variance * float64(len(s)) / float64(width)) // of a level, with what all the course does
	swing, found := SwingOf(s.smooth(width), e.Low, max(leastLevel*(e.High-e.Low), gainErrors*noise))
	if !found || len(s) < LeastSwung {
		return nil
	}
	within, _ := e.within(meanOfGroup, [2]int{max(0, swing.Peak-width), swing.Peak + 1}, [2]int{swing.Trough, min(len(s), swing.Trough+width)})
	if within < 0.5 {
		return nil // other prompts each time
	}
	f := e.finding(s, "reward", max(1, swing.First), len(s), false, "samples")
	f.Evidence = []Evidence{e.around(s, "reward", swing.Peak+1, min(len(s), swing.Trough+width/2+1), false, "samples")}
	f.Title, f.Advice, f.Example.Step = "the reward "+swing.String(), SwingAdvice, e.Steps[swing.Trough].Step
	return []Finding{f}
}
