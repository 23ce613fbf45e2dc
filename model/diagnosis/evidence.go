package diagnosis

import (
	"fmt"
	"sync"

	"vantage/model/units"
)

// evidence is what detectors look at.
type evidence struct {
	*Observations
	texts *Texts // nil if none could be read

	collapses func() ([]Finding, string) // what collapse finds, which several ask for
	forgets   func() ([]Finding, string) // and forgetting
}

func newEvidence(o *Observations, texts *Texts) *evidence {
	e := &evidence{Observations: o, texts: texts}
	e.collapses = sync.OnceValues(func() ([]Finding, string) { return collapse(e) })
	e.forgets = sync.OnceValues(func() ([]Finding, string) { return forgetting(e) })
	return e
}

// around is the evidence of a series before and after step i, up to step end.
func (e *evidence) around(s series, name string, i, end int, share bool, of string) Evidence {
	span := s.span()
	a, d := max(0, i-span), end
	before, after := s.pooled(a, i), s.pooled(max(i, d-span), d)
	v := Evidence{
		Name: name, Before: before.mean(), After: after.mean(), Share: share, BeforeSamples: before.N, AfterSamples: after.N, Of: of,
	}
	if i > 0 {
		v.BeforeFrom, v.BeforeTo = e.Steps[a].Step, e.Steps[i-1].Step
	}
	v.AfterFrom, v.AfterTo = e.Steps[max(i, d-span)].Step, e.Steps[d-1].Step
	return v
}

// finding is an alarm about steps [from, to), by a series that shows it.
func (e *evidence) finding(s series, name string, from, to int, share bool, of string) Finding {
	return Finding{
		Severity: Alarm, first: from, last: to - 1, Series: Series{name, s.values()},
		Evidence: []Evidence{e.around(s, name, from, to, share, of)},
	}
}

// example is the first group from step i on that shows something.
func (e *evidence) example(i int, shows func(*GroupFacts) bool) Example {
	return e.exampleAt(i, func(step, group int) bool { return shows(&e.Steps[step].Groups[group]) })
}

func (e *evidence) exampleAt(i int, shows func(step, group int) bool) Example {
	for k := i; k < len(e.Steps); k++ {
		for g := range e.Steps[k].Groups {
			if shows(k, g) {
				return Example{Step: e.Steps[k].Step, Group: e.groupName(k, g)}
			}
		}
	}
	return Example{Step: e.Steps[i].Step}
}

func (o *Observations) rewards() series {
	return o.seriesOf(func(s *Observed) Moments { return s.Reward })
}

// tooFew says that there are too few steps for a level before and one after.
func (o *Observations) tooFew() string {
	if n := len(o.Steps); n < 2*leastSteps {
		return fmt.Sprintf("%s: a change needs %d", units.Plural(n, "steps"), 2*leastSteps)
	}
	return ""
}
