package estimators

const areal = "areal"

// arealRewardNorm is reward_norm with mean_level group; the scale is std_level.
//
// Source: inclusionAI/AReaL@4aef98d8d818af55b43621aaadba047ae10f4e77 areal/utils/data.py:Normalization.__call__.
func arealRewardNorm() *Estimator {
	return &Estimator{
		Framework: areal, Name: "reward_norm", Scales: []Scale{ScaleGroup, ScaleBatch, ScaleNone},
		DependsOnBatch: true,
		CanFilter:      true,
		Float:          Float32,
		Formula:        "A = (x − μ) / (s + 1e-5), x = clip(r, ±20), s of the group or of the batch; none: x − μ",
		Doc: "s has ddof 1, around the means of the groups. A group of one gets 0. Rewards are cut to ±20 first (reward_bias " +
			"0, reward_scaling 1). float64 inside. Groups are blocks of the usual size by position; rows beyond the last " +
			"whole block are divided by 1e-5 alone (group). NaN makes its group NaN.",
		Source:    "inclusionAI/AReaL@4aef98d8d818af55b43621aaadba047ae10f4e77 areal/utils/data.py:Normalization.__call__",
		Advantage: rewardNorm{}.advantages,
	}
}

// arealRewardNormPopulation is reward_norm with std_unbiased=False.
//
// Source: inclusionAI/AReaL@4aef98d8d818af55b43621aaadba047ae10f4e77 areal/utils/data.py:Normalization.__call__.
func arealRewardNormPopulation() *Estimator {
	return &Estimator{
		Framework: areal, Name: "reward_norm_biased", Scales: []Scale{ScaleGroup, ScaleBatch},
		DependsOnBatch: true,
		CanFilter:      true,
		Float:          Float32,
		Formula:        "A = (x − μ) / (s + 1e-5), x = clip(r, ±20)",
		Doc: "As reward_norm, but s has ddof 0. Rewards are cut to ±20 first (reward_bias 0, reward_scaling 1). float64 " +
			"inside. Groups are blocks of the usual size by position; rows beyond the last whole block are divided by 1e-5 " +
			"alone (group). NaN makes its group NaN.",
		Source:    "inclusionAI/AReaL@4aef98d8d818af55b43621aaadba047ae10f4e77 areal/utils/data.py:Normalization.__call__",
		Advantage: rewardNorm{ddof0: true}.advantages,
	}
}

// arealRewardNormBatch is reward_norm with mean_level and std_level batch.
//
// Source: inclusionAI/AReaL@4aef98d8d818af55b43621aaadba047ae10f4e77 areal/utils/data.py:Normalization.__call__.
func arealRewardNormBatch() *Estimator {
	return &Estimator{
		Framework: areal, Name: "reward_norm_batch", Scales: []Scale{ScaleBatch, ScaleNone},
		DependsOnBatch: true,
		Float:          Float32,
		Formula:        "A = (x − mean) / (s + 1e-5), both of the batch, x = clip(r, ±20); none: x − mean",
		Doc: "s has ddof 1. Rewards are cut to ±20 first (reward_bias 0, reward_scaling 1). float64 inside. Groups are blocks " +
			"of the usual size by position; rows beyond the last whole block are divided by 1e-5 alone (group). NaN makes its " +
			"group NaN.",
		Source:    "inclusionAI/AReaL@4aef98d8d818af55b43621aaadba047ae10f4e77 areal/utils/data.py:Normalization.__call__",
		Advantage: rewardNorm{meanOfBatch: true}.advantages,
	}
}

// arealRLOO is reward_norm with mean_leave1out.
//
// Source: inclusionAI/AReaL@4aef98d8d818af55b43621aaadba047ae10f4e77 areal/utils/data.py:Normalization.__call__.
func arealRLOO() *Estimator {
	return &Estimator{
		Framework: areal, Name: "reward_norm_leave_one_out", Scales: []Scale{ScaleNone},
		DependsOnBatch: true,
		Float:          Float32,
		Formula:        "A = x − mean of the others, x = clip(r, ±20)",
		Doc: "A group of one gets x. Rewards are cut to ±20 first (reward_bias 0, reward_scaling 1). float64 inside. Groups " +
			"are blocks of the usual size by position; rows beyond the last whole block are divided by 1e-5 alone (group). " +
			"NaN makes its group NaN.",
		Source:    "inclusionAI/AReaL@4aef98d8d818af55b43621aaadba047ae10f4e77 areal/utils/data.py:Normalization.__call__",
		Advantage: rewardNorm{leaveOut: true}.advantages,
	}
}

// arealAdvNorm is reward_norm with the mean of the group, then adv_norm over the
// tokens of the batch.
//
// Source: inclusionAI/AReaL@4aef98d8d818af55b43621aaadba047ae10f4e77 areal/trainer/ppo/actor.py:_compute_advantages.
func arealAdvNorm() *Estimator {
	return &Estimator{
		Framework: areal, Name: "adv_norm_batch", Scales: []Scale{ScaleNone},
		DependsOnBatch: true,
		Float:          Float32,
		Tolerance:      1e-4,
		Formula:        "a = x − μ; A = (a − m) / (√v + 1e-5), m and v over response tokens",
		Doc: "v has ddof 1. mean_leave1out would leave out a token, not a sample. Summed in float64 here: agrees to 1e-4. " +
			"Rewards are cut to ±20 first (reward_bias 0, reward_scaling 1). float64 inside. Groups are blocks of the usual " +
			"size by position; rows beyond the last whole block are divided by 1e-5 alone (group). NaN makes its group NaN.",
		Source:    "inclusionAI/AReaL@4aef98d8d818af55b43621aaadba047ae10f4e77 areal/trainer/ppo/actor.py:_compute_advantages",
		Needs:     Needs{Lengths: true},
		Advantage: whitening{eps: 1e-5, epsOutsideRoot: true}.after(rewardNorm{}.unscaled()),
	}
}

// unscaled is the arithmetic without its scale.
func (w rewardNorm) unscaled() formula {
	return func(dst []float64, b Batch, _ Scale) error { return w.advantages(dst, b, ScaleNone) }
}
