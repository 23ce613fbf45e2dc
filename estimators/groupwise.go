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
}

// baseline is what a reward is compared with.
type baseline int

const (
	groupMean baseline = iota // GRPO: the mean of the group
	theOthers                 // RLOO: the mean of the others of the group
)

const (
	tileRows   = 4    // groups that go through the loop together
	stackFloat = 1024 // float32 values that fit on the stack; longer groups cost one allocation per batch
)

// advantages writes the advantages of the batch to dst.
func (w groupwise) advantages(dst []float64, b Batch, s Scale) {
	if len(dst) != len(b.Rewards) {
		panic("estimators: dst and rewards differ in length")
	}
	var onStack [stackFloat]float32
	buf := onStack[:]
	if n := longest(b.Offsets); n > len(buf) {
		buf = make([]float32, n)
	}
	whole := float32(1)
	if s == ScaleBatch {
		whole = w.divisor(batchStd(b.Rewards))
	}
	by := tileScale{group: s == ScaleGroup, rows: w.matrix && b.Groups() > 1, common: whole}
	for g := 0; g < b.Groups(); {
		rows := alike(b.Offsets[g:], len(buf))
		lo, hi := b.Offsets[g], b.Offsets[g+rows]
		r := buf[:hi-lo]
		narrow(r, b.Rewards[lo:hi])
		w.tile(dst[lo:hi], r, rows, by)
		g += rows
	}
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
	common float32 // if not group: this
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
		divisor := by.common
		if by.group {
			if !by.rows {
				std[g] = torchsum.StdAround(x, mean)
			}
			divisor = w.divisor(std[g])
		}
		if w.threshold && by.group && std[g] < w.eps {
			clear(to)
			continue
		}
		w.compare(to, x, sum, mean, divisor)
	}
}

// compare writes (r − baseline) / divisor. Without a scale the divisor is 1, and
// division by 1 changes no bit.
func (w groupwise) compare(dst []float64, r []float32, sum, mean, divisor float32) {
	dst = dst[:len(r)]
	if w.baseline == groupMean {
		for i, x := range r {
			dst[i] = float64((x - mean) / divisor)
		}
		return
	}
	others := float32(len(r) - 1)
	for i, x := range r {
		dst[i] = float64((x - (sum-x)/others) / divisor)
	}
}

// divisor is s + eps, or s itself where eps is a threshold.
func (w groupwise) divisor(s float32) float32 {
	if w.threshold {
		return s
	}
	return s + w.eps
}

// batchStd is the standard deviation, ddof 1, of all rewards as they are: one
// result, hence two passes.
func batchStd(rewards []float64) float32 {
	r := make([]float32, len(rewards))
	narrow(r, rewards)
	return torchsum.Std(r)
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
