package lanes

import "math"

// Sort sorts each group, the least value first. No value is NaN.
//
// It is Batcher's odd-even merge sort (AFIPS Spring Joint Computer Conference 1968, pages 307-314):
// which two values are exchanged next, if the first is larger, does not depend on the values, so
// that eight groups are sorted at once. Of n values about n/4·log²n pairs are: 19 of 8, 543 of 64.
//
// Sorted runs of p values are merged, first those of one value. In a merge the values at a distance
// of k are exchanged, first at p, in runs of k neighbours, but not with another merge's.
func (t Tile) Sort() {
	if sortVectors(t) {
		return
	}
	n := len(t)
	for p := 1; p < n; p *= 2 {
		for k := p; k > 0; k /= 2 {
			for i := k % p; i+k < n; i += 2 * k {
				if (i+k)%(2*p) != 0 {
					exchange(t[i:min(i+k, n-k)], t[i+k:])
				}
			}
		}
	}
}

// exchange exchanges each value of low with that of high if it is larger.
func exchange(low, high Tile) {
	for i := range low {
		a, b := &low[i], &high[i]
		for g := range a {
			a[g], b[g] = min(a[g], b[g]), max(a[g], b[g])
		}
	}
}

// Signs counts the positive and the negative values of each group.
func (t Tile) Signs() (positive, negative Counts) {
	if signsOfVectors(&positive, &negative, t) {
		return positive, negative
	}
	for i := range t {
		for g, x := range t[i] {
			positive[g] += one(x > 0)
			negative[g] += one(x < 0)
		}
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
// 0. No value is NaN.
func (t Tile) Select(marks []Mark, largest, smallest *Best) {
	marks = marks[:len(t)]
	if !selectVectors(marks, t, largest, smallest) {
		t.selectValues(marks, *largest, *smallest)
	}
}

func (t Tile) selectValues(marks []Mark, largest, smallest Best) {
	for i := range t { // what is left for values at a bound
		for g, x := range t[i] {
			largest.Count[g] -= one(x > largest.Bound[g])
			smallest.Count[g] -= one(x < smallest.Bound[g])
		}
	}
	for i := range t {
		for g, x := range t[i] {
			atTop, atBottom := one(x == largest.Bound[g]), one(x == smallest.Bound[g])
			kept := one(x > largest.Bound[g]) | one(x < smallest.Bound[g]) | one(x == 0) |
				atTop&one(largest.Count[g] > 0) | atBottom&one(smallest.Count[g] > 0)
			largest.Count[g] -= atTop
			smallest.Count[g] -= atBottom
			marks[i][g] = -uint32(kept)
			t[i][g] = math.Float32frombits(math.Float32bits(x) & -uint32(kept))
		}
	}
}

// StoreMarks writes to kept which values of the groups are marked.
func StoreMarks(kept []bool, starts *Starts, marks []Mark) {
	mustHold(len(kept), starts, len(marks))
	for i := storeMarkBlocks(kept, starts, marks); i < len(marks); i++ {
		for g, start := range starts {
			kept[start+i] = marks[i][g] != 0
		}
	}
}

func one(b bool) int32 {
	if b {
		return 1
	}
	return 0
}
