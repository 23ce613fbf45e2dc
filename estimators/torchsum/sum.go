// Package torchsum computes sums, means and standard deviations of float32 values
// in the order in which PyTorch computes them on a CPU, so that the results are
// equal bit for bit: of one group, or of eight at once ([Tile]).
//
// # Why the order matters
//
// Float32 addition is not associative. The mean of eight rewards of 0.7 is
// 0.6999999 in PyTorch's order and 0.7 in others; divided by a standard
// deviation of nearly zero, that last bit becomes an advantage of +5.96. Over
// rewards on a grid of 0.1, plain left-to-right addition gives PyTorch's mean for
// 45 % of the groups, float64 rounded at the end for 57 %.
//
// # The order
//
// A vector register holds V = 8 values (AVX2; builds without AVX and, by the
// source, PyTorch 2 on AVX-512 use the same V). A row of items, each a value or a
// register added lane by lane, is dealt to four chains in turn; the remainder of a
// division by four goes to the first chain:
//
//	row(x) = ((p0 + p1) + p2) + p3,  p_k = x_k + x_{4+k} + x_{8+k} + …
//
// Fewer than V values are one row. More are a row of registers, whose V lanes
// are added, left to right, to the sum of the values that fill no register. From 16
// terms per chain on (n ≥ 512) the chains are folded into further accumulators, four
// levels in all: the cascade.
//
// # Limits
//
// From 32 768 values on PyTorch divides a sum among its threads; here it remains
// one. Builds for aarch64 may have V = 4. CUDA adds in another order, untested here. Square
// roots are those of IEEE 754; PyTorch's wheels with MKL miss them by one unit in the last place
// for 0.7 % of the values.
//
// # Special cases
//
// The sum of no values is 0, their mean and standard deviation NaN. The standard
// deviation of one value is NaN (0/0). NaN gives NaN; an infinity gives NaN
// standard deviations.
//
// Products that are added are converted explicitly: without the conversion the
// compiler may fuse the two operations on some machines, which rounds once less.
//
// Source: pytorch/pytorch aten/src/ATen/native/cpu/SumKernel.cpp (cascade_sum),
// ReduceOps.cpp (std_var_all_cpu), SharedReduceOps.h (WelfordOps); the same
// algorithm from 1.13 to 2.x.
package torchsum

import (
	"math"
	"math/bits"
)

const (
	lanes  = 8 // values in a vector register
	chains = 4 // partial sums that a row is dealt to
)

// cascadeFrom is the length from which on the chains hold enough terms to be
// folded.
const cascadeFrom = lanes * chains * minStep

// Sum returns the sum of x, of any length.
//
// Special cases are:
//
//	Sum of nothing = 0
//	Sum with a NaN, or with infinities of both signs = NaN
func Sum(x []float32) float32 {
	switch n := len(x); {
	case n < lanes:
		return sumValues(x)
	case n < lanes*chains:
		return sumOneChain(x)
	default:
		return sumFourChains(x)
	}
}

// Mean returns Sum(x)/n in one float32 division.
//
// Special cases are:
//
//	Mean of nothing = NaN
func Mean(x []float32) float32 { return Sum(x) / float32(len(x)) }

// SumLeftToRight returns the sum of x from left to right, in its precision: the order of
// index_add_ and of bincount, and of Python's sum up to 3.11.
func SumLeftToRight[T float32 | float64](x []T) T {
	s := T(0)
	for _, v := range x {
		s += v
	}
	return s
}

// sumValues adds up to seven values, which fill no register.
func sumValues(x []float32) float32 {
	var p [chains]float32
	whole := len(x) &^ (chains - 1)
	if whole > 0 {
		p[0], p[1], p[2], p[3] = p[0]+x[0], p[1]+x[1], p[2]+x[2], p[3]+x[3]
	}
	for _, v := range x[whole:] {
		p[0] += v
	}
	return ((p[0] + p[1]) + p[2]) + p[3]
}

