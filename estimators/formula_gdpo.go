package estimators

import "vantage/estimators/torchsum"

// perComponent is the first half of GDPO: Σ_k w_k·A_k, where A_k is what f gives for
// the k-th component of the reward; float32, from the first component on.
func perComponent(f formula) formula {
	return func(dst []float64, b Batch, s Scale) error {
		mustHaveLength(dst, b)
		sum := make([]float32, len(dst))
		component := Batch{Offsets: b.Offsets, Lengths: b.Lengths}
		var refused error
		for k, c := range b.Components {
			component.Rewards = make([]float64, len(c))
			for i, x := range c {
				component.Rewards[i] = float64(float32(x))
			}
			if err := f(dst, component, s); err != nil {
				refused = err
			}
			for i, a := range dst {
				sum[i] += float32(weight(b.Weights, k) * float32(a))
			}
		}
		toFloat64(dst, sum)
		return refused
	}
}

// batchStandardized is f followed by (A − Ā)/s over the samples of the batch, ddof 1,
// nothing added to s; A − Ā if s is not above 0.
func batchStandardized(f formula) formula {
	return func(dst []float64, b Batch, s Scale) error {
		err := f(dst, b, s)
		a := make([]float32, len(dst))
		toFloat32(a, dst)
		mean := torchsum.Mean(a)
		std := torchsum.StdWithMean(a, mean)
		for i, x := range a {
			d := x - mean
			if std > 0 {
				d /= std
			}
			dst[i] = float64(d)
		}
		return err
	}
}

// standardized is f followed by (A − Ā)/(s + eps) over the samples of the batch, ddof 1.
func standardized(f formula, eps float32) formula {
	return func(dst []float64, b Batch, s Scale) error {
		err := f(dst, b, s)
		a := make([]float32, len(dst))
		toFloat32(a, dst)
		standardize(a, eps)
		toFloat64(dst, a)
		return err
	}
}

// standardize replaces a by (a − ā)/(s + eps), ddof 1; a single value is NaN.
func standardize(a []float32, eps float32) {
	mean := torchsum.Mean(a)
	divisor := torchsum.StdWithMean(a, mean) + eps
	for i := range a {
		a[i] = (a[i] - mean) / divisor
	}
}
