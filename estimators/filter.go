package estimators

import (
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"vantage/estimators/torchsum"
)

// KeepCount returns how many of n samples of one sign a ratio keeps:
//
//	n                       ratio ≥ 1
//	0                       ratio = 0, or n = 0
//	max(1, ⌊n·ratio⌋)       else
//
// The product is float64 and truncated, as by Python's int(): 10 at 0.7 are 7,
// 3 at 0.7 are 2, 100 at 0.29 are 28 (0.29 lies below 29/100) and 100 at 0.57 are 56.
// A ratio above 0 keeps at least one.
//
// Source: Coobiw/EasyR1-Brian@c414ee81ef06 verl/trainer/core_algos.py:compute_grpo_outcome_advantage.
func KeepCount(n int, ratio float64) int {
	switch {
	case ratio >= 1:
		return n
	case ratio == 0 || n == 0:
		return 0
	default:
		return max(1, int(float64(n)*ratio))
	}
}

// Keep writes to kept which samples a filter keeps. Per group:
//
//   - of the P positive advantages the KeepCount(P, keepPos) largest,
//   - of the M negative ones the KeepCount(M, keepNeg) smallest: the worst,
//   - every zero, whatever the ratios,
//   - no NaN.
//
// Of equal advantages those that come first in the batch are kept: the trainer's sort
// is stable. If both ratios are 1 or more, all samples are kept, NaN too.
//
// It writes to processed the advantages of the kept samples, and 0 for the others, unless processed
// is nil.
//
// len(kept) == len(processed) == len(adv); group g is adv[offsets[g]:offsets[g+1]].
//
// Source: Coobiw/EasyR1-Brian@c414ee81ef06 verl/trainer/core_algos.py:compute_grpo_outcome_advantage.
func Keep(kept []bool, processed, adv []float64, offsets []int, keepPos, keepNeg float64) {
	var w workspace
	w.keep(kept, processed, adv, offsets, keepPos, keepNeg)
}

func (w *workspace) keep(kept []bool, processed, adv []float64, offsets []int, keepPos, keepNeg float64) {
	if len(kept) != len(adv) || processed != nil && len(processed) != len(adv) {
		panic("estimators: kept, processed and adv differ in length")
	}
	if keepPos >= 1 && keepNeg >= 1 {
		fillTrue(kept)
		copy(processed, adv)
		return
	}
	var waiting [onStack + 1]torchsum.Waiting
	q := torchsum.GroupsOf(offsets, largestInTile, waiting[:])
	for q.Next() {
		if !q.Alone() && w.keepInTile(kept, processed, adv, &q, keepPos, keepNeg) {
			continue
		}
		for _, lo := range q.Starts[:q.Rows] {
			hi := lo + q.Size
			w.keepInGroup(kept[lo:hi], adv[lo:hi], keepPos, keepNeg)
			if processed != nil {
				zeroDropped(processed[lo:hi], adv[lo:hi], kept[lo:hi])
			}
		}
	}
}

// keepInTile filters the groups of q, all at once. It does nothing and returns false if float32 does
// not hold their advantages, or if one is NaN.
func (w *workspace) keepInTile(kept []bool, processed, adv []float64, q *torchsum.Groups, keepPos, keepNeg float64) bool {
	w.tile, w.sorted, w.marks = resize(w.tile, q.Size), resize(w.sorted, q.Size), resize(w.marks, q.Size)
	if !w.tile.Load(adv, &q.Starts) {
		return false
	}
	copy(w.sorted, w.tile)
	w.sorted.Sort()
	var best, worst torchsum.Best
	best.Count, worst.Count = w.tile.Signs()
	for g := range torchsum.Width {
		best.Count[g] = int32(KeepCount(int(best.Count[g]), keepPos))
		worst.Count[g] = int32(KeepCount(int(worst.Count[g]), keepNeg))
	}
	best.BoundBy(w.sorted, 1)
	worst.BoundBy(w.sorted, -1)
	w.tile.Select(w.marks, &best, &worst)
	torchsum.StoreMarks(kept, &q.Starts, w.marks)
	if processed != nil {
		w.tile.Store(processed, &q.Starts)
	}
	return true
}

func fillTrue(kept []bool) {
	for i := range kept {
		kept[i] = true
	}
}

