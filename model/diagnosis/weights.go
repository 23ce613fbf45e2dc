package diagnosis

import "math"

// WeightsOf fits totals by least squares as a sum of parts, each with a weight, and a constant, which comes last. rows[i] are the parts of
// totals[i]. misfit is the standard deviation of what is left. It returns nil if there are too few rows, or parts that are sums of others.
func WeightsOf(rows [][]float64, totals []float64) (weights []float64, misfit float64) {
	if len(rows) == 0 || len(rows) < 2*(len(rows[0])+1) {
		return nil, math.NaN()
	}
	n := len(rows[0]) + 1
	at := func(row []float64, i int) float64 {
		if i == n-1 {
			return 1
		}
		return row[i]
	}
	normal := make([][]float64, n) // the normal equations, with the right side as the last column
	for i := range normal {
		normal[i] = make([]float64, n+1)
		for r, row := range rows {
			for k := range n {
				normal[i][k] += at(row, i) * at(row, k)
			}
			normal[i][n] += at(row, i) * totals[r]
		}
	}
	weights, solved := solve(normal)
	if !solved {
		return nil, math.NaN()
	}
	squares := 0.0
	for r, row := range rows {
		rest := totals[r]
		for i, w := range weights {
			rest -= w * at(row, i)
		}
		squares += rest * rest
	}
	return weights, math.Sqrt(squares / float64(len(rows)))
}

// solve solves linear equations, whose right side is the last column, by elimination. It returns false if some follow from others.
func solve(equations [][]float64) (x []float64, ok bool) {
	n := len(equations)
	for i := range n {
		scale := equations[i][i]
		best := i
		for k := i + 1; k < n; k++ {
			if math.Abs(equations[k][i]) > math.Abs(equations[best][i]) {
				best = k
			}
		}
		equations[i], equations[best] = equations[best], equations[i]
		pivot := equations[i][i]
		if !(math.Abs(pivot) > 1e-10*(1+math.Abs(scale))) {
			return nil, false
		}
		for k := range n {
			if k == i {
				continue
			}
			factor := equations[k][i] / pivot
			for c := i; c <= n; c++ {
				equations[k][c] -= factor * equations[i][c]
			}
		}
	}
	x = make([]float64, n)
	for i := range x {
		x[i] = equations[i][n] / equations[i][i]
	}
	return x, true
}
