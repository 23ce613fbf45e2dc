package estimators

import (
	"math"
	"slices"

	"vantage/estimators/torchsum"
)

// population is GRPO in numpy's float64, by default with the standard deviation of a population, ddof
// 0:
//
//	A_i = (r_i − μ)/(s + eps) ;  scale "none": r_i − μ
//
// Equal rewards give 0 or float64 rounding error.
type population struct {
	eps       float64
	ddof1     bool // a group of one is then NaN
	ignoreNaN bool // NaN is taken out before the sums and gives 0; else it makes its group NaN
	rawOfOne  bool // a group of one has μ := 0 and s := 1; else it gets 0, or NaN with ddof1
}

func (w population) advantages(dst []float64, b Batch, s Scale) error {
	mustHaveLength(dst, b)
	buf := make([]float64, largestGroup(b.Offsets))
	for lo, hi := range b.ranges() {
		mean, std := w.meanStd(b.Rewards[lo:hi], buf[:hi-lo])
		if w.rawOfOne && hi-lo == 1 {
			mean, std = 0, 1
		}
		w.divide(dst[lo:hi], b.Rewards[lo:hi], mean, std, s)
	}
	return nil
}

// batchWide is the formula with mean and standard deviation of the batch.
func (w population) batchWide(dst []float64, b Batch, s Scale) error {
	mustHaveLength(dst, b)
	mean, std := w.meanStd(b.Rewards, make([]float64, len(dst)))
	w.divide(dst, b.Rewards, mean, std, s)
	return nil
}

// batchStd is r − μ over the standard deviation of all r − μ of the batch, plus eps. A single-sample group gets
// 0.
func (w population) batchStd(dst []float64, b Batch, _ Scale) error {
	if err := w.advantages(dst, b, ScaleNone); err != nil {
		return err
	}
	_, std := w.meanStd(dst, make([]float64, len(dst)))
	for i := range dst {
		dst[i] /= std + w.eps
	}
	return nil
}

// divide writes (r − mean)/(std + eps).
func (w population) divide(dst, r []float64, mean, std float64, s Scale) {
	for i, x := range r {
		dst[i] = x - mean
		if s != ScaleNone {
			dst[i] /= std + w.eps
		}
		if w.ignoreNaN && math.IsNaN(x) {
			dst[i] = 0
		}
	}
}

// meanStd overwrites buf, of the length of r.
func (w population) meanStd(r, buf []float64) (mean, std float64) {
	x := buf[:0]
	for _, v := range r {
		if !w.ignoreNaN || !math.IsNaN(v) {
			x = append(x, v)
		}
	}
	mean = torchsum.MeanNumpy(x)
	return mean, torchsum.StdNumpy(x, mean, toInt(w.ddof1), x)
}

// numpy32 is GRPO in numpy's float32 throughout, with the standard deviation of a population, ddof 0:
//
//	A_i = (r_i − μ)/(s + eps) ;  scale "none": r_i − μ
//
// A single-sample group gets 0.
type numpy32 struct{ eps float32 }

func (w numpy32) advantages(dst []float64, b Batch, s Scale) error {
	n := largestGroup(b.Offsets)
	squares := make([]float32, n)
	return perGroup(func(dst, r []float32) {
		mean := torchsum.SumNumpy(r) / float32(len(r))
		for i, x := range r {
			dst[i] = x - mean
			squares[i] = dst[i] * dst[i]
		}
		if s == ScaleNone {
			return
		}
		variance := torchsum.SumNumpy(squares[:len(r)]) / float32(len(r))
		divisor := float32(math.Sqrt(float64(variance))) + w.eps
		for i := range dst {
			dst[i] /= divisor
		}
	})(dst, b, s)
}

// centredByPythonSum is r − Σr/n in float64. The sum runs from left to right as
// Python's sum did up to 3.11; later versions compensate, which may change the last
// bit.
func centredByPythonSum(dst, r []float64, _ Scale) {
	mean := torchsum.SumLeftToRight(r) / float64(len(r))
	for i, x := range r {
		dst[i] = x - mean
	}
}

// rloo64 is RLOO in numpy's float64, of which frameworks have two forms:
//
//	A_i = n/(n − 1)·(r_i − μ)            a group of one gets r
//	A_i = r_i − (Σ − r_i)/(n − 1)        (bySum) a group of one gets 0
type rloo64 struct{ bySum bool }

func (w rloo64) advantages(dst, r []float64, _ Scale) {
	n := float64(len(r))
	sum := torchsum.SumNumpy(r)
	for i, x := range r {
		switch {
		case n == 1 && w.bySum:
			dst[i] = 0
		case n == 1:
			dst[i] = x
		case w.bySum:
			dst[i] = x - (sum-x)/(n-1)
		default:
			dst[i] = n / (n - 1) * (x - sum/n)
		}
	}
}

// flatSpread is how far rewards may be from the first of their group to count as equal.
const flatSpread = 1e-12

// flatGroups is GRPO with a test for equal rewards before any arithmetic: a group whose rewards are all
// within 1e-12 of the first, or of a single reward, gets 0. NaN is not within it. other writes the
// advantages of a group that is not flat; scaled says whether it divides.
func flatGroups(other func(dst, r []float64, scaled bool)) formula {
	return perGroup64(func(dst, r []float64, s Scale) {
		differs := func(x float64) bool { return !(math.Abs(x-r[0]) <= flatSpread) }
		if len(r) == 0 || !slices.ContainsFunc(r[1:], differs) {
			clear(dst)
			return
		}
		other(dst, r, s != ScaleNone)
	})
}

// pythonGRPO is (r − μ)/(s + 1e-6) in Python's floats: sums from left to right as Python had them up to
// 3.11, ddof 0.
func pythonGRPO(dst, r []float64, scaled bool) {
	squares, n := 0.0, float64(len(r))
	mean := torchsum.SumLeftToRight(r) / n
	for i, x := range r {
		dst[i] = x - mean
		squares += float64(dst[i] * dst[i])
	}
	if !scaled {
		return
	}
	std := math.Sqrt(squares / n)
	for i := range dst {
		dst[i] /= std + 1e-6
	}
}

// torchPopulationGRPO is (r − μ)/s in PyTorch's float32, ddof 0 and nothing added to s; 0 if s is not
// above 1e-8.
func torchPopulationGRPO(dst, r []float64, scaled bool) {
	var small [onStack]float32
	x := resize(small[:], len(r))
	toFloat32(x, r)
	mean := torchsum.Mean(x)
	std := torchsum.PopulationStd(x, mean)
	for i, v := range x {
		a := v - mean
		switch {
		case scaled && std > 1e-8:
			a /= std
		case scaled:
			a = 0
		}
		dst[i] = float64(a)
	}
}
