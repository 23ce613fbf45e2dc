package estimators

// easyR1Upstream is the project that [easyR1] was forked from: eps is added to the
// standard deviation, nothing is filtered, and NaN passes.
func easyR1Upstream() []*Estimator {
	const algos = "hiyouga/EasyR1@b44b311b669bf1fd1aa2fc36f2251482ba33cb16 verl/trainer/core_algos.py:"
	return []*Estimator{
		{
			Entry: Entry{
				Name: "grpo", Formula: "A = (r − μ) / (s + 1e-6)", Source: algos + "compute_grpo_outcome_advantage",
				Doc: "s has ddof 1. A single-sample group raises AssertionError. Equal rewards give 0 or float32 rounding error over s + " +
					"1e-6: eight of 10.1 give +0.47. Groups may differ in size. NaN makes its group NaN.",
			},
			Scales: []Scale{ScaleGroup}, CanFilter: true,
			Advantage: refuseGroupsOfOne(groupwise{eps: 1e-6}.advantages, "GRPO needs rollout.n > 1."),
		},
		{
			Entry: Entry{
				Name: "grpo_passk", Formula: "best: (r1 − r2) / (s + 1e-6), others 0",
				Source: algos + "compute_grpo_passk_outcome_advantage",
				Doc: "s has ddof 1. A single-sample group raises AssertionError. Equal best rewards give 0. NaN ranks highest and gives NaN. " +
					"Groups may differ in size.",
			},
			Scales: []Scale{ScaleGroup}, CanFilter: true,
			Advantage: refuseGroupsOfOne(passK(true), "GRPO needs rollout.n > 1."),
		},
		{
			Entry: Entry{
				Name: "rloo", Formula: "A = r − (Σr − r) / (n − 1)", Source: algos + "compute_rloo_outcome_advantage",
				Doc: "No standard deviation and no eps. A single-sample group raises AssertionError. Equal rewards give 0 or float32 rounding " +
					"error. Groups may differ in size. NaN makes its group NaN.",
			},
			Advantage: refuseGroupsOfOne(groupwise{baseline: rlooSum}.advantages, "RLOO needs rollout.n > 1."),
		},
		discounted(*tokenWhitened(Estimator{
			Entry: Entry{
				Name: "reinforce_plus_plus", Formula: "A = (r − m) / √(v + 1e-8), m and v over response tokens",
				Source: algos + "compute_reinforce_plus_plus_outcome_advantage",
				Doc:    docWhitenedRewards + "ddof 1. NaN makes all NaN.",
			},
		}), "algorithm.gamma", maskedWhiten(), rewardItself),
		{
			Entry: Entry{
				Name: "remax", Formula: "A = r − b, b the reward of one greedy response",
				Source: algos + "compute_remax_outcome_advantage",
				Doc:    "No scale, no eps; groups of any size. NaN stays with its sample. The usual logs do not hold b.",
			},
			Needs:     Needs{Baselines: true},
			Advantage: greedyBaseline,
		},
		notComputable("gae", formulaGAE, algos+"compute_gae_advantage_return",
			"It takes the critic's value of every token (and at this revision raises a RuntimeError for more than one "+
				"sample). A log would need the values per token."),
	}
}
