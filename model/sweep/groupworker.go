package sweep

import (
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"math"
	"slices"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/analysis"
)

// groupWorker computes the outcomes of one group at a time and reuses its buffers.
type groupWorker struct {
	*accumulator
	seed        maphash.Seed
	key         uint64 // hash of the rewards and advantages
	uncacheable bool   // the outcomes depend on more than the key

	group    *analysis.Group
	original []float64
	batch    estimators.Batch
	counts   signCounts
	zeros    int
	rank     []int // positive samples best first, then negative ones worst first
	sorted   rankedGroup

	pending           []keptPair
	signedRanks       []int
	pendingBatch      estimators.Batch // the kept rewards of each pending pair as a group
	pendingOriginal   []float64        // their original advantages
	pendingRecomputed []float64
	allKept           []bool

	kept      []bool
	processed []float64
	keyBytes  []byte
}

func (w *groupWorker) load(g *analysis.Group) {
	lo, hi := g.Start, g.End
	w.group, w.original = g, w.a.Original[lo:hi]
	w.batch = w.a.Batch.OneGroup(lo, hi)
	w.uncacheable = w.batch.Lengths != nil && w.entry.Needs.Lengths || w.entry.Needs.Baselines || w.entry.Needs.Components || w.entry.Needs.Columns != 0
	w.rank = w.rank[:0]
	w.counts, w.zeros = signCounts{}, 0
	w.keyBytes = append(w.keyBytes[:0], byte(g.Fate))
	for i, x := range w.original {
		w.keyBytes = binary.LittleEndian.AppendUint64(w.keyBytes, math.Float64bits(x))
		w.keyBytes = binary.LittleEndian.AppendUint64(w.keyBytes, math.Float64bits(w.batch.Rewards[i]))
		if x > 0 {
			w.counts.pos++
		} else if x < 0 {
			w.counts.neg++
		} else if x == 0 {
			w.zeros++
		}
	}
	w.key = maphash.Bytes(w.seed, w.keyBytes)
}

// newPairOutcomes returns empty outcomes for the signCounts of the group.
func (w *groupWorker) newPairOutcomes() *pairOutcomes {
	o := &pairOutcomes{posCounts: keptCounts(w.counts.pos, w.grid.Pos), negCounts: keptCounts(w.counts.neg, w.grid.Neg)}
	o.recomputed = make([]Outcome, len(o.posCounts)*len(o.negCounts))
	o.posSums, o.negSums = make([]moments, len(o.posCounts)), make([]moments, len(o.negCounts))
	return o
}

