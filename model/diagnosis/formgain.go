package diagnosis

import (
	"fmt"

	"vantage/model/sanitize"
	"vantage/model/units"
)

// FormGain is that all of the gain of a reward is in how answers are written, and none in what they are worth.
type FormGain struct {
	Form, Worth string // names of the parts: sanitised. The first may be what no column holds.
	ByForm      Gain
	ByWorth     Gain
}

// PartGain is the gain of a part of the reward.
type PartGain struct {
	Name        string // as logged
	IsForm      bool   // by its name it is about how an answer is written, or it is what no column holds
	IsWorth     bool   // by its name it is about what an answer is worth
	Least, Most float64
	Gain
}

// How a gain is divided.
const (
	formShare  = 0.8  // of the gain of the reward is that of the form at least
	worthShare = 0.25 // of the gain of the form that the worth gains at most
)

// OnlyForm finds that a reward gains over enough steps, a part for the form gains as much, and a part for the worth of answers, which had
// room to gain, shows no gain; nil otherwise.
func (l *Learning) OnlyForm(parts []PartGain) *FormGain {
	if l.Steps < LeastLearning || !l.IsGain() {
		return nil
	}
	var form, worth *PartGain
	for i := range parts {
		p := &parts[i]
		gainsAsMuch := p.IsGain() && p.By >= formShare*l.By
		switch {
		case p.IsForm && gainsAsMuch && p.gainsMoreThan(form):
			form = p
		case p.IsWorth && !p.failsToGain():
			return nil
		case p.IsWorth && p.gainsMoreThan(worth):
			worth = p
		}
	}
	if form == nil || worth == nil || worth.By > worthShare*form.By {
		return nil
	}
	return &FormGain{sanitize.Line(form.Name), sanitize.Line(worth.Name), form.Gain, worth.Gain}
}

// gainsMoreThan reports whether a part gains more than another one, or there is no other.
func (p *PartGain) gainsMoreThan(other *PartGain) bool { return other == nil || p.By > other.By }

// failsToGain reports whether a part shows no gain and had room for one: otherwise it gains, may gain, or has nothing left to gain.
func (p *PartGain) failsToGain() bool {
	width := p.Most - p.Least
	startsAtTop := p.Level-p.By-p.Least >= nearTop*width
	return p.ShowsNone(width) && !startsAtTop
}

// Title says it in a sentence: "all of the gain is format_reward (+0.47 ± 0.02): accuracy_reward gains nothing (+0.00 ± 0.02) over 150
// steps".
func (g *FormGain) Title(steps int) string {
	return fmt.Sprintf("all of the gain is %s (%s): %s gains nothing (%s) over %s", g.Form, g.ByForm.String(), g.Worth, g.ByWorth.String(),
		units.Plural(steps, "steps"))
}

// partGains are the gains of the reward columns that are no constants, and of those for right answers in which none ever came.
func (o *Observations) partGains() (all []PartGain) {
	for _, part := range o.judgedParts() {
		level := Level{}
		s := o.seriesOf(func(s *Observed) Moments {
			p := part.of(s)
			if p.N > 0 {
				level.add(p.Low)
				level.add(p.High)
			}
			return p.Moments
		})
		isForm, isWorth := isStyle(part.name) || part.name == restName, isSubstance(part.name)
		if isDead := isWorth && level.Constant() && level.Low <= 0; isDead {
			level.High = max(level.High, level.Low+1)
		}
		if means := s.known(); len(means) >= LeastLearning && level.Low < level.High {
			all = append(all, PartGain{part.name, isForm, isWorth, level.Low, level.High, GainOf(means)})
		}
	}
	return all
}

// formFinding is the watch that all of the gain is form, with the part that gains nothing.
func (e *evidence) formFinding(l *Learning) Finding {
	g := l.Form
	column := func(named string) series {
		for _, part := range e.judgedParts() {
			if sanitize.Line(part.name) == named {
				return e.seriesOf(func(s *Observed) Moments { return part.of(s).Moments })
			}
		}
		return e.rewards()
	}
	worth := column(g.Worth)
	f := e.finding(worth, g.Worth, 0, len(worth), false, "samples")
	f.Severity, f.Title, f.Example.Step = Watch, g.Title(l.Steps), e.Steps[0].Step
	f.Evidence = []Evidence{e.thirds(worth, g.Worth), e.thirds(column(g.Form), g.Form)}
	f.Advice = "read answers that the form pays for; pay for form only where the answer is right, or weigh it less, and check that " +
		"right answers come at all: easier prompts, more answers per prompt"
	if g.Form == restName {
		f.Advice = "log each part of the reward, because no column shows what gains; until then read answers that win by it, and take it " +
			"out if they are not better"
	}
	return f
}
