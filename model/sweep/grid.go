package sweep

import (
	"context"
	"fmt"
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
	unfiltered           Cell   // both ratios 1, also if they are not on the grid
	pos, neg             side   // what Pos and Neg keep
}

// NoFilter returns the cell of both ratios 1 without recompute, which need not be on the grid.
func (g *Grid) NoFilter() *Cell { return &g.unfiltered }

// HasSignal reports whether a group carries signal before any filter.
func (g *Grid) HasSignal() bool { return g.unfiltered.Signal > 0 }

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
	g := newGrid(set, r)
	for k := range g.filtered {
		for _, c := range []*Cell{&g.filtered[k], &g.recomputed[k]} {
			if err := c.Apply(set).Validate(); err != nil {
				return nil, err
			}
		}
	}
	return g, nil
}

// newGrid returns a grid without steps, whose ratios are not validated.
func newGrid(set model.Settings, r Ratios) *Grid {
	g := &Grid{
		Ratios: r, Settings: set, filtered: make([]Cell, len(r.Pos)*len(r.Neg)), recomputed: make([]Cell, len(r.Pos)*len(r.Neg)),
		unfiltered: Cell{KeepPos: 1, KeepNeg: 1}, pos: newSide(r.Pos), neg: newSide(r.Neg),
	}
	for i, pos := range r.Pos {
		for j, neg := range r.Neg {
			for _, recompute := range []bool{false, true} {
				c := g.At(recompute, i, j)
				c.KeepPos, c.KeepNeg, c.Recompute = pos, neg, recompute
			}
		}
	}
	return g
}

// WithSteps returns a grid that also holds these steps of a snapshot: all their groups or,
// if only is not nil, those with these indexes, ascending. g does not change.
func (g *Grid) WithSteps(ctx context.Context, snap model.Snapshot, steps, groups []int) (*Grid, error) {
	next := *g
	next.filtered, next.recomputed = slices.Clone(g.filtered), slices.Clone(g.recomputed)
	next.pos, next.neg = g.pos.clone(), g.neg.clone()
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
	step := newGrid(g.Settings, g.Ratios)
	admitted := slices.DeleteFunc(slices.Clone(groups), func(g analysis.Group) bool { return !g.Admitted }) // the others do not train
	s := newAccumulator(step, a, admitted, entry)
	if err := s.run(ctx); err != nil {
		return err
	}
	if !s.groupLocal {
		if err := step.bruteForce(ctx, a, admitted, entry); err != nil {
			return err
		}
	}
	samples := 0
	for i := range groups {
		samples += groups[i].Size()
	}
	step.eachCell(func(c *Cell) {
		c.Samples, c.Groups, c.sumAbsOriginal = samples, len(groups), step.unfiltered.sumAbs
	})
	if !a.Open { // an open step raises no warnings
		step.countWarnings()
	}
	g.Steps++
	g.merge(step)
	return nil
}

// Every returns the grid of every n-th ratio.
func (g *Grid) Every(n int) *Grid {
	if n <= 1 {
		return g
	}
	pos, posRatios := g.pos.every(n, g.Pos)
	neg, negRatios := g.neg.every(n, g.Neg)
	few := newGrid(g.Settings, Ratios{posRatios, negRatios})
	few.Steps, few.Rows, few.unfiltered, few.pos, few.neg = g.Steps, g.Rows, g.unfiltered, pos, neg
	for i := range posRatios {
		for j := range negRatios {
			for _, recompute := range []bool{false, true} {
				*few.At(recompute, i, j) = *g.At(recompute, n*i, n*j)
			}
		}
	}
	return few
}

// eachCell visits every cell, also that without a filter.
func (g *Grid) eachCell(visit func(*Cell)) {
	for k := range g.filtered {
		visit(&g.filtered[k])
		visit(&g.recomputed[k])
	}
	visit(&g.unfiltered)
}

// merge adds the counts and sums of a grid of the same ratios.
func (g *Grid) merge(o *Grid) {
	for k := range g.filtered {
		g.filtered[k].merge(&o.filtered[k])
		g.recomputed[k].merge(&o.recomputed[k])
	}
	g.unfiltered.merge(&o.unfiltered)
	g.pos.merge(o.pos)
	g.neg.merge(o.neg)
}
