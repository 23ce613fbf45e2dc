package estimators

// skyRL is SkyRL.
func skyRL() []*Estimator {
	const (
		code  = "NovaSky-AI/SkyRL@a9564572eb8e91076be43c1bd5e4615e3de17265 skyrl/"
		algos = code + "backends/skyrl_train/utils/ppo_utils.py:"
	)
	byStd := divideByStd("trainer.algorithm.grpo_norm_by_std")
	grpoFormula := groupwise{eps: 1e-6, ofOne: oneMean0Std1}.advantages
	return []*Estimator{
		// grpo_norm_by_std=False is scale "none".
		{
			Entry: Entry{
				Name: "grpo", Formula: "A = (r − μ) / (s + 1e-6); none: r − μ",
				Source: algos + "compute_grpo_outcome_advantage",
				Doc: "s has ddof 1. A single-sample group has μ 0 and s 1. Equal rewards give 0 or float32 rounding error over s + 1e-6 " +
					"(eight of 10.1: +0.47). Groups may differ in size. NaN makes its group NaN.",
				Options: []Option{byStd},
			},
			Scales: []Scale{ScaleGroup, ScaleNone}, CanFilter: true,
			Advantage: grpoFormula,
		},
		{
			Entry: Entry{
				Name: "rloo", Formula: "A = (r − μ) · n/(n − 1)", Source: algos + "compute_rloo_outcome_advantage",
				Doc: "No standard deviation, no eps. A single-sample group gets 0. Equal rewards give 0 or float32 rounding error. Groups " +
					"may differ in size. NaN makes its group NaN.",
			},
			Advantage: groupwise{baseline: rlooFactor, ofOne: oneZero}.advantages,
		},
		{
			Entry: Entry{
				Name: "maxrl", Formula: "A = (r − μ) / (μ + 1e-6)", Source: algos + "compute_maxrl_advantage",
				Doc: "A negative mean turns the signs round, a mean of 0 gives advantages of 1e6. A single-sample group gets its raw reward. " +
					"Groups may differ in size. NaN makes its group NaN.",
			},
			CanFilter: true,
			Advantage: maxRL(1e-6, false),
		},
		tokenWhitened(Estimator{
			Entry: Entry{
				Name: "reinforce_plus_plus", Formula: "A = (r − m) / √(v + 1e-8), m and v over response tokens",
				Source: algos + "compute_reinforce_plus_plus_outcome_advantage",
				Doc:    docWhitenedRewards + "ddof 1. NaN makes all NaN.",
			},
			Advantage: whitening{eps: 1e-8}.after(rewardItself),
		}),
		// grpo followed by advantage_batch_normalize.
		tokenWhitened(Estimator{
			Entry: Entry{
				Name:    "grpo_batch_normalize",
				Formula: "a = GRPO; A = (a − m) / √max(v, 1e-8), m over all positions, v over response tokens",
				Source:  code + "train/trainer.py:1473-1482",
				Doc: "m counts padding as zeros, up to the longest response of the batch; v is that of a population around m. Summed " +
					"in float64 here: agrees to 1e-4. The rest as grpo.",
				Options: []Option{byStd},
			},
			Scales: []Scale{ScaleGroup, ScaleNone}, CanFilter: true,
			Advantage: whitening{eps: 1e-8, ddof0: true, epsIsFloor: true, meanOverPadding: true}.after(grpoFormula),
		}),
	}
}
