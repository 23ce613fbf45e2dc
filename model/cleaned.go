package model

import (
	"context"
	"slices"

	"vantage/estimators"
)

// cleaned are the rewards of a step as a trainer makes them of those in the log: what all
// estimators of one way of cleaning start from.
type cleaned struct {
	clean   estimators.Cleaning
	float   estimators.Float
	rewards []float64
	equal   []bool  // by group: all rewards are
	score   moments // of the rewards
	flat    int     // samples of groups whose rewards are equal
}

// cleaned are the rewards that were cleaned on a ground. There may be no analysis.
func (a *Analysis) cleaned(g *ground) []*cleaned {
	if a == nil || a.ground != g {
		return nil
	}
	return a.cleanings
}

// among adds rewards to others, if they are none of them: there are no more than ways of
// cleaning.
func (c *cleaned) among(others []*cleaned) []*cleaned {
	if slices.Contains(others, c) {
		return others
	}
	return append(slices.Clip(others), c)
}

// cleaned returns the rewards as e reads them, those of others if they are the same.
func (g *ground) cleaned(ctx context.Context, e *estimators.Estimator, others []*cleaned) *cleaned {
	for _, c := range others {
		// what ways of cleaning differ in is what they make of a reward that is no number
		if c.float == e.Float && (c.clean == e.Clean || g.invalid == 0) {
			return c
		}
	}
	c := &cleaned{clean: e.Clean, float: e.Float, rewards: make([]float64, len(g.order))}
	fill := func(p part) { e.CleanInto(c.rewards[p.lo:p.hi], g.logged[p.lo:p.hi]) }
	if g.invalid > 0 {
		fill(part{hi: len(g.order)}) // one that is not a number may bear on all others
		fill = nothing
	}
	c.sum(ctx, g, fill)
	return c
}

// sum takes the figures of the rewards; fill comes first in every part.
func (c *cleaned) sum(ctx context.Context, g *ground, fill func(part)) {
	c.equal = make([]bool, len(g.members))
	parts := make([]cleaned, len(g.parts))
	eachPart(ctx, g.parts, func(k int, p part) {
		fill(p)
		parts[k].score.addEach(c.rewards[p.lo:p.hi])
		for at := p.from; at < p.to; at++ {
			m := &g.members[at]
			if c.equal[at] = allEqual(c.rewards[m.Start:m.End]); c.equal[at] {
				parts[k].flat += m.Size()
			}
		}
	})
	for i := range parts {
		c.score.merge(parts[i].score)
		c.flat += parts[i].flat
	}
}

// allEqual reports whether values are all the first; NaN is not even itself.
func allEqual(values []float64) bool {
	for _, x := range values {
		if x != values[0] {
			return false
		}
	}
	return true
}
