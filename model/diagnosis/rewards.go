package diagnosis

import (
	"fmt"
	"math"
	"slices"

	"vantage/model"
	"vantage/model/units"
)

// Limits of what rewards tell.
const (
	invalidAlarm  = 0.1  // of rewards are missing: more than a filter or a crash now and then takes
	invalidWatch  = 0.01 // fewer are an accident
	floorShare    = 0.2  // of what the reward had above its floor is left: the rest is lost
	halfShare     = 0.5  // of it is left: a person wants to know, though harder data may take as much
	mostShare     = 0.7  // of it is left, of prompts that came before: harder data take nothing from these
	leastLevel    = 0.1  // of the range of rewards that a level must have been above the floor for a fall to mean anything
	floorSpread   = 1.5  // standard deviations of the samples of a step that a reward without a least value falls by
	leastGroups   = 20   // that a share of groups is of: fewer are a few prompts
	rareOutage    = 1e-3 // that so many values are one by chance: an outage is short in small steps, and each figure is looked at once
	knownPrompts  = 0.1  // of the groups may have prompts of before where the data are new
	partFall      = 0.3  // of its level that a part of the prompts loses
	partFallRange = 0.15 // of the range of rewards: less is no forgetting, even of a small level
	nearBefore    = 0.05 // of the range of rewards within which a prompt has the reward of before
	fallSigmas    = 3.0  // standard errors by which a part falls from step to step, where its groups say that this is no chance
	chosenByEnd   = 10   // times as many parts as were tried are prompts that were chosen by how their groups end
	restHeld      = 0.05 // of the range of rewards that the rest may lose while a part falls
	floorBand     = 0.1  // of the range of rewards that is near the lowest
	leastPrompts  = 6    // that come again, for a third of them to be a part
)

