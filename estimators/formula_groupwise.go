package estimators

import "vantage/estimators/torchsum"

// groupwise is the arithmetic that GRPO and RLOO share: per group, take a
// baseline off each reward and divide by a standard deviation. What frameworks do
// differently is a field of it, so that a framework is a value and not a copy of
// the loop. All arithmetic is float32, except inside a standard deviation.
type groupwise struct {
	baseline baseline
	eps      float32

	// threshold: eps is not added to the standard deviation; a group whose
	// standard deviation is below it gets zeros.
	threshold bool

	// matrix: the framework holds the batch as a [G, n] matrix, whose row
	// standard deviations PyTorch takes by Welford's algorithm if G ≥ 2. Else
	// each group is a tensor of its own and takes two passes.
	matrix bool

	// single is what a group of one gets.
	single single

	// flat: a group of one gets zeros, and so does a group whose divisor, before
	// eps is added to it, is not above eps. It is asked only where there is one.
	flat bool
}

// single is what a framework does with a group of one.
type single int

const (
	byFormula    single = iota // what the formula gives: often 0/0
	meanZeroStd1               // μ := 0, s := 1: r/(1 + eps), or r without a scale
	stdZero                    // s := 0, so that r − μ = 0 remains 0
	zeroAlone                  // 0, or NaN for a reward that is not finite
)

// baseline is what a reward is compared with.
type baseline int

const (
	groupMean baseline = iota // GRPO: the mean of the group
	theOthers                 // RLOO: the mean of the others of the group
	apart                     // RLOO as r·n/(n−1) − μ·n/(n−1)
	together                  // RLOO as (r − μ)·(n/(n−1))
	batchMean                 // the mean of the batch
	nothing                   // 0
)

const (
	tileRows   = 4    // groups that go through the loop together
	stackFloat = 1024 // float32 values that fit on the stack; longer groups cost one allocation per batch
)

// advantages writes the advantages of the batch to dst.
func (w groupwise) advantages(dst []float64, b Batch, s Scale) {
	mustMatch(dst, b)
	var onStack [stackFloat]float32
	buf := onStack[:]
	if n := longest(b.Offsets); n > len(buf) {
		buf = make([]float32, n)
	}
	by := w.scaleBy(b, s)
	for g := 0; g < b.Groups(); {
		rows := alike(b.Offsets[g:], len(buf))
		lo, hi := b.Offsets[g], b.Offsets[g+rows]
		r := buf[:hi-lo]
		narrow(r, b.Rewards[lo:hi])
		w.tile(dst[lo:hi], r, rows, by)
		g += rows
	}
}

// scaleBy takes what concerns the batch as a whole.
func (w groupwise) scaleBy(b Batch, s Scale) tileScale {
	by := tileScale{group: s == ScaleGroup, rows: w.matrix && b.Groups() > 1, std: 1, common: 1, none: s == ScaleNone}
	if s != ScaleBatch && w.baseline != batchMean {
		return by
	}
	r := make([]float32, len(b.Rewards))
	narrow(r, b.Rewards)
	by.mean = torchsum.Mean(r)
	if s == ScaleBatch {
		by.std = torchsum.StdWithMean(r, by.mean)
		if len(r) == 1 && w.single == stdZero {
			by.std = 0
		}
		by.common = w.divisor(by.std)
	}
	return by
}

// alike returns how many of the first groups make a tile: those of the size of the
// first one, up to four, that have room together.
func alike(offsets []int, room int) int {
	size, rows := offsets[1]-offsets[0], 1
	for rows < tileRows && rows+1 < len(offsets) && (rows+1)*size <= room &&
		offsets[rows+1]-offsets[rows] == size {
		rows++
	}
	return rows
}

// tileScale says what a tile divides by.
type tileScale struct {
	group  bool    // the standard deviation of each group
	rows   bool    // which is taken as PyTorch takes that of matrix rows
	none   bool    // nothing
	std    float32 // if not group: the standard deviation of the batch
	common float32 // and with eps
	mean   float32 // of the batch
}

// tile writes the advantages of a few neighbouring groups of one size: r holds
// their rewards, one row per group.
func (w groupwise) tile(dst []float64, r []float32, rows int, by tileScale) {
	var std [tileRows]float32
	n := len(r) / rows
	if by.group && by.rows {
		torchsum.StdRows(std[:rows], r, n)
	}
	for g := range rows {
		x, to := r[g*n:(g+1)*n], dst[g*n:(g+1)*n]
		sum := torchsum.Sum(x)
		mean := sum / float32(n)
		divisor, s := by.common, by.std
		if by.group {
			if !by.rows {
				std[g] = torchsum.StdWithMean(x, mean)
			}
			s = std[g]
			divisor = w.divisor(s)
		}
		switch {
		case n == 1 && w.special():
			to[0] = w.alone(x[0], by)
		case w.level(s, by):
			clear(to)
		case w.baseline == batchMean:
			w.compare(to, x, sum, by.mean, divisor)
		default:
			w.compare(to, x, sum, mean, divisor)
		}
	}
}

// special reports whether groups of one are not left to the formula.
func (w groupwise) special() bool { return w.single != byFormula || w.flat }

// level reports whether a group with standard deviation s gets zeros. A NaN is
// not above the one threshold and not below the other.
func (w groupwise) level(s float32, by tileScale) bool {
	if w.flat {
		return !by.none && !(s > w.eps)
	}
	return w.threshold && by.group && s < w.eps
}

// alone is what a group of one gets if it is special.
func (w groupwise) alone(x float32, by tileScale) float64 {
	switch divisor := by.common; {
	case w.flat && !by.none:
		return 0
	case w.single == meanZeroStd1 && by.group:
		return float64(x / w.divisor(1))
	case w.single == meanZeroStd1:
		return float64(x / divisor)
	case w.single == stdZero && by.group:
		return float64((x - x) / w.divisor(0))
	default:
		return float64((x - x) / divisor)
	}
}

// compare writes (r − baseline) / divisor. Without a scale the divisor is 1, and
// division by 1 changes no bit.
func (w groupwise) compare(dst []float64, r []float32, sum, mean, divisor float32) {
	dst = dst[:len(r)]
	n, others := float32(len(r)), float32(len(r)-1)
	switch w.baseline {
	case theOthers:
		for i, x := range r {
			v := x - (sum-x)/others
			if divisor != 1 {
				v /= divisor
			}
			dst[i] = float64(v)
		}
	case apart:
		mean = float32(mean*n) / others
		for i, x := range r {
			dst[i] = float64((float32(x*n)/others - mean) / divisor)
		}
	case together:
		factor := float32(float64(len(r)) / float64(len(r)-1))
		for i, x := range r {
			dst[i] = float64((x - mean) * factor / divisor)
		}
	case nothing:
		for i, x := range r {
			dst[i] = float64(x / divisor)
		}
	default:
		for i, x := range r {
			dst[i] = float64((x - mean) / divisor)
		}
	}
}

// divisor is s + eps, or s itself where eps is a threshold.
func (w groupwise) divisor(s float32) float32 {
	if w.threshold {
		return s
	}
	return s + w.eps
}

// narrow rounds to float32.
func narrow(dst []float32, x []float64) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = float32(v)
	}
}

// longest returns the size of the largest group.
func longest(offsets []int) int {
	n := 0
	for g := 1; g < len(offsets); g++ {
		n = max(n, offsets[g]-offsets[g-1])
	}
	return n
}
