package estimators

import "math"

// Result is what the settings make of one batch. Its slices have the length of the
// batch and are used again by the next [Process] into it.
type Result struct {
	Original  []float64 // advantages before the filter
	Processed []float64 // advantages after filter and recompute: what trains
	Kept      []bool    // whether the filter keeps the sample

	work workspace
}

// workspace is memory between calls; it holds no result.
type workspace struct {
	positive, negative []uint64  // sizes of one group's advantages by sign, as bits
	scratch              []uint64  // room to select in
	keptBatch                Batch     // the kept samples as a batch
	keptCounts             []int     // how many those are, by group
	keptRewards            []float64 // memory of its rewards
	recomputed              []float64 // its advantages
	rewards32             []float32 // its rewards
}

// Process computes one batch from end to end: the advantages of e under scale s,
// the filter, and the recompute if it is asked for. The rewards are those that
// [Estimator.CleanInto] wrote.
//
// If both ratios are 1, Processed equals Original, all samples are kept and
// recompute is ignored, as in the trainer. Whether e is one that its trainer lets
// filter is not asked.
//
// The error is a *Refusal or nil; r is filled in either case. A refused ratio (see
// [CheckRatios]) keeps nothing and leaves Processed NaN. It comes before what e
// refuses: the trainer asks in that order. An estimator that is not
// [Estimator.Computable] gives NaN and a refusal of the kind [KindMissing].
func Process(r *Result, e *Estimator, b Batch, s Scale, keepPos, keepNeg float64, recompute bool) error {
	n := len(b.Rewards)
	r.Original = resize(r.Original, n)
	refused := e.Compute(r.Original, b, s)
	if err := r.Filter(e, b, s, keepPos, keepNeg, recompute); err != nil {
		return err
	}
	return refused
}

// Filter is [Process] from the filter on: Original holds the advantages of the batch
// under e and s already, and is read only. The error is that of a refused ratio.
func (r *Result) Filter(e *Estimator, b Batch, s Scale, keepPos, keepNeg float64, recompute bool) error {
	n := len(b.Rewards)
	r.Processed, r.Kept = resize(r.Processed, n), resize(r.Kept, n)
	if err := CheckRatios(keepPos, keepNeg); err != nil {
		clear(r.Kept)
		fillNaN(r.Processed)
		return err
	}
	r.SelectKept(b, keepPos, keepNeg)
	if keepPos >= 1 && keepNeg >= 1 {
		copy(r.Processed, r.Original)
	} else {
		r.WriteProcessed(e, b, s, recompute)
	}
	return nil
}

// SelectKept is [Result.Filter] up to the choice of what is kept: Original is there, and is read
// only; Kept has its length. The ratios are none that is refused.
func (r *Result) SelectKept(b Batch, keepPos, keepNeg float64) {
	r.work.keep(r.Kept, r.Original, b.Offsets, keepPos, keepNeg)
}

// WriteProcessed is [Result.Filter] after the choice of what is kept: Original and Kept are there,
// and are read only; Processed has their length. Some filter is at work.
func (r *Result) WriteProcessed(e *Estimator, b Batch, s Scale, recompute bool) {
	if recompute {
		r.work.recompute(r.Processed, e, b, s, r.Original, r.Kept)
	} else {
		zeroDropped(r.Processed, r.Original, r.Kept)
	}
}

// zeroDropped writes the advantages of the kept samples, and 0 for the others.
func zeroDropped(dst, adv []float64, kept []bool) {
	dst, kept = dst[:len(adv)], kept[:len(adv)]
	for i, a := range adv {
		dst[i] = maskedBy(kept[i], a)
	}
}

// maskedBy is x if keep, else 0, without a branch: which samples are kept is hard to
// guess.
func maskedBy(keep bool, x float64) float64 {
	return math.Float64frombits(math.Float64bits(x) & -uint64(one(keep)))
}

// resize returns a slice of length n in the memory of s if that is large enough.
// The values are not cleared.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// fillNaN marks advantages that nothing defines.
func fillNaN(dst []float64) {
	for i := range dst {
		dst[i] = math.NaN()
	}
}
