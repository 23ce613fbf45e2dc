package estimators

import "vantage/estimators/torchsum"

// flat is the standard deviation below which kept rewards count as equal.
const flat = 1e-6

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
	w.gather(b, kept, e.Needs)
	w.fresh = resize(w.fresh, len(w.sub.Rewards))
	// The refusal is deliberately not looked at: the filter made this batch.
	_ = e.Compute(w.fresh, w.sub, s)
	if !e.TrainerFilters {
		w.flatten()
	}
	at := 0
	for g := range b.Groups() {
		lo, hi := b.Offsets[g], b.Offsets[g+1]
		n := w.counts[g]
		spread(dst[lo:hi], original[lo:hi], kept[lo:hi], w.fresh[at:at+n])
		at += n
	}
}

// gather makes a batch of the kept samples, with what else is needed of them.
// Groups without any are left out.
func (w *workspace) gather(b Batch, kept []bool, needs Needs) {
	rewards := resize(w.rewards, len(b.Rewards))
	offsets := append(w.sub.Offsets[:0], 0)
	w.counts = resize(w.counts, b.Groups())
	n := 0
	for g := range b.Groups() {
		before := n
		for i := b.Offsets[g]; i < b.Offsets[g+1]; i++ {
			// Written in any case and counted if kept: no branch to mispredict.
			rewards[n] = b.Rewards[i]
			n += one(kept[i])
		}
		if w.counts[g] = n - before; n > before {
			offsets = append(offsets, n)
		}
	}
	w.rewards = rewards
	w.sub = Batch{Rewards: rewards[:n], Offsets: offsets, Weights: b.Weights}
	if needs.Lengths {
		w.sub.Lengths = only(b.Lengths, kept)
	}
	if needs.Baselines {
		w.sub.Baselines = only(b.Baselines, kept)
	}
	if needs.Components {
		for _, c := range b.Components {
			w.sub.Components = append(w.sub.Components, only(c, kept))
		}
	}
}

// only returns the kept values of x, none if x is not there.
func only[T any](x []T, kept []bool) []T {
	var out []T
	for i, k := range kept[:min(len(x), len(kept))] {
		if k {
			out = append(out, x[i])
		}
	}
	return out
}

// flatten gives zeros to the gathered groups whose rewards are all equal.
func (w *workspace) flatten() {
	w.narrow = resize(w.narrow, len(w.sub.Rewards))
	narrow(w.narrow, w.sub.Rewards)
	var std [1]float32
	for g := range w.sub.Groups() {
		lo, hi := w.sub.Offsets[g], w.sub.Offsets[g+1]
		torchsum.StdRows(std[:], w.narrow[lo:hi], hi-lo)
		if std[0] < flat {
			clear(w.fresh[lo:hi])
		}
	}
}

// spread deals the new advantages of one group to its kept samples.
func spread(dst, original []float64, kept []bool, fresh []float64) {
	if len(fresh) < 2 {
		drop(dst, original, kept)
		return
	}
	taken := 0
	for i, k := range kept {
		// After the last kept sample its value is read again, for nothing.
		dst[i] = onlyIf(k, fresh[min(taken, len(fresh)-1)])
		taken += one(k)
	}
}
