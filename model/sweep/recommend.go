package sweep

import "fmt"

// Advice is the pair of ratios that a rule chooses.
type Advice struct {
	Cell  *Cell
	Rule  string // the rule, in a sentence
	Why   string // the numbers that it went by
	Found bool
}

// enough is the share of groups with signal that a choice must leave.
const enough = 0.95

// balanced is how far the mean advantage may be from 0, in stds.
const balanced = 0.1

// Recommend chooses among the cells: of those that leave at least 95 % of the groups
// that carry signal without a filter, flip no sign, kill no group and push to no side
// (mean advantage within a tenth of the std), the one that keeps the fewest samples:
// what is left says the same with less. Of equals the one whose mean is nearest to 0.
func (g *Grid) Recommend(recompute ...bool) Advice {
	a := Advice{Rule: fmt.Sprintf("of the pairs that leave at least %.0f %% of the groups with signal, kill no group, flip no sign and push to no side (mean within %.1f std), the one that keeps the fewest samples", 100*enough, balanced)}
	for _, on := range recompute {
		for i := range g.Pos {
			for j := range g.Neg {
				c := g.At(on, i, j)
				if g.fits(c) && (a.Cell == nil || c.Kept < a.Cell.Kept || c.Kept == a.Cell.Kept && less(c.Mean(), a.Cell.Mean())) {
					a.Cell, a.Found = c, true
				}
			}
		}
	}
	if !a.Found {
		a.Why = "no pair on the grid does so"
		return a
	}
	c := a.Cell
	a.Why = fmt.Sprintf("it keeps %d of %d samples and signal in %d of %d groups, %d of which have it unfiltered", c.Kept, c.Samples, c.Signal, c.Groups, g.signal)
	return a
}

func (g *Grid) fits(c *Cell) bool {
	return abs(c.Mean()) <= balanced*c.Std() && c.Killed == 0 && c.Flips == 0 && c.Short == 0 && float64(c.Signal) >= enough*float64(g.signal)
}

func less(x, y float64) bool { return abs(x) < abs(y) }

func abs(x float64) float64 { return max(x, -x) }
