package estimators

import (
	"math"

	"vantage/estimators/torchsum"
)

// Result holds the advantages of one batch under some settings. Its slices have the
// length of the batch; the next [Result.Filter] reuses the memory of those that it writes.
type Result struct {
	Unfiltered []float64 // advantages before the filter
	Processed  []float64 // advantages after filter and recompute, which the loss uses
	Kept       []bool    // whether the filter keeps the sample

	work workspace
}

// workspace is memory that calls reuse; it holds no result.
type workspace struct {
	tile, sorted       torchsum.Tile   // the advantages of eight groups
	marks              []torchsum.Mark // which of them are kept
	positive, negative []uint64        // magnitudes of one group's advantages by sign, as bits
	scratch            []uint64        // for the selection of the k-th magnitude
	keptBatch          Batch           // the kept samples as a batch
	keptCounts         []int           // the number of kept samples, by group
	keptRewards        []float64       // memory of the rewards of keptBatch
	recomputed         []float64       // the advantages of keptBatch
	rewards32          []float32       // the rewards of keptBatch
}

// Filter writes Kept and Processed of a batch: it filters Unfiltered, the advantages of e under scale s of the rewards that
// [Estimator.CleanInto] wrote, under any estimator, whether or not its trainer filters, and recomputes if recompute is set. If both
// ratios are 1, Processed equals Unfiltered, all samples are kept and recompute is ignored, as in the trainer.
//
// The error is that of a refused ratio (see [CheckRatios]), which keeps nothing and leaves Processed NaN; it takes precedence
// over a batch that e refuses, as in the trainer.
func (r *Result) Filter(e *Estimator, b Batch, s Scale, keepPos, keepNeg float64, recompute bool) error {
	n := len(b.Rewards)
	r.Processed, r.Kept = resize(r.Processed, n), resize(r.Kept, n)
	if err := CheckRatios(keepPos, keepNeg); err != nil {
		clear(r.Kept)
		fillNaN(r.Processed)
		return err
	}
	if recompute && (keepPos < 1 || keepNeg < 1) {
		r.work.keep(r.Kept, nil, r.Unfiltered, b.Offsets, keepPos, keepNeg)
		r.work.recompute(r.Processed, e, b, s, r.Unfiltered, r.Kept)
	} else {
		r.work.keep(r.Kept, r.Processed, r.Unfiltered, b.Offsets, keepPos, keepNeg)
	}
	if e.Selects() {
		selected := make([]bool, n)
		e.Select(selected, b)
		for i, s := range selected {
			r.Kept[i] = r.Kept[i] && s
		}
		zeroDropped(r.Processed, r.Processed, r.Kept)
	}
	return nil
}

// zeroDropped writes the advantages of the kept samples, and 0 for the others.
func zeroDropped(dst, adv []float64, kept []bool) {
	dst, kept = dst[:len(adv)], kept[:len(adv)]
	for i, a := range adv {
		dst[i] = IfKept(kept[i], a)
	}
}

// IfKept returns x if kept, else 0, without a branch: which samples are kept is
// unpredictable.
func IfKept(kept bool, x float64) float64 {
	return math.Float64frombits(math.Float64bits(x) & -uint64(toInt(kept)))
}

// resize returns a slice of length n, in the memory of s if that is large enough.
// The values are not cleared.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// equalStd is the standard deviation below which kept rewards count as equal.
const equalStd = 1e-6

// Recompute writes to dst the advantages recomputed over the kept samples
// (compute_new_adv). Per group:
//
//	a dropped sample                      0
//	fewer than 2 kept                     the unfiltered advantages of the kept
//	all kept rewards equal, s < 1e-6      0
//	else                                  what e gives for the kept rewards
//
// The kept samples form a batch of their own, in batch order, to which e applies with
// its mean, standard deviation, eps and arithmetic; under scale "batch" the standard
// deviation is that of all kept rewards. A refusal of that batch (its groups may be
// ragged) is ignored. Nothing is filtered a second time.
//
// For easyr1's grpo these are the trainer's bits. For every other estimator no trainer
// has a recompute: the rule is vantage's own. There s of "all equal" is Welford's,
// which is exactly 0 for equal rewards; for easyr1's grpo the rule is the estimator's
// own.
//
// dst, unfiltered and kept have the length of b.Rewards. dst may be unfiltered.
//
// Source: Coobiw/EasyR1-Brian@c414ee81ef06 verl/trainer/core_algos.py:compute_grpo_outcome_advantage.
func Recompute(dst []float64, e *Estimator, b Batch, s Scale, unfiltered []float64, kept []bool) {
	var w workspace
	w.recompute(dst, e, b, s, unfiltered, kept)
}

func (w *workspace) recompute(dst []float64, e *Estimator, b Batch, s Scale, unfiltered []float64, kept []bool) {
	if n := len(b.Rewards); len(dst) != n || len(unfiltered) != n || len(kept) != n {
		panic("estimators: dst, original, kept and rewards differ in length")
	}
	w.gatherKept(b, kept, e.Needs)
	size := len(w.keptBatch.Rewards)
	w.recomputed = resize(w.recomputed, size+1)
	_ = e.Compute(w.recomputed[:size], w.keptBatch, s) // the filter made this batch, no trainer refuses it
	if !e.TrainerFilters {
		w.zeroEqualGroups()
	}
	from := 0
	for g := range b.Groups() {
		lo, hi := b.Offsets[g], b.Offsets[g+1]
		if n := w.keptCounts[g]; n < 2 {
			zeroDropped(dst[lo:hi], unfiltered[lo:hi], kept[lo:hi])
		} else {
			scatter(dst[lo:hi], kept[lo:hi], w.recomputed[from:from+n+1])
		}
		from += w.keptCounts[g]
	}
}

