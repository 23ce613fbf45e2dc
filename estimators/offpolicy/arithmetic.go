package offpolicy

import (
	"math"

	"vantage/estimators/torchsum"
)

// The arithmetic here knows no framework. It is float32, and a number that is not one goes through it as it
// goes through PyTorch: a clamp keeps NaN, a comparison with NaN is false, and NaN · 0 is NaN.

// safety is by how many nats most trainers let a log ratio be off before they take its exponential.
const safety = 20

func (x *row) difference(a, b []float32) []float32 {
	d := x.floats(len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	return d
}

func exp(x float32) float32 { return float32(math.Exp(float64(x))) }
func log(x float32) float32 { return float32(math.Log(float64(x))) }

// safeExp is the exponential of a log ratio that is at most [safety] off.
func safeExp(x float32) float32 { return exp(clamp(x, -safety, safety)) }

// clamp is x within two bounds, and NaN for NaN.
func clamp(x, low, high float32) float32 {
	switch {
	case x < low:
		return low
	case x > high:
		return high
	}
	return x
}

// abs of NaN is NaN.
func abs(x float32) float32 { return float32(math.Abs(float64(x))) }

// within reports whether x is in [low, high]; NaN is not.
func within(x, low, high float32) bool { return x >= low && x <= high }

// beyond reports whether x is below low or above high; NaN is neither.
func beyond(x, low, high float32) bool { return x < low || x > high }

// orZero is w if keep, else 0.
func orZero(keep bool, w float32) float32 {
	if keep {
		return w
	}
	return 0
}

// bit is 1 if keep, else 0.
func bit(keep bool) float32 { return orZero(keep, 1) }

// onMask are values on the mask, and 0 elsewhere.
func (x *row) onMask(values []float32, mask []bool) []float32 {
	out := x.floats(len(values))
	for i, m := range mask {
		out[i] = orZero(m, values[i])
	}
	return out
}

// timesMask are values · mask: what is not finite stays so beyond the mask.
func (x *row) timesMask(values []float32, mask []bool) []float32 {
	out := x.floats(len(values))
	for i, m := range mask {
		out[i] = values[i] * bit(m)
	}
	return out
}

// sum is Σ x. Which of the two products with the mask is summed is the trainer's choice.
func sum(x []float32) float32 { return torchsum.Sum(x) }

// sum is Σ over the tokens of a row, of one value for each place.
func (x *row) sum(values []float32) float32 { return sum(x.timed(values)) }

// timed are values, each by how many tokens are at its place.
func (x *row) timed(values []float32) []float32 {
	if x.Times == nil {
		return values
	}
	out := x.floats(len(values))
	for i, v := range values {
		out[i] = v * float32(x.Times[i])
	}
	return out
}

// count is how many tokens a mask has.
func (x *row) count(mask []bool) float32 {
	n := 0
	for i, m := range mask {
		if m {
			n += x.times(i)
		}
	}
	return float32(n)
}

// mean is total / n of the mask, and 0 for an empty mask.
func (x *row) mean(total float32, mask []bool) float32 { return total / max(x.count(mask), 1) }

// meanWithEps is mean with the 1e-8 that some trainers add to the count.
func (x *row) meanWithEps(total float32, mask []bool) float32 { return total / (x.count(mask) + 1e-8) }

// meanOf is meanWithEps of the tokens from one place to another.
func (x *row) meanOf(values []float32, from, to int) float32 {
	part := row{Row: Row{Mask: x.mask[from:to]}, memory: x.memory}
	if x.Times != nil {
		part.Times = x.Times[from:to]
	}
	return part.meanWithEps(part.sum(values[from:to]), part.Mask)
}

func (x *row) mapped(values []float32, f func(float32) float32) []float32 {
	out := x.floats(len(values))
	for i, v := range values {
		out[i] = f(v)
	}
	return out
}

// largest is the largest x on the mask, NaN if one of them is, and −Inf if there is none.
func largest(x []float32, mask []bool) float32 {
	most := float32(math.Inf(-1))
	for i, m := range mask {
		if m && (x[i] > most || x[i] != x[i]) {
			most = x[i]
		}
		if most != most {
			return most
		}
	}
	return most
}

// nanToNum is torch.nan_to_num with nan=0: infinities become the largest numbers.
func nanToNum(x float32) float32 {
	switch {
	case x != x:
		return 0
	case x > math.MaxFloat32:
		return math.MaxFloat32
	case x < -math.MaxFloat32:
		return -math.MaxFloat32
	}
	return x
}

// finiteOr is x, or otherwise where it is not finite.
func finiteOr(x, otherwise float32) float32 {
	if x-x != 0 {
		return otherwise
	}
	return x
}

// k1, k2 and k3 are the estimators of the divergence of the sampler from the trainer by one log ratio.
func k1(d float32) float32 { return -d }

func k2(d float32) float32 { return float32(0.5 * float32(d*d)) }

func k3(d float32) float32 { return exp(d) - 1 - d }

// binaryKL is the divergence of one token's probability p from q, by their logarithms; eps keeps its logarithms finite.
func binaryKL(logP, logQ, eps float32) float32 {
	p, q := exp(logP), exp(logQ)
	taken := float32(p * (logP - logQ))
	return taken + float32((1-p)*log((1-p+eps)/(1-q+eps)))
}
