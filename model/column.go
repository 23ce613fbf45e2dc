package model

import "vantage/estimators"

// Column is a number for each sample, as wide as the trainer's numbers are: what is half as
// wide takes half the time to go through.
type Column struct {
	wide   []float64
	narrow []float32
}

func newColumn(n int, f estimators.Float) Column {
	if f == estimators.Float32 {
		return Column{narrow: make([]float32, n)}
	}
	return Column{wide: make([]float64, n)}
}

// Len returns the number of samples.
func (c Column) Len() int { return max(len(c.wide), len(c.narrow)) }

// At returns the number of sample i.
func (c Column) At(i int) float64 {
	if c.narrow != nil {
		return float64(c.narrow[i])
	}
	return c.wide[i]
}

// Between returns the numbers of samples [lo, hi). They are read only; room serves for them if
// it is large enough.
func (c Column) Between(lo, hi int, room []float64) []float64 {
	if c.narrow == nil {
		return c.wide[lo:hi]
	}
	if cap(room) < hi-lo {
		room = make([]float64, hi-lo)
	}
	room = room[:hi-lo]
	for i, x := range c.narrow[lo:hi] {
		room[i] = float64(x)
	}
	return room
}

// put writes numbers from sample lo on.
func (c Column) put(lo int, values []float64) {
	if c.narrow == nil {
		copy(c.wide[lo:], values)
		return
	}
	narrow := c.narrow[lo : lo+len(values)]
	for i, x := range values {
		narrow[i] = float32(x)
	}
}
