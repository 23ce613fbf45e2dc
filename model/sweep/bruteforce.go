package sweep

import (
	"context"
	"runtime"
	"sync"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/analysis"
)

// bruteForce runs filter and recompute for the cells one by one, for estimators whose
// advantages depend on more than the group. Ratios that keep the same samples are computed
// once.
func (g *Grid) bruteForce(ctx context.Context, a *analysis.Analysis, groups []analysis.Group, entry *estimators.Estimator) error {
	maxPos, maxNeg := maxSignCounts(a)
	firstPos, firstNeg := firstEquivalent(g.Pos, maxPos), firstEquivalent(g.Neg, maxNeg)
	outcomes := make([]Outcome, len(g.recomputed))
	var cells []int
	for k := range g.recomputed {
		if i, j := k/len(g.Neg), k%len(g.Neg); firstPos[i] == i && firstNeg[j] == j {
			cells = append(cells, k)
		}
	}
	n := min(runtime.GOMAXPROCS(0), len(cells))
	var wg sync.WaitGroup
	for w := range n {
		wg.Go(func() {
			r := estimators.Result{Original: a.Original}
			for at := w; at < len(cells) && ctx.Err() == nil; at += n {
				c := &g.recomputed[cells[at]]
				// what the trainer would refuse was reported by the analysis of the step
				_ = r.Filter(entry, a.Batch, a.Settings.Scale, c.KeepPos, c.KeepNeg, true)
				outcomes[cells[at]] = c.outcomeOf(groups, a.Original, &r)
			}
		})
	}
	wg.Wait()
	for k := range g.recomputed {
		g.recomputed[k].add(outcomes[firstPos[k/len(g.Neg)]*len(g.Neg)+firstNeg[k%len(g.Neg)]])
	}
	return ctx.Err()
}

// outcomeOf returns what the groups of a filtered step add to the cell.
func (c *Cell) outcomeOf(groups []analysis.Group, original []float64, r *estimators.Result) (o Outcome) {
	isFiltered := c.KeepPos < 1 || c.KeepNeg < 1
	for i := range groups {
		lo, hi := groups[i].Start, groups[i].End
		o.add(outcomeOf(groups[i].Fate == model.FateAlive, isFiltered, original[lo:hi], r.Processed[lo:hi], r.Kept[lo:hi]))
	}
	return o
}

// maxSignCounts returns the most positive and the most negative samples in a group of the
// step.
func maxSignCounts(a *analysis.Analysis) (maxPos, maxNeg int) {
	for i := range a.Groups {
		pos, neg := 0, 0
		for _, x := range a.Original[a.Table[i].Start:a.Table[i].End] {
			if x > 0 {
				pos++
			} else if x < 0 {
				neg++
			}
		}
		maxPos, maxNeg = max(maxPos, pos), max(maxNeg, neg)
	}
	return maxPos, maxNeg
}

// firstEquivalent returns for each ratio the index of the first one that keeps as many of
// every number of samples up to maxCount. A ratio of 1 equals no other: with both at 1
// nothing is filtered.
func firstEquivalent(ratios []float64, maxCount int) []int {
	first := make([]int, len(ratios))
	for i, r := range ratios {
		first[i] = i
		for j := i - 1; j >= 0 && r < 1 && sameCounts(ratios[j], r, maxCount); j-- {
			first[i] = first[j]
		}
	}
	return first
}

func sameCounts(x, y float64, maxCount int) bool {
	for k := range maxCount + 1 {
		if estimators.KeepCount(k, x) != estimators.KeepCount(k, y) {
			return false
		}
	}
	return true
}
