package estimators

import "vantage/estimators/torchsum"

// groupwise is the arithmetic that GRPO and RLOO share: per group, subtract a
// baseline from each reward and divide by a standard deviation. Its fields are what
// frameworks do differently, so that a framework is a value and not a copy of the
// loop. All of it is float32, except inside a standard deviation.
type groupwise struct {
	baseline baseline
	eps      float32

	// epsIsThreshold: eps is not added to the standard deviation; a group whose
	// standard deviation is below it gets zeros.
	epsIsThreshold bool

	// asMatrix: the framework holds the batch as a [G, n] matrix, whose row standard
	// deviations PyTorch computes by Welford's algorithm if G ≥ 2. Else each group is
	// a tensor of its own, with two passes.
	asMatrix bool

	// ofOne is what a group of one gets.
	ofOne groupOfOne

	// zeroIfFlat: a group of one gets zeros, and so does a group whose divisor, before
	// eps is added, is not above eps. It has no effect without a divisor.
	zeroIfFlat bool
}

// groupOfOne is what a framework does with a group of one.
type groupOfOne int

const (
	oneByFormula   groupOfOne = iota // what the formula gives: often 0/0
	oneMean0Std1                     // μ := 0, s := 1: r/(1 + eps), or r without a scale
	oneStd0                          // s := 0, so that r − μ = 0 remains 0
	oneMinusItself                   // r − r: 0, or NaN for a reward that is not finite
	oneZero                          // 0, whatever the reward
)

// baseline is what is subtracted from a reward.
type baseline int

const (
	groupMean  baseline = iota // GRPO: the mean of the group
	rlooSum                    // RLOO: the mean of the others of the group, from its sum
	rlooTerms                  // RLOO as r·n/(n−1) − μ·n/(n−1)
	rlooFactor                 // RLOO as (r − μ)·(n/(n−1))
	batchMean                  // the mean of the batch
	noBaseline                 // 0
)

const (
	tileRows   = 4    // groups that go through the loop together
	stackFloat = 1024 // float32 values that fit on the stack; longer groups cost one allocation per batch
)

// advantages is a [formula].
func (w groupwise) advantages(dst []float64, b Batch, s Scale) error {
	mustHaveLength(dst, b)
	var onStack [stackFloat]float32
	buf := onStack[:]
	if n := largestGroup(b.Offsets); n > len(buf) {
		buf = make([]float32, n)
	}
	by := w.divisorOf(b, s)
	for g := 0; g < b.Groups(); {
		rows := tileRowsFrom(b.Offsets[g:], len(buf))
		lo, hi := b.Offsets[g], b.Offsets[g+rows]
		r := buf[:hi-lo]
		toFloat32(r, b.Rewards[lo:hi])
		w.writeTile(dst[lo:hi], r, rows, by)
		g += rows
	}
	return nil
}

// divisorOf computes the figures of the batch as a whole.
func (w groupwise) divisorOf(b Batch, s Scale) tileDivisor {
	by := tileDivisor{perGroup: s == ScaleGroup, welford: w.asMatrix && b.Groups() > 1, batchStd: 1, batchDivisor: 1, none: s == ScaleNone}
	if s != ScaleBatch && w.baseline != batchMean {
		return by
	}
	r := make([]float32, len(b.Rewards))
	toFloat32(r, b.Rewards)
	by.batchMean = torchsum.Mean(r)
	if s == ScaleBatch {
		by.batchStd = torchsum.StdWithMean(r, by.batchMean)
		if len(r) == 1 && w.ofOne == oneStd0 {
			by.batchStd = 0
		}
		by.batchDivisor = w.addEps(by.batchStd)
	}
	return by
}

// tileRowsFrom returns how many of the first groups make a tile: those of the size of
// the first one, at most tileRows and as many as have room together.
func tileRowsFrom(offsets []int, room int) int {
	size, rows := offsets[1]-offsets[0], 1
	for rows < tileRows && rows+1 < len(offsets) && (rows+1)*size <= room &&
		offsets[rows+1]-offsets[rows] == size {
		rows++
	}
	return rows
}

