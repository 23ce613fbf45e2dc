// Package lanes computes with eight groups of one size at once: value i of all eight is one
// [Vector], so that whatever is done to a group, in whatever order, is done to eight. No order of
// additions changes by that, and no bit: each group has a lane of its own.
//
// A [Tile] holds the values, float32. [Groups] finds groups of one size in a batch.
//
//	Load → Sum, Std or StdWelford → Normalize → Store     advantages
//	Load → Sort, Signs → Select → Store, StoreMarks       the filter
//
// A vector is a register of AVX2; see [Limit]. Elsewhere package torchsum computes one group after
// the other, and no [Tile] may be used. Tests compare the two bit for bit, but NaN is NaN: which of two NaN an addition
// gives depends on the order of its operands.
package lanes

import (
	"math"
)

// Width is the number of groups that are computed at once.
const Width = 8

// MaxSize is the size of the largest group: from 512 values on PyTorch folds the sums of a group
// (see package torchsum), which is not done here.
const MaxSize = 511

// Vector has a value of each of eight groups.
type Vector [Width]float32

// Over returns v/n.
func (v *Vector) Over(n int) (quotient Vector) {
	for g, x := range v {
		quotient[g] = x / float32(n)
	}
	return quotient
}

// Finite reports whether no value is NaN or an infinity.
func (v *Vector) Finite() bool {
	finite := true
	for _, x := range v {
		finite = finite && x-x == 0
	}
	return finite
}

// Starts are the indices at which eight groups begin in a batch. A group may be there more than
// once.
type Starts [Width]int

// Tile holds eight groups of one size: t[i][g] is value i of group g.
type Tile []Vector

// block is the number of values of each group that Load and Store turn at once.
// The rest is done value by value.
const block = 4

// Load fills t with the groups of x, rounded to float32. It is exact if no value was rounded and
// none is NaN.
func (t Tile) Load(x []float64, starts *Starts) (exact bool) {
	mustHold(len(x), starts, len(t))
	whole := len(t) &^ (block - 1)
	exact = true
	if whole > 0 {
		exact = load(&t[0], &x[0], starts, whole/block) == 0
	}
	for i := whole; i < len(t); i++ {
		for g, start := range starts {
			v := x[start+i]
			t[i][g] = float32(v)
			exact = exact && float64(float32(v)) == v
		}
	}
	return exact
}

// Store writes t to the groups of dst.
func (t Tile) Store(dst []float64, starts *Starts) {
	mustHold(len(dst), starts, len(t))
	whole := len(t) &^ (block - 1)
	if whole > 0 {
		store(&dst[0], starts, &t[0], whole/block)
	}
	for i := whole; i < len(t); i++ {
		for g, start := range starts {
			dst[start+i] = float64(t[i][g])
		}
	}
}

func mustHold(length int, starts *Starts, size int) {
	for _, start := range starts {
		if start < 0 || start > length-size {
			panic("lanes: a group is not within the batch")
		}
	}
}

// Normalize replaces each value x by (x − mean)/divisor.
func (t Tile) Normalize(mean, divisor *Vector) {
	if len(t) > 0 {
		normalize(&t[0], len(t), mean, divisor)
	}
}

// Squares writes to dst the squared differences to the mean, in float32. len(dst) == len(t).
func (t Tile) Squares(dst Tile, mean *Vector) {
	if dst = dst[:len(t)]; len(t) > 0 {
		square(&dst[0], &t[0], len(t), mean)
	}
}

// Sum returns the sum of each group in the order of torchsum.Sum. It panics if the groups are larger
// than [MaxSize].
func (t Tile) Sum() (s Vector) {
	if len(t) > MaxSize {
		panic("lanes: groups are too large")
	}
	return t.sum(orderOf(len(t)))
}

// SumLeftToRight returns the sum of each group as torchsum.SumLeftToRight does.
func (t Tile) SumLeftToRight() (s Vector) { return t.sum(order{width: 1}) }

func (t Tile) sum(o order) (s Vector) {
	if len(t) > 0 {
		sum(&s, &t[0], o.width, o.registers, len(t)-o.width*o.registers)
	}
	return s
}

