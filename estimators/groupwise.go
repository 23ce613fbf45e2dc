package estimators

import (
	"vantage/estimators/torchsum"
)

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

// onStack is the size of groups up to which there is memory on the stack; larger ones cost up to
// three allocations per batch.
const onStack = 64

func (w groupwise) advantages(dst []float64, b Batch, s Scale) error {
	mustHaveLength(dst, b)
	var waiting [onStack + 1]torchsum.Waiting
	var vectors [onStack]torchsum.Vector
	tile, large := torchsum.Tile(vectors[:]), []float32(nil)
	by := w.divisorOf(b, s)
	q := torchsum.GroupsOf(b.Offsets, largestInTile, waiting[:])
	for q.Next() {
		switch n := q.Size; {
		case n == 1 && (w.ofOne != oneByFormula || w.zeroIfFlat): // the formula is not applied
			for _, i := range q.Starts[:q.Rows] {
				dst[i] = w.advantageOfOne(float32(b.Rewards[i]), by)
			}
		case q.Alone():
			large = resize(large, n)
			lo := q.Starts[0]
			w.writeLarge(dst[lo:lo+n], b.Rewards[lo:lo+n], large, by)
		default:
			tile = resize(tile, n)
			w.writeTile(dst, b.Rewards, tile, &q, by)
		}
	}
	return nil
}

func (w groupwise) divisorOf(b Batch, s Scale) divisor {
	by := divisor{perGroup: s == ScaleGroup, welford: w.asMatrix && b.Groups() > 1, batchStd: 1, batchDivisor: 1, none: s == ScaleNone}
	if s != ScaleBatch && w.baseline != batchMean {
		return by
	}
	r := make([]float32, len(b.Rewards))
	toFloat32(r, b.Rewards)
	by.batchMean = torchsum.Mean(r)
	if s == ScaleBatch {
		by.batchStd = torchsum.StdWithMean(r, by.batchMean)
		switch {
		case len(r) == 1 && w.ofOne == oneStd0:
			by.batchStd = 0
		case len(r) == 1 && w.ofOne == oneMean0Std1:
			by.batchStd = 1
		}
		by.batchDivisor = w.addEps(by.batchStd)
	}
	return by
}

// divisor says what the groups are divided by.
type divisor struct {
	perGroup     bool    // the standard deviation of each group
	welford      bool    // computed as PyTorch does for the rows of a matrix
	none         bool    // nothing
	batchStd     float32 // if not perGroup: the standard deviation of the batch, 1 without a scale
	batchDivisor float32 // batchStd with eps, 1 without a scale
	batchMean    float32
}

// writeTile writes the advantages of the groups of q, all at once; tile has their size.
func (w groupwise) writeTile(dst, rewards []float64, tile torchsum.Tile, q *torchsum.Groups, by divisor) {
	tile.Load(rewards, &q.Starts)
	sum := tile.Sum()
	mean := sum.Over(q.Size)
	var std, divisors torchsum.Vector
	switch {
	case by.perGroup && by.welford:
		std = tile.StdWelford()
	case by.perGroup:
		std = tile.Std(&mean)
	}
	for g, s := range std {
		divisors[g], std[g] = w.addEps(s), s
		if !by.perGroup {
			divisors[g], std[g] = by.batchDivisor, by.batchStd
		}
	}
	if base, ok := w.baselines(&mean, by); ok {
		tile.Normalize(&base, &divisors)
		tile.Store(dst, &q.Starts)
	} else {
		for g, lo := range q.Starts[:q.Rows] {
			w.subtractAndDivide(dst[lo:lo+q.Size], rewards[lo:lo+q.Size], sum[g], mean[g], divisors[g])
		}
	}
	for g, lo := range q.Starts[:q.Rows] {
		if w.getsZeros(std[g], by) {
			clear(dst[lo : lo+q.Size])
		}
	}
}

