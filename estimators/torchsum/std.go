package torchsum

import (
	"math"
)

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

// NaNMeanStd returns the mean and the standard deviation, ddof 1, of the values
// of x that are not NaN, and their number, as trl's and ms-swift's nanstd compute
// them. All of it is float32:
//
//	m = Σ x/c ;  v = Σ (x − m)²/c' · (c/(c−1)) ;  s = √v
//
// c counts the values, c' the squares that are numbers: fewer with infinities. sum adds the
// values and sumSquares the squares: [Sum] or that of a column; NaN counts as 0 in them. buf is
// overwritten; its length is that of x.
//
// Special cases are:
//
//	only NaN                    = NaN, NaN, 0
//	one value                   = the value, NaN, 1
//	infinities of one sign      = the infinity, +Inf, or NaN if no value is finite
//	infinities of both signs    = NaN, NaN
//
// Source: huggingface/trl@f2cd57710ae3 trl/trainer/utils.py:nanstd.
func NaNMeanStd(x, buf []float32, sum, sumSquares func([]float32) float32) (mean, std float32, count int) {
	buf = buf[:len(x)]
	if mean = sum(x) / float32(len(x)); mean-mean == 0 {
		// A finite mean excludes NaN: the usual case, without a test of each value.
		for i, v := range x {
			d := v - mean
			buf[i] = d * d
		}
		return mean, StdOfSquares(sumSquares(buf), len(x), len(x)), len(x)
	}
	for i, v := range x {
		buf[i] = 0
		if v == v {
			buf[i] = v
			count++
		}
	}
	mean = sum(buf) / float32(count)
	squares := 0
	for i, v := range x {
		d := v - mean
		buf[i] = 0
		if d == d {
			buf[i] = d * d
			squares++
		}
	}
	return mean, StdOfSquares(sumSquares(buf), squares, count), count
}

// StdOfSquares returns the standard deviation, ddof 1, of count values, of whose squared
// differences to the mean n are numbers, with the given sum; NaN for fewer than two values.
func StdOfSquares(sum float32, n, count int) float32 {
	if count < 2 {
		return float32(math.NaN())
	}
	v := sum / float32(n)
	v *= float32(count) / float32(count-1)
	return float32(math.Sqrt(float64(v)))
}
