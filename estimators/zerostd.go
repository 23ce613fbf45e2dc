package estimators

import (
	"slices"

	"vantage/estimators/torchsum"
)

// ZeroStd reports for each group whether its samples count in frac_reward_zero_std: whether the
// standard deviation that the trainer takes, of the group or of the batch, is within 1e-8 of 0
// in its own arithmetic. If the trainer does not log that, groups of equal rewards count. It
// takes what Advantage takes.
func (e *Estimator) ZeroStd(b Batch, s Scale) []bool {
	if e.zeroStd == nil || e.MissingIn(b) != "" {
		return equalRewards(b, s)
	}
	return e.zeroStd(b, s)
}

// zeroStdLimit is the absolute tolerance of torch.isclose(s, 0).
const zeroStdLimit float32 = 1e-8

// zeroStd says for each group whether it counts in frac_reward_zero_std.
type zeroStd = func(b Batch, s Scale) []bool

// equalRewards is a [zeroStd]; NaN equals nothing.
func equalRewards(b Batch, _ Scale) []bool {
	zero := make([]bool, b.Groups())
	for g := range zero {
		r := b.Group(g)
		zero[g] = !slices.ContainsFunc(r, func(x float64) bool { return x != r[0] })
	}
	return zero
}

// zeroStdOfGroups goes by the standard deviation of each group.
func zeroStdOfGroups(std rowStd) zeroStd {
	return func(b Batch, _ Scale) []bool {
		x := make([]float32, largestGroup(b.Offsets))
		buf := make([]float32, len(x))
		zero := make([]bool, b.Groups())
		for g := range zero {
			n := len(b.Group(g))
			toFloat32(x, b.Group(g))
			zero[g] = std(x[:n], buf[:n], b.Groups()) <= zeroStdLimit
		}
		return zero
	}
}

// zeroStdOfScale goes by the standard deviation of the batch under [ScaleBatch], else by that
// of each group.
func zeroStdOfScale(std rowStd) zeroStd {
	return func(b Batch, s Scale) []bool {
		if s != ScaleBatch {
			return zeroStdOfGroups(std)(b, s)
		}
		x := make([]float32, len(b.Rewards))
		toFloat32(x, b.Rewards)
		return zeroStdOfBatch(x, b, std)
	}
}

// zeroStd goes by the standard deviation of z over the batch.
func (w gdpo) zeroStd(b Batch, _ Scale) []bool {
	std := torchStd
	if w.ignoreUnscored {
		std = ignoringNaN
	}
	return zeroStdOfBatch(w.weightedSum(b), b, std)
}

// zeroStdOfBatch is the same for all groups: whether x, a value per sample, has no spread.
func zeroStdOfBatch(x []float32, b Batch, std rowStd) []bool {
	return slices.Repeat([]bool{std(x, make([]float32, len(x)), 1) <= zeroStdLimit}, b.Groups())
}

// rowStd is the standard deviation of x, one of so many rows; 0 if x has one value. It may
// overwrite buf, of the length of x.
type rowStd func(x, buf []float32, rows int) float32

// ignoringNaN is trl's nanstd.
func ignoringNaN(x, buf []float32, _ int) float32 { return nanStd(x, buf) }

// torchStd is torch.std.
func torchStd(x, _ []float32, rows int) float32 {
	switch {
	case len(x) == 1:
		return 0
	case rows == 1:
		return torchsum.Std(x)
	}
	return torchsum.StdOfRow(x)
}
