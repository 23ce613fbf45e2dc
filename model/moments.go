package model

import "math"

// moments accumulates mean and extremes of weighted values.
type moments struct {
	weight, sum, lo, hi float64
	n                   int
}

func (m *moments) add(x, w float64) {
	if w == 0 {
		return
	}
	if m.n == 0 {
		m.lo, m.hi = x, x
	}
	m.n++
	m.weight += w
	m.sum += x * w
	// NaN goes through, as torch's max and min let it
	m.lo, m.hi = min(m.lo, x), max(m.hi, x)
}

// addEach adds many values, each once. Unless one is not a number no branch in it is hard
// to guess.
func (m *moments) addEach(values []float64) {
	sum, lo, hi := 0.0, math.Inf(1), math.Inf(-1)
	for _, x := range values {
		sum += x
		if x < lo {
			lo = x
		}
		if x > hi {
			hi = x
		}
	}
	if finite(sum) {
		m.merge(moments{weight: float64(len(values)), sum: sum, lo: lo, hi: hi, n: len(values)})
		return
	}
	for _, x := range values {
		m.add(x, 1)
	}
}

// merge adds what another has accumulated.
func (m *moments) merge(o moments) {
	switch {
	case o.n == 0:
		return
	case m.n == 0:
		*m = o
		return
	}
	m.n += o.n
	m.weight += o.weight
	m.sum += o.sum
	m.lo, m.hi = min(m.lo, o.lo), max(m.hi, o.hi)
}

func (m *moments) mean() float64 { return m.sum / m.weight }

func (m *moments) append(to []Metric, name string) []Metric {
	mean := 0.0
	if m.n > 0 {
		mean = m.mean()
	}
	return append(to, Metric{name + "/mean", mean}, Metric{name + "/max", m.hi}, Metric{name + "/min", m.lo})
}

// spread is the standard deviation of the n finite values, with n-1.
func spread(values []float64, mean float64, n int) float64 {
	squares := 0.0
	for _, v := range values {
		if finite(v) {
			squares += (v - mean) * (v - mean)
		}
	}
	return math.Sqrt(squares / float64(n-1))
}
