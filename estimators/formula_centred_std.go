package estimators

import "vantage/estimators/torchsum"

// centredStd is GRPO that takes the standard deviation of the centred rewards
// and not of the rewards:
//
//	a_i = r_i − μ ;  A_i = a_i/(s_a + eps)
//
// ddof 1, float32, s of the group, of the batch, or absent. For groups that is
// mathematically the same; in float32 the last bits differ. For the batch it is
// another number, since the means of the groups do not count.
type centredStd struct {
	eps      float32
	asMatrix bool       // as in groupwise
	ofOne    groupOfOne // oneByFormula or oneStd0, as in groupwise
}

// advantages is a [formula].
func (w centredStd) advantages(dst []float64, b Batch, s Scale) error {
	_ = groupwise{asMatrix: w.asMatrix, ofOne: oneMinusItself}.advantages(dst, b, ScaleNone)
	switch s {
	case ScaleGroup:
		w.divideGroups(dst, b)
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

// divideGroups divides each group by its own standard deviation.
func (w centredStd) divideGroups(dst []float64, b Batch) {
	a := make([]float32, largestGroup(b.Offsets))
	var std float32
	for g := range b.Groups() {
		lo, hi := b.Offsets[g], b.Offsets[g+1]
		x := a[:hi-lo]
		toFloat32(x, dst[lo:hi])
		switch {
		case hi-lo == 1 && w.ofOne == oneStd0:
			std = 0
		case w.asMatrix && b.Groups() > 1:
			std = torchsum.StdOfRow(x)
		default:
			std = torchsum.Std(x)
		}
		divide(dst[lo:hi], std+w.eps)
	}
}

func divide(dst []float64, by float32) {
	for i, a := range dst {
		dst[i] = float64(float32(a) / by)
	}
}
