package estimators

import (
	"cmp"
	"slices"
)

// OrderMax is the size up to which groups can be put in order.
const OrderMax = 1 << 16

// Order writes to dst, for each group, the places within it of its values, from the largest
// value down, equal ones as they come in the batch. None may be NaN.
//
// It is what of a filter depends neither on the ratios nor, nearly always, on the estimator:
// the advantages of a group mostly fall as its rewards do (see [CutOf]).
//
// len(dst) == len(values); group g is values[offsets[g]:offsets[g+1]], of at most [OrderMax].
func Order(dst []uint16, values []float64, offsets []int) {
	var keys []placed
	for g := 1; g < len(offsets); g++ {
		lo, hi := offsets[g-1], offsets[g]
		if hi-lo <= countedMax {
			orderFew(dst[lo:hi], values[lo:hi])
			continue
		}
		keys = keys[:0]
		for i, v := range values[lo:hi] {
			keys = append(keys, placed{v, uint16(i)})
		}
		slices.SortFunc(keys, placed.before)
		for i, k := range keys {
			dst[lo+i] = k.at
		}
	}
}

// placed is a value and its place in the group.
type placed struct {
	value float64
	at    uint16
}

func (p placed) before(o placed) int {
	if c := cmp.Compare(o.value, p.value); c != 0 {
		return c
	}
	return cmp.Compare(p.at, o.at)
}

// countedMax is the number of samples up to which counting who stands before whom beats
// a sort: it has no branch to guess.
const countedMax = 24

func orderFew(dst []uint16, values []float64) {
	for i, v := range values {
		before := 0
		for _, o := range values[:i] {
			before += one(o >= v)
		}
		for _, o := range values[i+1:] {
			before += one(o > v)
		}
		dst[before] = uint16(i)
	}
}

// Stretch is the places [From, To) of an order.
type Stretch struct{ From, To int32 }

// Cut is what a filter makes of a group whose advantages fall along an order: of the largest
// positive ones the first are kept and the rest is dropped, and of the negative ones, which
// end the order, the last are kept. Of equal ones at the border those are that come first in
// the batch, so that there are two stretches of either. Zeros, between the two signs, are kept
// and in no stretch.
type Cut struct{ Kept, Dropped [3]Stretch }

// CutOf cuts a group, of whose advantages, which fall along order, so many are positive and
// zero: it keeps what [Keep] does. It fails where a border divides equal advantages of rewards
// that are not equal: the order, which was made of the rewards, does not tell which of them
// come first in the batch.
func CutOf(adv, rewards []float64, order []uint16, positive, zero int, keepPos, keepNeg float64) (c Cut, ok bool) {
	n, negative := len(order), positive+zero
	best := KeepCount(positive, keepPos)
	worst := n - KeepCount(n-negative, keepNeg)
	from, to := divided(adv, order, worst, negative, n)
	ok = even(rewards, order[from:to])
	first := from + to - worst // of the equal ones at the border that are dropped
	c.Kept = [...]Stretch{{0, int32(best)}, {int32(from), int32(first)}, {int32(to), int32(n)}}
	c.Dropped = [...]Stretch{{int32(best), int32(positive)}, {int32(negative), int32(from)}, {int32(first), int32(to)}}
	from, to = divided(adv, order, best, 0, positive)
	return c, ok && even(rewards, order[from:to])
}

// divided returns the equal advantages within [lo, hi) that a border divides, none if it
// divides none.
func divided(adv []float64, order []uint16, border, lo, hi int) (from, to int) {
	from, to = border, border
	if border <= lo || border >= hi || adv[order[border-1]] != adv[order[border]] {
		return from, to
	}
	x := adv[order[border]]
	for from > lo && adv[order[from-1]] == x {
		from--
	}
	for to < hi && adv[order[to]] == x {
		to++
	}
	return from, to
}

// even reports whether rewards that fall along order are all equal.
func even(rewards []float64, order []uint16) bool {
	return len(order) == 0 || rewards[order[0]] == rewards[order[len(order)-1]]
}
