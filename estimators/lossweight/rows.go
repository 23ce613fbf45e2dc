package lossweight

import "iter"

// The arithmetic here knows no framework. It is float32, as that of the frameworks: a weight is the
// value that the framework's own division gives.

// weight is how the weight of a row follows from its tokens l: l / total or, if each row weighs the same,
// 1 / total for a row that has tokens. The result is divided by then and by last.
type weight struct {
	total, then, last float32
	perRow            bool
}

// perToken gives each token the weight 1/total.
func perToken(total float32) weight { return weight{total: total, then: 1, last: 1} }

// perRow gives each row that has tokens the weight 1/total.
func perRow(total float32) weight { return weight{total: total, then: 1, last: 1, perRow: true} }

// dividedBy divides what w gives, as perToken and perRow return it, by then and by last.
func (w weight) dividedBy(then, last float32) weight {
	w.then, w.last = then, last
	return w
}

// of returns the weight of a row of l tokens.
func (w weight) of(l float32) float32 {
	if w.perRow {
		l = min(l, 1)
	}
	return l / w.total / w.then / w.last
}

// set writes the weights of rows lo to hi. A masked row has no tokens.
func (b Batch) set(dst []float64, lo, hi int, w weight) {
	empty, one := float64(w.of(0)), float64(w.of(1))
	for i := lo; i < hi && b.Lengths == nil; i++ {
		dst[i] = one
	}
	if b.Lengths != nil {
		w.setByLength(dst[lo:hi], b.Lengths[lo:hi], empty, one)
	}
	for i := lo; i < hi && b.Masked != nil; i++ {
		if b.Masked[i] {
			dst[i] = empty
		}
	}
}

// setByLength writes the weights of rows of so many tokens. It has a loop for each kind of weight, since
// it is most of the work.
func (w weight) setByLength(dst []float64, lengths []int32, empty, one float64) {
	dst = dst[:len(lengths)]
	switch {
	case w.perRow:
		for i, l := range lengths {
			dst[i] = one
			if l == 0 {
				dst[i] = empty
			}
		}
	case w.then == 1 && w.last == 1:
		for i, l := range lengths {
			dst[i] = float64(float32(l) / w.total)
		}
	default:
		for i, l := range lengths {
			dst[i] = float64(float32(l) / w.total / w.then / w.last)
		}
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
	if b.Lengths != nil && b.Masked == nil {
		for _, l := range b.Lengths[lo:hi] {
			sum += int64(l)
		}
		return float32(sum)
	}
	for i := lo; i < hi; i++ {
		sum += int64(b.length(i))
	}
	return float32(sum)
}

// rowsWithTokens counts the rows from lo to hi that train.
func (b Batch) rowsWithTokens(lo, hi int) float32 {
	n := 0
	if b.Lengths != nil && b.Masked == nil {
		for _, l := range b.Lengths[lo:hi] {
			n += min(int(l), 1)
		}
		return float32(n)
	}
	for i := lo; i < hi; i++ {
		n += min(int(b.length(i)), 1)
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
