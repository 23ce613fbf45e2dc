package analysis

// moments are sum and extremes of weighted values.
type moments struct {
	n                   int // number of values
	weight, sum, lo, hi float64
}

// add adds a value. A NaN makes mean and extremes NaN, as in torch.
func (m *moments) add(x, weight float64) {
	if m.n == 0 {
		m.lo, m.hi = x, x
	}
	m.n++
	m.weight += weight
	m.sum += x * weight
	m.widen(x, x)
}

// merge adds the values of o.
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
	m.widen(o.lo, o.hi)
}

// widen extends the extremes to lo and hi; NaN stays.
func (m *moments) widen(lo, hi float64) {
	if lo < m.lo || lo != lo {
		m.lo = lo
	}
	if hi > m.hi || hi != hi {
		m.hi = hi
	}
}

// mean is 0 if there are no values.
func (m *moments) mean() float64 {
	if m.n == 0 {
		return 0
	}
	return m.sum / m.weight
}

// constant reports whether all values are equal.
func (m *moments) constant() bool { return m.lo == m.hi }

// appendTo appends mean, max and min as metrics.
func (m *moments) appendTo(metrics []Metric, name string) []Metric {
	return append(metrics, Metric{name + "/mean", m.mean()}, Metric{name + "/max", m.hi}, Metric{name + "/min", m.lo})
}

// count01 is 1 if yes, else 0; the compiler makes no branch of it.
func count01(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func isFinite(x float64) bool { return x-x == 0 }
