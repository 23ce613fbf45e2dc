package estimators

import (
	"math"

	"vantage/estimators/torchsum"
)

// indexAddGRPO is GRPO over index_add_: sums from left to right, all of it float32,
//
//	A_i = (r_i − μ)/(s + 1e-6),  s = √(Σ (r_i − μ)²/(n−1))
//
// A single-sample group has μ := 0 and s := 1. Equal rewards give 0 or a float32 residue.
// With varianceFloor it is the older form, s = √max(v, 1e-6) with
// v = (Σr² − (Σr)²/n)/(n−1), so that s is never below 1e-3. Scale "none" omits the
// division.
func indexAddGRPO(varianceFloor bool) formula {
	w := indexAdd{varianceFloor}
	return func(dst []float64, b Batch, s Scale) error {
		mustHaveLength(dst, b)
		var squares torchsum.Tile
		inTiles(b, func(tile torchsum.Tile, q *torchsum.Groups) {
			squares = resize(squares, q.Size)
			tile.Load(b.Rewards, &q.Starts)
			w.normalizeTile(tile, squares, s)
			tile.Store(dst, &q.Starts)
		}, func(lo, hi int) {
			w.writeLarge(dst[lo:hi], b.Rewards[lo:hi], s)
		})
		return nil
	}
}

// indexAdd is the arithmetic of [indexAddGRPO].
type indexAdd struct{ varianceFloor bool }

// normalizeTile replaces the rewards of the groups of a tile by their advantages. It overwrites
// squares.
func (w indexAdd) normalizeTile(tile, squares torchsum.Tile, s Scale) {
	n := len(tile)
	sum := tile.SumLeftToRight()
	mean := sum.Over(n)
	if n == 1 {
		mean = torchsum.Vector{}
	}
	from := mean
	if w.varianceFloor {
		from = torchsum.Vector{}
	}
	tile.Squares(squares, &from)
	divisors := squares.SumLeftToRight()
	for g, squares := range divisors {
		divisors[g] = w.divisor(sum[g], squares, n, s)
	}
	tile.Normalize(&mean, &divisors)
}

func (w indexAdd) writeLarge(dst, rewards []float64, s Scale) {
	var sum, squares float32
	for _, r := range rewards {
		sum += float32(r)
	}
	mean := sum / float32(len(rewards))
	if len(rewards) == 1 {
		mean = 0
	}
	from := mean
	if w.varianceFloor {
		from = 0
	}
	for _, r := range rewards {
		d := float32(r) - from
		squares += float32(d * d)
	}
	divisor := w.divisor(sum, squares, len(rewards), s)
	for i, r := range rewards {
		dst[i] = float64((float32(r) - mean) / divisor)
	}
}

// divisor returns what a group of n is divided by. The squares are those of the differences to the
// mean, with varianceFloor those of the rewards.
func (w indexAdd) divisor(sum, squares float32, n int, s Scale) float32 {
	if s == ScaleNone {
		return 1
	}
	if w.varianceFloor {
		squares -= float32(sum*sum) / float32(n)
	}
	v := squares / float32(n-1)
	switch {
	case n == 1:
		v = 1
	case w.varianceFloor && v < 1e-6:
		v = 1e-6
	}
	return float32(math.Sqrt(float64(v))) + 1e-6
}

// bincountRLOO is RLOO over bincount: (n·r − Σ)/(n−1), float32, the sum from
// left to right. A single-sample group gets 0.
func bincountRLOO() formula {
	return perGroup(func(dst, r []float32) {
		n, sum := float32(len(r)), torchsum.SumLeftToRight(r)
		others, mask := max(n-1, 1), float32(min(1, len(r)-1))
		for i, x := range r {
			dst[i] = (float32(n*x) - sum) / others * mask
		}
	})
}

// leaveOneOutStd is GRPO with a standard deviation by E[r²] − E[r]². With leaveOut,
// baseline and standard deviation of a sample are those of the others:
//
//	A_i = (r_i − μ_{−i})/(s_{−i} + 1e-6) if s_{−i} > 0, else r_i − μ_{−i}
//	s = √((E[r²] − E[r]²)·m/(m − 1)),  m = n − 1 (leaveOut) or n
//
// in float32; the square root of a negative variance counts as 0. So one success
// among failures keeps 1.0 while the failures are divided. Scale "none" omits the
// division. A single-sample group gets 0.
//
// The framework adds in the order of its BLAS. Here the sums are float64, then
// rounded, which agrees to 1e-5 except where nearly equal rewards let rounding
// decide whether s is 0.
type leaveOneOutStd struct{ leaveOut bool }

