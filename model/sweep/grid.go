package sweep

import (
	"context"
	"fmt"
	"math"
	"slices"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/units"
)

// Ratios are the values of the two keep ratios, ascending.
type Ratios struct{ Pos, Neg []float64 }

// DefaultRatios returns 0 to 1 by 0.05 for both.
func DefaultRatios() Ratios {
	var all []float64
	for i := range 21 {
		all = append(all, float64(i*5)/100)
	}
	return Ratios{all, all}
}

// Grid has a cell for every pair of ratios, without and with recompute.
type Grid struct {
	Ratios
	Settings model.Settings // of the sweep, without a filter
	Steps    int
	Rows     int // of the log: more than the cells have samples if these are rollouts of several rows

	filtered, recomputed []Cell // row-major: Pos, then Neg
	unfilteredSignal     int    // groups with signal without a filter
}

// RolloutText says that samples are rollouts of several rows; "" if each is a row.
func (g *Grid) RolloutText() string {
	samples := g.At(false, 0, 0).Samples
	if samples == g.Rows {
		return ""
	}
	return fmt.Sprintf("samples are %s in %s", units.Plural(samples, "rollouts"), units.Plural(g.Rows, "rows"))
}

// At returns the cell of Pos[i] and Neg[j].
func (g *Grid) At(recompute bool, i, j int) *Cell {
	cells := g.filtered
	if recompute {
		cells = g.recomputed
	}
	return &cells[i*len(g.Neg)+j]
}

// Run returns the grid of some steps of a snapshot, given by index. It fails if the
// steps cannot be computed under the settings, if the estimator has no filter, or if ctx
// ends.
func Run(ctx context.Context, snap model.Snapshot, steps []int, set model.Settings, r Ratios) (*Grid, error) {
	g, err := New(set, r)
	if err != nil {
		return nil, err
	}
	return g.WithSteps(ctx, snap, steps, nil)
}

// New returns a grid without steps. It fails if the estimator has no filter or a ratio is
// not in [0, 1].
func New(set model.Settings, r Ratios) (*Grid, error) {
	set.KeepPos, set.KeepNeg, set.Recompute = 1, 1, false
	g := &Grid{Ratios: r, Settings: set, filtered: make([]Cell, len(r.Pos)*len(r.Neg)), recomputed: make([]Cell, len(r.Pos)*len(r.Neg))}
	for i, pos := range r.Pos {
		for j, neg := range r.Neg {
			for _, recompute := range []bool{false, true} {
				c := g.At(recompute, i, j)
				c.KeepPos, c.KeepNeg, c.Recompute = pos, neg, recompute
				if err := c.Apply(set).Validate(); err != nil {
					return nil, err
				}
			}
		}
	}
	return g, nil
}

// WithSteps returns a grid that also holds these steps of a snapshot: all their groups or,
// if only is not nil, those with these indexes, ascending. g does not change.
func (g *Grid) WithSteps(ctx context.Context, snap model.Snapshot, steps, groups []int) (*Grid, error) {
	next := *g
	next.filtered, next.recomputed = slices.Clone(g.filtered), slices.Clone(g.recomputed)
	for _, i := range steps {
		a, err := analysis.Analyze(ctx, snap, i, g.Settings)
		if err != nil {
			return nil, err
		}
		for _, g := range selectGroups(a.Table, groups) {
			next.Rows += g.Size()
		}
		a = a.ByRollout()
		if err := next.addStep(ctx, a, selectGroups(a.Table, groups)); err != nil {
			return nil, err
		}
	}
	return &next, nil
}

// selectGroups returns the groups with these indexes, all if only is nil.
func selectGroups(table []analysis.Group, indexes []int) []analysis.Group {
	if indexes == nil {
		return table
	}
	selected := make([]analysis.Group, len(indexes))
	for k, at := range indexes {
		selected[k] = table[at]
	}
	return selected
}

// addStep adds groups of a step, analysed without a filter, to all cells.
func (g *Grid) addStep(ctx context.Context, a *analysis.Analysis, groups []analysis.Group) error {
	entry, err := a.Settings.FindEstimator()
	if err != nil {
		return err
	}
	g.Steps++
	samples, sumAbs := 0, 0.0
	for i := range groups {
		grp := &groups[i]
		samples += grp.Size()
		if grp.Fate == model.FateAlive {
			g.unfilteredSignal++
		}
		for _, x := range a.Original[grp.Start:grp.End] {
			sumAbs += math.Abs(x)
		}
	}
	for k := range g.filtered {
		for _, c := range []*Cell{&g.filtered[k], &g.recomputed[k]} {
			c.Samples += samples
			c.Groups += len(groups)
			c.sumAbsOriginal += sumAbs
		}
	}
	s := newAccumulator(g, a, groups, entry)
	if err := s.run(ctx); err != nil {
		return err
	}
	if !s.groupLocal {
		return g.bruteForce(ctx, a, groups, entry)
	}
	return nil
}