// baselines returns what is subtracted from the rewards of eight groups, if that is the same for all
// rewards of a group.
func (w groupwise) baselines(mean *torchsum.Vector, by divisor) (base torchsum.Vector, ok bool) {
	switch w.baseline {
	case groupMean:
		return *mean, true
	case batchMean:
		for g := range base {
			base[g] = by.batchMean
		}
		return base, true
	case noBaseline:
		return base, true
	default:
		return base, false
	}
}

// writeLarge writes the advantages of one group; r is memory of its size.
func (w groupwise) writeLarge(dst, rewards []float64, r []float32, by divisor) {
	toFloat32(r, rewards)
	sum := torchsum.Sum(r)
	mean, std, divisor := sum/float32(len(r)), by.batchStd, by.batchDivisor
	switch {
	case by.perGroup && by.welford:
		std = torchsum.StdOfRow(r)
	case by.perGroup:
		std = torchsum.StdWithMean(r, mean)
	}
	if by.perGroup {
		divisor = w.addEps(std)
	}
	if w.baseline == batchMean {
		mean = by.batchMean
	}
	w.subtractAndDivide(dst, rewards, sum, mean, divisor)
	if w.getsZeros(std, by) {
		clear(dst)
	}
}

// getsZeros reports whether a group with standard deviation s gets zeros. A NaN is
// not above the one threshold and not below the other.
func (w groupwise) getsZeros(s float32, by divisor) bool {
	if w.zeroIfFlat {
		return !by.none && !(s > w.eps)
	}
	return w.epsIsThreshold && by.perGroup && s < w.eps
}

