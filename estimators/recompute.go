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
			zeroDropped(dst[lo:hi], original[lo:hi], kept[lo:hi])
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
	w.keptRewards = rewards
	w.keptBatch = Batch{Rewards: rewards[:n], Offsets: offsets, Weights: b.Weights}
	if needs.Lengths {
		w.keptBatch.Lengths = keptOf(b.Lengths, kept)
	}
	if b.Rollouts != nil {
		w.keptBatch.Rollouts = keptOf(b.Rollouts, kept)
	}
	if needs.Baselines {
		w.keptBatch.Baselines = keptOf(b.Baselines, kept)
	}
	if needs.Components {
		for _, c := range b.Components {
			w.keptBatch.Components = append(w.keptBatch.Components, keptOf(c, kept))
		}
	}
	if needs.Columns != 0 {
		w.keptBatch.Columns = b.eachColumn(func(values []float64) []float64 { return keptOf(values, kept) })
	}
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
		dst[i] = ifKept(k, recomputed[next])
		next += toInt(k)
	}
}
