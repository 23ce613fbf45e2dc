package diagnosis

import (
	"fmt"
	"math"

	"vantage/model"
	"vantage/model/units"
)

// Limits of an outage.
const (
	invalidAlarm = 0.1  // of rewards are missing: more than a filter or a crash now and then takes
	invalidWatch = 0.01 // fewer are an accident
	rareOutage   = 1e-3 // that so many values are one by chance: an outage is short in small steps, and each figure is looked at once
	fullFrom     = 0.8  // of the way from its least level to its best value, that a column of form has come before it is full
	nearBefore   = 0.05 // of the range of rewards within which a prompt has the reward of before
)

// outage finds a grader that gives one value to all from one step to the next, or none.
func outage(e *evidence) ([]Finding, string) {
	var all []Finding
	if f, found := e.missingRewards(); found {
		all = append(all, f)
	}
	reward := constants{"reward", func(s *Observed) Part { return Part{Moments: s.Reward, Level: s.Level} }, (*Observed).groupsAt, e.hadBefore}
	if f, found := e.constantFrom(reward); found {
		return append(all, f), ""
	}
	for c, name := range e.Parts {
		part := func(s *Observed) Part { return s.part(c) }
		groups := func(s *Observed, value float64) (at float64, of int) { // rows of a group are no evidence of their own
			switch p := part(s); value {
			case p.Low:
				return float64(p.AtLow) / float64(p.N) * float64(len(s.Groups)), len(s.Groups)
			case p.High:
				return float64(p.AtHigh) / float64(p.N) * float64(len(s.Groups)), len(s.Groups)
			}
			return 0, len(s.Groups)
		}
		if f, found := e.constantFrom(constants{name, part, groups, func(int, int) bool { return false }}); found {
			if isScheduled(name) && part(&e.Steps[f.first]).Low == 0 {
				f.Severity, f.Advice = Watch, "if a schedule ends this bonus here, nothing is wrong; if none does, look at its grader's log"
			}
			all = append(all, f)
			break
		}
	}
	return all, ""
}

// isScheduled reports whether a reward column is by its name one that people end by a schedule.
func isScheduled(name string) bool {
	return HasWord(name, []string{"bonus", "shaping", "anneal", "curricul", "warmup"})
}

// hadBefore reports whether most prompts of some steps came before and then had nearly the rewards that they have now, as where each epoch
// begins with the same easy ones.
func (e *evidence) hadBefore(from, to int) bool {
	if !e.byPrompt {
		return false
	}
	before := map[uint32]Moments{} // rewards by prompt
	for i := range e.Steps[:from] {
		for _, g := range e.Steps[i].Groups {
			if m := before[g.Prompt]; g.Valid > 0 {
				m.add(float64(g.Mean))
				before[g.Prompt] = m
			}
		}
	}
	var groups, likeBefore int
	for i := from; i < to; i++ {
		for _, g := range e.Steps[i].Groups {
			m := before[g.Prompt]
			isNear := m.N > 0 && math.Abs(m.mean()-float64(g.Mean)) <= nearBefore*(e.High-e.Low)
			groups, likeBefore = groups+1, likeBefore+model.Count01(isNear)
		}
	}
	return 2*likeBefore > groups
}

func (e *evidence) missingRewards() (Finding, bool) {
	missing := e.seriesOf(func(s *Observed) Moments {
		return Moments{N: s.Rows, Sum: float64(s.Invalid), Squares: float64(s.Invalid)}
	})
	from := missing.turn(0, invalidWatch, 1)
	to := missing.ends(from)
	if from == len(missing) { // an outage may be short against the run
		if from, to = longestStretch(missing, func(m Moments) bool { return m.Sum >= invalidAlarm*float64(m.N) && m.N > 0 }); to-from < 2 {
			return Finding{}, false
		}
	}
	after := missing.pooled(from, to)
	if after.Sum < 3 || after.mean() < invalidWatch {
		return Finding{}, false
	}
	f := e.finding(missing, "invalid rewards", from, to, true, "samples")
	if after.mean() < invalidAlarm {
		f.Severity = Watch
	}
	f.Title = fmt.Sprintf("%s of rewards are NaN or missing", units.Share(after.mean()))
	v := &f.Evidence[0]
	v.After, v.AfterFrom, v.AfterSamples = after.mean(), e.Steps[from].Step, after.N // all at these steps, as the title says
	f.Example = e.example(from, func(g *GroupFacts) bool { return g.Valid < g.N })
	f.Advice = "mend the reward function or its timeout: until then such samples train on a default of the trainer's, or their groups " +
		"do not train"
	return f, true
}

// constants is a figure that may become one value for all.
type constants struct {
	name string
	part func(*Observed) Part
	at   func(s *Observed, value float64) (at float64, of int) // how many groups have nothing but a value, or as many as the share of rows
	had  func(from, to int) bool                               // whether the prompts of these steps had that value before
}

// groupsAt counts the groups whose rewards are all one value, and all groups.
func (s *Observed) groupsAt(value float64) (at float64, of int) {
	for k := range s.Groups {
		if g := &s.Groups[k]; g.Valid == g.N {
			of++
			if g.Fate != model.FateAlive && g.Mean == float32(value) {
				at++
			}
		}
	}
	return at, of
}

// outageGroups is how many groups before and after are compared.
const outageGroups = 128

