package torchsum

import "math"

// Std returns the standard deviation, ddof 1, as PyTorch computes it if the result
// is one value: x.std() of any tensor, or of a [1, n] matrix over its
// rows.
//
//	s = float32(√(Σ (x_i − m)² / (n−1))),  m = Mean(x)
//
// The mean is the float32 one; differences, squares and their sum, left to right,
// are float64. So a constant x whose mean misses it by a bit has s > 0.
//
// Special cases are:
//
//	Std of fewer than two values = NaN
//	Std with a NaN or an infinity = NaN
func Std(x []float32) float32 { return StdWithMean(x, Mean(x)) }

// StdWithMean is [Std] for a known mean, which must be Mean(x).
func StdWithMean(x []float32, mean float32) float32 { return root(squaresAround(x, mean), len(x)) }

// PopulationStd is StdWithMean with ddof 0: one value has 0.
func PopulationStd(x []float32, mean float32) float32 { return root(squaresAround(x, mean), len(x)+1) }

// Variance is the square of [Std] before the root: x.var() of any tensor.
func Variance(x []float32) float32 {
	return float32(squaresAround(x, Mean(x)) / float64(max(0, len(x)-1)))
}

// squaresAround returns Σ (x_i − mean)² in float64, from left to right.
func squaresAround(x []float32, mean float32) float64 {
	m, squares := float64(mean), 0.0
	for _, v := range x {
		d := float64(v) - m
		squares += float64(d * d)
	}
	return squares
}

// StdOfRow returns the standard deviation, ddof 1, of x, as PyTorch computes it if there
// are several results: of each row by x.std(dim=1) of a [G, n] matrix with G ≥ 2.
//
// It is Welford's algorithm in float64, value after value, rounded to float32 at
// the end:
//
//	δ = x_i − m ;  m += δ/i ;  S += δ·(x_i − m) ;  s = float32(√(S/(n−1)))
//
// So a constant row has exactly s = 0, even where its float32 mean misses it.
//
// Special cases are those of [Std].
//
// Source: Welford, Technometrics 4, 1962, 419–420.
func StdOfRow(x []float32) float32 {
	mean, squares, count := 0.0, 0.0, 0.0
	for _, v := range x {
		count++
		delta := float64(v) - mean
		mean += delta / count
		squares += float64(delta * (float64(v) - mean))
	}
	return root(squares, len(x))
}

// root returns the standard deviation of n values by the sum of their squared
// differences to the mean. PyTorch does not let the divisor fall below 0: one value
// gives 0/0.
func root(squares float64, n int) float32 {
	return float32(math.Sqrt(squares / float64(max(0, n-1))))
}
