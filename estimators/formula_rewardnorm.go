package estimators

import "math"

// rewardNorm is GRPO in float64 inside and float32 outside, on clipped rewards:
//
//	x = clip((r + bias)·scaling, ±clip) ;  A = (x − μ)/(s + 1e-5)
//
// with bias 0, scaling 1 and clip 20, the defaults: all rewards above 20 become 20.
// The mean is rounded to float32 before it is subtracted. Groups are blocks of the
// common size, by position; rows beyond the last whole block have mean 0 and s 0, so
// that 0.5 becomes 50000. Groups of one have s := 1.
type rewardNorm struct {
	meanOfBatch bool // the mean of the batch
	leaveOut    bool // the mean of the others
	ddof0       bool // the standard deviation of a population
}

const (
	rewardClip    = 20
	rewardNormEps = 1e-5
)

// advantages is a [formula].
func (w rewardNorm) advantages(dst []float64, b Batch, s Scale) error {
	mustHaveLength(dst, b)
	for i, r := range b.Rewards {
		dst[i] = clip(float64(float32(r)), -rewardClip, rewardClip)
	}
	mean, std := make([]float64, len(dst)), make([]float64, len(dst))
	size := max(1, commonSize(b.Offsets))
	for lo := 0; lo+size <= len(dst); lo += size {
		w.writeMeans(mean[lo:lo+size], dst[lo:lo+size])
		if s == ScaleGroup {
			w.writeStd(std[lo:lo+size], dst[lo:lo+size], mean[lo:lo+size])
			roundToFloat32(std[lo : lo+size])
		}
	}
	if w.meanOfBatch {
		w.writeMeans(mean, dst)
	}
	if s == ScaleBatch {
		w.writeStd(std, dst, mean)
	}
	w.divide(dst, mean, std, s)
	return nil
}

// divide replaces x by (x − mean)/(s + eps). Figures of a group are held in float32,
// those of the batch in float64; an operation on both is float64.
func (w rewardNorm) divide(x, mean, std []float64, s Scale) {
	for i, v := range x {
		a := v - mean[i]
		if !w.meanOfBatch {
			a = float64(float32(v) - float32(mean[i]))
		}
		switch {
		case s == ScaleGroup && !w.meanOfBatch:
			a = float64(float32(a) / (float32(std[i]) + rewardNormEps))
		case s != ScaleNone:
			a /= std[i] + rewardNormEps
		}
		x[i] = float64(float32(a))
	}
}

// writeMeans writes the mean of x, or for each value that of the others.
func (w rewardNorm) writeMeans(dst, x []float64) {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	n := float64(len(x))
	for i, v := range x {
		switch {
		case w.leaveOut && n > 1:
			dst[i] = (sum - v) / (n - 1)
		case w.leaveOut:
			dst[i] = 0
		default:
			dst[i] = sum / n
		}
	}
	if !w.meanOfBatch {
		roundToFloat32(dst)
	}
}

func roundToFloat32(x []float64) {
	for i, v := range x {
		x[i] = float64(float32(v))
	}
}

// writeStd fills dst with the standard deviation of x around mean.
func (w rewardNorm) writeStd(dst, x, mean []float64) {
	squares := 0.0
	for i, v := range x {
		d := v - mean[i]
		squares += float64(d * d)
	}
	n := float64(len(x))
	std := math.Sqrt(squares / (n - 1))
	switch {
	case w.ddof0:
		std = math.Sqrt(squares / n)
	case n <= 1:
		std = 1
	}
	for i := range dst {
		dst[i] = std
	}
}
