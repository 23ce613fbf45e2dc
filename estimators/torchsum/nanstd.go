package torchsum

import "math"

// NaNMeanStd returns the mean and the standard deviation, ddof 1, of the values
// of x that are not NaN, and their number, as trl's and ms-swift's nanstd compute
// them. All of it is float32:
//
//	m = Σ x/c ;  v = Σ (x − m)²/c · (c/(c−1)) ;  s = √v
//
// sum is [Sum] or [SumColumn]; NaN counts as 0 in it. buf is overwritten; its length is
// that of x.
//
// Special cases are:
//
//	only NaN  = NaN, NaN, 0
//	one value = the value, NaN, 1
//
// Source: huggingface/trl@f2cd57710ae3 trl/trainer/utils.py:nanstd.
func NaNMeanStd(x, buf []float32, sum func([]float32) float32) (mean, std float32, count int) {
	buf = buf[:len(x)]
	if mean = sum(x) / float32(len(x)); mean-mean == 0 {
		// A finite mean excludes NaN: the usual case, without a test of each value.
		for i, v := range x {
			d := v - mean
			buf[i] = d * d
		}
		return mean, stdOfSquares(sum(buf), len(x)), len(x)
	}
	for i, v := range x {
		buf[i] = 0
		if v == v {
			buf[i] = v
			count++
		}
	}
	c := float32(count)
	mean = sum(buf) / c
	for i, v := range x {
		d := v - mean
		buf[i] = 0
		if d == d {
			buf[i] = d * d
		}
	}
	return mean, stdOfSquares(sum(buf), count), count
}

// stdOfSquares returns the standard deviation, ddof 1, of count values whose squared
// differences to the mean add up to squares; NaN for fewer than two.
func stdOfSquares(squares float32, count int) float32 {
	if count < 2 {
		return float32(math.NaN())
	}
	c := float32(count)
	v := squares / c
	v *= c / float32(count-1)
	return float32(math.Sqrt(float64(v)))
}
