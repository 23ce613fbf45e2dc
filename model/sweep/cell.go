package sweep

import (
	"math"

	"vantage/model"
)

// Cell holds the counts and sums under one pair of ratios.
type Cell struct {
	KeepPos, KeepNeg float64
	Recompute        bool

	Samples, Groups int
	Kept            int // samples that the filter keeps
	Signal          int // groups with signal: alive, or short and thus left at their original advantages
	Killed          int // groups that lose their signal to the filter
	Short           int // groups with fewer than 2 kept samples under recompute
	Flips           int // kept samples whose advantage changed sign

	sum, sumSquares, sumAbs float64 // of the processed advantages
	sumAbsOriginal          float64
}

// Apply returns set with the ratios and the recompute of the cell.
func (c *Cell) Apply(set model.Settings) model.Settings {
	set.KeepPos, set.KeepNeg, set.Recompute = c.KeepPos, c.KeepNeg, c.Recompute
	return set
}

// AbsRatio returns Σ|A| after the filter over Σ|A| before it, NaN if that is 0.
func (c *Cell) AbsRatio() float64 { return c.sumAbs / c.sumAbsOriginal }

// Mean returns the mean of the processed advantages of all samples: far from 0, the
// update is one-sided.
func (c *Cell) Mean() float64 { return c.sum / float64(c.Samples) }

// Std returns the standard deviation of the processed advantages of all samples, ddof 1.
func (c *Cell) Std() float64 {
	n := float64(c.Samples)
	return math.Sqrt(max(0, c.sumSquares-c.sum*c.sum/n) / (n - 1))
}

// Figure is a value of a cell that a grid can be shown by.
type Figure struct {
	Name, Doc string
	Value     func(*Cell) float64
	IsCount   bool
	Total     func(*Cell) int // what a count is a share of; nil if Value is no share
}

// Figures returns all figures; the first is the default.
func Figures() []Figure {
	groups, samples := func(c *Cell) int { return c.Groups }, func(c *Cell) int { return c.Samples }
	return []Figure{
		{"signal", "groups that carry signal", func(c *Cell) float64 { return float64(c.Signal) }, true, groups},
		{"kept", "samples kept", func(c *Cell) float64 { return float64(c.Kept) }, true, samples},
		{"killed", "groups that lose their signal", func(c *Cell) float64 { return float64(c.Killed) }, true, groups},
		{"short", "groups with fewer than 2 kept", func(c *Cell) float64 { return float64(c.Short) }, true, groups},
		{"flips", "kept samples whose sign changes", func(c *Cell) float64 { return float64(c.Flips) }, true, samples},
		{"abs", "Σ|A| against no filter", (*Cell).AbsRatio, false, nil},
		{"mean", "mean advantage: far from 0 is one-sided", (*Cell).Mean, false, nil},
		{"std", "std of the advantages", (*Cell).Std, false, nil},
	}
}

// FindFigure returns the figure of that name.
func FindFigure(name string) (Figure, bool) {
	for _, f := range Figures() {
		if f.Name == name {
			return f, true
		}
	}
	return Figure{}, false
}

// contribution is what some groups add to a cell.
type contribution struct {
	kept, signal, killed, short, flips int
	sum, sumSquares, sumAbs            float64
}

func (t *contribution) add(o contribution) {
	t.kept += o.kept
	t.signal += o.signal
	t.killed += o.killed
	t.short += o.short
	t.flips += o.flips
	t.sum += o.sum
	t.sumSquares += o.sumSquares
	t.sumAbs += o.sumAbs
}

func (c *Cell) add(t contribution) {
	c.Kept += t.kept
	c.Signal += t.signal
	c.Killed += t.killed
	c.Short += t.short
	c.Flips += t.flips
	c.sum += t.sum
	c.sumSquares += t.sumSquares
	c.sumAbs += t.sumAbs
}

// contributionOf returns what one group adds to a cell. The group is short if it is
// recomputed and fewer than 2 of its samples are kept.
func contributionOf(alive, isRecomputed bool, original, processed []float64, kept []bool) (t contribution) {
	nonzero := false
	for i, keep := range kept {
		x := processed[i]
		if keep {
			t.kept++
			if original[i]*x < 0 {
				t.flips++
			}
		}
		nonzero = nonzero || x != 0
		t.sum += x
		t.sumSquares += x * x
		t.sumAbs += math.Abs(x)
	}
	t.countFate(alive, nonzero, isRecomputed && t.kept < 2)
	return t
}

// countFate counts what the filter does to a group, as model.Fate does: alive says that it
// has signal without the filter, nonzero that an advantage is left.
func (t *contribution) countFate(alive, nonzero, short bool) {
	switch {
	case !alive:
	case !nonzero:
		t.killed++
	case short:
		t.short++
		t.signal++
	default:
		t.signal++
	}
}
