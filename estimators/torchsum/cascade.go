package torchsum

import "math/bits"

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
			fold(&upper[j], below)
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

// fold adds the lower accumulators to the upper ones and clears them.
func fold(upper, lower *[lanes * chains]float32) {
	accumulate(upper, lower[:])
	*lower = [lanes * chains]float32{}
}

// ceilLog2 is that of c10: 1 up to 2, else the least k with 2^k ≥ n.
func ceilLog2(n int) int {
	if n <= 2 {
		return 1
	}
	return bits.Len(uint(n - 1))
}