// sumOneChain adds one to three registers: they do not fill four chains, so all of
// them are in the first one.
func sumOneChain(x []float32) float32 {
	var p [lanes]float32
	whole := len(x) &^ (lanes - 1)
	for i := 0; i < whole; i += lanes {
		p[0] += x[i]
		p[1] += x[i+1]
		p[2] += x[i+2]
		p[3] += x[i+3]
		p[4] += x[i+4]
		p[5] += x[i+5]
		p[6] += x[i+6]
		p[7] += x[i+7]
	}
	return addLanes(p[:], x[whole:])
}

func sumFourChains(x []float32) float32 {
	const block = lanes * chains
	var p [block]float32 // the four chains, one register after the other
	whole := len(x) &^ (lanes - 1)
	blocks := len(x) / block * block
	if len(x) < cascadeFrom {
		for i := 0; i < blocks; i += block {
			accumulate(&p, x[i:])
		}
	} else {
		cascade(&p, x[:blocks])
	}
	for i := blocks; i < whole; i += lanes {
		for k, v := range x[i : i+lanes] {
			p[k] += v
		}
	}
	for c := lanes; c < block; c += lanes {
		for k := range lanes {
			p[k] += p[c+k]
		}
	}
	return addLanes(p[:lanes], x[whole:])
}

func accumulate(p *[lanes * chains]float32, x []float32) {
	for k, v := range x[:lanes*chains] {
		p[k] += v
	}
}

// addLanes adds the values that fill no register, then the lanes.
func addLanes[T float32 | float64](p, rest []T) T {
	var s T
	for _, v := range rest {
		s += v
	}
	for _, v := range p {
		s += v
	}
	return s
}

const (
	levels   = 4  // accumulators per chain
	minPower = 4  // a level takes at least 2^minPower terms before it is folded
	minStep  = 16 // = 1 << minPower
)

// cascade adds x, a whole number of blocks of four registers, to the chains p, which
// are zero.
//
// Each chain has four accumulators. After every step terms the first one is added
// to the second and cleared; after step² terms the second to the third; and so
// on. So only numbers of like magnitude are added. At the end the accumulators
// are added to the first one in order. The step is 2^max(4, ⌈log₂ rows⌉/4),
// hence 16 below 2^20 terms per chain.
func cascade(p *[lanes * chains]float32, x []float32) {
	const block = lanes * chains
	rows := len(x) / block
	step := cascadeStep(rows)
	var upper [levels - 1][block]float32
	for i := range rows {
		accumulate(p, x[i*block:])
		below := p
		for j := 0; j < levels-1 && step.folds(i+1, j); j++ {
			accumulate(&upper[j], below[:])
			*below = [block]float32{}
			below = &upper[j]
		}
	}
	for j := range upper {
		accumulate(p, upper[j][:])
	}
}

// ceilLog2 is that of c10: 1 up to 2, else the least k with 2^k ≥ n.
func ceilLog2(n int) int {
	if n <= 2 {
		return 1
	}
	return bits.Len(uint(n - 1))
}

// SumColumnOf returns the sum of the k-th column of a matrix with so many columns, as PyTorch
// computes it if all columns are summed at once. It adds several columns side by side, value by
// value, where they fill four values (fewer than 8 columns) or four registers (32 or more), and
// the others by [SumColumn]. A single column is contiguous: [Sum].
func SumColumnOf(k, columns int) func([]float32) float32 {
	width := lanes * chains
	if columns < lanes {
		width = chains
	}
	switch {
	case columns == 1:
		return Sum
	case k < columns/width*width:
		return sumValueByValue
	}
	return SumColumn
}

// SumColumn returns the sum of x as PyTorch computes it for values that are not adjacent in
// memory: one row of single values, dealt to four chains, whatever its length. The chains are
// folded as in [Sum].
func SumColumn(x []float32) float32 {
	p := cascadeValues(x[:len(x)/chains*chains], chains)
	for _, v := range x[len(x)/chains*chains:] {
		p[0] += v
	}
	return ((p[0] + p[1]) + p[2]) + p[3]
}

