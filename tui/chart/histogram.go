package chart

import (
	"math"
	"slices"
)

// Histogram counts values in equal bins along an axis. Exact zeros are counted separately:
// groups without signal would put so many into one bin that the others would not be seen.
type Histogram struct {
	Axis      Axis
	Counts    []int
	Zeros     int
	NonFinite int

	finite     int     // finite values, zeros included
	sum        float64 // of their differences from the middle of the axis
	sumSquares float64 // of these differences
}

// Moments returns the number of finite values, their mean, and their standard deviation
// with ddof 1. Mean or deviation is NaN if there are too few values.
func (h Histogram) Moments() (n int, mean, std float64) {
	count := float64(h.finite)
	mean = h.sum / count
	return h.finite, h.middle() + mean, math.Sqrt(max(0, h.sumSquares-h.sum*mean) / (count - 1))
}

func (h Histogram) middle() float64 { return h.Axis.Lo/2 + h.Axis.Hi/2 }

// Bin counts the values whose element of use is true, or all if use is nil, in w bins.
func Bin(axis Axis, w int, values []float64, use []bool) Histogram {
	return binParallel(axis, w, len(values), func(c *counter, lo, hi int) {
		if use == nil {
			c.add(values[lo:hi])
			return
		}
		c.addUsed(values[lo:hi], use[lo:hi])
	})
}

// BinWithZeros is like [Bin] but counts zeros in their bin too.
func BinWithZeros(axis Axis, w int, values []float64, use []bool) Histogram {
	h := Bin(axis, w, values, use)
	if h.Zeros > 0 && axis.Lo <= 0 && axis.Hi >= 0 {
		h.Counts[axis.Column(0, len(h.Counts))] += h.Zeros
	}
	return h
}

// Values is a column that is read in ranges. Between returns the values in [lo, hi), in buf
// if it has to compute them.
type Values interface {
	Len() int
	Between(lo, hi int, buf []float64) []float64
}

// BinValues counts all values in w bins.
func BinValues(axis Axis, w int, values Values) Histogram {
	return binParallel(axis, w, values.Len(), func(c *counter, lo, hi int) {
		var buf [batchSize]float64
		for ; lo < hi; lo += batchSize {
			c.add(values.Between(lo, min(hi, lo+batchSize), buf[:0]))
		}
	})
}

// Masked returns the histogram of the n values with a 1 bit in mask (value i has bit i%64 of
// word i/64), where h is the histogram of all values. It reads the fewer values: those with
// a 1 bit, or the others to subtract them.
func (h Histogram) Masked(values []float64, mask []uint64, n int) Histogram {
	if 2*n < len(values) {
		return binParallel(h.Axis, len(h.Counts), len(values), func(c *counter, lo, hi int) { c.addMasked(values, mask, 0, lo, hi) })
	}
	rest := binParallel(h.Axis, len(h.Counts), len(values), func(c *counter, lo, hi int) { c.addMasked(values, mask, ^uint64(0), lo, hi) })
	h.Counts = slices.Clone(h.Counts)
	for i, n := range rest.Counts {
		h.Counts[i] -= n
	}
	h.Zeros, h.NonFinite, h.finite = h.Zeros-rest.Zeros, h.NonFinite-rest.NonFinite, h.finite-rest.finite
	h.sum, h.sumSquares = h.sum-rest.sum, h.sumSquares-rest.sumSquares
	return h
}

// SubtractZeros returns the histogram with n zeros fewer.
func (h Histogram) SubtractZeros(n int) Histogram {
	d := -h.middle()
	h.Zeros, h.finite = h.Zeros-n, h.finite-n
	h.sum, h.sumSquares = h.sum-float64(n)*d, h.sumSquares-float64(n)*d*d
	return h
}

// Logarithmic returns a histogram with every count n replaced by 1000·log2(1+n), so that a
// bin of one sample is visible next to one of thousands.
func (h Histogram) Logarithmic() Histogram {
	counts := make([]int, len(h.Counts))
	for i, n := range h.Counts {
		counts[i] = int(math.Round(1000 * math.Log2(1+float64(n))))
	}
	h.Counts = counts
	return h
}

// MaxCount returns the largest count.
func (h Histogram) MaxCount() int {
	largest := 0
	for _, n := range h.Counts {
		largest = max(largest, n)
	}
	return largest
}