// keepInGroup does not sort the samples: the k-th magnitude of a sign decides about all
// others, up to how many of its equals are kept.
func (w *workspace) keepInGroup(kept []bool, adv []float64, keepPos, keepNeg float64) {
	n := len(adv)
	w.positive, w.negative, w.scratch = resize(w.positive, n), resize(w.negative, n), resize(w.scratch, n)
	pos, neg := w.splitBySign(adv)
	best := boundOf(w.positive[:pos], w.scratch, KeepCount(pos, keepPos))
	worst := boundOf(w.negative[:neg], w.scratch, KeepCount(neg, keepNeg))
	above, below := best.value, -worst.value
	kept = kept[:len(adv)]
	for i, a := range adv {
		kept[i] = toInt(a > above)|toInt(a < below)|toInt(a == 0) != 0
	}
	keepTies(kept, adv, above, best.ties)
	keepTies(kept, adv, below, worst.ties)
}

// splitBySign collects and counts the magnitudes of the positive and of the negative
// advantages.
func (w *workspace) splitBySign(adv []float64) (pos, neg int) {
	positive, negative := w.positive[:len(adv)], w.negative[:len(adv)]
	for _, a := range adv {
		// Always written, counted if it has the sign: no branch, see boundOf.
		magnitude := math.Float64bits(a) &^ signBit
		positive[pos], negative[neg] = magnitude, magnitude
		pos += toInt(a > 0)
		neg += toInt(a < 0)
	}
	return pos, neg
}

// signBit is the sign of a float64.
const signBit = 1 << 63

// keepTies keeps the first samples, ties of them, whose advantage is value.
func keepTies(kept []bool, adv []float64, value float64, ties int) {
	for i := 0; ties > 0; i++ {
		equal := adv[i] == value
		kept[i] = kept[i] || equal
		ties -= toInt(equal)
	}
}

// CheckRatios returns the AssertionError that the trainer's estimator raises for a
// ratio outside [0, 1] or NaN, keep_neg_ratio first.
//
// Source: Coobiw/EasyR1-Brian@c414ee81ef06 verl/trainer/core_algos.py:compute_grpo_outcome_advantage.
func CheckRatios(keepPos, keepNeg float64) error {
	if sign, ratio := wrongRatio(keepPos, keepNeg); sign != "" {
		return &Refusal{Kind: "AssertionError", Text: "keep_" + sign[:3] + "_ratio must be in [0, 1], got " + pythonRepr(ratio)}
	}
	return nil
}

// wrongRatio returns the first ratio outside [0, 1] or NaN, and its sign, "negative" or "positive"; "" if both are right.
func wrongRatio(keepPos, keepNeg float64) (sign string, ratio float64) {
	switch {
	case !(keepNeg >= 0 && keepNeg <= 1):
		return "negative", keepNeg
	case !(keepPos >= 0 && keepPos <= 1):
		return "positive", keepPos
	}
	return "", 0
}