// cascadeValues deals x, a whole number of values per chain, to one to four chains and folds them.
func cascadeValues(x []float32, to int) (p [chains]float32) {
	step := cascadeStep(len(x) / to)
	var sums [levels][chains]float32
	for i := range len(x) / to {
		for c, v := range x[i*to : (i+1)*to] {
			sums[0][c] += v
		}
		for j := 0; j < levels-1 && step.folds(i+1, j); j++ {
			for c, v := range sums[j] {
				sums[j+1][c] += v
			}
			sums[j] = [chains]float32{}
		}
	}
	p = sums[0]
	for _, upper := range sums[1:] {
		for c, v := range upper {
			p[c] += v
		}
	}
	return p
}

// sumValueByValue is the sum of one chain, folded as in [Sum].
func sumValueByValue(x []float32) float32 { return cascadeValues(x, 1)[0] }

// foldPower is the binary logarithm of the terms that a level takes before it is folded.
type foldPower int

func cascadeStep(rows int) foldPower { return foldPower(max(minPower, ceilLog2(rows)/levels)) }

// folds reports whether level is folded after so many terms.
func (p foldPower) folds(terms, level int) bool { return terms&(1<<((level+1)*int(p))-1) == 0 }

// pairwiseBlock is the length up to which numpy adds without halving.
const pairwiseBlock = 128

// SumNumpy returns the sum of x as numpy computes it, in the precision of x: fewer than 8 values
// from left to right, up to 128 in eight chains, ((r0+r1)+(r2+r3))+((r4+r5)+(r6+r7)),
// with the remainder added at the end, and more as two halves, cut at a multiple of
// eight.
//
// Source: numpy/numpy numpy/core/src/umath/loops_utils.h.src (pairwise_sum).
func SumNumpy[T float32 | float64](x []T) T {
	n := len(x)
	switch {
	case n < 8:
		return SumLeftToRight(x)
	case n > pairwiseBlock:
		half := n / 2
		half -= half % 8
		return SumNumpy(x[:half]) + SumNumpy(x[half:])
	}
	var r [8]T
	copy(r[:], x)
	done := n &^ 7
	for i := 8; i < done; i += 8 {
		for k, v := range x[i : i+8] {
			r[k] += v
		}
	}
	s := ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]))
	for _, v := range x[done:] {
		s += v
	}
	return s
}

// MeanNumpy is np.mean of float64 values.
func MeanNumpy(x []float64) float64 { return SumNumpy(x) / float64(len(x)) }

// StdNumpy is np.std of float64 values for a known mean, which must be MeanNumpy(x). It overwrites buf, which is as long as x
// or longer.
//
// Values that are all equal have a standard deviation of 0 only if their mean is exact: three of 0.1 have 1.4e-17.
func StdNumpy(x []float64, mean float64, ddof int, buf []float64) float64 {
	squares := buf[:len(x)]
	for i, v := range x {
		d := v - mean
		squares[i] = d * d
	}
	return math.Sqrt(SumNumpy(squares) / float64(len(x)-ddof))
}

// lanes64 is how many float64 values are in a vector register.
const lanes64 = 4

// Sum64 returns the sum of float64 values as PyTorch computes it, for fewer than 256 values: like [Sum]
// with four values in a register. More are added in the same chains, without folding them.
func Sum64(x []float64) float64 {
	const block = lanes64 * chains
	if len(x) < lanes64 {
		return SumLeftToRight(x) // too few to fill a register
	}
	var p [block]float64 // the four chains, one register after the other
	blocks, whole := len(x)/block*block, len(x)&^(lanes64-1)
	for i := 0; i < blocks; i += block {
		for k, v := range x[i : i+block] {
			p[k] += v
		}
	}
	for i := blocks; i < whole; i += lanes64 {
		for k, v := range x[i : i+lanes64] {
			p[k] += v
		}
	}
	for c := lanes64; c < block; c += lanes64 {
		for k := range lanes64 {
			p[k] += p[c+k]
		}
	}
	return addLanes(p[:lanes64], x[whole:])
}

