// Package chart draws small charts as lines of text: histograms, strips,
// trends and bars. Everything here is a pure function of values and a size, and
// gives back exactly the size that it was asked for.
package chart

import "math"

// Axis maps values of the domain [Lo, Hi] to columns.
type Axis struct{ Lo, Hi float64 }

// Symmetric returns an axis around 0 that holds all values and ends at a round
// number. Values that are not finite are passed over.
func Symmetric(values ...[]float64) Axis {
	limit := 0.0
	for _, column := range values {
		for _, v := range column {
			if a := math.Abs(v); a > limit && a-a == 0 {
				limit = a
			}
		}
	}
	limit = min(nice(limit), math.MaxFloat64)
	return Axis{-limit, limit}
}

// nice rounds up to a number that reads well at the end of an axis.
func nice(x float64) float64 {
	if x <= 0 {
		return 1
	}
	unit := math.Pow(10, math.Floor(math.Log10(x)))
	for _, step := range []float64{1, 1.5, 2, 2.5, 3, 4, 5, 6, 8} {
		if x <= step*unit*(1+1e-9) {
			return step * unit
		}
	}
	return 10 * unit
}

// Column returns which of w columns v falls into, within 0 and w-1.
func (a Axis) Column(v float64, w int) int {
	return min(w-1, int(share(v, a.Lo, a.Hi)*float64(w)))
}

// Middle returns the value in the middle of column at of w.
func (a Axis) Middle(at, w int) float64 {
	part := (float64(at) + 0.5) / float64(w)
	return a.Lo*(1-part) + a.Hi*part
}

// Edges returns the values between which column at of w lies.
func (a Axis) Edges(at, w int) (lo, hi float64) {
	edge := func(at int) float64 {
		part := float64(at) / float64(w)
		return a.Lo*(1-part) + a.Hi*part
	}
	return edge(at), edge(at + 1)
}
