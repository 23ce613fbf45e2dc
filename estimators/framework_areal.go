package estimators

// areal is AReaL. The entries are reward_norm with other options, and adv_norm.
func areal() []*Estimator {
	const (
		code      = "inclusionAI/AReaL@4aef98d8d818af55b43621aaadba047ae10f4e77 areal/"
		normCode  = code + "utils/data.py:Normalization.__call__"
		docInside = "Rewards are clipped to ±20 first (reward_bias 0, reward_scaling 1). float64 inside. Groups are blocks of the usual " +
			"size by position; rows beyond the last whole block are divided by 1e-5 alone (group). NaN makes its group NaN."
	)
	return []*Estimator{
		// mean_level group; the scale is std_level.
		{
			Entry: Entry{
				Name:    "reward_norm",
				Formula: "A = (x − μ) / (s + 1e-5), x = clip(r, ±20), s of the group or of the batch; none: x − μ",
				Source:  normCode,
				Doc:     "s has ddof 1, around the means of the groups. A single-sample group gets 0. " + docInside,
			},
			Scales: []Scale{ScaleGroup, ScaleBatch, ScaleNone}, DependsOnBatch: true, CanFilter: true,
			Advantage: rewardNorm{}.advantages,
		},
		// std_unbiased=False.
		{
			Entry: Entry{
				Name: "reward_norm_biased", Formula: "A = (x − μ) / (s + 1e-5), x = clip(r, ±20)", Source: normCode,
				Doc: "As reward_norm, but s has ddof 0. " + docInside,
			},
			Scales: []Scale{ScaleGroup, ScaleBatch}, DependsOnBatch: true, CanFilter: true,
			Advantage: rewardNorm{ddof0: true}.advantages,
		},
		// mean_level and std_level batch.
		{
			Entry: Entry{
				Name:    "reward_norm_batch",
				Formula: "A = (x − mean) / (s + 1e-5), both of the batch, x = clip(r, ±20); none: x − mean", Source: normCode,
				Doc: "s has ddof 1. " + docInside,
			},
			Scales: []Scale{ScaleBatch, ScaleNone}, DependsOnBatch: true,
			Advantage: rewardNorm{meanOfBatch: true}.advantages,
		},
		// mean_leave1out.
		{
			Entry: Entry{
				Name: "reward_norm_leave_one_out", Formula: "A = x − mean of the others, x = clip(r, ±20)", Source: normCode,
				Doc: "A single-sample group gets x. " + docInside,
			},
			DependsOnBatch: true,
			Advantage:      rewardNorm{leaveOut: true}.advantages,
		},
		// reward_norm with the mean of the group, then adv_norm over the tokens of the batch.
		tokenWhitened(Estimator{
			Entry: Entry{
				Name: "adv_norm_batch", Formula: "a = x − μ; A = (a − m) / (√v + 1e-5), m and v over response tokens",
				Source: code + "trainer/ppo/actor.py:_compute_advantages",
				Doc: "v has ddof 1. mean_leave1out would leave out a token, not a sample. Summed in float64 here: agrees to 1e-4. " +
					docInside,
			},
			Advantage: whitening{eps: 1e-5, epsOutsideRoot: true}.after(withScale(rewardNorm{}.advantages, ScaleNone)),
		}),
	}
}
