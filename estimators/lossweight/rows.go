package lossweight

import "iter"

// The arithmetic here knows no framework. It is float32, as that of the frameworks: a weight is the
// value that the framework's own division gives.

// weight is how the weight of a row follows from its tokens l: l / total or, if each row weighs the same,
// 1 / total for a row that has tokens. The result is divided once more by each of over.
type weight struct {
	total  float32
	perRow bool
	over   [2]float32 // 0 is 1
}

// perToken gives each token the weight 1/total.
func perToken(total float32) weight { return weight{total: total} }

// perRow gives each row that has tokens the weight 1/total.
func perRow(total float32) weight { return weight{total: total, perRow: true} }

// dividedBy divides what w gives by a and then by b.
func (w weight) dividedBy(a, b float32) weight {
	w.over = [2]float32{a, b}
	return w
}

// of returns the weight of a row of l tokens.
func (w weight) of(l float32) float32 {
	if w.perRow {
		l = min(l, 1)
	}
	x := l / w.total
	for _, divisor := range w.over {
		if divisor != 0 {
			x /= divisor
		}
	}
	return x
}

// set writes the weights of rows lo to hi. A masked row has no tokens.
func (b Batch) set(dst []float64, lo, hi int, w weight) {
	for i := lo; i < hi; i++ {
		dst[i] = float64(w.of(float32(b.length(i))))
	}
}

// setAll writes the weights of all rows.
func (b Batch) setAll(dst []float64, w weight) { b.set(dst, 0, len(dst), w) }

// length returns the tokens of row i that train: 0 if it is masked, 1 if lengths are unknown.
func (b Batch) length(i int) int32 {
	switch {
	case b.Masked != nil && b.Masked[i]:
		return 0
	case b.Lengths == nil:
		return 1
	}
	return b.Lengths[i]
}

// tokens returns the tokens of rows lo to hi that train.
func (b Batch) tokens(lo, hi int) float32 {
	var sum int64
	for i := lo; i < hi; i++ {
		sum += int64(b.length(i))
	}
	return float32(sum)
}

// rowsWithTokens counts the rows from lo to hi that train.
func (b Batch) rowsWithTokens(lo, hi int) float32 {
	n := 0
	for i := lo; i < hi; i++ {
		if b.length(i) > 0 {
			n++
		}
	}
	return float32(n)
}

// longest returns the tokens of the longest response, masked or not.
func (b Batch) longest() float32 {
	var longest int32
	for _, l := range b.Lengths {
		longest = max(longest, l)
	}
	return float32(longest)
}

// microBatches returns the ranges of size rows each, the last one what remains; one range of all rows
// if size is 0.
func microBatches(rows, size int) iter.Seq2[int, int] {
	return func(yield func(lo, hi int) bool) {
		if size <= 0 {
			size = max(rows, 1)
		}
		for lo := 0; lo < rows; lo += size {
			if !yield(lo, min(lo+size, rows)) {
				return
			}
		}
	}
}
