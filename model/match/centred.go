package match

import (
	"fmt"
	"math"

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

// centredClue says that the logged advantages are centred rewards times a factor of each group, "" if they are not. One factor is a bug
// that [Facts] name: to divide by the deviation twice.
func centredClue(grouped []*analysis.GroupedStep, facts *Facts) string {
	var c centring
	for g := range groupsOf(grouped) {
		c.add(g.rewards, g.logged)
	}
	isFew := c.told < centredGroups || float64(c.centred) < centredShare*float64(c.told)
	if isFew || 2*facts.Squared > facts.Living() || float64(c.masked) > maskedShare*float64(c.samples) {
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