// gatherKept makes keptBatch, with the columns that are needed. Groups without a kept
// sample are left out.
func (w *workspace) gatherKept(b Batch, kept []bool, needs Needs) {
	rewards := resize(w.keptRewards, len(b.Rewards))
	offsets := append(w.keptBatch.Offsets[:0], 0)
	w.keptCounts = resize(w.keptCounts, b.Groups())
	n := 0
	for g := range b.Groups() {
		lo, hi := b.Offsets[g], b.Offsets[g+1]
		count := gather(rewards[n:n+hi-lo], b.Rewards[lo:hi], kept[lo:hi])
		w.keptCounts[g] = count
		if n += count; count > 0 {
			offsets = append(offsets, n)
		}
	}
	read := Batch{Weights: b.Weights, Rollouts: b.Rollouts}
	if needs.Lengths {
		read.Lengths = b.Lengths
	}
	if needs.Baselines {
		read.Baselines = b.Baselines
	}
	if needs.Components {
		read.Components = b.Components
	}
	if needs.Columns != 0 {
		read.Columns = b.Columns
	}
	w.keptRewards, w.keptBatch = rewards, read.keptSamples(kept)
	w.keptBatch.Rewards, w.keptBatch.Offsets = rewards[:n], offsets
}

// gather writes the kept values of one group to the front of dst and counts them. len(dst) ==
// len(x).
func gather(dst, x []float64, kept []bool) int {
	dst, kept = dst[:len(x)], kept[:len(x)]
	n := 0
	for i, v := range x {
		dst[n] = v // always written, counted if kept: no branch to mispredict
		n += toInt(kept[i])
	}
	return n
}

// keptOf returns the kept values of x, which may be nil.
func keptOf[T any](x []T, kept []bool) []T {
	var out []T
	for i, k := range kept[:min(len(x), len(kept))] {
		if k {
			out = append(out, x[i])
		}
	}
	return out
}

// zeroEqualGroups sets recomputed to 0 in the groups whose kept rewards are all equal.
func (w *workspace) zeroEqualGroups() {
	w.rewards32 = resize(w.rewards32, len(w.keptBatch.Rewards))
	toFloat32(w.rewards32, w.keptBatch.Rewards)
	for g := range w.keptBatch.Groups() {
		lo, hi := w.keptBatch.Offsets[g], w.keptBatch.Offsets[g+1]
		if torchsum.StdOfRow(w.rewards32[lo:hi]) < equalStd {
			clear(w.recomputed[lo:hi])
		}
	}
}

// scatter writes the recomputed advantages of one group to its kept samples, and 0 to the others.
// One value follows those of the group: it is read after the last kept sample, and dropped.
func scatter(dst []float64, kept []bool, recomputed []float64) {
	dst = dst[:len(kept)]
	next := 0
	for i, k := range kept {
		dst[i] = IfKept(k, recomputed[next])
		next += toInt(k)
	}
}

// Cleaning is what a trainer does to the logged rewards before any estimator.
// Estimators of one Cleaning and one [Float] see the same rewards.
type Cleaning int

const (
	cleanRound Cleaning = iota // only the rounding to Float

	// cleanNaNToNum is what EasyR1's trainer does to its reward tensor, if and only if
	// some reward of the batch is NaN: torch.nan_to_num(x, nan=0.0), which also turns
	// infinities into ±3.4028235e38. Without a NaN the infinities stay. A missing
	// reward is a NaN.
	//
	// Source: Coobiw/EasyR1-Brian@c414ee81ef06 verl/trainer/ray_trainer.py:800-805.
	cleanNaNToNum

	// cleanNaNToZero is ms-swift's nansum over the reward functions: a reward without a
	// score is 0.
	cleanNaNToZero

	// cleanNothing leaves even the rounding to the estimator, which compares rewards before it.
	cleanNothing
)

// CleanInto writes to dst the rewards as the trainer's estimator sees them. A missing
// reward stays missing unless Clean gives it a value. If all rewards of the batch are
// finite, each is cleaned on its own, so that parts of the batch may be cleaned
// separately. len(dst) == len(rewards); they may be the same slice.
func (e *Estimator) CleanInto(dst, rewards []float64) {
	dst = dst[:len(rewards)]
	if e.Float == Float64 && e.Clean == cleanRound || e.Clean == cleanNothing {
		copy(dst, rewards)
		return
	}
	hasNaN, inFloat32 := false, e.Float != Float64
	for i, r := range rewards {
		x := r
		if inFloat32 {
			x = float64(float32(r))
		}
		if r != r {
			hasNaN, x = true, r // float32 would lose the payload that marks a missing reward
		}
		dst[i] = x
	}
	if !hasNaN || e.Clean == cleanRound {
		return
	}
	for i, r := range dst {
		switch {
		case math.IsNaN(r):
			dst[i] = 0
		case e.Clean == cleanNaNToNum:
			dst[i] = min(max(r, -math.MaxFloat32), math.MaxFloat32)
		}
	}
}

// WeightedRewards writes to dst the rewards of several reward functions, Σ_k w_k·r_k, as TRL's and
// ms-swift's nansum adds them: float32, in PyTorch's order. A component that is NaN counts as 0; where
// all are the reward is missing. Without weights all are 1.
func WeightedRewards(dst []float64, components [][]float64, weights []float64) {
	terms := make([]float32, len(components))
	for i := range dst {
		scored := false
		for k, c := range components {
			terms[k] = 0
			if x := c[i]; x == x {
				terms[k] = float32(x) * weight(weights, k)
				scored = true
			}
		}
		dst[i] = MissingReward()
		if scored {
			dst[i] = float64(torchsum.Sum(terms))
		}
	}
}
