package estimators

import "vantage/estimators/torchsum"

const (
	twinkleCode = "modelscope/twinkle@1a1d8845dc6de05c7957bada323b0cc5c5e90f35 src/twinkle/advantage/"
	twinkleEps  = 1e-8 // added to every standard deviation
)

// twinkle is ModelScope's Twinkle. Groups are rows of a matrix. A scale of any other
// name is none to it.
func twinkle() []*Estimator {
	scales := []Scale{ScaleGroup, ScaleBatch, ScaleNone}
	return []*Estimator{
		// A group of one among larger ones is NaN ("group"). A NaN reward makes its group
		// NaN ("group", "none") or all ("batch").
		{
			Entry: Entry{
				Name: "grpo", Formula: "A = (r − μ) / (s + 1e-8), s of the group or of the batch; none: r − μ",
				Source: twinkleCode + "grpo.py:GRPOAdvantage.__call__",
				Doc: "s has ddof 1. Single-sample groups get their raw reward (group), or are compared with the whole batch (batch, none). " +
					"Equal rewards often do not give 0, since s is 0 and float32 misses the mean (eight of 0.7 give +5.96). " +
					"Groups of different sizes raise ValueError, missing rewards raise TypeError; NaN makes its group NaN.",
			},
			Scales: scales, CanFilter: true, DependsOnBatch: true,
			Advantage: refuseAsTwinkle(twinkleGRPO, 1),
		},
		{
			Entry: Entry{
				Name:    "rloo",
				Formula: "A = (r − (Σr − r) / (n − 1)) / (s + 1e-8), s of the group or of the batch; none: not divided",
				Source:  twinkleCode + "rloo.py:RLOOAdvantage.__call__",
				Doc: "s has ddof 1 and is that of the rewards. The default scale is group, unlike other RLOOs. Single-sample groups and groups of different sizes raise " +
					"ValueError, missing rewards raise TypeError; NaN makes its group NaN. Equal rewards often do not give 0.",
			},
			Scales:    scales,
			Advantage: refuseAsTwinkle(rloo(twinkleEps).advantages, 2),
		},
		notComputable("gae", formulaGAE,
			"modelscope/twinkle@4380b27d197213a59a6fb7a5380d5f15e4b23c38 src/twinkle/advantage/gae.py:GAEAdvantage.__call__", criticNeeded),
	}
}

// twinkleGRPO is GRPO unless every group has one sample: then nothing is compared
// within a group.
func twinkleGRPO(dst []float64, b Batch, s Scale) error {
	if largestGroup(b.Offsets) != 1 {
		return grpo(twinkleEps).advantages(dst, b, s)
	}
	r := make([]float32, len(b.Rewards))
	toFloat32(r, b.Rewards)
	mean, divisor := float32(0), float32(1)
	if s == ScaleBatch || s == ScaleNone {
		mean = torchsum.Mean(r)
	}
	if s == ScaleBatch && len(r) > 1 {
		divisor = torchsum.StdWithMean(r, mean) + twinkleEps
	}
	for i, x := range r {
		dst[i] = float64((x - mean) / divisor)
	}
	return nil
}

// refuseAsTwinkle returns f with twinkle's exceptions: first for missing rewards, since
// the list becomes a tensor first; then for groups that are no matrix of at least least
// columns.
func refuseAsTwinkle(f formula, least int) formula {
	return func(dst []float64, b Batch, s Scale) error {
		_ = f(dst, b, s) // refuses nothing
		if groups := groupsWithMissing(b); groups != nil {
			return &Refusal{Kind: "TypeError", Text: "must be real number, not NoneType", Groups: groups}
		}
		if groups := raggedGroups(b.Offsets, least); groups != nil {
			return &Refusal{Kind: "ValueError", Text: "Invalid", Groups: groups}
		}
		return nil
	}
}
