package estimators

import (
	"fmt"
	"math"
)

// function is what an [Estimator] computes with.
type function = func(dst []float64, b Batch, s Scale) error

// function is the arithmetic as that of an estimator that refuses nothing.
func (w groupwise) function() function {
	return func(dst []float64, b Batch, s Scale) error {
		w.advantages(dst, b, s)
		return nil
	}
}

// positional is f for a framework that knows a group by its position: it holds
// the rewards as a matrix and refuses batches that are none.
func positional(f function) function {
	return func(dst []float64, b Batch, s Scale) error {
		if err := f(dst, b, s); err != nil {
			return err
		}
		return refuseView(b)
	}
}

// refuseView returns what torch raises where a batch of groups of different
// sizes is to become rows of the usual size. If the number of samples happens to
// divide, torch sees nothing and the framework compares samples of different
// prompts; that is refused here as well.
func refuseView(b Batch) error {
	odd := groupsOdd(b.Offsets, 1)
	if odd == nil {
		return nil
	}
	return &Refusal{
		Kind:   "RuntimeError",
		Text:   fmt.Sprintf("shape '[-1, %d]' is invalid for input of size %d", usualSize(b.Offsets), len(b.Rewards)),
		Groups: odd,
	}
}

// refuseReshape is [refuseView] in numpy's words.
func refuseReshape(b Batch) error {
	odd := groupsOdd(b.Offsets, 1)
	if odd == nil {
		return nil
	}
	return &Refusal{
		Kind:   "ValueError",
		Text:   fmt.Sprintf("cannot reshape array of size %d into shape (%d)", len(b.Rewards), usualSize(b.Offsets)),
		Groups: odd,
	}
}

// perGroup is an arithmetic that looks at one group at a time, as float32: f
// writes to dst the advantages of rewards r, of the same length.
func perGroup(f func(dst, r []float32)) function {
	return func(dst []float64, b Batch, _ Scale) error {
		mustMatch(dst, b)
		n := longest(b.Offsets)
		r, a := make([]float32, n), make([]float32, n)
		for g := range b.Groups() {
			lo, hi := b.Offsets[g], b.Offsets[g+1]
			narrow(r[:hi-lo], b.Rewards[lo:hi])
			f(a[:hi-lo], r[:hi-lo])
			widen(dst[lo:hi], a[:hi-lo])
		}
		return nil
	}
}

// widen is the way back from [narrow].
func widen(dst []float64, x []float32) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = float64(v)
	}
}

func mustMatch(dst []float64, b Batch) {
	if len(dst) != len(b.Rewards) {
		panic("estimators: dst and rewards differ in length")
	}
}

func nan32() float32 { return float32(math.NaN()) }