func (w leaveOneOutStd) advantages(dst []float64, b Batch, s Scale) error {
	return perGroup64(w.group)(dst, b, s)
}

func (w leaveOneOutStd) group(dst, r []float64, s Scale) {
	if len(r) == 1 {
		dst[0] = r[0] - r[0]
		return
	}
	sum, squares := 0.0, 0.0
	for _, x := range r {
		sum += x
		squares += float64(float32(x) * float32(x))
	}
	m := float32(len(r) - toInt(w.leaveOut))
	for i, x := range r {
		own, ownSquare := 0.0, 0.0
		if w.leaveOut {
			own, ownSquare = x, float64(float32(x)*float32(x))
		}
		mean, square := float32(sum-own)/m, float32(squares-ownSquare)/m
		a := float32(x) - mean
		if v := (square - float32(mean*mean)) * (m / (m - 1)); s != ScaleNone && v > 0 {
			a /= nanToNum(float32(math.Sqrt(float64(v)))) + 1e-6
		}
		dst[i] = float64(a)
	}
}

// rewardNorm is GRPO in float64 inside and float32 outside, on clipped rewards:
//
//	x = clip((r + bias)·scaling, ±clip) ;  A = (x − μ)/(s + 1e-5)
//
// with bias 0, scaling 1 and clip 20, the defaults: all rewards above 20 become 20.
// The mean is rounded to float32 before it is subtracted. Groups are blocks of the
// common size, by position; rows beyond the last whole block have mean 0 and s 0, so
// that 0.5 becomes 50000. Groups of one have s := 1.
type rewardNorm struct {
	meanOfBatch bool // the mean of the batch
	leaveOut    bool // the mean of the others
	ddof0       bool // the standard deviation of a population
}

const (
	rewardClip    = 20
	rewardNormEps = 1e-5
)

func (w rewardNorm) advantages(dst []float64, b Batch, s Scale) error {
	mustHaveLength(dst, b)
	for i, r := range b.Rewards {
		dst[i] = clip(float64(float32(r)), -rewardClip, rewardClip)
	}
	mean, std := make([]float64, len(dst)), make([]float64, len(dst))
	size := max(1, commonSize(b.Offsets))
	for lo := 0; lo+size <= len(dst); lo += size {
		w.writeMeans(mean[lo:lo+size], dst[lo:lo+size])
		if s == ScaleGroup {
			w.writeStd(std[lo:lo+size], dst[lo:lo+size], mean[lo:lo+size])
			roundToFloat32(std[lo : lo+size])
		}
	}
	if w.meanOfBatch {
		w.writeMeans(mean, dst)
	}
	if s == ScaleBatch {
		w.writeStd(std, dst, mean)
	}
	w.divide(dst, mean, std, s)
	return nil
}

// divide replaces x by (x − mean)/(s + eps). Figures of a group are held in float32,
// those of the batch in float64; an operation on both is float64.
func (w rewardNorm) divide(x, mean, std []float64, s Scale) {
	for i, v := range x {
		a := v - mean[i]
		if !w.meanOfBatch {
			a = float64(float32(v) - float32(mean[i]))
		}
		switch {
		case s == ScaleGroup && !w.meanOfBatch:
			a = float64(float32(a) / (float32(std[i]) + rewardNormEps))
		case s != ScaleNone:
			a /= std[i] + rewardNormEps
		}
		x[i] = float64(float32(a))
	}
}

// writeMeans writes the mean of x, or for each value that of the others.
func (w rewardNorm) writeMeans(dst, x []float64) {
	n, sum := float64(len(x)), torchsum.SumLeftToRight(x)
	for i, v := range x {
		switch {
		case w.leaveOut && n > 1:
			dst[i] = (sum - v) / (n - 1)
		case w.leaveOut:
			dst[i] = 0
		default:
			dst[i] = sum / n
		}
	}
	if !w.meanOfBatch {
		roundToFloat32(dst)
	}
}

func roundToFloat32(x []float64) {
	for i, v := range x {
		x[i] = float64(float32(v))
	}
}

func (w rewardNorm) writeStd(dst, x, mean []float64) {
	squares := 0.0
	for i, v := range x {
		d := v - mean[i]
		squares += float64(d * d)
	}
	n := float64(len(x))
	std := math.Sqrt(squares / (n - 1))
	switch {
	case w.ddof0:
		std = math.Sqrt(squares / n)
	case n <= 1:
		std = 1
	}
	for i := range dst {
		dst[i] = std
	}
}
