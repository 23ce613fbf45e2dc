package rewardcolumns

import "math"

func newMatrix(n int) [][]float64 {
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, n)
	}
	return m
}

// independent returns the columns that do not depend on those before them, by the symmetric matrix of
// their products with 1 on the diagonal: those of its Cholesky decomposition that have a pivot.
func independent(products [][]float64) []int {
	const smallest = 1e-9 // float32 rounding leaves 1e-14
	var used []int
	rows := newMatrix(len(products))
	for k := range products {
		pivot := products[k][k]
		for _, j := range used {
			x := products[k][j]
			for _, i := range used {
				if i < j {
					x -= rows[k][i] * rows[j][i]
				}
			}
			rows[k][j] = x / rows[j][j]
			pivot -= rows[k][j] * rows[k][j]
		}
		if pivot > smallest {
			rows[k][k] = math.Sqrt(pivot)
			used = append(used, k)
		}
	}
	return used
}

// smallestEigenvector returns the eigenvector of the smallest eigenvalue of the symmetric positive
// matrix that has the used rows and columns of m, by inverse iteration; 0 for the others. It returns nil
// if the matrix has none.
func smallestEigenvector(m [][]float64, used []int) []float64 {
	if len(used) == 0 {
		return nil
	}
	n := len(used)
	shifted := newMatrix(n)
	for i, k := range used {
		for j, l := range used {
			shifted[i][j] = m[k][l]
		}
		shifted[i][i] += 1e-14 // it may be singular
	}
	v := make([]float64, n)
	for i := range v {
		v[i] = 1 / float64(i+1)
	}
	for range 30 {
		if v = solveLinear(shifted, v); v == nil {
			return nil
		}
		length := math.Sqrt(dot(v, v))
		if !(length > 0) || math.IsInf(length, 0) {
			return nil
		}
		for i := range v {
			v[i] /= length
		}
	}
	w := make([]float64, len(m))
	for i, k := range used {
		w[k] = v[i]
	}
	return w
}

// solveLinear returns x with m·x = y, nil if there is none, by Gauss's elimination.
func solveLinear(m [][]float64, y []float64) []float64 {
	n := len(y)
	a := newMatrix(n)
	x := append([]float64(nil), y...)
	for i := range a {
		copy(a[i], m[i])
	}
	for k := range n {
		pivot := k
		for i := k + 1; i < n; i++ {
			if math.Abs(a[i][k]) > math.Abs(a[pivot][k]) {
				pivot = i
			}
		}
		a[k], a[pivot], x[k], x[pivot] = a[pivot], a[k], x[pivot], x[k]
		if a[k][k] == 0 {
			return nil
		}
		for i := k + 1; i < n; i++ {
			f := a[i][k] / a[k][k]
			for j := k; j < n; j++ {
				a[i][j] -= f * a[k][j]
			}
			x[i] -= f * x[k]
		}
	}
	for k := n - 1; k >= 0; k-- {
		for j := k + 1; j < n; j++ {
			x[k] -= a[k][j] * x[j]
		}
		x[k] /= a[k][k]
	}
	return x
}
