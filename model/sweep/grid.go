package sweep

import (
	"context"
	"math"
	"slices"

	"vantage/model"
)

// Ratios are the values that each of the two ratios takes, ascending.
type Ratios struct{ Pos, Neg []float64 }

// Usual is 0 to 1 by 0.05 for both.
func Usual() Ratios {
	var all []float64
	for i := range 21 {
		all = append(all, float64(i*5)/100)
	}
	return Ratios{all, all}
}

// Grid is a cell for every pair of ratios, without and with recompute.
type Grid struct {
	Ratios
	Settings model.Settings // those swept around
	Steps    int
	off, on  []Cell
	signal   int // groups that carry signal without a filter
}

// At returns the cell of the i-th positive and the j-th negative ratio.
func (g *Grid) At(recompute bool, i, j int) *Cell {
	cells := g.off
	if recompute {
		cells = g.on
	}
	return &cells[i*len(g.Neg)+j]
}

// Run sweeps the ratios over steps of a snapshot, by their index. It fails if the
// steps cannot be computed under the settings, if these cannot be filtered, or if
// ctx ends.
func Run(ctx context.Context, snap model.Snapshot, steps []int, set model.Settings, r Ratios) (*Grid, error) {
	g, err := New(set, r)
	if err != nil {
		return nil, err
	}
	return g.With(ctx, snap, steps, nil)
}

// New is a grid that no step is in yet. It fails if the settings cannot be filtered.
func New(set model.Settings, r Ratios) (*Grid, error) {
	set.KeepPos, set.KeepNeg, set.Recompute = 1, 1, false
	g := &Grid{Ratios: r, Settings: set, off: make([]Cell, len(r.Pos)*len(r.Neg)), on: make([]Cell, len(r.Pos)*len(r.Neg))}
	for i, pos := range r.Pos {
		for j, neg := range r.Neg {
			for _, recompute := range []bool{false, true} {
				c := g.At(recompute, i, j)
				c.KeepPos, c.KeepNeg, c.Recompute = pos, neg, recompute
				some := set
				some.KeepPos, some.KeepNeg, some.Recompute = pos, neg, recompute
				if err := some.Validate(); err != nil {
					return nil, err
				}
			}
		}
	}
	return g, nil
}

// With returns the grid with steps of a snapshot in it too, by their index: all their
// groups, or if only is not nil those of these indexes, ascending. The grid itself
// stays as it was.
func (g *Grid) With(ctx context.Context, snap model.Snapshot, steps, only []int) (*Grid, error) {
	next := *g
	next.off, next.on = slices.Clone(g.off), slices.Clone(g.on)
	for _, i := range steps {
		a, err := snap.Analyze(ctx, i, g.Settings)
		if err != nil {
			return nil, err
		}
		if err := next.step(ctx, a, chosen(a.Table(), only)); err != nil {
			return nil, err
		}
	}
	return &next, nil
}

// chosen are the groups of these indexes, all if only is nil.
func chosen(table []model.Group, only []int) []model.Group {
	if only == nil {
		return table
	}
	some := make([]model.Group, len(only))
	for k, at := range only {
		some[k] = table[at]
	}
	return some
}

// step adds groups of a step, computed without a filter, to all cells.
func (g *Grid) step(ctx context.Context, a *model.Analysis, groups []model.Group) error {
	entry, err := a.Settings.Entry()
	if err != nil {
		return err
	}
	g.Steps++
	samples, before := 0, 0.0
	for i := range groups {
		grp := &groups[i]
		samples += grp.Size()
		if grp.Fate == model.FateAlive {
			g.signal++
		}
		for _, x := range a.Original[grp.Start:grp.End] {
			before += math.Abs(x)
		}
	}
	for k := range g.off {
		for _, c := range []*Cell{&g.off[k], &g.on[k]} {
			c.Samples += samples
			c.Groups += len(groups)
			c.before += before
		}
	}
	s := newSorter(g, a, groups, entry)
	if err := s.run(ctx); err != nil {
		return err
	}
	if !s.local {
		return g.whole(ctx, a, groups, entry)
	}
	return nil
}

// count is what one group adds to a cell; alive says that it carried signal before
// the filter, and filtered that the recompute is not ignored.
func count(alive, filtered bool, original, processed []float64, kept []bool) (t tally) {
	after := false
	for i, keep := range kept {
		x := processed[i]
		if keep {
			t.kept++
			if original[i]*x < 0 {
				t.flips++
			}
		}
		after = after || x != 0
		t.sum += x
		t.squares += x * x
		t.abs += math.Abs(x)
	}
	t.fate(alive, after, filtered && t.kept < 2)
	return t
}

// fate counts what the filter made of a group: see model.Fate.
func (t *tally) fate(alive, after, short bool) {
	switch {
	case !alive:
	case !after:
		t.killed++
	case short:
		t.short++
		t.signal++
	default:
		t.signal++
	}
}
