package estimators

import "vantage/estimators/torchsum"

const (
	twinkle    = "twinkle"
	twinkleEps = 1e-8 // added to every standard deviation
)

// twinkleGRPO is GRPO with three scales:
//
//	A_i = (r_i − μ) / (s + 1e-8)   "group", the default: s of the group
//	A_i = (r_i − μ) / (s + 1e-8)   "batch": s of all rewards of the batch
//	A_i =  r_i − μ                 "none", and any word that is no scale
//
// s is ddof 1. Groups are rows of a matrix: Welford's algorithm if there are two
// or more, two passes if there is one.
//
// Special cases are:
//
//	groups of one              = r itself ("group"); else r − mean of the batch, over its s + 1e-8 ("batch"; s := 1 for one sample)
//	equal rewards              = often not 0: s is 0 but float32 misses μ; eight of 0.7 give +5.96 ("group", G ≥ 2)
//	groups of different sizes  = the refusal "Invalid"; a group of one among larger ones is NaN ("group")
//	missing rewards            = NaN, and the refusal "must be real number, not NoneType"
//	a NaN reward               = NaN for its group ("group", "none"), for all ("batch")
//
// Source: modelscope/twinkle@1a1d8845dc6d src/twinkle/advantage/grpo.py:GRPOAdvantage.__call__.
func twinkleGRPO() *Estimator {
	arithmetic := grpo(twinkleEps)
	return &Estimator{
		Framework: twinkle, Name: "grpo", Scales: twinkleScales(), DependsOnBatch: true, CanFilter: true, Float: Float32,
		Formula: "A = (r − μ) / (s + 1e-8), s of the group or of the batch; none: r − μ",
		Doc: "s has ddof 1. Groups of one get their raw reward (group), or are compared with the whole batch (batch, none). " +
			"Equal rewards often do not give 0, since s is 0 and float32 misses the mean (eight of 0.7 give +5.96). " +
			"Groups of different sizes are a ValueError, missing rewards a TypeError; NaN makes its group NaN.",
		Source: "modelscope/twinkle@1a1d8845dc6de05c7957bada323b0cc5c5e90f35 src/twinkle/advantage/grpo.py:GRPOAdvantage.__call__",
		Advantage: func(dst []float64, b Batch, s Scale) error {
			if largestGroup(b.Offsets) == 1 {
				twinkleSingles(dst, b.Rewards, s)
			} else {
				arithmetic.advantages(dst, b, s)
			}
			return twinkleError(b, 1)
		},
	}
}

// twinkleRLOO is RLOO with the scales of [twinkleGRPO], "group" by default. It
// divides by the standard deviation of the rewards.
//
// Special cases are those of [twinkleGRPO], but for groups of one: NaN, and the
// refusal "Invalid".
//
// Source: modelscope/twinkle@1a1d8845dc6d src/twinkle/advantage/rloo.py:RLOOAdvantage.__call__.
func twinkleRLOO() *Estimator {
	arithmetic := rloo(twinkleEps)
	return &Estimator{
		Framework: twinkle, Name: "rloo", Scales: twinkleScales(), Float: Float32,
		Formula: "A = (r − (Σr − r) / (n − 1)) / (s + 1e-8), s of the group or of the batch; none: not divided",
		Doc: "s has ddof 1 and is that of the rewards. The default scale is group, unlike other RLOOs. Groups of one and groups of " +
			"different sizes are a ValueError, missing rewards a TypeError; NaN makes its group NaN. Equal rewards often do not give 0.",
		Source: "modelscope/twinkle@1a1d8845dc6de05c7957bada323b0cc5c5e90f35 src/twinkle/advantage/rloo.py:RLOOAdvantage.__call__",
		Advantage: func(dst []float64, b Batch, s Scale) error {
			arithmetic.advantages(dst, b, s)
			return twinkleError(b, 2)
		},
	}
}

func twinkleScales() []Scale { return []Scale{ScaleGroup, ScaleBatch, ScaleNone} }

// twinkleSingles is twinkle's GRPO where every group has one sample: nothing is
// compared within a group.
func twinkleSingles(dst, rewards []float64, s Scale) {
	r := make([]float32, len(rewards))
	toFloat32(r, rewards)
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
}

// twinkleError returns what twinkle raises for the batch: first for what is not a
// number, since the list becomes a tensor first; then for groups that are no
// matrix of at least least columns.
func twinkleError(b Batch, least int) error {
	if missing := groupsWithMissing(b); missing != nil {
		return &Refusal{Kind: "TypeError", Text: "must be real number, not NoneType", Groups: missing}
	}
	if odd := raggedGroups(b.Offsets, least); odd != nil {
		return &Refusal{Kind: "ValueError", Text: "Invalid", Groups: odd}
	}
	return nil
}

// groupsWithMissing lists the groups with a missing reward.
func groupsWithMissing(b Batch) []int {
	var groups []int
	g := 0
	for i, r := range b.Rewards {
		if !IsMissing(r) {
			continue
		}
		for b.Offsets[g+1] <= i {
			g++
		}
		if len(groups) == 0 || groups[len(groups)-1] != g {
			groups = append(groups, g)
		}
	}
	return groups
}

// raggedGroups lists the groups that are smaller than least or whose size is not the
// most common one; of two sizes as common, the larger is the right one.
func raggedGroups(offsets []int, least int) []int {
	usual := commonSize(offsets)
	var groups []int
	for g := 1; g < len(offsets); g++ {
		if n := offsets[g] - offsets[g-1]; n != usual || n < least {
			groups = append(groups, g-1)
		}
	}
	return groups
}

func commonSize(offsets []int) int {
	count := make([]int, largestGroup(offsets)+1)
	usual := 0
	for g := 1; g < len(offsets); g++ {
		count[offsets[g]-offsets[g-1]]++
	}
	for n, c := range count {
		if c >= count[usual] {
			usual = n
		}
	}
	return usual
}
