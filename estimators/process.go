package estimators

import (
	"math"

	"vantage/estimators/lanes"
)

// Result holds the advantages of one batch under some settings. Its slices have the
// length of the batch; the next [Process] into it reuses them.
type Result struct {
	Original  []float64 // advantages before the filter
	Processed []float64 // advantages after filter and recompute, which the loss uses
	Kept      []bool    // whether the filter keeps the sample

	work workspace
}

// workspace is memory that calls reuse; it holds no result.
type workspace struct {
	tile, sorted       lanes.Tile   // the advantages of eight groups
	marks              []lanes.Mark // which of them are kept
	positive, negative []uint64     // magnitudes of one group's advantages by sign, as bits
	scratch            []uint64     // for the selection of the k-th magnitude
	keptBatch          Batch        // the kept samples as a batch
	keptCounts         []int        // the number of kept samples, by group
	keptRewards        []float64    // memory of the rewards of keptBatch
	recomputed         []float64    // the advantages of keptBatch
	rewards32          []float32    // the rewards of keptBatch
}

// Process computes one batch from end to end: the advantages of e under scale s,
// the filter, and the recompute if recompute is set. The rewards are those that
// [Estimator.CleanInto] wrote.
//
// If both ratios are 1, Processed equals Original, all samples are kept and
// recompute is ignored, as in the trainer. Process filters under any estimator,
// whether or not its trainer does.
//
// The error is a *Refusal or nil; r is filled in either case. A refused ratio (see
// [CheckRatios]) keeps nothing and leaves Processed NaN; it takes precedence over a
// batch that e refuses, as in the trainer. An estimator that is not
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

// Filter does what [Process] does after the advantages: it reads Original and writes
// Kept and Processed. The error is that of a refused ratio.
func (r *Result) Filter(e *Estimator, b Batch, s Scale, keepPos, keepNeg float64, recompute bool) error {
	n := len(b.Rewards)
	r.Processed, r.Kept = resize(r.Processed, n), resize(r.Kept, n)
	if err := CheckRatios(keepPos, keepNeg); err != nil {
		clear(r.Kept)
		fillNaN(r.Processed)
		return err
	}
	if recompute && (keepPos < 1 || keepNeg < 1) {
		r.work.keep(r.Kept, nil, r.Original, b.Offsets, keepPos, keepNeg)
		r.work.recompute(r.Processed, e, b, s, r.Original, r.Kept)
	} else {
		r.work.keep(r.Kept, r.Processed, r.Original, b.Offsets, keepPos, keepNeg)
	}
	if e.Selects() {
		r.leaveOut(e, b)
	}
	return nil
}

// leaveOut drops the samples that the estimator itself leaves out.
func (r *Result) leaveOut(e *Estimator, b Batch) {
	selected := make([]bool, len(r.Kept))
	e.Select(selected, b)
	for i, s := range selected {
		r.Kept[i] = r.Kept[i] && s
	}
	zeroDropped(r.Processed, r.Processed, r.Kept)
}

// zeroDropped writes the advantages of the kept samples, and 0 for the others.
func zeroDropped(dst, adv []float64, kept []bool) {
	dst, kept = dst[:len(adv)], kept[:len(adv)]
	for i, a := range adv {
		dst[i] = ifKept(kept[i], a)
	}
}

// ifKept returns x if kept, else 0, without a branch: which samples are kept is
// unpredictable.
func ifKept(kept bool, x float64) float64 {
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
