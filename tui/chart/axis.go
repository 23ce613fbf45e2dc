// Package chart draws small charts as lines of text: histograms, strips,
// trends and bars. Everything here is a pure function of values and a size, and
// gives back exactly the size that it was asked for.
package chart

import "math"

// Axis maps values of the domain [Lo, Hi] to columns.
type Axis struct{ Lo, Hi float64 }

// SymmetricAxis returns an axis that runs as far on either side of zero, at least to limit, which is
// finite, and ends at a round number.
func SymmetricAxis(limit float64) Axis {
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
	c := a.columns(w)
	return c.of(v)
}

// columns maps values to columns: what does not depend on the value is computed once.
// Halves are taken so that no difference overflows.
type columns struct {
	lo, scale float64
	last      float64
}

func (a Axis) columns(w int) columns {
	c := columns{lo: a.Lo / 2, last: float64(w - 1)}
	if scale := float64(w) / (a.Hi/2 - a.Lo/2); scale > 0 && scale <= math.MaxFloat64 {
		c.scale = scale // else all are in the first
	}
	return c
}

func (c *columns) of(v float64) int {
	at := (v/2 - c.lo) * c.scale
	if !(at > 0) {
		at = 0
	}
	if at > c.last {
		at = c.last
	}
	return int(at)
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