// tileDivisor says what the groups of a tile are divided by.
type tileDivisor struct {
	perGroup     bool    // the standard deviation of each group
	welford      bool    // computed as PyTorch does for the rows of a matrix
	none         bool    // nothing
	batchStd     float32 // if not perGroup: the standard deviation of the batch, 1 without a scale
	batchDivisor float32 // batchStd with eps, 1 without a scale
	batchMean    float32
}

// writeTile writes the advantages of a few neighbouring groups of one size: r holds
// their rewards, one row per group.
func (w groupwise) writeTile(dst []float64, r []float32, rows int, by tileDivisor) {
	var std [tileRows]float32
	n := len(r) / rows
	if by.perGroup && by.welford {
		torchsum.StdRows(std[:rows], r, n)
	}
	for g := range rows {
		x, to := r[g*n:(g+1)*n], dst[g*n:(g+1)*n]
		sum := torchsum.Sum(x)
		mean := sum / float32(n)
		divisor, s := by.batchDivisor, by.batchStd
		if by.perGroup {
			if !by.welford {
				std[g] = torchsum.StdWithMean(x, mean)
			}
			s = std[g]
			divisor = w.addEps(s)
		}
		switch {
		case n == 1 && w.ofOneIsSpecial():
			to[0] = w.advantageOfOne(x[0], by)
		case w.getsZeros(s, by):
			clear(to)
		case w.baseline == batchMean:
			w.subtractAndDivide(to, x, sum, by.batchMean, divisor)
		default:
			w.subtractAndDivide(to, x, sum, mean, divisor)
		}
	}
}

// ofOneIsSpecial reports whether the formula is not applied to groups of one.
func (w groupwise) ofOneIsSpecial() bool { return w.ofOne != oneByFormula || w.zeroIfFlat }

// getsZeros reports whether a group with standard deviation s gets zeros. A NaN is
// not above the one threshold and not below the other.
func (w groupwise) getsZeros(s float32, by tileDivisor) bool {
	if w.zeroIfFlat {
		return !by.none && !(s > w.eps)
	}
	return w.epsIsThreshold && by.perGroup && s < w.eps
}

// advantageOfOne returns what a group of one gets if ofOneIsSpecial.
func (w groupwise) advantageOfOne(x float32, by tileDivisor) float64 {
	switch divisor := by.batchDivisor; {
	case w.ofOne == oneZero, w.zeroIfFlat && !by.none:
		return 0
	case w.ofOne == oneMean0Std1 && by.perGroup:
		return float64(x / w.addEps(1))
	case w.ofOne == oneMean0Std1:
		return float64(x / divisor)
	case w.ofOne == oneStd0 && by.perGroup:
		return float64((x - x) / w.addEps(0))
	default:
		return float64((x - x) / divisor)
	}
}

// subtractAndDivide writes (r − baseline) / divisor. Without a scale the divisor is 1,
// and division by 1 changes no bit.
func (w groupwise) subtractAndDivide(dst []float64, r []float32, sum, mean, divisor float32) {
	dst = dst[:len(r)]
	n, others := float32(len(r)), float32(len(r)-1)
	switch w.baseline {
	case rlooSum:
		for i, x := range r {
			v := x - (sum-x)/others
			if divisor != 1 {
				v /= divisor
			}
			dst[i] = float64(v)
		}
	case rlooTerms:
		mean = float32(mean*n) / others
		for i, x := range r {
			dst[i] = float64((float32(x*n)/others - mean) / divisor)
		}
	case rlooFactor:
		factor := float32(float64(len(r)) / float64(len(r)-1))
		for i, x := range r {
			dst[i] = float64((x - mean) * factor / divisor)
		}
	case noBaseline:
		for i, x := range r {
			dst[i] = float64(x / divisor)
		}
	default:
		for i, x := range r {
			dst[i] = float64((x - mean) / divisor)
		}
	}
}

// addEps returns s + eps, or s itself where eps is a threshold.
func (w groupwise) addEps(s float32) float32 {
	if w.epsIsThreshold {
		return s
	}
	return s + w.eps
}