// Shares of groups from which a run has little to learn: of its samples, and of what its trainer logs.
const (
	SaturatedFrom = 0.8  // are all right: four of five samples are generated for nothing
	TooHardFrom   = 0.85 // are all wrong: sparse rewards that still teach leave a tenth alive, and more from step to step
	EqualFrom     = 0.95 // have equal rewards, right, wrong or between: one in twenty is left to learn from
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
	return e.fadesTo(of, before, from, value) || e.goesOn(of, before, from, to, value) || of.had(from, to)
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

// collapse finds a reward that was up, falls to its floor and stays there.
func collapse(e *evidence) ([]Finding, string) {
	if why := e.tooFew(); why != "" {
		return nil, why
	}
	if e.High <= e.Low {
		return nil, ""
	}
	s := e.rewards()
	k, found := e.fall(s)
	if !found {
		if wrong, _ := hopeless(e); len(wrong) > 0 {
			return nil, "" // that it was down is told with the cause
		}
		return e.dip(s), ""
	}
	if k.b = s.lastFall(&k); s.swings(&k) {
		return nil, ""
	}
	if at, how := e.otherRecipe(k.b); how != "" {
		return []Finding{e.recipeFinding(at, how)}, ""
	}
	toFloor, below := e.leaves(&k, floorShare), e.continuous && belowAll(s, &k)
	within, ofPrompts := e.within(meanOfGroup, [2]int{k.a, k.b}, [2]int{len(s) - s.span(), len(s)})
	samePrompts := ofPrompts >= 0.5 // fall by themselves
	if !below && !e.isLarge(&k, samePrompts) {
		return nil, ""
	}
	if wrong := e.beyondShare(hopelessShare()); wrong != nil && e.harderPrompts(s, &k) {
		return nil, ""
	}
	f := e.finding(s, "reward", k.b, len(s), false, "samples")
	if within < 0.25 {
		return nil, "" // other prompts, not another model
	}
	if within < 0.5 || e.mayBeOfData(s, &k, toFloor, below) {
		f.Severity = Watch // little shows that the model became worse
		if !samePrompts {
			f.Advice = "look first whether the prompts became harder at about this step, as in a curriculum or a new file of data; if " +
				"they did not, go back to a checkpoint before the onset, and compare answers before and after it"
		}
	}
	f.Title = fmt.Sprintf("the reward falls from %s to %s and stays there", units.Short(f.Evidence[0].Before),
		units.Short(f.Evidence[0].After))
	f.Example = e.example(k.b, func(g *GroupFacts) bool { return g.Fate == model.FateAllWrong })
	return []Finding{f}, ""
}

// mayBeOfData reports whether a fall may be one of the data: they come from new sources, or leave some of the reward and may be harder.
func (e *evidence) mayBeOfData(s series, k *shift, toFloor, below bool) bool {
	isLarge := toFloor || below || e.leaves(k, halfShare)
	return e.newSourcesOnly(k.a, k.b) || !isLarge || e.asksOtherwise(k) || !toFloor && e.mayBeHarder(s, k)
}

// leaves reports whether a fall leaves at most that share of the height of a reward that was up.
func (e *evidence) leaves(k *shift, share float64) bool {
	up := k.level.mean() - e.Low
	return up >= leastLevel*(e.High-e.Low) && k.settled.mean()-e.Low <= share*up
}

// isLarge reports whether a fall leaves at most half of the height of a reward; or mostShare of it, where the same prompts fall and
// forgetting names no part of them.
func (e *evidence) isLarge(k *shift, samePrompts bool) bool {
	if e.leaves(k, halfShare) {
		return true
	}
	if !samePrompts || !e.leaves(k, mostShare) {
		return false
	}
	part, _ := forgetting(e)
	return len(part) == 0
}

// fall is the fall of the rewards to their level at the end. In a long run it would be late to wait for a tenth of it: a fall to the
// floor counts once a quarter of that shows it.
func (e *evidence) fall(s series) (shift, bool) {
	k, found := s.shiftOf(-1)
	if found && e.leaves(&k, floorShare) {
		return k, true
	}
	if soon, ok := s.shiftOver(-1, max(5, s.span()/4)); ok && soon.b > len(s)-s.span() && e.leaves(&soon, floorShare) {
		return soon, true
	}
	return k, found
}

// lastFall is the onset of a fall, or, if the level before it came again for as many steps as a level takes, the last step that had it:
// what falls again at the end of each epoch may be the order of the prompts.
func (s series) lastFall(k *shift) int {
	lost, down, up := false, k.level.mean()+0.6*k.done(), k.level.mean()+0.25*k.done()
	again := -1
	for i, x := range s.smooth(s.span()) {
		switch {
		case i <= k.b:
		case x <= down:
			lost = true
		case lost && x >= up:
			again = i
		}
	}
	if again < 0 {
		return k.b
	}
	return min(s.turn(again, k.level.mean()+onsetShare*k.done(), -1), len(s)-1)
}

// swings reports whether a reward was as low as after a fall before, came back, and has not been down for longer than then.
func (s series) swings(k *shift) bool {
	return Swings(s.smooth(max(leastSteps, s.span()/2)), k.level.mean(), k.settled.mean(), k.b)
}

// swingTimes is how many times the longest of several swings a value may be down that goes up and down.
const swingTimes = 1.25

// Swings reports whether a smooth course that fell from a level to another at an index went as far down before, came back, and has not been
// down for longer than then: as with a curriculum that begins again and again. What it was before it first was up is none of these. If it
// came back since, it has been down since it last was up.
func Swings(smooth []float64, high, low float64, since int) bool {
	down, up := high+0.6*(low-high), high+0.25*(low-high)
	isBelow := func(x, limit float64) bool { return (low-high)*(x-limit) >= 0 }
	was, longest, begun, wasUp := 0, 0, -1, false
	for i, x := range smooth {
		switch {
		case isBelow(x, down) && begun < 0 && wasUp:
			begun = i
		case !isBelow(x, up):
			if begun >= 0 {
				was, longest = was+1, max(longest, i-begun)
			}
			begun, wasUp = -1, true
		}
	}
	limit := float64(longest)
	if was > 1 {
		limit *= swingTimes
	}
	return was > 0 && float64(len(smooth)-max(since, begun)) <= limit
}

// mayBeHarder reports whether a reward may fall because prompts became harder, of which none comes again or nothing is known.
func (e *evidence) mayBeHarder(s series, k *shift) bool {
	others := e.newPromptsOnly(k.b, len(e.Steps)) || e.areOthers(k.b/2, len(e.Steps)-s.span(), len(e.Steps))
	wereNewToo := e.newPromptsOnly(k.b/2, k.b)
	return others && !wereNewToo || (others || !e.prompts) && s.isGradual(k) || e.asksOtherwise(k)
}

// isGradual reports whether a change takes more than a quarter of the run, as where prompts become harder step by step.
func (s series) isGradual(k *shift) bool {
	sign := math.Copysign(1, k.done())
	return s.turn(k.a, k.level.mean()+(1-onsetShare)*k.done(), sign)-k.b > len(s)/4
}

// belowAll reports whether a reward falls below any level that it had before, by more than samples of a step differ: the floor of a
// reward without a least value.
func belowAll(s series, k *shift) bool {
	least := math.Inf(1)
	for i, x := range s[:k.b].smooth(s.span()) {
		if i <= k.b && x < least {
			least = x
		}
	}
	within, n := 0.0, 0
	for _, m := range s[:k.b] {
		if m.N > 1 {
			within += m.Squares - m.Sum*m.mean()
			n += m.N
		}
	}
	return k.settled.mean() < least && -k.done() > floorSpread*math.Sqrt(within/float64(max(1, n)))
}

// harderPrompts reports whether a fall of the reward is one of the prompts: it takes one step, which a model does not, and none of the
// prompts from then on was there before. too_hard names such runs.
func (e *evidence) harderPrompts(s series, k *shift) bool {
	at := s.turn(k.a, k.level.mean()+k.done()/2, -1)
	before, after := s.pooled(max(k.a, at-leastSteps), at), s.pooled(at, at+leastSteps)
	isHighBefore := before.mean() > k.level.mean()+onsetShare*k.done()
	isLowAfter := after.mean() < k.level.mean()+(1-onsetShare)*k.done()
	return isHighBefore && isLowAfter && e.newPromptsOnly(at, len(e.Steps))
}

// newPromptsOnly reports whether hardly any of the prompts of steps [from, to) was there before; false if the log has none.
func (e *evidence) newPromptsOnly(from, to int) bool { return e.areOthers(from, from, to) }

// areOthers reports whether hardly any of the prompts of steps [from, to) was among those before another step: a mixture that shifts step
// by step has both for a while. It returns false if the log has no prompts.
func (e *evidence) areOthers(until, from, to int) bool {
	before := e.promptsOf(0, until)
	groups, known := 0, 0
	for i := from; i < to; i++ {
		for _, g := range e.Steps[i].Groups {
			groups++
			if before[g.Prompt] {
				known++
			}
		}
	}
	return e.prompts && float64(known) < knownPrompts*float64(groups)
}

// tooFew says that there are too few steps for a level before and one after.
func (o *Observations) tooFew() string {
	if n := len(o.Steps); n < 2*leastSteps {
		return fmt.Sprintf("%s: a change needs %d", units.Plural(n, "steps"), 2*leastSteps)
	}
	return ""
}

// groupShare is a share of groups that ends what a run can learn, where it stays beyond a limit.
type groupShare struct {
	name  string // of the groups: "all wrong groups"
	fates []model.Fate
	limit float64
	title string // with %s for the share
	eases bool   // it is a watch where they become fewer
}

func solvedShare() groupShare {
	return groupShare{"all correct groups", []model.Fate{model.FateAllCorrect}, SaturatedFrom, "%s of groups are all right: nothing is " +
		"left to learn from them", false}
}

func hopelessShare() groupShare {
	return groupShare{"all wrong groups", []model.Fate{model.FateAllWrong}, TooHardFrom, "%s of groups are all wrong: the model learns " +
		"nothing from them", true}
}

// saturated finds runs in which nearly all groups are all right.
func saturated(e *evidence) ([]Finding, string) { return e.beyondShare(solvedShare()), "" }

// hopeless finds runs in which nearly all groups are all wrong, and do not become fewer.
func hopeless(e *evidence) ([]Finding, string) {
	if found := e.beyondShare(hopelessShare()); found != nil {
		return found, ""
	}
	return e.wasBeyond(hopelessShare()), ""
}

// equalRewards finds runs in which nearly all groups have equal rewards, where neither right nor wrong ones alone are that many, or in
// which all samples of a step have one.
func equalRewards(e *evidence) ([]Finding, string) {
	if f, found := e.oneRewardPerStep(); found {
		return []Finding{f}, ""
	}
	equal := groupShare{
		"groups with equal rewards",
		equalFates(),
		EqualFrom,
		"%s of groups have equal rewards: within them no answer is better than another", true,
	}
	found := e.beyondShare(equal)
	if found == nil {
		if tooHard, _ := hopeless(e); len(tooHard) > 0 {
			return nil, ""
		}
		return e.wasBeyond(equal), ""
	}
	if found != nil && (e.beyondShare(solvedShare()) != nil || e.beyondShare(hopelessShare()) != nil) {
		return nil, ""
	}
	return found, ""
}

// equalFates are those of groups whose rewards are equal.
func equalFates() []model.Fate {
	return []model.Fate{model.FateAllCorrect, model.FateAllWrong, model.FateConstant}
}

// beyondShare finds groups beyond a share, from a step to the end.
func (e *evidence) beyondShare(g groupShare) []Finding {
	s := e.seriesOf(func(s *Observed) Moments { return s.shareOf(g.fates) })
	from := s.beyond(g.limit)
	after, last := s.pooled(from, len(s)), s.pooled(len(s)-s.span(), len(s))
	if jump := s.turn(0, (s.pooled(0, from).mean()+after.mean())/2, 1); jump < from {
		if m := s.pooled(jump, from); (m.mean()-g.limit)/math.Sqrt(g.limit*(1-g.limit)/float64(m.N)) > -3 {
			from = jump // it may as well be beyond the limit from where it jumps
		}
	}
	if s.mayBeChance(from, g.limit) {
		return nil
	}
	variance, dof := s.variance(len(s)-s.span(), len(s))
	if len(s)-from < leastSteps || after.N < leastGroups || after.mean() < g.limit || normal(last.mean()-g.limit, variance, dof) < -2 {
		return nil
	}
	f := e.shareFinding(g, s, from, len(s), last.mean())
	middle := (from + len(s)) / 2
	if k := s.compare(from, middle, middle, len(s)); g.eases && k.z < -3 {
		f.Severity = Watch
	}
	return []Finding{f}
}

// mayBeChance reports whether a share that is beyond a limit from a step on may be so by chance: it was not another one before, as far as
// its steps differ, and is not beyond the limit by more than they do. Of all steps at which it may begin the best one was chosen.
func (s series) mayBeChance(from int, limit float64) bool {
	if from == 0 || from >= len(s) || chance(s.compare(0, from, from, len(s)).z, len(s)) <= 0.01 {
		return false
	}
	variance, dof := s.variance(from, len(s))
	return normal(s.pooled(from, len(s)).mean()-limit, variance, dof) < 2
}

// shareFinding is that groups of steps [from, to) are beyond a share; share is the one that it names.
func (e *evidence) shareFinding(g groupShare, s series, from, to int, share float64) Finding {
	f := e.finding(s, g.name, from, to, true, "groups")
	f.Title = fmt.Sprintf(g.title, units.Share(share))
	f.Example = e.example(from, func(facts *GroupFacts) bool { return slices.Contains(g.fates, facts.Fate) })
	return f
}

// wasBeyond finds groups that were beyond a share for a stretch that is over.
func (e *evidence) wasBeyond(g groupShare) []Finding {
	s := e.seriesOf(func(s *Observed) Moments { return s.shareOf(g.fates) })
	return e.overShare(s, g.limit, func(from, to int) Finding { return e.shareFinding(g, s, from, to, s.pooled(from, to).mean()) })
}

// partOf is a part of the groups with the series of its rewards.
type partOf struct {
	name string
	series
	in    func(step, group int) bool
	rest  func(step, group int) bool // the groups to compare it with
	tried int                        // parts of this sort
	named bool                       // a source that the log names
}

// parts are the groups by source, and those of prompts that were solved best before some steps or are worst since others.
func (e *evidence) parts() []partOf {
	var all []partOf
	if e.texts != nil {
		names := e.texts.sourceList()
		for _, name := range names {
			in := func(step, group int) bool { return e.texts.sourceOf(step, group) == name }
			rest := func(step, group int) bool { return !in(step, group) }
			all = append(all, partOf{"source " + name, e.groupSeries(in), in, rest, len(names), true})
		}
	}
	if !e.byPrompt {
		return all
	}
	n := len(e.Steps)
	firsts, lasts := []int{n / 4, n / 2, 3 * n / 4}, []int{n / 2, 3 * n / 4, 7 * n / 8}
	add := func(v *visits, of chosen) {
		if p, found := e.choose(v, of); found {
			p.tried = len(firsts) + 2*len(lasts)
			all = append(all, p)
		}
	}
	for _, to := range firsts {
		add(e.visitsOf(0, to), bestThird)
	}
	for _, from := range lasts {
		v := e.visitsOf(from, n)
		add(v, worstThird)
		add(v, nearFloor)
	}
	return all
}

// groupSeries is the series of the rewards of some groups.
func (e *evidence) groupSeries(in func(step, group int) bool) series {
	s := make(series, len(e.Steps))
	for i := range e.Steps {
		for k := range e.Steps[i].Groups {
			if g := &e.Steps[i].Groups[k]; g.Valid > 0 && in(i, k) {
				x := float64(g.Mean)
				s[i].join(Moments{N: int(g.Valid), Sum: x * float64(g.Valid), Squares: x * x * float64(g.Valid)})
			}
		}
	}
	return s
}

// chosen says which prompts are chosen by their visits.
type chosen string

const (
	bestThird  chosen = "prompts solved best at first"
	worstThird chosen = "prompts that are worst now"
	nearFloor  chosen = "prompts near the lowest reward now"
)

// visits are those of prompts in a range of steps: every other one chooses the prompt, and the others measure it, so that the luck which
// chose it is no fall.
type visits struct {
	chose    []Moments // by prompt: the rewards of the visits that choose
	again    []int     // by prompt: the other visits
	choosing [][]bool  // by step and group; nil of steps outside of the range
}

func (e *evidence) visitsOf(from, to int) *visits {
	n := e.snap.PromptCount() + 1
	v := &visits{make([]Moments, n), make([]int, n), make([][]bool, len(e.Steps))}
	for i := from; i < to; i++ {
		v.choosing[i] = make([]bool, len(e.Steps[i].Groups))
		for k, g := range e.Steps[i].Groups {
			switch {
			case g.Prompt == 0 || g.Valid == 0:
			case v.again[g.Prompt] < v.chose[g.Prompt].N:
				v.again[g.Prompt]++
			default:
				v.chose[g.Prompt].add(float64(g.Mean))
				v.choosing[i][k] = true
			}
		}
	}
	return v
}

func (v *visits) measures(step, group int) bool {
	return v.choosing[step] == nil || !v.choosing[step][group]
}

// choose is the part of the prompts that their visits choose.
func (e *evidence) choose(v *visits, of chosen) (partOf, bool) {
	var means []float64
	for p, m := range v.chose {
		if v.again[p] > 0 {
			means = append(means, m.mean())
		}
	}
	if len(means) < leastPrompts {
		return partOf{}, false
	}
	slices.Sort(means)
	least, most := math.Inf(-1), math.Inf(1)
	switch third := len(means) / 3; of {
	case bestThird:
		least = means[len(means)-third]
	case worstThird:
		most = means[third-1]
	case nearFloor:
		most = e.Low + floorBand*(e.High-e.Low)
	}
	if means[leastPrompts-1] > most {
		return partOf{}, false
	}
	isIn := make([]bool, len(v.chose)) // by prompt
	for p, m := range v.chose {
		isIn[p] = v.again[p] > 0 && m.mean() >= least && m.mean() <= most
	}
	prompt := func(step, group int) uint32 { return e.Steps[step].Groups[group].Prompt }
	in := func(step, group int) bool { return isIn[prompt(step, group)] && v.measures(step, group) }
	return partOf{
		name:   string(of),
		series: e.groupSeries(in),
		in:     in,
		rest: func(step, group int) bool {
			p := prompt(step, group)
			return v.again[p] > 0 && !isIn[p] && v.measures(step, group)
		},
	}, true
}

// forgetting finds a part of the prompts whose reward falls while the whole or the others hold.
func forgetting(e *evidence) ([]Finding, string) {
	if why := e.tooFew(); why != "" {
		return nil, why
	}
	whole := e.rewards()
	parts := e.parts()
	if len(parts) == 0 {
		return nil, "the log names no sources, and prompts come again too seldom"
	}
	ends := []int{len(whole)}
	if k, found := whole.shiftOf(-1); found && k.b >= 2*leastSteps {
		ends = append(ends, k.b) // what falls with all others later may have fallen alone before
	}
	for _, end := range ends {
		var surest []Finding // of the prompts that were chosen: they overlap
		least := 0.0
		for _, p := range parts {
			f, z, found := e.forgotten(p, whole[:end])
			if found && z < least {
				surest, least = []Finding{f}, z
			}
			if found && p.named {
				break
			}
		}
		if surest != nil {
			return surest, ""
		}
	}
	return nil, ""
}

// forgotten is the finding that a part falls alone, up to the end of the whole, and by how many standard errors from step to step.
func (e *evidence) forgotten(p partOf, whole series) (f Finding, z float64, found bool) {
	s := p.series[:len(whole)]
	k, isSure := s.shiftOf(-1)
	places := p.tried * 2 * len(s) / s.span() // onsets that are nearer than half a level are one
	leastFall := max(partFallRange*(e.High-e.Low), partFall*(k.level.mean()-e.Low))
	isChance := !isSure || chance(k.z, places) > rare
	if isChance && k.z < -fallSigmas { // few steps say little of their noise, and their groups may say enough
		if !p.named {
			places *= chosenByEnd
		}
		isChance = chance(e.compareGroups(p.in, k.a, k.b, len(whole)), places) > rare
	}
	if isChance || min(s[k.a:k.b].steps(), s[k.b:].steps()) < leastSteps || -k.done() < leastFall {
		return Finding{}, 0, false
	}
	prompt := func(i, k int) uint32 {
		if !p.in(i, k) {
			return 0
		}
		return e.Steps[i].Groups[k].Prompt
	}
	ofEach := withinParts(e, prompt, 1, 1, 0, meanOfGroup, [2]int{0, k.b}, [2]int{k.b, len(whole)})
	if !p.named && !(ofEach >= 0.5) {
		return Finding{}, 0, false // others of these prompts
	}
	part := e.around(s, "reward of "+p.name, k.b, len(whole), false, "samples")
	rest, while, fallsAlone := e.beside(p, &k, whole)
	if !fallsAlone {
		return Finding{}, 0, false
	}
	f = Finding{Severity: Alarm, first: k.b, last: len(e.Steps) - 1, Series: Series{"reward of " + p.name, p.values()}}
	if part.fall() < leastFall {
		return Finding{}, 0, false // what is shown must be what is said
	}
	f.Evidence = []Evidence{part, rest}
	switch {
	case !p.named:
		f.Advice = "find what these prompts share, and whether their grader still works; then raise their share in the data or add a KL " +
			"penalty to the reference model; the checkpoint before the onset was better at them"
	case e.oneReward(p, k.b):
		f.Advice = "look at the log of this source's grader first: it gives one reward to all answers from about this step on; if that " +
			"is right, raise the share of this source, or go back to a checkpoint before the fall"
	}
	f.Title = fmt.Sprintf("the reward of %s falls from %s to %s while %s from %s to %s",
		p.name, units.Short(part.Before), units.Short(part.After), while, units.Short(rest.Before), units.Short(rest.After))
	f.Example = e.exampleAt(k.b, func(step, group int) bool {
		return p.in(step, group) && float64(e.Steps[step].Groups[group].Mean) <= k.settled.mean()
	})
	return f, k.z, true
}

// compareGroups compares the groups of a part in steps [a, b) with those in [b, end), each of which is one witness, and returns how many
// standard errors their means are apart. It returns 0 where the steps differ by more than their groups do: then groups of a step have
// something in common, and are no witnesses of their own.
func (e *evidence) compareGroups(in func(step, group int) bool, a, b, end int) float64 {
	sides := [2]series{e.groupMeans(in, a, b), e.groupMeans(in, b, end)}
	var means [2]Moments
	var steps, within Moments // squared deviations of steps, by group, from their side, and of groups from their step
	variance, dof := 0.0, 0
	for k, side := range sides {
		all := side.pooled(0, len(side))
		if all.N < 2 {
			return 0
		}
		for _, m := range side {
			d := m.mean() - all.mean()
			steps.Sum += float64(m.N) * d * d
			within.Sum += m.Squares - float64(m.N)*m.mean()*m.mean()
			within.N += m.N - 1
		}
		steps.N += len(side) - 1
		variance += max(0, all.Squares/float64(all.N)-all.mean()*all.mean()) / float64(all.N-1)
		dof, means[k] = dof+all.N-1, all
	}
	const chanceAlone = 2 // times as much steps may differ as their groups do
	canTell := 2*within.N >= steps.N && steps.N > 0
	if areAlike := canTell && steps.mean() <= chanceAlone*within.mean(); !areAlike {
		return 0
	}
	return normal(means[1].mean()-means[0].mean(), variance, dof)
}

// groupMeans are the moments of the means of the groups of a part, of the steps from a to b that have some.
func (e *evidence) groupMeans(in func(step, group int) bool, a, b int) (all series) {
	for i := a; i < b; i++ {
		var m Moments
		for k := range e.Steps[i].Groups {
			if g := &e.Steps[i].Groups[k]; g.Valid > 0 && in(i, k) {
				m.add(float64(g.Mean))
			}
		}
		if m.N > 0 {
			all = append(all, m)
		}
	}
	return all
}

// beside is what the rest does while a part falls: the whole, or the others where the whole falls with it. fallsAlone is false if these
// fall too, unless it is a source of which hardly anything is left.
func (e *evidence) beside(p partOf, k *shift, whole series) (rest Evidence, while string, fallsAlone bool) {
	holds := func(s series) bool {
		span := whole.span()
		return s.pooled(len(s)-span, len(s)).mean() >= s.pooled(k.b-span, k.b).mean()-restHeld*(e.High-e.Low)
	}
	rest = e.around(whole, "reward", k.b, len(whole), false, "samples")
	if holds(whole) {
		return rest, "the whole goes", true
	}
	left := (k.settled.mean() - e.Low) / (k.level.mean() - e.Low)
	if others := e.groupSeries(p.rest)[:len(whole)]; holds(others) {
		return e.around(others, "reward of the others", k.b, len(whole), false, "samples"), "the others go", p.named || left <= halfShare
	}
	return rest, "the whole goes", p.named && left <= floorShare
}

// oneReward reports whether all samples of a part have one reward from soon after step from to the end.
func (e *evidence) oneReward(p partOf, from int) bool {
	one := float32(math.NaN())
	for i := from + leastSteps; i < len(e.Steps); i++ {
		for k := range e.Steps[i].Groups {
			switch g := &e.Steps[i].Groups[k]; {
			case g.Valid == 0 || !p.in(i, k):
			case g.Fate == model.FateAlive || one == one && g.Mean != one:
				return false
			default:
				one = g.Mean
			}
		}
	}
	return one == one
}

// How many groups of a source, and of prompts that come again, tell whether they change.
const leastOfSource, leastOfPrompts = 8, 32

func meanOfGroup(g *GroupFacts) float64 { return float64(g.Mean) }

// within returns which part of the change of a figure, between groups of two ranges of steps, the sources that have groups in both change
// by themselves, or the prompts: the smaller one, and that of the prompts, each NaN where it is not known. The rest is another mixture.
// Of a prompt all visits before the end of the first range count.
func (e *evidence) within(of func(*GroupFacts) float64, before, after [2]int) (least, ofPrompts float64) {
	ofSources, ofPrompts := math.NaN(), math.NaN()
	if e.texts != nil {
		ofSources = withinParts(e, e.texts.sourceOf, leastOfSource, leastOfSource, 0, of, before, after)
	}
	if e.byPrompt {
		prompt := func(i, k int) uint32 { return e.Steps[i].Groups[k].Prompt }
		ofPrompts = withinParts(e, prompt, 1, leastOfPrompts, 0.5, of, [2]int{0, before[1]}, after)
	}
	return fmin(ofSources, ofPrompts), ofPrompts
}

// withinParts is within for the parts that a key divides the groups into; its zero value is unknown. A part counts if it has at least so
// many groups on both sides. It returns NaN if those that count have fewer groups than all on the later side, or a smaller share of them:
// prompts that come again are no fair sample of the others; of a new source nothing was seen before, however large it is.
func withinParts[K comparable](
	e *evidence, key func(step, group int) K, least, all int, share float64, of func(*GroupFacts) float64, before, after [2]int,
) float64 {
	type part struct{ was, is Moments }
	var none K
	var whole part
	var parts []part
	place := map[K]int{} // of a part, in the order in which they come: sums in the order of a map differ in their last bits
	add := func(steps [2]int, side func(*part) *Moments) {
		for i := steps[0]; i < steps[1]; i++ {
			for k := range e.Steps[i].Groups {
				g := &e.Steps[i].Groups[k]
				name, x := key(i, k), of(g)
				if name == none || g.Valid == 0 || x != x {
					continue
				}
				at, known := place[name]
				if !known {
					at = len(parts)
					place[name], parts = at, append(parts, part{})
				}
				side(&parts[at]).add(x)
				side(&whole).add(x)
			}
		}
	}
	add(before, func(p *part) *Moments { return &p.was })
	add(after, func(p *part) *Moments { return &p.is })
	change, groups := 0.0, 0
	for _, p := range parts {
		if min(p.was.N, p.is.N) >= least {
			change += float64(p.is.N) * (p.is.mean() - p.was.mean())
			groups += p.is.N
		}
	}
	if groups < all || float64(groups) < share*float64(whole.is.N) {
		return math.NaN()
	}
	return change / float64(groups) / (whole.is.mean() - whole.was.mean())
}

// newSourcesOnly reports whether sources are known and none comes both in steps [a, b) and after b, but for the steps around b, which is as
// exact as noise allows: then nothing shows that the model became worse.
func (e *evidence) newSourcesOnly(a, b int) bool {
	if e.texts == nil || len(e.texts.sources) == 0 {
		return false
	}
	names := func(from, to int) map[string]bool {
		all := map[string]bool{}
		for i := from; i < to; i++ {
			for k := range e.Steps[i].Groups {
				if name := e.texts.sourceOf(i, k); name != "" {
					all[name] = true
				}
			}
		}
		return all
	}
	n, near := len(e.Steps), e.rewards().span()/2
	before, after := names(a, max(a+1, b-near)), names(min(b+near, n-1), n)
	for name := range after {
		if before[name] {
			return false
		}
	}
	return len(before) > 0 && len(after) > 0
}