// Std64 is [Std] of float64 values.
func Std64(x []float64) float64 {
	mean, squares := Sum64(x)/float64(len(x)), 0.0
	for _, v := range x {
		d := v - mean
		squares += float64(d * d)
	}
	return math.Sqrt(squares / divisorOf(len(x)))
}

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
func StdWithMean(x []float32, mean float32) float32 { return root(squaresAround(x, mean), len(x)) }

// PopulationStd is StdWithMean with ddof 0: one value has 0.
func PopulationStd(x []float32, mean float32) float32 { return root(squaresAround(x, mean), len(x)+1) }

// Variance is the square of [Std] before the root: x.var() of any tensor.
func Variance(x []float32) float32 {
	return float32(squaresAround(x, Mean(x)) / divisorOf(len(x)))
}

// squaresAround returns Σ (x_i − mean)² in float64, from left to right.
func squaresAround(x []float32, mean float32) float64 {
	m, squares := float64(mean), 0.0
	for _, v := range x {
		d := float64(v) - m
		squares += float64(d * d)
	}
	return squares
}

// StdOfRow returns the standard deviation, ddof 1, of x, as PyTorch computes it if there
// are several results: of each row by x.std(dim=1) of a [G, n] matrix with G ≥ 2.
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
// Source: Welford, Technometrics 4, 1962, 419–420.
func StdOfRow(x []float32) float32 {
	mean, squares, count := 0.0, 0.0, 0.0
	for _, v := range x {
		count++
		delta := float64(v) - mean
		mean += delta / count
		squares += float64(delta * (float64(v) - mean))
	}
	return root(squares, len(x))
}

// root returns the standard deviation of n values by the sum of their squared
// differences to the mean.
func root(squares float64, n int) float32 { return float32(math.Sqrt(squares / divisorOf(n))) }

// NaNMeanStd returns the mean and the standard deviation, ddof 1, of the values
// of x that are not NaN, and their number, as trl's and ms-swift's nanstd compute
// them. All of it is float32:
//
//	m = Σ x/c ;  v = Σ (x − m)²/c' · (c/(c−1)) ;  s = √v
//
// c counts the values, c' the squares that are numbers: fewer with infinities. sum adds the
// values and sumSquares the squares: [Sum] or that of a column; NaN counts as 0 in them. buf is
// overwritten; its length is that of x.
//
// Special cases are:
//
//	only NaN                    = NaN, NaN, 0
//	one value                   = the value, NaN, 1
//	infinities of one sign      = the infinity, +Inf, or NaN if no value is finite
//	infinities of both signs    = NaN, NaN
//
// Source: huggingface/trl@f2cd57710ae3 trl/trainer/utils.py:nanstd.
func NaNMeanStd(x, buf []float32, sum, sumSquares func([]float32) float32) (mean, std float32, count int) {
	buf = buf[:len(x)]
	if mean = sum(x) / float32(len(x)); mean-mean == 0 {
		// A finite mean excludes NaN: the usual case, without a test of each value.
		for i, v := range x {
			d := v - mean
			buf[i] = d * d
		}
		return mean, StdOfSquares(sumSquares(buf), len(x), len(x)), len(x)
	}
	for i, v := range x {
		buf[i] = 0
		if v == v {
			buf[i] = v
			count++
		}
	}
	mean = sum(buf) / float32(count)
	squares := 0
	for i, v := range x {
		d := v - mean
		buf[i] = 0
		if d == d {
			buf[i] = d * d
			squares++
		}
	}
	return mean, StdOfSquares(sumSquares(buf), squares, count), count
}

// StdOfSquares returns the standard deviation, ddof 1, of count values, of whose squared
// differences to the mean n are numbers, with the given sum; NaN for fewer than two values.
func StdOfSquares(sum float32, n, count int) float32 {
	if count < 2 {
		return float32(math.NaN())
	}
	v := sum / float32(n)
	v *= float32(count) / float32(count-1)
	return float32(math.Sqrt(float64(v)))
}