// keptCounts returns the numbers that the ratios keep of n samples, ascending.
func keptCounts(n int, ratios []float64) []int {
	var all []int
	for _, r := range ratios {
		all = append(all, estimators.KeepCount(n, r))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// addGroup adds the group to o.
func (w *groupWorker) addGroup(o *pairOutcomes) {
	n := len(w.original)
	w.rankSamples()
	w.sorted.load(w.batch.Rewards, w.original, w.rank, w.counts.pos)
	w.kept = slices.Grow(w.kept[:0], n)[:n]
	w.processed = slices.Grow(w.processed[:0], n)[:n]
	alive := w.group.Fate == model.FateAlive
	for i := range w.kept {
		w.kept[i] = true
	}
	o.unfiltered.add(outcomeOf(alive, false, w.original, w.original, w.kept))
	o.groups, o.zeros = o.groups+1, o.zeros+w.zeros
	if alive {
		o.alive++
	}
	switch {
	case n == w.zeros:
	case w.zeros == 0:
		o.noZero++
	case w.zeros == 1:
		o.oneZero++
	}
	w.sorted.pos.addAdvantages(o.posSums, o.posCounts)
	w.sorted.neg.addAdvantages(o.negSums, o.negCounts)
	if !w.groupLocal {
		return
	}
	for i, pos := range o.posCounts {
		for j, neg := range o.negCounts {
			w.addRecomputed(&o.recomputed[i*len(o.negCounts)+j], pos, neg, alive)
		}
	}
	w.flushPending(alive)
}

// keptPair is how many samples of each sign are kept, and what to add the result to.
type keptPair struct {
	to       *Outcome
	pos, neg int
}

// addRecomputed adds the group to o, recomputed over the first pos and neg samples, or
// appends the pair to pending if the estimator must compute it.
func (w *groupWorker) addRecomputed(o *Outcome, pos, neg int, alive bool) {
	n := pos + neg + w.zeros
	mean, squares := w.sorted.keptMoments(pos, neg)
	switch {
	case n < 2:
		w.sorted.addOriginal(o, pos, neg, alive)
		if len(w.original) > w.zeros {
			o.TooFew++
		}
	case !w.hasForm || !w.sorted.rewardsDiffer(squares, n):
		w.markKept(pos, neg)
		estimators.Recompute(w.processed, w.entry, w.batch, w.a.Settings.Scale, w.original, w.kept)
		o.add(outcomeOf(alive, true, w.original, w.processed, w.kept))
	case !w.sorted.addRecomputed(o, w.form, pos, neg, mean, squares, alive):
		w.pending = append(w.pending, keptPair{o, pos, neg})
	}
}

// flushPending computes all pending pairs in one call of the estimator, each as a group:
// one call per pair would cost more than the arithmetic.
func (w *groupWorker) flushPending(alive bool) {
	if len(w.pending) == 0 {
		return
	}
	w.fillSignedRanks()
	b := estimators.Batch{Rewards: w.pendingBatch.Rewards[:0], Offsets: append(w.pendingBatch.Offsets[:0], 0), Weights: w.batch.Weights}
	w.pendingOriginal = w.pendingOriginal[:0]
	for _, p := range w.pending {
		for i, rank := range w.signedRanks {
			if rank <= p.pos && -rank <= p.neg {
				b.Rewards, w.pendingOriginal = append(b.Rewards, w.batch.Rewards[i]), append(w.pendingOriginal, w.original[i])
			}
		}
		b.Offsets = append(b.Offsets, len(b.Rewards))
	}
	n := len(b.Rewards)
	w.pendingRecomputed, w.allKept = slices.Grow(w.pendingRecomputed[:0], n)[:n], slices.Grow(w.allKept[:0], n)[:n]
	for i := range w.allKept {
		w.allKept[i] = true
	}
	_ = w.entry.Compute(w.pendingRecomputed, b, w.a.Settings.Scale) // a refusal does not count, as in estimators.Recompute
	for k, p := range w.pending {
		lo, hi := b.Offsets[k], b.Offsets[k+1]
		p.to.add(outcomeOf(alive, true, w.pendingOriginal[lo:hi], w.pendingRecomputed[lo:hi], w.allKept[lo:hi]))
	}
	w.pendingBatch, w.pending = b, w.pending[:0]
}

// fillSignedRanks sets signedRanks: k for the k-th best positive sample, -k for the k-th
// worst negative one, 0 for advantage 0.
func (w *groupWorker) fillSignedRanks() {
	w.signedRanks = slices.Grow(w.signedRanks[:0], len(w.original))[:len(w.original)]
	clear(w.signedRanks)
	for k, i := range w.rank {
		if k < w.counts.pos {
			w.signedRanks[i] = k + 1
		} else {
			w.signedRanks[i] = w.counts.pos - k - 1
		}
	}
}

// rankSamples sorts the samples of each sign as the filter keeps them: the largest |A|
// first, ties in batch order.
func (w *groupWorker) rankSamples() {
	w.rank = w.rank[:0]
	for i, x := range w.original {
		if x > 0 {
			w.rank = append(w.rank, i)
		}
	}
	for i, x := range w.original {
		if x < 0 {
			w.rank = append(w.rank, i)
		}
	}
	sortByMagnitude(w.rank[:w.counts.pos], w.original)
	sortByMagnitude(w.rank[w.counts.pos:], w.original)
}

// sortByMagnitude sorts indexes of values, the largest magnitude first. The usual few are
// inserted one by one, which is faster than a function that compares.
func sortByMagnitude(indexes []int, values []float64) {
	const few = 32
	if len(indexes) > few {
		slices.SortStableFunc(indexes, func(i, j int) int { return cmp.Compare(math.Abs(values[j]), math.Abs(values[i])) })
		return
	}
	for k := 1; k < len(indexes); k++ {
		i, at := indexes[k], k
		for x := math.Abs(values[i]); at > 0 && math.Abs(values[indexes[at-1]]) < x; at-- {
			indexes[at] = indexes[at-1]
		}
		indexes[at] = i
	}
}

// markKept marks the first pos and neg samples of the rank, and those with advantage 0.
func (w *groupWorker) markKept(pos, neg int) {
	for i, x := range w.original {
		w.kept[i] = x == 0
	}
	for _, i := range w.rank[:pos] {
		w.kept[i] = true
	}
	for _, i := range w.rank[w.counts.pos : w.counts.pos+neg] {
		w.kept[i] = true
	}
}
