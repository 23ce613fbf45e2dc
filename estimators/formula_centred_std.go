package estimators

import "vantage/estimators/torchsum"

// centredStd is GRPO that takes the standard deviation of the centred rewards
// and not of the rewards:
//
//	a_i = r_i − μ ;  A_i = a_i/(s_a + eps)
//
// ddof 1, float32, s of the group, of the batch, or not there. On paper that is
// the same for groups; in float32 it is not for the last bits, and for the batch
// it is another number, since the means of the groups do not count.
type centredStd struct {
	eps    float32
	asMatrix bool   // as in groupwise
	ofOne groupOfOne // byFormula or stdZero, as in groupwise
}

func (w centredStd) advantages(dst []float64, b Batch, s Scale) error {
	groupwise{asMatrix: w.asMatrix, ofOne: oneZero}.advantages(dst, b, ScaleNone)
	switch s {
	case ScaleGroup:
		w.byGroup(dst, b)
	case ScaleNone:
	case ScaleBatch:
		a := make([]float32, len(dst))
		toFloat32(a, dst)
		std := torchsum.Std(a)
		if len(a) == 1 && w.ofOne == oneStd0 {
			std = 0
		}
		divide(dst, std+w.eps)
	}
	return nil
}

// byGroup divides each group by its own standard deviation.
func (w centredStd) byGroup(dst []float64, b Batch) {
	a := make([]float32, largestGroup(b.Offsets))
	var std [1]float32
	for g := range b.Groups() {
		lo, hi := b.Offsets[g], b.Offsets[g+1]
		x := a[:hi-lo]
		toFloat32(x, dst[lo:hi])
		switch {
		case hi-lo == 1 && w.ofOne == oneStd0:
			std[0] = 0
		case w.asMatrix && b.Groups() > 1:
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

// raggedAsOneGroup is f for a framework that takes a batch of groups of different sizes for
// one single group.
func raggedAsOneGroup(f formula) formula {
	return func(dst []float64, b Batch, s Scale) error {
		if raggedGroups(b.Offsets, 1) != nil {
			b.Offsets = []int{0, len(b.Rewards)}
		}
		return f(dst, b, s)
	}
}