// constantFrom finds the first stretch in which all values are one, though those just before show that this is no chance.
func (e *evidence) constantFrom(of constants) (Finding, bool) {
	for i := leastSteps; i < len(e.Steps); i++ {
		level := of.part(&e.Steps[i])
		if level.N < 2 || !level.Constant() {
			continue
		}
		to, units := i, 0
		for to < len(e.Steps) {
			p := of.part(&e.Steps[to])
			if p.N == 0 || !p.Constant() || p.Low != level.Low {
				break
			}
			_, k := of.at(&e.Steps[to], level.Low)
			units += k
			to++
		}
		p, before := e.chanceOfConstant(of, i, level.Low, min(units, outageGroups))
		isChance := p*float64(len(e.Steps)) >= rareOutage
		isLong := to-i > 1 || to == len(e.Steps)
		if !isChance && isLong && !e.isPlanned(of, before, i, to) {
			return e.outageFinding(of, i, to, before), true
		}
		i = to
	}
	return Finding{}, false
}

// isPlanned reports whether a stretch of one value is no outage: the figure went there, stays near it, or had it with the same prompts.
func (e *evidence) isPlanned(of constants, before, from, to int) bool {
	value := of.part(&e.Steps[from]).Low
	isFull := isStyle(of.name) && e.fills(of, from, value)
	return isFull || e.fadesTo(of, before, from, value) || e.goesOn(of, before, from, to, value) || of.had(from, to)
}

// fills reports whether a figure had come most of the way from its least level to its best value, which it has from a step on: a penalty
// that nobody pays any more, a format that is full.
func (e *evidence) fills(of constants, from int, value float64) bool {
	s := e.seriesOf(func(s *Observed) Moments { return of.part(s).Moments })[:from]
	least, best := math.Inf(1), math.Inf(-1)
	for i, level := range s.smooth(leastSteps) {
		least = fmin(least, level)
		if p := of.part(&e.Steps[i]); p.N > 0 {
			best = max(best, p.High)
		}
	}
	last := s.pooled(from-leastSteps, from).mean()
	return value >= best && last-least >= fullFrom*(value-least)
}

// fadesTo reports whether the figure went to a value step by step, as a bonus does that fades by a schedule: the line through its means
// before step i comes to that value there, and the last mean is as near to it as a step or two of the line.
func (e *evidence) fadesTo(of constants, before, i int, value float64) bool {
	var line fit
	last := math.NaN()
	for k := max(0, min(before, i-fadeSteps)); k < i; k++ {
		if m := of.part(&e.Steps[k]).Moments; m.N > 0 {
			last = m.mean()
			line.add(float64(k-i), 1, last)
		}
	}
	step := math.Abs(line.slope())
	return line.n >= leastSteps && step > 0 && (value-last)*line.slope() >= 0 && math.Abs(value-last) <= 2*step
}

// fadeSteps are at least so many before a value that show whether a figure was on its way to it.
const fadeSteps = 10

// goesOn reports whether after a stretch of one value nearly all groups still have it: then the run has another level, with exceptions,
// and an outage has none.
func (e *evidence) goesOn(of constants, before, from, to int, value float64) bool {
	share := func(a, b int) (share float64, groups int) {
		at := 0.0
		for i := a; i < b && groups < outageGroups; i++ {
			k, n := of.at(&e.Steps[i], value)
			at, groups = at+k, groups+n
		}
		return at / float64(max(1, groups)), groups
	}
	then, _ := share(before, from)
	now, groups := share(to, len(e.Steps))
	return groups > 0 && now > (1+then)/2
}

// chanceOfConstant is the probability that so many groups have one value, from how many had it just before step i: the upper end
// of what that share may be, or where it was going, whichever is more. So a share that rises step by step, as where all is learned, is
// not taken for one that jumps. before is the first step that counts.
func (e *evidence) chanceOfConstant(of constants, i int, value float64, units int) (p float64, before int) {
	var line fit // of the share of groups that have the value, by the steps back
	varied := false
	for before = i; before > 0 && (line.n < outageGroups || i-before < leastSteps); {
		before--
		part := of.part(&e.Steps[before])
		varied = varied || part.N > 1 && !part.Constant()
		at, groups := of.at(&e.Steps[before], value)
		line.add(float64(before-i), float64(groups), at)
	}
	if !varied || line.n == 0 {
		return 1, before
	}
	n, at, share := line.n, line.sum, line.mean()
	upper := (at + 2 + 2*math.Sqrt(n*share*(1-share)+1)) / (n + 4) // two standard errors (Agresti and Coull 1998)
	going := line.at(0)
	at3, n3 := 0.0, 0.0
	for k := i - 1; k >= max(before, i-leastSteps); k-- {
		a, groups := of.at(&e.Steps[k], value)
		at3, n3 = at3+a, n3+float64(groups)
	}
	if earlier := (at - at3) / (n - n3); at3/n3 > earlier {
		going = max(going, 2*at3/n3-earlier) // on the way already
	}
	return math.Pow(min(1, max(upper, going)), float64(units)), before
}

func (e *evidence) outageFinding(of constants, from, to, before int) Finding {
	level := of.part(&e.Steps[from])
	moments := e.seriesOf(func(s *Observed) Moments { return of.part(s).Moments })
	usual := moments.pooled(before, from)
	f := Finding{Severity: Alarm, first: from, last: to - 1, Series: Series{of.name, moments.values()}}
	f.Title = fmt.Sprintf("%s is %s for every sample", of.name, units.Short(level.Low))
	if n := to - from; to < len(e.Steps) {
		f.Title += fmt.Sprintf(" of %d steps", n)
	}
	f.Evidence = []Evidence{{
		Name: of.name, Before: usual.mean(), After: level.Low, BeforeFrom: e.Steps[before].Step, BeforeTo: e.Steps[from-1].Step,
		AfterFrom: e.Steps[from].Step, AfterTo: e.Steps[to-1].Step,
		BeforeSamples: usual.N, AfterSamples: moments.pooled(from, to).N, Of: "samples",
	}}
	f.Example = e.example(from, func(*GroupFacts) bool { return true })
	return f
}
