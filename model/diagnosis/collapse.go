package diagnosis

import (
	"fmt"
	"math"

	"vantage/model"
	"vantage/model/units"
)

// Limits of a fall.
const (
	floorShare   = 0.2 // of what the reward had above its floor is left: the rest is lost
	halfShare    = 0.5 // of it is left: a person wants to know, though harder data may take as much
	mostShare    = 0.7 // of it is left, of prompts that came before: harder data take nothing from these
	leastLevel   = 0.1 // of the range of rewards that a level must have been above the floor for a fall to mean anything
	floorSpread  = 1.5 // standard deviations of the samples of a step that a reward without a least value falls by
	knownPrompts = 0.1 // of the groups may have prompts of before where the data are new
)

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
	if within < 0.5 || e.mayBeOfData(s, &k, toFloor, below, samePrompts) {
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

// mayBeOfData reports whether a fall may be one of the data: they come from new sources, or leave some of the reward and may be harder. below
// is that the reward falls below any level of before, and samePrompts that theirs falls.
func (e *evidence) mayBeOfData(s series, k *shift, toFloor, below, samePrompts bool) bool {
	isLarge := toFloor || below || samePrompts || e.leaves(k, halfShare)
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
	part, _ := e.forgets()
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
