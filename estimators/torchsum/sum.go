package torchsum

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

// SumLeftToRight returns the sum of x from left to right, in float32: the order of
// index_add_ and of bincount.
func SumLeftToRight(x []float32) float32 {
	var s float32
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

// sumFourChains adds four registers or more.
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

// accumulate adds one register to each chain.
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
