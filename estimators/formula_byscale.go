package estimators

import (
	"fmt"
	"math"
)

// formula is what an [Estimator] computes with.
type formula = func(dst []float64, b Batch, s Scale) error

// formula is the arithmetic as that of an estimator that refuses nothing.
func (w groupwise) formula() formula {
	return func(dst []float64, b Batch, s Scale) error {
		w.advantages(dst, b, s)
		return nil
	}
}

// refuseRagged is f for a framework that knows a group by its position: it holds
// the rewards as a matrix and refuses batches that are none.
func refuseRagged(f formula) formula {
	return func(dst []float64, b Batch, s Scale) error {
		if err := f(dst, b, s); err != nil {
			return err
		}
		return raggedViewError(b)
	}
}

// raggedViewError returns what torch raises where a batch of groups of different
// sizes is to become rows of the usual size. If the number of samples happens to
// divide, torch sees nothing and the framework compares samples of different
// prompts; that is refused here as well.
func raggedViewError(b Batch) error {
	odd := raggedGroups(b.Offsets, 1)
	if odd == nil {
		return nil
	}
	return &Refusal{
		Kind:   "RuntimeError",
		Text:   fmt.Sprintf("shape '[-1, %d]' is invalid for input of size %d", commonSize(b.Offsets), len(b.Rewards)),
		Groups: odd,
	}
}

// raggedReshapeError is [refuseView] in numpy's words.
func raggedReshapeError(b Batch) error {
	odd := raggedGroups(b.Offsets, 1)
	if odd == nil {
		return nil
	}
	return &Refusal{
		Kind:   "ValueError",
		Text:   fmt.Sprintf("cannot reshape array of size %d into shape (%d)", len(b.Rewards), commonSize(b.Offsets)),
		Groups: odd,
	}
}

// perGroup is an arithmetic that looks at one group at a time, as float32: f
// writes to dst the advantages of rewards r, of the same length.
func perGroup(f func(dst, r []float32)) formula {
	return func(dst []float64, b Batch, _ Scale) error {
		mustHaveLength(dst, b)
		n := largestGroup(b.Offsets)
		r, a := make([]float32, n), make([]float32, n)
		for g := range b.Groups() {
			lo, hi := b.Offsets[g], b.Offsets[g+1]
			toFloat32(r[:hi-lo], b.Rewards[lo:hi])
			f(a[:hi-lo], r[:hi-lo])
			toFloat64(dst[lo:hi], a[:hi-lo])
		}
		return nil
	}
}

// toFloat64 is the way back from [narrow].
func toFloat64(dst []float64, x []float32) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = float64(v)
	}
}

func mustHaveLength(dst []float64, b Batch) {
	if len(dst) != len(b.Rewards) {
		panic("estimators: dst and rewards differ in length")
	}
}

func nan32() float32 { return float32(math.NaN()) }
