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

// Cut is what a filter keeps of a group whose advantages fall along an order. Of it are kept
//
//	[0, Best)                      the largest positive advantages
//	[Positive, Negative)           the zeros
//	[Worst[0], Worst[1])           some of equal negative ones: those that come first in the batch
//	[Worst[2], n)                  the smallest
type Cut struct {
	Best, Positive, Negative int32
	Worst                    [3]int32
}

// CutOf cuts a group, of whose advantages, which fall along order, so many are positive and
// zero: it keeps what [Keep] does. It fails where a border divides equal advantages of rewards
// that are not equal: the order, which was made of the rewards, does not tell which of them
// come first in the batch.
func CutOf(adv, rewards []float64, order []uint16, positive, zero int, keepPos, keepNeg float64) (c Cut, ok bool) {
	n, negative := len(order), positive+zero
	best := KeepCount(positive, keepPos)
	worst := n - KeepCount(n-negative, keepNeg)
	from, to := divided(adv, order, worst, negative, n)
	c = Cut{
		Best: int32(best), Positive: int32(positive), Negative: int32(negative),
		Worst: [3]int32{int32(from), int32(from + to - worst), int32(to)},
	}
	ok = even(rewards, order[from:to])
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

// Kept returns how many are kept of so many samples by the sign of their advantage.
func (c *Cut) Kept(n int) (pos, zero, neg int) {
	return int(c.Best), int(c.Negative - c.Positive), int(c.Worst[1]-c.Worst[0]) + n - int(c.Worst[2])
}

// Dropped are the stretches of the order that are not kept.
func (c *Cut) Dropped(order []uint16) [3][]uint16 {
	return [...][]uint16{order[c.Best:c.Positive], order[c.Negative:c.Worst[0]], order[c.Worst[1]:c.Worst[2]]}
}
