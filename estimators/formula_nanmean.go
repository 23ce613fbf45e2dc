package estimators

import (
	"math"

	"vantage/estimators/torchsum"
)

// nanIgnoring is GRPO by nanmean and nanstd: samples without a score count in no mean
// and no standard deviation and get 0. All of it is float32, ddof 1, eps added:
//
//	A_i = (r_i − μ)/(s + eps) ;  NaN → 0, ±Inf → ±3.4e38
//
// s is of the group, of the batch, or absent. A group of one has s := 0.
type nanIgnoring struct{ eps float32 }

// advantages is a [formula].
func (w nanIgnoring) advantages(dst []float64, b Batch, s Scale) error {
	r := make([]float32, len(b.Rewards))
	toFloat32(r, b.Rewards)
	w.normalize(r, b.Offsets, s, torchsum.Sum)
	for i, a := range r {
		dst[i] = float64(nanToNum(a))
	}
	return nil
}

// normalize replaces the rewards in r by (r − μ)/(s + eps); NaN stays. sum adds
// within groups.
func (w nanIgnoring) normalize(r []float32, offsets []int, s Scale, sum func([]float32) float32) {
	buf := make([]float32, largestGroup(offsets))
	var batchStd float32
	if s == ScaleBatch {
		_, batchStd, _ = torchsum.NaNMeanStd(r, make([]float32, len(r)), torchsum.Sum)
	}
	for g := 1; g < len(offsets); g++ {
		x := r[offsets[g-1]:offsets[g]]
		mean, std, _ := torchsum.NaNMeanStd(x, buf[:len(x)], sum)
		divisor := std + w.eps
		switch {
		case s == ScaleNone:
			divisor = 1
		case s == ScaleBatch && len(r) > 1:
			divisor = batchStd + w.eps
		case s == ScaleBatch || len(x) == 1:
			divisor = w.eps
		}
		for i := range x {
			x[i] = (x[i] - mean) / divisor
		}
	}
}

// normalizeBatch replaces z by (z − z̄)/(s + eps) over the batch; NaN stays.
func (w nanIgnoring) normalizeBatch(z []float32) {
	mean, std, _ := torchsum.NaNMeanStd(z, make([]float32, len(z)), torchsum.Sum)
	for i := range z {
		z[i] = (z[i] - mean) / (std + w.eps)
	}
}

// nanToNum is torch.nan_to_num: NaN becomes 0, an infinity the largest float32.
func nanToNum(x float32) float32 {
	switch {
	case x-x == 0:
		return x
	case x != x:
		return 0
	}
	return min(max(x, -math.MaxFloat32), math.MaxFloat32)
}

// gdpo normalizes every reward function on its own within the group, then the weighted
// sum over the batch,
//
//	z = Σ_k w_k·(r_k − μ_k)/(s_k + eps) ;  A = (z − z̄)/(s_z + eps)
//
// A component without a score adds nothing. With ignoreUnscored, a sample without any
// score gets 0 and does not count in z̄; else it counts as z = 0. Liu et al., "GDPO:
// Group reward-Decoupled Normalization Policy Optimization", arXiv:2601.05242, 2026.
func (w nanIgnoring) gdpo(ignoreUnscored bool) formula {
	return func(dst []float64, b Batch, _ Scale) error {
		mustHaveLength(dst, b)
		components := componentsToFloat32(b.Components)
		sum := torchsum.Sum
		if len(components) > 1 {
			sum = torchsum.SumColumn // the components are columns of one matrix
		}
		for _, r := range components {
			w.normalize(r, b.Offsets, ScaleGroup, sum)
		}
		z := weightedSum(components, b.Weights, ignoreUnscored)
		if ignoreUnscored {
			w.normalizeBatch(z)
		} else {
			mean := torchsum.Mean(z)
			s := torchsum.StdWithMean(z, mean) + w.eps
			for i := range z {
				z[i] = (z[i] - mean) / s
			}
		}
		for i, a := range z {
			dst[i] = float64(a)
			if ignoreUnscored {
				dst[i] = float64(nanToNum(a))
			}
		}
		return nil
	}
}

// weightedSum is Σ_k w_k·x_k per sample, float32, from the first component to the
// last; NaN counts as 0. With nanIfUnscored, a sample that has only NaN is NaN.
func weightedSum(components [][]float32, weights []float64, nanIfUnscored bool) []float32 {
	z := make([]float32, len(components[0]))
	terms := make([]float32, len(components))
	for i := range z {
		scored := 0
		for k, x := range components {
			terms[k] = 0
			if v := x[i]; v == v {
				terms[k] = v * weight(weights, k)
				scored++
			}
		}
		z[i] = torchsum.SumLeftToRight(terms)
		if nanIfUnscored && scored == 0 {
			z[i] = nan32()
		}
	}
	return z
}

// weight returns the k-th weight, or 1 if weights is nil.
func weight(weights []float64, k int) float32 {
	if weights == nil {
		return 1
	}
	return float32(weights[k])
}

func componentsToFloat32(components [][]float64) [][]float32 {
	out := make([][]float32, len(components))
	for k, c := range components {
		out[k] = make([]float32, len(c))
		toFloat32(out[k], c)
	}
	return out
}

// rloo is RLOO over the samples that have a score:
//
//	A_i = r_i − (Σ − r_i)/(m − 1),  m = number of scores in the group
//
// Where no other sample has a score the advantage is 0. With normalized,
// (A − Ā)/(s_A + eps) over the batch follows.
func (w nanIgnoring) rloo(normalized bool) formula {
	return func(dst []float64, b Batch, _ Scale) error {
		mustHaveLength(dst, b)
		a := make([]float32, len(b.Rewards))
		toFloat32(a, b.Rewards)
		buf := make([]float32, len(a))
		for g := range b.Groups() {
			x := a[b.Offsets[g]:b.Offsets[g+1]]
			subtractOthers(x, buf[:len(x)])
		}
		if normalized {
			w.normalizeBatch(a)
		}
		for i, v := range a {
			dst[i] = float64(nanToNum(v))
		}
		return nil
	}
}

// subtractOthers replaces each score of a group by its difference to the mean of the
// others. It overwrites buf.
func subtractOthers(x, buf []float32) {
	count := 0
	for i, v := range x {
		buf[i] = 0
		if v == v {
			buf[i] = v
			count++
		}
	}
	sum := torchsum.Sum(buf)
	for i, v := range x {
		x[i] = v - (sum-v)/float32(count-1)
	}
}
