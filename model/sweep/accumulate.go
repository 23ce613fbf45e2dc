package sweep

import (
	"cmp"
	"context"
	"hash/maphash"
	"maps"
	"runtime"
	"slices"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/analysis"
)

type accumulator struct {
	grid       *Grid
	a          *analysis.Analysis
	groups     []analysis.Group // of a
	entry      *estimators.Estimator
	groupLocal bool // a group's advantages depend on nothing but the rewards of the group
	form       closedForm
	hasForm    bool
}

// signCounts is how many positive and negative advantages a group has. Of groups with equal
// signCounts a pair of ratios keeps equal numbers.
type signCounts struct{ pos, neg int }

// pairOutcomes is what each pair of numbers of kept samples does to some groups with equal
// signCounts.
type pairOutcomes struct {
	posCounts, negCounts []int     // the numbers that some ratio keeps, ascending
	recomputed           []Outcome // of posCounts[i] and negCounts[j] at i*len(negCounts)+j
	posSums, negSums     []moments // of the unfiltered advantages that posCounts[i] or negCounts[i] keep
	unfiltered           Outcome   // both ratios 1

	groups, alive, zeros int
	noZero, oneZero      int // groups with an advantage that is not 0, and none or one that is
}

type moments struct {
	sum, sumSquares float64
	train           int
}

// filtered returns what posCounts[i] and negCounts[j] do without recompute.
func (o *pairOutcomes) filtered(i, j int) Outcome {
	n, pos, neg := o.posCounts[i]+o.negCounts[j], o.posSums[i], o.negSums[j]
	outcome := Outcome{
		Kept: o.groups*n + o.zeros, Trained: pos.train + neg.train, sum: pos.sum + neg.sum, sumSquares: pos.sumSquares + neg.sumSquares,
		sumAbs: pos.sum - neg.sum,
	}
	if n > 0 {
		outcome.Signal = o.alive
	} else {
		outcome.Killed = o.alive
	}
	switch n {
	case 0:
		outcome.TooFew = o.noZero + o.oneZero
	case 1:
		outcome.TooFew = o.noZero
	}
	return outcome
}

func (s *accumulator) run(ctx context.Context) error {
	n := max(1, min(runtime.GOMAXPROCS(0), len(s.groups)/1024))
	parts := make([]map[signCounts]*pairOutcomes, n)
	model.InParallel(ctx, n, n, func(k int) {
		parts[k] = s.accumulate(ctx, s.groups[k*len(s.groups)/n:(k+1)*len(s.groups)/n])
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	byCounts := func(a, b signCounts) int { return cmp.Or(a.pos-b.pos, a.neg-b.neg) }
	for _, part := range parts {
		for _, counts := range slices.SortedFunc(maps.Keys(part), byCounts) { // sums depend on the order
			s.addToGrid(counts, part[counts])
		}
	}
	return nil
}

func (s *accumulator) addToGrid(counts signCounts, o *pairOutcomes) {
	g := s.grid
	g.unfiltered.add(o.unfiltered)
	g.pos.all += o.groups * counts.pos
	g.neg.all += o.groups * counts.neg
	for i, pos := range g.Pos {
		g.pos.kept[i] += o.groups * estimators.KeepCount(counts.pos, pos)
	}
	for j, neg := range g.Neg {
		g.neg.kept[j] += o.groups * estimators.KeepCount(counts.neg, neg)
	}
	for i, pos := range g.Pos {
		a, _ := slices.BinarySearch(o.posCounts, estimators.KeepCount(counts.pos, pos))
		for j, neg := range g.Neg {
			b, _ := slices.BinarySearch(o.negCounts, estimators.KeepCount(counts.neg, neg))
			filtered, recomputed := o.filtered(a, b), o.recomputed[a*len(o.negCounts)+b]
			if pos >= 1 && neg >= 1 {
				filtered, recomputed = o.unfiltered, o.unfiltered
			}
			g.At(false, i, j).add(filtered)
			if s.groupLocal {
				g.At(true, i, j).add(recomputed)
			}
		}
	}
}

// accumulate sums the outcomes of groups by their signCounts. Groups with the same rewards
// and advantages are computed once.
func (s *accumulator) accumulate(ctx context.Context, groups []analysis.Group) map[signCounts]*pairOutcomes {
	byCounts := map[signCounts]*pairOutcomes{}
	cache := map[uint64]*pairOutcomes{}
	w := groupWorker{accumulator: s, seed: maphash.MakeSeed()}
	for i := range groups {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil
		}
		w.load(&groups[i])
		total := byCounts[w.counts]
		if total == nil {
			total = w.newPairOutcomes()
			byCounts[w.counts] = total
		}
		one, cached := cache[w.key]
		if !cached && (w.uncacheable || len(cache) == maxCached) {
			w.addGroup(total)
			continue
		}
		if !cached {
			one = w.newPairOutcomes()
			w.addGroup(one)
			cache[w.key] = one
		}
		total.add(one)
	}
	return byCounts
}

// maxCached bounds the cache: rewards in tenths make few different groups, but with those
// of a reward model nearly all groups differ.
const maxCached = 1 << 12

func (o *pairOutcomes) add(more *pairOutcomes) {
	for k := range o.recomputed {
		o.recomputed[k].add(more.recomputed[k])
	}
	o.unfiltered.add(more.unfiltered)
	addMoments(o.posSums, more.posSums)
	addMoments(o.negSums, more.negSums)
	o.groups, o.alive, o.zeros = o.groups+more.groups, o.alive+more.alive, o.zeros+more.zeros
	o.noZero, o.oneZero = o.noZero+more.noZero, o.oneZero+more.oneZero
}

func addMoments(to, more []moments) {
	for k, s := range more {
		to[k].sum += s.sum
		to[k].sumSquares += s.sumSquares
		to[k].train += s.train
	}
}

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
	model.InParallel(ctx, n, n, func(w int) {
		r := estimators.Result{Unfiltered: a.Unfiltered}
		for at := w; at < len(cells) && ctx.Err() == nil; at += n {
			c, sum := &g.recomputed[cells[at]], &outcomes[cells[at]]
			// what the trainer would refuse was reported by the analysis of the step
			_ = r.Filter(entry, a.Batch, a.Settings.Scale, c.KeepPos, c.KeepNeg, true)
			for i := range groups {
				lo, hi := groups[i].Start, groups[i].End
				sum.add(outcomeOf(&groups[i], c.Filtering(), a.Batch.Rewards[lo:hi], a.Unfiltered[lo:hi], r.Processed[lo:hi],
					r.Kept[lo:hi]))
			}
		}
	})
	for k := range g.recomputed {
		g.recomputed[k].add(outcomes[firstPos[k/len(g.Neg)]*len(g.Neg)+firstNeg[k%len(g.Neg)]])
	}
	return ctx.Err()
}

// maxSignCounts returns the most positive and the most negative samples in a group of the
// step.
func maxSignCounts(a *analysis.Analysis) (maxPos, maxNeg int) {
	for i := range a.Groups {
		pos, neg := 0, 0
		for _, x := range a.Unfiltered[a.Table[i].Start:a.Table[i].End] {
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
	keepsAsMany := func(x, y float64) bool {
		k := 0
		for k <= maxCount && estimators.KeepCount(k, x) == estimators.KeepCount(k, y) {
			k++
		}
		return k > maxCount
	}
	first := make([]int, len(ratios))
	for i, r := range ratios {
		first[i] = i
		for j := i - 1; j >= 0 && r < 1 && keepsAsMany(ratios[j], r); j-- {
			first[i] = first[j]
		}
	}
	return first
}
