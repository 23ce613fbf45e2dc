package analysis

import (
	"math"
	"slices"
)

// memory is what a step is computed in that nobody keeps: other steps take it after that. Nil stands for a step that somebody keeps, which
// gets memory of its own.
type memory struct {
	analysis Analysis
	groups   []Group
	sums     []statistics
	columns  [][]float64
	used     int       // columns of the step
	marks    []bool    // as many as samples
	nothing  []float64 // NaN
}

// memories are those that no step uses.
type memories chan *memory

func (free memories) take() *memory {
	select {
	case m := <-free:
		m.used = 0
		return m
	default:
		return &memory{}
	}
}

func (free memories) give(m *memory) {
	select {
	case free <- m:
	default:
	}
}

// newAnalysis returns an analysis of which nothing is known.
func (m *memory) newAnalysis() *Analysis {
	if m == nil {
		return new(Analysis)
	}
	m.analysis = Analysis{}
	return &m.analysis
}

// numbers returns n numbers, which mean nothing yet.
func (m *memory) numbers(n int) []float64 {
	if m == nil {
		return make([]float64, n)
	}
	if m.used == len(m.columns) {
		m.columns = append(m.columns, nil)
	}
	column := &m.columns[m.used]
	m.used++
	if cap(*column) < n {
		*column = make([]float64, n)
	}
	return (*column)[:n]
}

// none returns n times NaN, which may not be changed.
func (m *memory) none(n int) []float64 {
	if m == nil {
		return slices.Repeat([]float64{math.NaN()}, n)
	}
	for len(m.nothing) < n {
		m.nothing = append(m.nothing, math.NaN())
	}
	return m.nothing[:n:n]
}

// falses returns n times false.
func (m *memory) falses(n int) []bool {
	if m == nil {
		return make([]bool, n)
	}
	return zeros(&m.marks, n)
}

// emptyGroups returns n groups of which nothing is known.
func (m *memory) emptyGroups(n int) []Group {
	if m == nil {
		return make([]Group, n)
	}
	return zeros(&m.groups, n)
}

// emptySums returns n sums of nothing.
func (m *memory) emptySums(n int) []statistics {
	if m == nil {
		return make([]statistics, n)
	}
	return zeros(&m.sums, n)
}

// zeros returns n zero values in the memory of a slice.
func zeros[T any](of *[]T, n int) []T {
	*of = slices.Grow((*of)[:0], n)[:n]
	clear(*of)
	return *of
}
