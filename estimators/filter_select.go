package estimators

import (
	"math"
	"math/bits"
	"slices"
)

// selectionBound separates the samples of one sign, whose sizes are |A|: those above
// value are kept, and of those at it the first places in the batch.
type selectionBound struct {
	value  float64
	ties int
}

// insertionMax is the length up to which insertion beats selection.
const insertionMax = 8

// boundOf returns the border that keeps the k largest of sizes, the bits of
// positive floats, which order as the floats do. It overwrites sizes and spare,
// which is at least as long.
//
// Advantages fall on both sides of any comparison as a coin does, and a branch
// that the processor guesses wrong costs as much as ten values. So there are none
// here that depend on a value: what is not wanted is written too, and overwritten
// by the next.
func boundOf(sizes, spare []uint64, k int) selectionBound {
	switch {
	case k == 0:
		return selectionBound{value: math.Inf(1)}
	case k == len(sizes):
		return selectionBound{}
	case len(sizes) <= insertionMax:
		return boundByInsertion(sizes, k)
	}
	for tries := 2 * bits.Len(uint(len(sizes))); tries > 0; tries-- {
		p := medianOfThree(sizes)
		more, less := partition(sizes, spare, p)
		equal := len(sizes) - more - less
		switch {
		case k <= more:
			sizes = sizes[:more]
		case k <= more+equal:
			return selectionBound{math.Float64frombits(p), k - more}
		default:
			k -= more + equal
			sizes, spare = spare[:less], sizes
		}
	}
	return boundBySort(sizes, k)
}

// partition moves the values above p to the front of v and those below to the front
// of below, and counts them.
func partition(v, below []uint64, p uint64) (more, less int) {
	below = below[:len(v)]
	for _, x := range v {
		v[more] = x
		below[less] = x
		more += one(x > p)
		less += one(x < p)
	}
	return more, less
}

// medianOfThree is the median of three.
func medianOfThree(v []uint64) uint64 {
	a, b, c := v[0], v[len(v)/2], v[len(v)-1]
	return max(min(a, b), min(max(a, b), c))
}

// boundByInsertion keeps the k largest in order while it looks at the others.
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

// boundBySort is for inputs that choose every pivot badly: without it they would take
// quadratic time.
func boundBySort(v []uint64, k int) selectionBound {
	slices.Sort(v)
	slices.Reverse(v)
	return boundOfKept(v[:k])
}

// boundOfKept is the border whose kept sizes are v, in descending order.
func boundOfKept(v []uint64) selectionBound {
	last, places := v[len(v)-1], 0
	for _, x := range v {
		places += one(x == last)
	}
	return selectionBound{math.Float64frombits(last), places}
}

// one is 1 for true; the compiler makes it a move.
func one(b bool) int {
	if b {
		return 1
	}
	return 0
}
