package match

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/units"
)

// Rewards less the mean of their group, each group times a factor of its own: what nearly everybody computes who writes GRPO by hand.
// People divide by the deviation with another eps or its greater with eps, by the mean, by the mean distance or the range; they whiten the
// batch after it, weigh sources, and set samples to 0 that were cut off. No group is compared wrongly by any of these.

// Limits of what passes for that.
const (
	centredGroups = 16   // that tell it: few agree by chance
	centredShare  = 0.98 // of them, since a clip or a crash spoils some
	centredNear   = 1e-3 // of the largest advantage of a group: logs of three decimals pass
	maskedShare   = 0.5  // of the samples of all groups that may have an advantage of 0
)

// centring counts groups whose advantages are centred.
type centring struct{ told, centred, samples, masked int }

// isRule reports whether that is so in nearly all of them.
func (c *centring) isRule() bool {
	isFew := c.told < centredGroups || float64(c.centred) < centredShare*float64(c.told)
	return !isFew && float64(c.masked) <= maskedShare*float64(c.samples)
}

// centredClue says that the logged advantages are centred rewards times a factor of each group, "" if they are not. One factor is a bug
// that [Facts] name: to divide by the deviation twice.
func centredClue(grouped []*analysis.GroupedStep, facts *Facts) string {
	var c centring
	for g := range groupsOf(grouped) {
		c.add(g.rewards, g.logged)
	}
	if !c.isRule() || 2*facts.Squared > facts.Living() {
		return ""
	}
	text := fmt.Sprintf("in %s the advantages are the rewards less the mean of their group, times a factor of the group",
		units.Fraction(c.centred, c.told)+" groups")
	if c.masked > 0 {
		text += fmt.Sprintf("; %s have 0, as samples that are masked", units.Plural(c.masked, "samples"))
	}
	return text + ". No framework here computes this"
}

// add counts a group. It tells nothing if its rewards are equal or it has no advantage but 0, or one that is not a number.
func (c *centring) add(rewards, advantages []float64) {
	of := momentsOf(rewards)
	mean, factor, far := of.sum/float64(of.n), 0.0, 0.0
	for i, a := range advantages {
		d := rewards[i] - mean
		switch {
		case !areFinite(a, rewards[i]):
			return
		case a != 0 && math.Abs(d) > far:
			far, factor = math.Abs(d), a/d
		}
	}
	l := spanOf(rewards)
	if areEqual := rewards[l.low] == rewards[l.high]; areEqual && momentsOf(advantages).maxAbs > centredNear {
		c.told++ // something else moves them
		return
	} else if areEqual || len(rewards) < 2 || factor == 0 {
		return
	}
	c.told++
	if factor < 0 {
		return
	}
	masked, largest := 0, factor*far
	for i, a := range advantages {
		switch gap := math.Abs(a - factor*(rewards[i]-mean)); {
		case gap <= centredNear*largest:
		case a == 0:
			masked++
		default:
			return
		}
	}
	c.centred++
	c.samples, c.masked = c.samples+len(rewards), c.masked+masked
}

// perLengthClue says that the logged advantages times the length of the answer are centred rewards, as where each is divided by its length.
func perLengthClue(grouped []*analysis.GroupedStep) string {
	var c centring
	for g := range groupsOf(grouped) {
		whole := slices.Clone(g.logged)
		for i := range whole {
			whole[i] *= float64(max(0, g.lengths[i]))
		}
		c.add(g.rewards, whole)
	}
	if !c.isRule() {
		return ""
	}
	return fmt.Sprintf("in %s the advantages are the rewards less the mean of their group, times a factor of the group, divided by the "+
		"length of the answer. No framework here computes this", units.Fraction(c.centred, c.told)+" groups")
}

// risingClue says that in each group the logged advantages follow from the reward alone, rise with it and are around 0: another baseline
// than the mean, a bound, other weights for gains than for losses. One baseline for all groups of a step, the reward itself and a square of
// the deviation are bugs that [Facts] name.
func risingClue(grouped []*analysis.GroupedStep, facts *Facts) string {
	var c centring
	oneBaseline, told := 0, 0
	for _, step := range grouped {
		of := factsOf([]*analysis.GroupedStep{step})
		isOne, tells := of.OneBaseline()
		oneBaseline, told = oneBaseline+model.Count01(isOne), told+model.Count01(tells)
	}
	for g := range groupsOf(grouped) {
		c.addRising(g.rewards, g.logged)
	}
	isBug := 2*facts.Squared > facts.Living() || 2*facts.Reward > facts.Living() || 2*oneBaseline > told
	if !c.isRule() || isBug || min(facts.Positive, facts.Minus) == 0 {
		return ""
	}
	return fmt.Sprintf("in %s the advantages rise with the reward, from a baseline within the group, and are equal for equal rewards. No "+
		"framework here computes this", units.Fraction(c.centred, c.told)+" groups")
}

// addRising counts a group as add does: its advantages rise with the reward, and 0 is among them or between them.
func (c *centring) addRising(rewards, advantages []float64) {
	order := model.Indexes(len(rewards))
	slices.SortFunc(order, func(i, k int) int {
		return cmp.Or(cmp.Compare(rewards[i], rewards[k]), cmp.Compare(advantages[i], advantages[k]))
	})
	all := momentsOf(advantages)
	near := centredNear * all.maxAbs
	for _, i := range order {
		if !areFinite(advantages[i], rewards[i]) {
			return
		}
	}
	if len(order) < 2 || all.maxAbs == 0 {
		return
	}
	c.told++
	worst, best := order[0], order[len(order)-1]
	if rewards[worst] == rewards[best] && all.maxAbs > centredNear {
		return // something else moves them
	}
	for k, i := range order[1:] {
		before := order[k]
		by := advantages[i] - advantages[before]
		if isEqual := rewards[i] == rewards[before]; by < -near || isEqual && by > near {
			return
		}
	}
	if advantages[worst] <= near && advantages[best] >= -near && advantages[best] > advantages[worst] {
		c.centred++
	}
	c.samples += len(order)
}
