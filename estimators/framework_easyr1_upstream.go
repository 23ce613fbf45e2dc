package estimators

// easyR1Upstream is the project that [easyR1] was forked from: eps is added to the
// standard deviation, nothing is filtered, and NaN passes.
const easyR1Upstream = "easyr1-upstream"

// upstreamGRPO is GRPO, each group a tensor of its own.
//
// Source: hiyouga/EasyR1@b44b311b669bf1fd1aa2fc36f2251482ba33cb16 verl/trainer/core_algos.py:compute_grpo_outcome_advantage.
func upstreamGRPO() *Estimator {
	return &Estimator{
		Framework: easyR1Upstream, Name: "grpo", Scales: []Scale{ScaleGroup},
		CanFilter: true,
		Float:     Float32,
		Formula:   "A = (r − μ) / (s + 1e-6)",
		Doc: "s has ddof 1. A group of one is an AssertionError. Equal rewards give 0 or a float32 residue of it over s + " +
			"1e-6: eight of 10.1 give +0.47. Groups may differ in size. NaN makes its group NaN.",
		Source: "hiyouga/EasyR1@b44b311b669bf1fd1aa2fc36f2251482ba33cb16 verl/trainer/core_algos.py:compute_grpo_outcome_advantage",
		Advantage: func(dst []float64, b Batch, s Scale) error {
			groupwise{eps: 1e-6}.advantages(dst, b, s)
			return rejectSingles(dst, b, "GRPO needs rollout.n > 1.")
		},
	}
}

// upstreamPassK is Pass@k by the lead of the best response.
//
// Source: hiyouga/EasyR1@b44b311b669bf1fd1aa2fc36f2251482ba33cb16 verl/trainer/core_algos.py:compute_grpo_passk_outcome_advantage.
func upstreamPassK() *Estimator {
	return &Estimator{
		Framework: easyR1Upstream, Name: "grpo_passk", Scales: []Scale{ScaleGroup},
		CanFilter: true,
		Float:     Float32,
		Formula:   "best: (r1 − r2) / (s + 1e-6), others 0",
		Doc: "s has ddof 1. A group of one is an AssertionError. Equal best rewards give 0. NaN ranks highest and gives NaN. " +
			"Groups may differ in size.",
		Source: "hiyouga/EasyR1@b44b311b669bf1fd1aa2fc36f2251482ba33cb16 verl/trainer/core_algos.py:compute_grpo_passk_outcome_advantage",
		Advantage: func(dst []float64, b Batch, s Scale) error {
			_ = passK(false)(dst, b, s)
			return rejectSingles(dst, b, "GRPO needs rollout.n > 1.")
		},
	}
}

// upstreamRLOO is RLOO without a scale.
//
// Source: hiyouga/EasyR1@b44b311b669bf1fd1aa2fc36f2251482ba33cb16 verl/trainer/core_algos.py:compute_rloo_outcome_advantage.
func upstreamRLOO() *Estimator {
	return &Estimator{
		Framework: easyR1Upstream, Name: "rloo", Scales: []Scale{ScaleNone},
		Float:   Float32,
		Formula: "A = r − (Σr − r) / (n − 1)",
		Doc: "No standard deviation and no eps. A group of one is an AssertionError. Equal rewards give 0 or a float32 residue " +
			"of it. Groups may differ in size. NaN makes its group NaN.",
		Source: "hiyouga/EasyR1@b44b311b669bf1fd1aa2fc36f2251482ba33cb16 verl/trainer/core_algos.py:compute_rloo_outcome_advantage",
		Advantage: func(dst []float64, b Batch, s Scale) error {
			groupwise{baseline: rlooSum}.advantages(dst, b, s)
			return rejectSingles(dst, b, "RLOO needs rollout.n > 1.")
		},
	}
}

// upstreamReinforcePlusPlus is REINFORCE++: the reward, whitened over tokens.
//
// Source: hiyouga/EasyR1@b44b311b669bf1fd1aa2fc36f2251482ba33cb16 verl/trainer/core_algos.py:compute_reinforce_plus_plus_outcome_advantage.
func upstreamReinforcePlusPlus() *Estimator {
	return &Estimator{
		Framework: easyR1Upstream, Name: "reinforce_plus_plus", Scales: []Scale{ScaleNone},
		DependsOnBatch: true,
		Float:          Float32,
		Tolerance:      1e-4,
		Formula:        "A = (r − m) / √(v + 1e-8), m and v over response tokens",
		Doc: "All tokens of a sample have one value at gamma 1; group ids are not used. Summed in float64 here: agrees to " +
			"1e-4, not to the bit. ddof 1. NaN makes all NaN.",
		Source:    "hiyouga/EasyR1@b44b311b669bf1fd1aa2fc36f2251482ba33cb16 verl/trainer/core_algos.py:compute_reinforce_plus_plus_outcome_advantage",
		Needs:     Needs{Lengths: true},
		Advantage: easyR1Whitening().after(nil),
	}
}

// upstreamReMax is ReMax.
//
// Source: hiyouga/EasyR1@b44b311b669bf1fd1aa2fc36f2251482ba33cb16 verl/trainer/core_algos.py:compute_remax_outcome_advantage.
func upstreamReMax() *Estimator {
	return &Estimator{
		Framework: easyR1Upstream, Name: "remax", Scales: []Scale{ScaleNone},
		Float:     Float32,
		Formula:   "A = r − b, b the reward of one greedy response",
		Doc:       "No scale, no eps; groups of any size. NaN stays with its sample. The usual logs do not hold b.",
		Source:    "hiyouga/EasyR1@b44b311b669bf1fd1aa2fc36f2251482ba33cb16 verl/trainer/core_algos.py:compute_remax_outcome_advantage",
		Needs:     Needs{Baselines: true},
		Advantage: greedyBaseline,
	}
}

// upstreamGAE is generalized advantage estimation.
//
// Source: hiyouga/EasyR1@b44b311b669bf1fd1aa2fc36f2251482ba33cb16 verl/trainer/core_algos.py:compute_gae_advantage_return.
func upstreamGAE() *Estimator {
	return notComputable(easyR1Upstream, "gae", "A = Σ (γλ)^k δ_{t+k}, whitened over tokens",
		"hiyouga/EasyR1@b44b311b669bf1fd1aa2fc36f2251482ba33cb16 verl/trainer/core_algos.py:compute_gae_advantage_return",
		"It takes the critic's value of every token (and at this revision raises a RuntimeError for more than one "+
			"sample). A log would have to hold the values per token.")
}
