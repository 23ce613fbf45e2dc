package sweep

import (
	"math"

	"vantage/model"
	"vantage/model/analysis"
)

// Cell holds the counts and sums under one pair of ratios.
type Cell struct {
	KeepPos, KeepNeg float64
	Recompute        bool

	Samples, Groups int
	Outcome
	Warned StepWarnings

	sumAbsOriginal float64
}

// Outcome is what a pair of ratios does to some groups.
type Outcome struct {
	Kept   int // samples that the filter keeps
	Signal int // groups with signal: alive, or short and thus left at their original advantages
	Killed int // groups that lose their signal to the filter
	Short  int // groups with fewer than 2 kept samples under recompute
	Flips  int // kept samples whose advantage changed sign, also from or to 0: see analysis.Flips

	Trained int // samples with an advantage that is not 0: what is left to train on
	TooFew  int // groups with an advantage that is not 0, of which the filter keeps fewer than 2 samples

	sum, sumSquares, sumAbs float64 // of the processed advantages that are finite
}

func (o *Outcome) add(more Outcome) {
	o.Kept += more.Kept
	o.Signal += more.Signal
	o.Killed += more.Killed
	o.Short += more.Short
	o.Flips += more.Flips
	o.Trained += more.Trained
	o.TooFew += more.TooFew
	o.sum += more.sum
	o.sumSquares += more.sumSquares
	o.sumAbs += more.sumAbs
}

// merge adds the same cell of other steps.
func (c *Cell) merge(o *Cell) {
	c.add(o.Outcome)
	c.Warned.add(o.Warned)
	c.Samples += o.Samples
	c.Groups += o.Groups
	c.sumAbsOriginal += o.sumAbsOriginal
}

// Filtering reports whether a ratio is below 1.
func (c *Cell) Filtering() bool { return c.KeepPos < 1 || c.KeepNeg < 1 }

// Apply returns set with the ratios and the recompute of the cell.
func (c *Cell) Apply(set model.Settings) model.Settings {
	set.KeepPos, set.KeepNeg, set.Recompute = c.KeepPos, c.KeepNeg, c.Recompute
	return set
}

// AbsRatio returns Σ|A| after the filter over Σ|A| before it, NaN if that is 0.
func (c *Cell) AbsRatio() float64 { return c.sumAbs / c.sumAbsOriginal }

// Effective returns (Σ|A|)²/ΣA² of the processed advantages: how many samples with advantages of one
// size would push as evenly. A few large advantages among many small ones count as few. NaN if all
// are 0.
func (c *Cell) Effective() float64 { return c.sumAbs * c.sumAbs / c.sumSquares }

// Push returns ΣA/Σ|A| of the processed advantages: 0 if positive and negative mass are equal, 1 or −1
// if there is only one of them. NaN if all are 0.
func (c *Cell) Push() float64 { return c.sum / c.sumAbs }

// Lost returns how many groups the filter kills or leaves short.
func (c *Cell) Lost() int { return c.Killed + c.Short }

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
		{"trained", "samples left with an advantage that is not 0", func(c *Cell) float64 { return float64(c.Trained) }, true, samples},
		{"effective", "effective samples, (Σ|A|)²/ΣA²: how many of equal weight would push as evenly", (*Cell).Effective, false, nil},
		{"flips", "kept samples whose sign changes, also from or to 0", func(c *Cell) float64 { return float64(c.Flips) }, true, samples},
		{"abs", "Σ|A| against no filter", (*Cell).AbsRatio, false, nil},
		{"push", "ΣA/Σ|A|: 0 if positive and negative mass are equal", (*Cell).Push, false, nil},
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

// outcomeOf returns what one group adds to a cell. The group is short if it is
// recomputed and fewer than 2 of its samples are kept.
func outcomeOf(alive, isRecomputed bool, original, processed []float64, kept []bool) (o Outcome) {
	hadSignal := false
	for i, keep := range kept {
		x := processed[i]
		if keep {
			o.Kept++
			if analysis.IsFlip(original[i], x) {
				o.Flips++
			}
		}
		hadSignal = hadSignal || original[i] != 0
		if x != 0 {
			o.Trained++
		}
		if x-x == 0 {
			o.sum += x
			o.sumSquares += x * x
			o.sumAbs += math.Abs(x)
		}
	}
	isShort := isRecomputed && o.Kept < 2
	if isShort && hadSignal {
		o.TooFew++
	}
	o.countFate(alive, o.Trained > 0, isShort)
	return o
}

// countFate counts what the filter does to a group, as model.Fate does: alive says that it
// has signal without the filter, nonzero that an advantage is left.
func (o *Outcome) countFate(alive, nonzero, short bool) {
	switch {
	case !alive:
	case !nonzero:
		o.Killed++
	case short:
		o.Short++
		o.Signal++
	default:
		o.Signal++
	}
}
