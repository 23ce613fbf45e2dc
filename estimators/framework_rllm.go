package estimators

// rllm is rLLM; the names are those of rllm.algorithm.adv_estimator.
func rllm() []*Estimator {
	const (
		code  = "rllm-org/rllm@9beb6e0f676a46d38858991fd79ac5f8e0b16d4c rllm/trainer/algorithms/"
		docNP = "numpy float64, ddof 0. Groups may differ in size. "
	)
	raw := population{eps: 1e-6, rawOfOne: true}
	return []*Estimator{
		{
			Entry: Entry{
				Name: "grpo", Formula: "A = (r − μ) / (s + 1e-6); none: r − μ",
				Source: code + "rl_algo.py:calculate_grpo_advantages_per_group",
				Doc: docNP + "A single-sample group has μ 0 and s 1. Equal rewards give 0 or float64 rounding error. NaN makes its group " +
					"NaN.",
				Options: []Option{divideByStd("rllm.algorithm.norm_adv_by_std_in_grpo")},
			},
			Scales: []Scale{ScaleGroup, ScaleNone}, CanFilter: true, Float: Float64,
			Advantage: raw.advantages,
		},
		{
			Entry: Entry{
				Name: "rloo", Formula: "A = n/(n − 1) · (r − μ)",
				Source: code + "rl_algo.py:calculate_rloo_advantages_per_group",
				Doc:    docNP + "A single-sample group gets its raw reward. NaN makes its group NaN.",
			},
			Float:     Float64,
			Advantage: rloo64{}.advantages,
		},
		{
			Entry: Entry{
				Name: "prpo", Formula: "A = (r − mean) / (s + 1e-6), both of the batch",
				Source: code + "advantage.py:calculate_prpo_advantages",
				Doc:    docNP + "Groups do not count: the batch is all groups of one role. NaN makes all NaN.",
			},
			Scales: []Scale{ScaleBatch}, Float: Float64,
			Advantage: population{eps: 1e-6}.batchWide,
		},
		{
			Entry: Entry{
				Name: "reinforce_plus_plus_baseline", Formula: "a = r − μ; A = a / (s_a + 1e-6), s_a of the batch",
				Source: code + "advantage.py:calculate_reinforce_plus_plus_baseline_advantages",
				Doc: docNP + "A single-sample group gets 0. No weighting by tokens, unlike the REINFORCE++ of others. The batch is all groups " +
					"of one role. NaN makes all NaN.",
			},
			Scales: []Scale{ScaleBatch}, Float: Float64,
			Advantage: population{eps: 1e-6}.batchStd,
		},
		{
			Entry: Entry{
				Name: "reinforce", Formula: "A = r", Source: code + "advantage.py:calculate_reinforce_advantages",
				Doc: "The reward itself; groups do not count. NaN stays with its sample.",
			},
			Float:     Float64,
			Advantage: rewardItself,
		},
	}
}
