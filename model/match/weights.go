package match

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
)

// The weighted sum of the reward functions, less its mean over a group, is the advantages of the group
// times something that is the same for the group: with X the columns less their means and w the
// weights, X·w ∝ A. So (X − A·Aᵀ·X/AᵀA)·w = 0 for every group, and w is the null vector of the sum of
// the squares of these matrices. This holds for every scale and for leave-one-out; only how large w is
// depends on the scale, and with a std it hangs on the eps that is added to it.

// trlEps is what TRL adds to a std. With it the size of weights is known to three digits or more.
const trlEps = 1e-4

const maxTried = 64

// solve returns factors of the columns to try: those of the null vector, as simple numbers first.
func (s *samples) solve(c *candidates) [][]float64 {
	var columns []int
	for k := range c.names {
		if c.moves[k] {
			columns = append(columns, k)
		}
	}
	var all [][]float64
	for _, blocks := range [][]block{s.groups(columns), s.normalisedSteps(columns)} {
		direction := nullVector(blocks, len(columns))
		if direction == nil {
			continue
		}
		for _, size := range sizes(blocks, direction, s.stepStds(columns, direction)) {
			for _, w := range simpleFactors(direction, size) {
				factors := make([]float64, len(c.names))
				for i, k := range columns {
					factors[k] = w[i]
				}
				all = append(all, factors)
			}
		}
	}
	slices.SortStableFunc(all, func(x, y []float64) int { return cmp.Compare(complexity(x), complexity(y)) })
	return all[:min(maxTried, len(all))]
}

// complexity is how unlike weights are to what a person would give: by the digits of the simplest one,
// then by those of all.
func complexity(factors []float64) int {
	least, sum := 100, 0
	for _, x := range factors {
		if x == 0 {
			continue
		}
		mantissa, _, _ := strings.Cut(strconv.FormatFloat(math.Abs(x), 'e', -1, 64), "e")
		n := len(strings.Replace(mantissa, ".", "", 1))
		least, sum = min(least, n), sum+n
	}
	return 1000*least + sum
}

// products are sums over all samples of the products of columns, each divided by its size.
type products struct {
	total [][]float64 // of two columns
	left  [][]float64 // of two columns, after what points along the advantages is taken off each block
	size  []float64   // the norm of a column: what its products were divided by
	push  []float64   // of a column and the advantages, not divided
}

func productsOf(blocks []block, n int) products {
	p := products{newMatrix(n), newMatrix(n), make([]float64, n), make([]float64, n)}
	for _, b := range blocks {
		squares := dot(b.advantages, b.advantages)
		along := make([]float64, n)
		for i := range n {
			along[i] = dot(b.columns[i], b.advantages)
			p.push[i] += along[i]
		}
		for i := range n {
			for j := range n {
				x := dot(b.columns[i], b.columns[j])
				p.total[i][j] += x
				if squares > 0 {
					x -= along[i] * along[j] / squares
				}
				p.left[i][j] += x
			}
		}
	}
	for i := range n {
		p.size[i] = math.Sqrt(p.total[i][i])
	}
	for i := range n {
		for j := range n {
			p.total[i][j] /= p.size[i] * p.size[j]
			p.left[i][j] /= p.size[i] * p.size[j]
		}
	}
	return p
}

// nullVector returns the direction of the weights of n columns. Of columns that depend on each other
// the first counts. It returns nil if there is none.
func nullVector(blocks []block, n int) []float64 {
	p := productsOf(blocks, n)
	used := independent(p.total)
	w := smallestEigenvector(p.left, used)
	if w == nil {
		return nil
	}
	largest := 0.0
	for _, x := range w {
		largest = max(largest, math.Abs(x))
	}
	significant := slices.DeleteFunc(slices.Clone(used), func(k int) bool { return math.Abs(w[k]) < 1e-5*largest })
	if len(significant) < len(used) {
		if w = smallestEigenvector(p.left, significant); w == nil {
			return nil
		}
	}
	sign := 0.0
	for i := range n {
		if p.size[i] == 0 {
			return nil
		}
		w[i] /= p.size[i]
		sign += w[i] * p.push[i]
	}
	for i := range n {
		w[i] = math.Copysign(1, sign) * w[i]
	}
	return w
}

// sizes returns by how much to multiply a direction so that it becomes the weights, for each way in
// which the sum may have been divided: by the std of its block, by that of its step, not at all, and
// not at all with the sample left out of the mean. The last takes the largest weight for 1.
func sizes(blocks []block, direction, stepStds []float64) []float64 {
	var byBlock, byStep epsFit
	var undivided []float64
	for _, b := range blocks {
		sum := weightedColumns(b.columns, direction)
		byBlock.add(b.advantages, sum, std(sum))
		byStep.add(b.advantages, sum, stepStds[b.step])
		if squares := dot(sum, sum); squares > 0 {
			undivided = append(undivided, dot(b.advantages, sum)/squares)
		}
	}
	all := []float64{byBlock.size(), byStep.size()}
	if n := len(undivided); n > 0 {
		slices.Sort(undivided)
		rows := float64(len(blocks[0].advantages))
		all = append(all, undivided[n/2], undivided[n/2]*(rows-1)/rows)
	}
	largest := 0.0
	for _, x := range direction {
		largest = max(largest, math.Abs(x))
	}
	all = append(all, 1/largest)
	return slices.DeleteFunc(all, func(x float64) bool { return !(x > 0) || math.IsInf(x, 0) })
}

// epsFit fits the size in A·(size·std + eps) = size·sum by least squares.
type epsFit struct{ above, below float64 }

func (f *epsFit) add(advantages, sum []float64, std float64) {
	for i, a := range advantages {
		rest := sum[i] - a*std
		f.above += trlEps * a * rest
		f.below += rest * rest
	}
}

func (f *epsFit) size() float64 { return f.above / f.below }

// simpleFactors returns the weights size·direction, as numbers with few digits first, in which people
// give them. One of them is taken to be such a number; the others follow, since their ratios are known
// better than their size.
func simpleFactors(direction []float64, size float64) [][]float64 {
	const nearby = 0.02
	var all [][]float64
	add := func(scale float64, digits int) {
		w := make([]float64, len(direction))
		for i, x := range direction {
			w[i] = rounded(x*scale, digits)
		}
		if !slices.ContainsFunc(all, func(o []float64) bool { return slices.Equal(o, w) }) {
			all = append(all, w)
		}
	}
	for digits := 1; digits <= 3; digits++ {
		for _, x := range direction {
			if simple := rounded(x*size, digits); x != 0 && math.Abs(simple/(x*size)-1) < nearby {
				add(simple/x, 4)
				add(simple/x, 7)
			}
		}
	}
	add(size, 7)
	return all
}

func rounded(x float64, digits int) float64 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', digits-1, 64), 64)
	return y
}

func weightedColumns(columns [][]float64, w []float64) []float64 {
	sum := make([]float64, len(columns[0]))
	for k, values := range columns {
		for i, x := range values {
			sum[i] += w[k] * x
		}
	}
	return sum
}

func dot(x, y []float64) float64 {
	sum := 0.0
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}

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
