package sweep

import (
	"fmt"
	"math"
)

// Recommendation is the cell that a rule chooses.
type Recommendation struct {
	Cell   *Cell  // nil if no cell satisfies the rule
	Rule   string // the rule, in a sentence
	Reason string // the numbers that decided
}

// minSignalShare is the share of groups with signal that the chosen cell must leave.
const minSignalShare = 0.95

// maxMeanInStds is how far the mean advantage may be from 0, in standard deviations.
const maxMeanInStds = 0.1

// Recommend chooses among the cells with the given values of recompute. Of those that
// leave at least 95 % of the groups that have signal without a filter, flip no sign, kill
// no group and are not one-sided (mean advantage within a tenth of the std), it takes the
// one that keeps the fewest samples: the rest say the same with less. Between equals the
// mean nearest to 0 decides.
func (g *Grid) Recommend(recompute ...bool) Recommendation {
	a := Recommendation{Rule: fmt.Sprintf("of the pairs that leave at least %.0f %% of the groups with signal, kill no group, flip no sign and push to no side (mean within %.1f std), the one that keeps the fewest samples", 100*minSignalShare, maxMeanInStds)}
	for _, on := range recompute {
		for i := range g.Pos {
			for j := range g.Neg {
				if c := g.At(on, i, j); g.acceptable(c) && (a.Cell == nil || c.betterThan(a.Cell)) {
					a.Cell = c
				}
			}
		}
	}
	if a.Cell == nil {
		a.Reason = "no pair on the grid does so"
		return a
	}
	c := a.Cell
	a.Reason = fmt.Sprintf("it keeps %d of %d samples and signal in %d of %d groups, %d of which have it unfiltered", c.Kept, c.Samples, c.Signal, c.Groups, g.unfilteredSignal)
	return a
}

func (g *Grid) acceptable(c *Cell) bool {
	return math.Abs(c.Mean()) <= maxMeanInStds*c.Std() && c.Killed == 0 && c.Flips == 0 && c.Short == 0 && float64(c.Signal) >= minSignalShare*float64(g.unfilteredSignal)
}

func (c *Cell) betterThan(o *Cell) bool {
	return c.Kept < o.Kept || c.Kept == o.Kept && math.Abs(c.Mean()) < math.Abs(o.Mean())
}
