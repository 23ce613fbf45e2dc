package sweep

import (
	"math"

	"vantage/model"
)

// Cell is what one pair of ratios does.
type Cell struct {
	KeepPos, KeepNeg float64
	Recompute        bool

	Samples, Groups int
	Kept            int // samples that the filter keeps
	Signal          int // groups that carry signal: alive, or short and so left at their original values
	Killed          int // groups that carried signal and have none left
	Short           int // groups with fewer than 2 kept samples under recompute
	Flips           int // kept samples whose advantage changed sign

	sum, squares, abs, before float64
}

// Settings are some with the ratios of the cell.
func (c *Cell) Settings(set model.Settings) model.Settings {
	set.KeepPos, set.KeepNeg, set.Recompute = c.KeepPos, c.KeepNeg, c.Recompute
	return set
}

// AbsRatio is Σ|A| after the filter over Σ|A| before it; NaN if that is 0.
func (c *Cell) AbsRatio() float64 { return c.abs / c.before }

// Mean is that of the processed advantages of all samples: how one-sided the push is.
func (c *Cell) Mean() float64 { return c.sum / float64(c.Samples) }

// Std is that of the processed advantages of all samples, with n-1.
func (c *Cell) Std() float64 {
	n := float64(c.Samples)
	return math.Sqrt(max(0, c.squares-c.sum*c.sum/n) / (n - 1))
}

// Figure is something to choose a cell by.
type Figure struct {
	Name, Doc string
	Of        func(*Cell) float64
	Whole     bool                 // it counts something
	Against   func(*Cell) (of int) // what it counts is so many; nil if it is no share
	More      bool                 // more of it is better
}

// Figures are all of them; the first is what a person asks first.
func Figures() []Figure {
	groups, samples := func(c *Cell) int { return c.Groups }, func(c *Cell) int { return c.Samples }
	return []Figure{
		{"signal", "groups that carry signal", func(c *Cell) float64 { return float64(c.Signal) }, true, groups, true},
		{"kept", "samples kept", func(c *Cell) float64 { return float64(c.Kept) }, true, samples, true},
		{"killed", "groups that lose their signal", func(c *Cell) float64 { return float64(c.Killed) }, true, groups, false},
		{"short", "groups with fewer than 2 kept", func(c *Cell) float64 { return float64(c.Short) }, true, groups, false},
		{"flips", "kept samples whose sign changes", func(c *Cell) float64 { return float64(c.Flips) }, true, samples, false},
		{"abs", "Σ|A| against no filter", (*Cell).AbsRatio, false, nil, true},
		{"mean", "mean advantage: far from 0 is one-sided", (*Cell).Mean, false, nil, false},
		{"std", "std of the advantages", (*Cell).Std, false, nil, true},
	}
}

// Find returns the figure of that name.
func Find(name string) (Figure, bool) {
	for _, f := range Figures() {
		if f.Name == name {
			return f, true
		}
	}
	return Figure{}, false
}

// tally is what a group, or a class of groups, adds to a cell.
type tally struct {
	kept, signal, killed, short, flips int
	sum, squares, abs                  float64
}

func (t *tally) add(o tally) {
	t.kept += o.kept
	t.signal += o.signal
	t.killed += o.killed
	t.short += o.short
	t.flips += o.flips
	t.sum += o.sum
	t.squares += o.squares
	t.abs += o.abs
}

func (c *Cell) add(t tally) {
	c.Kept += t.kept
	c.Signal += t.signal
	c.Killed += t.killed
	c.Short += t.short
	c.Flips += t.flips
	c.sum += t.sum
	c.squares += t.squares
	c.abs += t.abs
}
