package sweep

import (
	"context"
	"runtime"
	"sync"

	"vantage/estimators"
	"vantage/model"
)

// whole computes the cells with recompute one by one, for estimators whose advantages
// depend on more than the group. Ratios that keep the same samples are computed once.
func (g *Grid) whole(ctx context.Context, a *model.Analysis, groups []model.Group, entry *estimators.Estimator) error {
	pos, neg := most(a)
	likePos, likeNeg := alike(g.Pos, pos), alike(g.Neg, neg)
	tallies := make([]tally, len(g.on))
	var cells []int
	for k := range g.on {
		if i, j := k/len(g.Neg), k%len(g.Neg); likePos[i] == i && likeNeg[j] == j {
			cells = append(cells, k)
		}
	}
	n := min(runtime.GOMAXPROCS(0), len(cells))
	var wg sync.WaitGroup
	for w := range n {
		wg.Go(func() {
			r := estimators.Result{Original: a.Original}
			for at := w; at < len(cells) && ctx.Err() == nil; at += n {
				c := &g.on[cells[at]]
				// what the trainer would refuse was said when the step was computed
				_ = r.Filter(entry, a.Batch(), a.Settings.Scale, c.KeepPos, c.KeepNeg, true)
				tallies[cells[at]] = c.of(groups, a.Original, &r)
			}
		})
	}
	wg.Wait()
	for k := range g.on {
		g.on[k].add(tallies[likePos[k/len(g.Neg)]*len(g.Neg)+likeNeg[k%len(g.Neg)]])
	}
	return ctx.Err()
}

// of is what some groups add to the cell.
func (c *Cell) of(groups []model.Group, original []float64, r *estimators.Result) (t tally) {
	filtered := c.KeepPos < 1 || c.KeepNeg < 1
	for i := range groups {
		lo, hi := groups[i].Start, groups[i].End
		t.add(count(groups[i].Fate == model.FateAlive, filtered, original[lo:hi], r.Processed[lo:hi], r.Kept[lo:hi]))
	}
	return t
}

// most is the most positive and the most negative samples that a group of the step has.
func most(a *model.Analysis) (pos, neg int) {
	for i := range a.Groups {
		up, down := 0, 0
		m := a.Members(i)
		for _, x := range a.Original[m.Start:m.End] {
			if x > 0 {
				up++
			} else if x < 0 {
				down++
			}
		}
		pos, neg = max(pos, up), max(neg, down)
	}
	return pos, neg
}

// alike names for each ratio the first one that keeps as many of every number of samples
// up to n. One of 1 is like no other: with both at 1 nothing is filtered at all.
func alike(ratios []float64, n int) []int {
	first := make([]int, len(ratios))
	for i, r := range ratios {
		first[i] = i
		for j := i - 1; j >= 0 && r < 1 && sameCounts(ratios[j], r, n); j-- {
			first[i] = first[j]
		}
	}
	return first
}

func sameCounts(x, y float64, n int) bool {
	for k := range n + 1 {
		if estimators.KeepCount(k, x) != estimators.KeepCount(k, y) {
			return false
		}
	}
	return true
}
