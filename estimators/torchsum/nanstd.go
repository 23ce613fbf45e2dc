package torchsum

import "math"

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
