package estimators

import "vantage/estimators/torchsum"

// equalStd is the standard deviation below which kept rewards count as equal.
const equalStd = 1e-6

// Recompute writes to dst the advantages anew over the kept samples
// (compute_new_adv). Per group:
//
//	a dropped sample                      0
//	fewer than 2 kept                     the original advantages of the kept
//	all kept rewards equal, s < 1e-6      0
//	else                                  what e gives for the kept rewards
//
// The kept samples form a batch of their own, in batch order, on which e runs as
// it is: its mean, standard deviation, eps and arithmetic; under scale "batch" the
// standard deviation is that of all kept rewards. What e would refuse of that
// batch (groups that the filter made ragged, say) is no error here. Nothing is
// filtered a second time.
//
// For easyr1's grpo these are the trainer's bits. For every other estimator the
// recompute is ours: no trainer has it. There s of "all equal" is Welford's, for
// which equal rewards have exactly 0; for easyr1's grpo the rule is the
// estimator's own.
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
	// The refusal is deliberately not looked at: the filter made this batch.
	_ = e.Compute(w.recomputed, w.keptBatch, s)
	if !e.TrainerFilters {
		w.zeroEqualGroups()
	}
	at := 0
	for g := range b.Groups() {
		lo, hi := b.Offsets[g], b.Offsets[g+1]
		n := w.keptCounts[g]
		scatter(dst[lo:hi], original[lo:hi], kept[lo:hi], w.recomputed[at:at+n])
		at += n
	}
}

// gatherKept makes a batch of the kept samples, with what else is needed of them.
// Groups without any are left out.
func (w *workspace) gatherKept(b Batch, kept []bool, needs Needs) {
	rewards := resize(w.keptRewards, len(b.Rewards))
	offsets := append(w.keptBatch.Offsets[:0], 0)
	w.keptCounts = resize(w.keptCounts, b.Groups())
	n := 0
	for g := range b.Groups() {
		before := n
		for i := b.Offsets[g]; i < b.Offsets[g+1]; i++ {
			// Written in any case and counted if kept: no branch to mispredict.
			rewards[n] = b.Rewards[i]
			n += one(kept[i])
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

// keptOf returns the kept values of x, none if x is not there.
func keptOf[T any](x []T, kept []bool) []T {
	var out []T
	for i, k := range kept[:min(len(x), len(kept))] {
		if k {
			out = append(out, x[i])
		}
	}
	return out
}

// zeroEqualGroups gives zeros to the gathered groups whose rewards are all equal.
func (w *workspace) zeroEqualGroups() {
	w.rewards32 = resize(w.rewards32, len(w.keptBatch.Rewards))
	toFloat32(w.rewards32, w.keptBatch.Rewards)
	var std [1]float32
	for g := range w.keptBatch.Groups() {
		lo, hi := w.keptBatch.Offsets[g], w.keptBatch.Offsets[g+1]
		torchsum.StdRows(std[:], w.rewards32[lo:hi], hi-lo)
		if std[0] < equalStd {
			clear(w.recomputed[lo:hi])
		}
	}
}

// scatter deals the new advantages of one group to its kept samples.
func scatter(dst, original []float64, kept []bool, fresh []float64) {
	if len(fresh) < 2 {
		zeroDropped(dst, original, kept)
		return
	}
	taken := 0
	for i, k := range kept {
		// After the last kept sample its value is read again, for nothing.
		dst[i] = maskedBy(k, fresh[min(taken, len(fresh)-1)])
		taken += one(k)
	}
}
