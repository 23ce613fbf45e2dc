package estimators

import "vantage/estimators/torchsum"

// centreFirst is GRPO that takes the standard deviation of the centred rewards
// and not of the rewards:
//
//	a_i = r_i − μ ;  A_i = a_i/(s_a + eps)
//
// ddof 1, float32, s of the group, of the batch, or not there. On paper that is
// the same for groups; in float32 it is not for the last bits, and for the batch
// it is another number, since the means of the groups do not count.
type centreFirst struct {
	eps    float32
	matrix bool   // as in groupwise
	single single // byFormula or stdZero, as in groupwise
}

func (w centreFirst) advantages(dst []float64, b Batch, s Scale) error {
	groupwise{matrix: w.matrix, single: zeroAlone}.advantages(dst, b, ScaleNone)
	switch s {
	case ScaleGroup:
		w.byGroup(dst, b)
	case ScaleNone:
	case ScaleBatch:
		a := make([]float32, len(dst))
		narrow(a, dst)
		std := torchsum.Std(a)
		if len(a) == 1 && w.single == stdZero {
			std = 0
		}
		divide(dst, std+w.eps)
	}
	return nil
}

// byGroup divides each group by its own standard deviation.
func (w centreFirst) byGroup(dst []float64, b Batch) {
	a := make([]float32, longest(b.Offsets))
	var std [1]float32
	for g := range b.Groups() {
		lo, hi := b.Offsets[g], b.Offsets[g+1]
		x := a[:hi-lo]
		narrow(x, dst[lo:hi])
		switch {
		case hi-lo == 1 && w.single == stdZero:
			std[0] = 0
		case w.matrix && b.Groups() > 1:
			torchsum.StdRows(std[:], x, len(x))
		default:
			std[0] = torchsum.Std(x)
		}
		divide(dst[lo:hi], std[0]+w.eps)
	}
}

func divide(dst []float64, by float32) {
	for i, a := range dst {
		dst[i] = float64(float32(a) / by)
	}
}

// asOne is f for a framework that takes a batch of groups of different sizes for
// one single group.
func asOne(f function) function {
	return func(dst []float64, b Batch, s Scale) error {
		if groupsOdd(b.Offsets, 1) != nil {
			b.Offsets = []int{0, len(b.Rewards)}
		}
		return f(dst, b, s)
	}
}
