package torchsum

import "math"

// lanes64 is how many float64 values are in a vector register.
const lanes64 = 4

// Sum64 returns the sum of float64 values as PyTorch computes it, for fewer than 256 values: like [Sum]
// with four values in a register. More are added in the same chains, without folding them.
func Sum64(x []float64) float64 {
	const block = lanes64 * chains
	if len(x) < lanes64 {
		return sumValues64(x)
	}
	var p [block]float64 // the four chains, one register after the other
	blocks, whole := len(x)/block*block, len(x)&^(lanes64-1)
	for i := 0; i < blocks; i += block {
		for k, v := range x[i : i+block] {
			p[k] += v
		}
	}
	for i := blocks; i < whole; i += lanes64 {
		for k, v := range x[i : i+lanes64] {
			p[k] += v
		}
	}
	for c := lanes64; c < block; c += lanes64 {
		for k := range lanes64 {
			p[k] += p[c+k]
		}
	}
	s := 0.0
	for _, v := range x[whole:] {
		s += v
	}
	for _, v := range p[:lanes64] {
		s += v
	}
	return s
}

// sumValues64 adds up to three values, which fill no register.
func sumValues64(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s
}

// Std64 is [Std] of float64 values.
func Std64(x []float64) float64 {
	mean, squares := Sum64(x)/float64(len(x)), 0.0
	for _, v := range x {
		d := v - mean
		squares += float64(d * d)
	}
	return math.Sqrt(squares / float64(max(0, len(x)-1)))
}
