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
	var l ladder
	for g := 1; g < len(offsets); g++ {
		lo, hi := offsets[g-1], offsets[g]
		switch group, small := values[lo:hi], hi-lo <= countedMax; {
		case small && l.few(group, 2), !small && l.few(group, fewMax):
			l.place(dst[lo:hi], group)
		case small:
			orderFew(dst[lo:hi], group)
		default:
			l.all(group)
			l.place(dst[lo:hi], group)
		}
	}
}

// ladder are the values of a group, each once, from the greatest down, and where in the order
// the next sample of each goes.
type ladder struct {
	steps []float64
	next  []int
	step  []uint16 // of each sample
}

// fewMax is up to how many values a sample finds its own by looking at all: rewards mostly
// have few, such as right and wrong.
const fewMax = 12

// few builds the ladder of a group of at most so many values; it fails at one too many.
func (l *ladder) few(values []float64, most int) bool {
	l.steps = l.steps[:0]
	for _, v := range values {
		at := l.above(v)
		if at < len(l.steps) && l.steps[at] == v {
			continue
		}
		if len(l.steps) == most {
			return false
		}
		l.steps = slices.Insert(l.steps, at, v)
	}
	return true
}

// all builds the ladder of any group.
func (l *ladder) all(values []float64) {
	l.steps = append(l.steps[:0], values...)
	slices.Sort(l.steps)
	l.steps = slices.Compact(l.steps)
	slices.Reverse(l.steps)
}

// above counts the steps above a value.
func (l *ladder) above(v float64) int {
	if len(l.steps) > fewMax {
		at, _ := slices.BinarySearchFunc(l.steps, v, func(step, v float64) int { return cmp.Compare(v, step) })
		return at
	}
	n := 0
	for _, step := range l.steps {
		n += one(step > v)
	}
	return n
}

// place writes the order of a group by its ladder.
func (l *ladder) place(dst []uint16, values []float64) {
	l.next = resize(l.next, len(l.steps)+1)
	clear(l.next)
	l.step = resize(l.step, len(values))
	for i, v := range values {
		at := l.above(v)
		l.step[i] = uint16(at)
		l.next[at+1]++
	}
	for i := 1; i < len(l.next); i++ {
		l.next[i] += l.next[i-1]
	}
	for i, at := range l.step {
		dst[l.next[at]] = uint16(i)
		l.next[at]++
	}
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