// pythonRepr writes a float as Python's repr does: the shortest digits that read back
// the same, with an exponent below 1e-4 and from 1e16 on.
func pythonRepr(x float64) string {
	switch {
	case math.IsNaN(x):
		return "nan"
	case math.IsInf(x, 0):
		return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(x, 'g', -1, 64)), "+")
	case x != 0 && (math.Abs(x) < 1e-4 || math.Abs(x) >= 1e16):
		return strconv.FormatFloat(x, 'e', -1, 64)
	}
	text := strconv.FormatFloat(x, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// selectionBound separates the kept samples of one sign from the others: kept are those
// with |A| above value and, of those with |A| = value, the first ties in the batch.
type selectionBound struct {
	value float64
	ties  int
}

// insertionMax is the length up to which insertion is faster than selection.
const insertionMax = 8

// boundOf returns the bound that keeps the k largest magnitudes. A magnitude is the
// bits of a positive float, which order as the floats do. It overwrites magnitudes and
// scratch, which is at least as long.
//
// Whether an advantage is above the pivot is a coin toss, and a mispredicted branch
// costs as much as ten values. So no branch here depends on a value: what is not wanted
// is written too, and overwritten by the next.
func boundOf(magnitudes, scratch []uint64, k int) selectionBound {
	switch {
	case k == 0:
		return selectionBound{value: math.Inf(1)}
	case k == len(magnitudes):
		return selectionBound{}
	case len(magnitudes) <= insertionMax:
		return boundByInsertion(magnitudes, k)
	}
	for tries := 2 * bits.Len(uint(len(magnitudes))); tries > 0; tries-- {
		a, b, c := magnitudes[0], magnitudes[len(magnitudes)/2], magnitudes[len(magnitudes)-1]
		pivot := max(min(a, b), min(max(a, b), c)) // the one between
		above, below := partition(magnitudes, scratch, pivot)
		equal := len(magnitudes) - above - below
		switch {
		case k <= above:
			magnitudes = magnitudes[:above]
		case k <= above+equal:
			return selectionBound{math.Float64frombits(pivot), k - above}
		default:
			k -= above + equal
			magnitudes, scratch = scratch[:below], magnitudes
		}
	}
	return boundBySort(magnitudes, k)
}

// partition moves the values above pivot to the front of v, copies those below it to
// the front of low, and counts both.
func partition(v, low []uint64, pivot uint64) (above, below int) {
	low = low[:len(v)]
	for _, x := range v {
		v[above] = x
		low[below] = x
		above += toInt(x > pivot)
		below += toInt(x < pivot)
	}
	return above, below
}

// boundByInsertion sorts the k largest values into the front of v.
func boundByInsertion(v []uint64, k int) selectionBound {
	for i := 1; i < len(v); i++ {
		x := v[i]
		top := v[:min(i, k)]
		for j, have := range top {
			top[j] = max(have, x)
			x = min(have, x)
		}
		if i < k {
			v[i] = x
		}
	}
	return boundOfKept(v[:k])
}

// boundBySort is for inputs whose every pivot is bad: selection would take quadratic
// time.
func boundBySort(v []uint64, k int) selectionBound {
	slices.Sort(v)
	slices.Reverse(v)
	return boundOfKept(v[:k])
}

// boundOfKept returns the bound that keeps the magnitudes v, in descending order.
func boundOfKept(v []uint64) selectionBound {
	last, ties := v[len(v)-1], 0
	for _, x := range v {
		ties += toInt(x == last)
	}
	return selectionBound{math.Float64frombits(last), ties}
}

// toInt returns 1 for true and 0 for false; the compiler makes it a conditional move.
func toInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// CheckConfig returns what EasyR1-Brian's configuration says to the filter's options
// for an estimator: a ValueError for a ratio outside [0, 1], or for a filter or a
// recompute with another estimator than "grpo", in its order; and a warning, which
// stops nothing, for a recompute without a filter. The estimator itself checks the
// ratios again, see [CheckRatios].
//
// Source: Coobiw/EasyR1-Brian@c414ee81ef06 verl/trainer/config.py:AlgorithmConfig.post_init.
func CheckConfig(estimator string, keepPos, keepNeg float64, recompute bool) (warning string, err error) {
	if sign, ratio := wrongRatio(keepPos, keepNeg); sign != "" {
		return "", valueError("keep_%s_ratio must be in the range [0.0, 1.0]. Got keep_%[1]s_ratio=%[2]s. "+
			"0.0 means discard all %[3]s samples, 1.0 means keep all %[3]s samples.", sign[:3], pythonRepr(ratio), sign)
	}
	filters := keepNeg != 1 || keepPos != 1
	switch {
	case filters && estimator != "grpo":
		return "", valueError("keep_neg_ratio and keep_pos_ratio are currently only supported for grpo algorithm. "+
			"Got adv_estimator='%s' with keep_neg_ratio=%s, keep_pos_ratio=%s. Please either set adv_estimator='grpo', "+
			"or set both keep_neg_ratio=1.0 and keep_pos_ratio=1.0.", estimator, pythonRepr(keepNeg), pythonRepr(keepPos))
	case recompute && estimator != "grpo":
		return "", valueError("compute_new_adv is currently only supported for grpo algorithm. Got adv_estimator='%s' with "+
			"compute_new_adv=True. Please either set adv_estimator='grpo', or set compute_new_adv=False.", estimator)
	case recompute && !filters:
		return "⚠️ Warning: compute_new_adv=True but keep_neg_ratio=1.0 and keep_pos_ratio=1.0. " +
			"compute_new_adv is only effective when sample filtering is enabled (keep_neg_ratio < 1.0 or keep_pos_ratio < 1.0). " +
			"The computed advantages will be the same as the original GRPO advantages.", nil
	}
	return "", nil
}
