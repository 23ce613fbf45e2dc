package torchsum

import "math"

// Std returns the standard deviation, ddof 1, as PyTorch computes it if the result
// is one value: x.std() of any tensor, or of a [1, n] matrix over its
// rows.
//
//	s = float32(√(Σ (x_i − m)² / (n−1))),  m = Mean(x)
//
// The mean is the float32 one; differences, squares and their sum, left to right,
// are float64. So a constant x whose mean misses it by a bit has s > 0.
//
// Special cases are:
//
//	Std of fewer than two values = NaN
//	Std with a NaN or an infinity = NaN
func Std(x []float32) float32 { return StdWithMean(x, Mean(x)) }

// StdWithMean is [Std] for a known mean, which must be Mean(x).
func StdWithMean(x []float32, mean float32) float32 {
	m, squares := float64(mean), 0.0
	for _, v := range x {
		d := float64(v) - m
		squares += float64(d * d)
	}
	return root(squares, len(x))
}

// StdRows writes to dst the standard deviation, ddof 1, of each row of n values,
// as PyTorch computes it if there are several results: x.std(dim=1) of a [G, n]
// matrix with G ≥ 2. It panics unless len(x) == n·len(dst).
//
// It is Welford's algorithm in float64, value after value, rounded to float32 at
// the end:
//
//	δ = x_i − m ;  m += δ/i ;  S += δ·(x_i − m) ;  s = float32(√(S/(n−1)))
//
// So a constant row has exactly s = 0, even where its float32 mean misses it.
//
// Special cases are those of [Std].
//
// Each value depends on the division of the previous one, so four rows are interleaved;
// that changes no bit.
func StdRows(dst, x []float32, n int) {
	if len(x) != n*len(dst) {
		panic("torchsum: length of x is not rows times n")
	}
	g := 0
	for ; g+4 <= len(dst); g += 4 {
		fourRows((*[4]float32)(dst[g:]), x[g*n:(g+4)*n], n)
	}
	for ; g < len(dst); g++ {
		dst[g] = oneRow(x[g*n : (g+1)*n])
	}
}

// welford is the state of Welford's algorithm (Technometrics 4, 1962, 419–420).
type welford struct{ mean, squares float64 }

// add returns the state after one more value, the count-th.
func (m welford) add(x float32, count float64) welford {
	delta := float64(x) - m.mean
	mean := m.mean + delta/count
	return welford{mean, m.squares + float64(delta*(float64(x)-mean))}
}

func oneRow(x []float32) float32 {
	var m welford
	count := 0.0
	for _, v := range x {
		count++
		m = m.add(v, count)
	}
	return root(m.squares, len(x))
}

func fourRows(dst *[4]float32, x []float32, n int) {
	a, b, c, d := x[:n], x[n:2*n], x[2*n:3*n], x[3*n:4*n]
	var ma, mb, mc, md welford
	count := 0.0
	for i, v := range a {
		count++
		ma = ma.add(v, count)
		mb = mb.add(b[i], count)
		mc = mc.add(c[i], count)
		md = md.add(d[i], count)
	}
	dst[0], dst[1] = root(ma.squares, n), root(mb.squares, n)
	dst[2], dst[3] = root(mc.squares, n), root(md.squares, n)
}

// root returns the standard deviation of n values by the sum of their squared
// differences to the mean. PyTorch does not let the divisor fall below 0: one value
// gives 0/0.
func root(squares float64, n int) float32 {
	return float32(math.Sqrt(squares / float64(max(0, n-1))))
}
