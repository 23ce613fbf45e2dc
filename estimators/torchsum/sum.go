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
func addLanes(p, rest []float32) float32 {
	var s float32
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
	power := max(minPower, ceilLog2(rows)/levels)
	step := 1 << power

	var upper [levels - 1][block]float32
	done := 0
	for done+step <= rows {
		for range step {
			accumulate(p, x[done*block:])
			done++
		}
		below := p
		for j := range upper {
			accumulate(&upper[j], below[:])
			*below = [block]float32{}
			if done&((step-1)<<((j+1)*power)) != 0 {
				break
			}
			below = &upper[j]
		}
	}
	for ; done < rows; done++ {
		accumulate(p, x[done*block:])
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
	s := 0.0
	for _, v := range x[whole:] {
		s += v
	}
	for _, v := range p[:lanes64] {
		s += v
	}
	return s
}

// Std64 is [Std] of float64 values.
func Std64(x []float64) float64 {
	mean, squares := Sum64(x)/float64(len(x)), 0.0
	for _, v := range x {
		d := v - mean
		squares += float64(d * d)
	}
	return math.Sqrt(squares / float64(max(0, len(x)-1)))
}
