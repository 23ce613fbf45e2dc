package estimators

import (
	"math"
	"math/bits"
	"slices"
)

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
		pivot := medianOfThree(magnitudes)
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

func medianOfThree(v []uint64) uint64 {
	a, b, c := v[0], v[len(v)/2], v[len(v)-1]
	return max(min(a, b), min(max(a, b), c))
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
