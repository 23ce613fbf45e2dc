package sweep

import (
	"context"
	"math"
	"runtime"
	"slices"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/units"
)

// correct computes all cells of a step anew under the off-policy rule of the settings, one by one: what a rule leaves of a sample is its
// own, so that neither counts nor prefix sums of a group tell it.
func (g *Grid) correct(ctx context.Context, a *analysis.Analysis, groups []analysis.Group, entry *estimators.Estimator) error {
	var cells []*Cell
	g.eachCell(func(c *Cell) { cells = append(cells, c) })
	n := min(runtime.GOMAXPROCS(0), len(cells))
	model.InParallel(ctx, n, n, func(w int) {
		r := estimators.Result{Unfiltered: a.Unfiltered}
		for at := w; at < len(cells) && ctx.Err() == nil; at += n {
			c := cells[at]
			// what the trainer would refuse was reported by the analysis of the step
			_ = r.Filter(entry, a.Batch, a.Settings.Scale, c.KeepPos, c.KeepNeg, c.Recompute && c.Filtering())
			c.Outcome = Outcome{}
			for i := range groups {
				lo, hi := groups[i].Start, groups[i].End
				of := filteredGroup{&groups[i], a.Batch.Rewards[lo:hi], a.Unfiltered[lo:hi], r.Processed[lo:hi], r.Kept[lo:hi]}
				c.add(of.corrected(c, a.Judgements()[lo:hi]))
			}
		}
	})
	return ctx.Err()
}

// filteredGroup is a group after the filter.
type filteredGroup struct {
	*analysis.Group
	rewards, unfiltered, processed []float64
	kept                           []bool
}

// corrected is what the ratios of a cell and the off-policy rule after it do to a group.
func (g *filteredGroup) corrected(c *Cell, judgements []model.Judgement) (o Outcome) {
	isRecomputed, byRatios := c.Filtering() && c.Recompute, 0
	for _, keep := range g.kept {
		byRatios += model.Count01(keep)
	}
	bound := residueBound(g.Group)
	if isRecomputed && byRatios > 1 {
		bound = analysis.ResidueBound(g.rewards, g.processed, g.kept)
	}
	hasSignal := false
	for i, before := range g.processed {
		x, keep := analysis.Correct(&judgements[i], before, g.kept[i])
		o.Kept += model.Count01(keep)
		o.Flips += model.Count01(keep && analysis.IsFlip(g.unfiltered[i], x))
		hasSignal = hasSignal || x != 0
		if isMore := math.Abs(before) > bound; isMore && x != 0 && x == x {
			o.train(x)
		}
	}
	hadSignal := slices.ContainsFunc(g.unfiltered, func(x float64) bool { return x != 0 })
	isFew := c.Filtering() && byRatios < 2
	o.TooFew += model.Count01(isFew && hadSignal && g.CanKeepTwo())
	hadSignalBefore := g.Fate == model.FateAlive || g.Fate == model.FateKilled // by the rule: no ratio was at work
	o.countFate(hadSignalBefore, hasSignal, isFew && isRecomputed)
	return o
}

// train adds a sample that trains.
func (o *Outcome) train(advantage float64) {
	o.Trained++
	if units.IsFinite(advantage) {
		o.sum, o.sumSquares, o.sumAbs = o.sum+advantage, o.sumSquares+advantage*advantage, o.sumAbs+math.Abs(advantage)
	}
}
