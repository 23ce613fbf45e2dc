package lanes

import "math"

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
