package scalars

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"vantage/model/diagnosis"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// Least points of a series on which a judgement rests.
const (
	leastPoints      = 20 // of a course: on fewer, a window is half of the run
	leastShares      = 5  // of a share of many answers, which is judged by its level
	leastEvaluations = 6
)

// run is what detectors look at: nil for what was not logged often enough.
type run struct {
	*Scalars
	reward, eval, entropy, length, truncated *course
	progress                                 *course // what tells whether something pays: see newRun
	parts                                    []*course
}

func newRun(s *Scalars) *run {
	of := func(series *Series) *course {
		if series == nil {
			return nil
		}
		return newCourse(series)
	}
	r := &run{
		Scalars: s, reward: of(s.Of(Reward, leastPoints)), eval: of(s.HeldOut(leastEvaluations)), entropy: of(s.Of(Entropy, leastPoints)),
		length: of(s.Of(Length, leastPoints)), truncated: of(s.Of(Truncated, leastShares)),
	}
	for _, x := range s.All(Component, leastPoints) {
		r.parts = append(r.parts, newCourse(x))
	}
	// The score on held-out data, unless there is none or a gain that matters would drown in its noise.
	if r.progress = r.eval; r.eval == nil || r.reward != nil && r.eval.matters() > gainShare*r.eval.scale {
		r.progress = r.reward
	}
	return r
}

// detector finds one kind of illness. blind says why it cannot.
type detector struct {
	kind   diagnosis.Kind
	detect func(*run) (findings []diagnosis.Finding, blind string)
}

// detectors are all, those first that samples tell better.
func detectors() []detector {
	return []detector{
		{diagnosis.RewardHacking, (*run).rewardHacking},
		{diagnosis.Truncation, (*run).truncation},
		{diagnosis.LengthExplosion, (*run).lengthExplosion},
		{diagnosis.LengthCollapse, (*run).lengthCollapse},
		{diagnosis.RewardCollapse, (*run).rewardCollapse},
		{diagnosis.Saturated, (*run).saturated},
		{diagnosis.TooHard, (*run).tooHard},
		{diagnosis.EntropyCollapse, (*run).entropyCollapse},
		{diagnosis.KLDrift, (*run).klDrift},
		{diagnosis.GradientSpikes, (*run).gradientSpikes},
		{diagnosis.EvalDivergence, (*run).evalDivergence},
	}
}

// onlyScalars is how many of the last detectors find what samples do not tell.
const onlyScalars = 4

// Diagnose says what ails a run of which there are scalars alone. The values of the series of a finding are those that were logged under
// its name.
func Diagnose(s *Scalars) *diagnosis.Diagnosis {
	d := &diagnosis.Diagnosis{Steps: s.Steps}
	all := detectors()
	for _, k := range diagnosis.Kinds() {
		if !slices.ContainsFunc(all, func(t detector) bool { return t.kind == k.Name }) {
			d.Blind = append(d.Blind, diagnosis.Blind{Kind: k.Name, Why: "the log has no samples"})
		}
	}
	if add(d, s, all); len(d.Findings) == 0 && len(d.Blind) == len(diagnosis.Kinds()) {
		d.Steps = 0 // nothing can be said of it
	}
	return d
}

// Add adds to what samples say of a run what its scalars say besides.
func Add(d *diagnosis.Diagnosis, s *Scalars) {
	all := detectors()
	all = all[len(all)-onlyScalars:]
	d.Blind = slices.DeleteFunc(d.Blind, func(b diagnosis.Blind) bool {
		return slices.ContainsFunc(all, func(t detector) bool { return t.kind == b.Kind })
	})
	add(d, s, all)
}

func add(d *diagnosis.Diagnosis, s *Scalars, detectors []detector) {
	r, kinds := newRun(s), diagnosis.Kinds()
	for _, t := range detectors {
		findings, blind := t.detect(r)
		if blind != "" {
			d.Blind = append(d.Blind, diagnosis.Blind{Kind: t.kind, Why: blind})
		}
		for _, f := range findings {
			f.Kind = t.kind
			if f.Until == 0 {
				f.Until, f.Lasting = s.Last, true
			}
			if k := slices.IndexFunc(kinds, func(k diagnosis.KindInfo) bool { return k.Name == t.kind }); k >= 0 && f.Advice == "" {
				f.Advice = kinds[k].Advice
			}
			if len(d.Numbers) > 0 {
				f.Series.Values = s.valuesAt(f.Series.Name, d.Numbers)
			}
			d.Findings = append(d.Findings, f)
		}
	}
	order := func(k diagnosis.Kind) int {
		return slices.IndexFunc(kinds, func(info diagnosis.KindInfo) bool { return info.Name == k })
	}
	sort.Slice(d.Blind, func(i, j int) bool { return order(d.Blind[i].Kind) < order(d.Blind[j].Kind) })
	sort.SliceStable(d.Findings, func(i, j int) bool {
		a, b := &d.Findings[i], &d.Findings[j]
		return cmp.Or(cmp.Compare(a.Severity, b.Severity), cmp.Compare(a.Since, b.Since)) < 0
	})
}

// valuesAt returns what was logged under a name at some steps, NaN where nothing was.
func (s *Scalars) valuesAt(name string, steps []int64) []float64 {
	values := slices.Repeat([]float64{math.NaN()}, len(steps))
	i := slices.IndexFunc(s.Series, func(x Series) bool { return x.Name == name })
	if i < 0 {
		return values
	}
	for k, step := range steps {
		if at, found := slices.BinarySearch(s.Series[i].Steps, step); found {
			values[k] = s.Series[i].Values[at]
		}
	}
	return values
}

// lacks says why a kind cannot be told without a series.
func (r *run) lacks(m Meaning, what string, least int) string {
	if s := r.Of(m, 1); s != nil {
		return fmt.Sprintf("%s has %s, fewer than %d", sanitize.Line(s.Name), units.Plural(len(s.Values), "values"), least)
	}
	return "the log has no " + what
}

func (c *course) finding(s diagnosis.Severity, since int, title string, evidence ...diagnosis.Evidence) diagnosis.Finding {
	return diagnosis.Finding{
		Severity: s, Since: c.steps[since], Title: title, Evidence: evidence,
		Example: diagnosis.Example{Step: c.steps[since]}, Series: diagnosis.Series{Name: c.Name, Values: c.Values},
	}
}

func (c *course) name() string { return sanitize.Line(c.Name) }

func arrow(a, b float64) string { return units.Short(a) + " → " + units.Short(b) }

func share(x float64) string { return units.Fixed(100*x, 0) + "%" }
