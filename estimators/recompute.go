package estimators

import "vantage/estimators/torchsum"

// equalStd is the standard deviation below which kept rewards count as equal.
const equalStd = 1e-6

// Recompute writes to dst the advantages recomputed over the kept samples
// (compute_new_adv). Per group:
//
//	a dropped sample                      0
//	fewer than 2 kept                     the original advantages of the kept
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
// dst, original and kept have the length of b.Rewards. dst may be original.
//
// Source: Coobiw/EasyR1-Brian@c414ee81ef06 verl/trainer/core_algos.py:compute_grpo_outcome_advantage.
func Recompute(dst []float64, e *Estimator, b Batch, s Scale, original []float64, kept []bool) {
	var w workspace
	w.recompute(dst, e, b, s, original, kept)
}

func (w *workspace) recompute(dst []float64, e *Estimator, b Batch, s Scale, original []float64, kept []bool) {
	if n := len(b.Rewards); len(dst) != n || len(original) != n || len(kept) != n {
		panic("estimators: dst, original, kept and rewards differ in length")
	}
	w.gatherKept(b, kept, e.Needs)
	w.recomputed = resize(w.recomputed, len(w.keptBatch.Rewards))
	_ = e.Compute(w.recomputed, w.keptBatch, s) // the filter made this batch, no trainer refuses it
	if !e.TrainerFilters {
		w.zeroEqualGroups()
	}
	from := 0
	for g := range b.Groups() {
		lo, hi := b.Offsets[g], b.Offsets[g+1]
		n := w.keptCounts[g]
		scatter(dst[lo:hi], original[lo:hi], kept[lo:hi], w.recomputed[from:from+n])
		from += n
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
		before := n
		for i := b.Offsets[g]; i < b.Offsets[g+1]; i++ {
			// Always written, counted if kept: no branch to mispredict.
			rewards[n] = b.Rewards[i]
			n += toInt(kept[i])
		}
		if w.keptCounts[g] = n - before; n > before {
			offsets = append(offsets, n)
		}
	}
	w.keptRewards = rewards
	w.keptBatch = Batch{Rewards: rewards[:n], Offsets: offsets, Weights: b.Weights}
	if needs.Lengths {
		w.keptBatch.Lengths = keptOf(b.Lengths, kept)
	}
	if needs.Baselines {
		w.keptBatch.Baselines = keptOf(b.Baselines, kept)
	}
	if needs.Components {
		for _, c := range b.Components {
			w.keptBatch.Components = append(w.keptBatch.Components, keptOf(c, kept))
		}
	}
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

// scatter writes the recomputed advantages of one group to its kept samples.
func scatter(dst, original []float64, kept []bool, recomputed []float64) {
	if len(recomputed) < 2 {
		zeroDropped(dst, original, kept)
		return
	}
	next := 0
	for i, k := range kept {
		// After the last kept sample the last value is read again and masked out.
		dst[i] = ifKept(k, recomputed[min(next, len(recomputed)-1)])
		next += toInt(k)
	}
}