// advantageOfOne returns what a group of one gets where it is not what the formula gives.
func (w groupwise) advantageOfOne(x float32, by divisor) float64 {
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
func (w groupwise) subtractAndDivide(dst, rewards []float64, sum, mean, divisor float32) {
	dst = dst[:len(rewards)]
	n, others := float32(len(rewards)), float32(len(rewards)-1)
	switch w.baseline {
	case rlooSum:
		for i, r := range rewards {
			x := float32(r)
			v := x - (sum-x)/others
			if divisor != 1 {
				v /= divisor
			}
			dst[i] = float64(v)
		}
	case rlooTerms:
		mean = float32(mean*n) / others
		for i, r := range rewards {
			dst[i] = float64((float32(float32(r)*n)/others - mean) / divisor)
		}
	case rlooFactor:
		factor := float32(float64(len(rewards)) / float64(len(rewards)-1))
		for i, r := range rewards {
			dst[i] = float64((float32(r) - mean) * factor / divisor)
		}
	case noBaseline:
		for i, r := range rewards {
			dst[i] = float64(float32(r) / divisor)
		}
	default:
		for i, r := range rewards {
			dst[i] = float64((float32(r) - mean) / divisor)
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

// grpo is group relative policy optimization: a reward relative to the mean of its
// group, in standard deviations of the group,
//
//	A_i = (r_i − μ) / (s + eps)
//
// μ is the mean and s the standard deviation, ddof 1, of the n rewards of the
// group. Shao et al., "DeepSeekMath: Pushing the Limits of Mathematical Reasoning in
// Open Language Models", arXiv:2402.03300, 2024, section 4.1.
//
// Frameworks differ in what they add to s (1e-9 to 1e-4, or nothing), in ddof, in
// what a group of one gets, and in the order of their additions. The order decides
// what a constant group gets: often not 0, since μ misses r by a bit and s is
// nearly 0.
//
// Without the division (scale "none") it is Dr. GRPO: Liu et al., "Understanding
// R1-Zero-Like Training: A Critical Perspective", arXiv:2503.20783, 2025. With
// the standard deviation of the batch for s (scale "batch") it is that of Liu et
// al., "Part I: Tricks or Traps? A Deep Dive into RL for LLM Reasoning",
// arXiv:2508.08221, 2025.
//
// This variant holds the batch as a [G, n] matrix.
func grpo(eps float32) groupwise {
	return groupwise{baseline: groupMean, eps: eps, asMatrix: true}
}

// rloo is REINFORCE leave-one-out: a reward relative to the mean of the others of
// its group,
//
//	A_i = r_i − (Σ − r_i) / (n − 1)
//
// Σ is the sum of the n rewards of the group. Mathematically that is n/(n−1)·(r−μ);
// in float32 the two forms differ in the last bits, and frameworks use both. A
// group of one has no others: 0/0. Ahmadian et al., "Back to Basics: Revisiting
// REINFORCE Style Optimization for Learning from Human Feedback in LLMs",
// arXiv:2402.14740, 2024, after Kool, van Hoof and Welling, "Buy 4 REINFORCE
// Samples, Get a Baseline for Free!", 2019.
//
// A framework that divides it by a standard deviation takes that of the rewards, not
// of the advantages, and adds eps. The batch is a [G, n] matrix.
func rloo(eps float32) groupwise {
	return groupwise{baseline: rlooSum, eps: eps, asMatrix: true}
}

// centredStd is GRPO that takes the standard deviation of the centred rewards
// and not of the rewards:
//
//	a_i = r_i − μ ;  A_i = a_i/(s_a + eps)
//
// ddof 1, float32, s of the group, of the batch, or absent. For groups that is
// mathematically the same; in float32 the last bits differ. For the batch it is
// another number, since the means of the groups do not count.
type centredStd struct {
	eps      float32
	asMatrix bool       // as in groupwise
	ofOne    groupOfOne // oneByFormula or oneStd0, as in groupwise
}

func (w centredStd) advantages(dst []float64, b Batch, s Scale) error {
	_ = groupwise{asMatrix: w.asMatrix, ofOne: oneMinusItself}.advantages(dst, b, ScaleNone)
	switch s {
	case ScaleGroup:
		w.divideGroups(dst, b)
	case ScaleNone:
	case ScaleBatch:
		a := make([]float32, len(dst))
		toFloat32(a, dst)
		std := torchsum.Std(a)
		if len(a) == 1 && w.ofOne == oneStd0 {
			std = 0
		}
		divide(dst, std+w.eps)
	}
	return nil
}

func (w centredStd) divideGroups(dst []float64, b Batch) {
	a := make([]float32, largestGroup(b.Offsets))
	var std float32
	for lo, hi := range b.ranges() {
		x := a[:hi-lo]
		toFloat32(x, dst[lo:hi])
		switch {
		case hi-lo == 1 && w.ofOne == oneStd0:
			std = 0
		case w.asMatrix && b.Groups() > 1:
			std = torchsum.StdOfRow(x)
		default:
			std = torchsum.Std(x)
		}
		divide(dst[lo:hi], std+w.eps)
	}
}

func divide(dst []float64, by float32) {
	for i, a := range dst {
		dst[i] = float64(float32(a) / by)
	}
}

// groupPolicyGradient is GPG: centred rewards, enlarged where few rewards differ
// from 0,
//
//	A_i = (N/max(m, 1))·(r_i − μ),  m = number of rewards that are not 0
//
// in float32; N/m is (1/m)·N. NaN counts as not 0. A single-sample group has μ := 0. Chu et
// al., "GPG: A Simple and Strong Reinforcement Learning Baseline for Model Reasoning",
// arXiv:2504.02546, 2025.
func groupPolicyGradient(dst []float64, b Batch, _ Scale) error {
	_ = groupwise{ofOne: oneMean0Std1}.advantages(dst, b, ScaleNone)
	m := 0
	for _, x := range b.Rewards {
		m += toInt(x != 0)
	}
	alpha := 1 / float32(max(m, 1)) * float32(len(b.Rewards))
	for i, a := range dst {
		dst[i] = float64(alpha * float32(a))
	}
	return nil
}