// order is that of PyTorch: a group is so many registers of width values each, which are added lane
// by lane, and a rest, which is added first.
type order struct{ width, registers int }

// orderOf returns the order for groups of n. A register has eight values; where they fill none,
// PyTorch deals single values.
func orderOf(n int) order {
	if n < Width {
		return order{1, n}
	}
	return order{Width, n / Width}
}

// Std returns the standard deviation of each group as torchsum.StdWithMean does: in float64, from
// left to right.
func (t Tile) Std(mean *Vector) (s Vector) {
	if len(t) > 0 {
		std(&s, &t[0], len(t), mean, divisorOf(len(t)))
	}
	return s
}

// StdWelford returns the standard deviation of each group as torchsum.StdOfRow does.
func (t Tile) StdWelford() (s Vector) {
	if len(t) > 0 {
		welford(&s, &t[0], len(t), divisorOf(len(t)))
	}
	return s
}

// divisorOf is n − 1. PyTorch does not let it fall below 0: one value gives 0/0.
func divisorOf(n int) float64 { return float64(max(0, n-1)) }

// Sort sorts each group, the least value first. No value is NaN.
//
// It is Batcher's odd-even merge sort (AFIPS Spring Joint Computer Conference 1968, pages 307-314):
// which two values are exchanged next, if the first is larger, does not depend on the values, so
// that eight groups are sorted at once. Of n values about n/4·log²n pairs are: 19 of 8, 543 of 64.
// Sorted runs of p values are merged, first those of one value; in a merge the values at a distance
// of k are exchanged, first at p, in runs of k neighbours, but not with another merge's:
//
//	for p := 1; p < n; p *= 2 {
//		for k := p; k > 0; k /= 2 {
//			for i := k % p; i+k < n; i += 2 * k {
//				if (i+k)%(2*p) != 0 {
//					exchange t[i:min(i+k, n-k)] and t[i+k:]
//				}
//			}
//		}
//	}
func (t Tile) Sort() {
	if len(t) > 0 {
		sort(&t[0], len(t))
	}
}

// Signs counts the positive and the negative values of each group.
func (t Tile) Signs() (positive, negative Counts) {
	if len(t) > 0 {
		signs(&positive, &negative, &t[0], len(t))
	}
	return positive, negative
}

// Counts are numbers of values of eight groups.
type Counts [Width]int32

// Mark says of a value of each of eight groups whether it is kept: all bits are set if so.
type Mark [Width]uint32

// Best is what a filter keeps of the values of one sign: so many of the most extreme ones, of equal
// ones those that come first. Bound is the least extreme of them, an infinity if Count is 0.
type Best struct {
	Bound Vector
	Count Counts
}

// BoundBy fills in the bound by the values in order: for the largest ones if sign is 1, for the
// smallest ones if it is −1.
func (b *Best) BoundBy(sorted Tile, sign int) {
	for g, count := range b.Count {
		switch {
		case count == 0:
			b.Bound[g] = float32(math.Inf(sign))
		case sign > 0:
			b.Bound[g] = sorted[len(sorted)-int(count)][g]
		default:
			b.Bound[g] = sorted[count-1][g]
		}
	}
}

// Select marks the largest values that are kept, the smallest ones, and zeros. Other values become
// 0. No value is NaN. len(marks) == len(t).
func (t Tile) Select(marks []Mark, largest, smallest *Best) {
	if marks = marks[:len(t)]; len(t) > 0 {
		choose(&marks[0], &t[0], len(t), largest, smallest)
	}
}

// StoreMarks writes to kept which values of the groups are marked.
func StoreMarks(kept []bool, starts *Starts, marks []Mark) {
	mustHold(len(kept), starts, len(marks))
	whole := len(marks) &^ (block - 1)
	if whole > 0 {
		storeMarks(&kept[0], starts, &marks[0], whole/block)
	}
	for i := whole; i < len(marks); i++ {
		for g, start := range starts {
			kept[start+i] = marks[i][g] != 0
		}
	}
}
