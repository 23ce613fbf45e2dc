package estimators

const skyRL = "skyrl"

// skyRLGRPO is GRPO; grpo_norm_by_std=False is scale "none".
//
// Source: NovaSky-AI/SkyRL@a9564572eb8e91076be43c1bd5e4615e3de17265 skyrl/backends/skyrl_train/utils/ppo_utils.py:compute_grpo_outcome_advantage.
func skyRLGRPO() *Estimator {
	return &Estimator{
		Framework: skyRL, Name: "grpo", Scales: []Scale{ScaleGroup, ScaleNone},
		CanFilter: true,
		Float:     Float32,
		Formula:   "A = (r − μ) / (s + 1e-6); none: r − μ",
		Doc: "s has ddof 1. A group of one has μ 0 and s 1. Equal rewards give 0 or a float32 residue of it over s + 1e-6 " +
			"(eight of 10.1: +0.47). Groups may differ in size. NaN makes its group NaN.",
		Source:    "NovaSky-AI/SkyRL@a9564572eb8e91076be43c1bd5e4615e3de17265 skyrl/backends/skyrl_train/utils/ppo_utils.py:compute_grpo_outcome_advantage",
		Advantage: groupwise{eps: 1e-6, ofOne: oneMean0Std1}.formula(),
	}
}

// skyRLRLOO is RLOO by the mean of the group.
//
// Source: NovaSky-AI/SkyRL@a9564572eb8e91076be43c1bd5e4615e3de17265 skyrl/backends/skyrl_train/utils/ppo_utils.py:compute_rloo_outcome_advantage.
func skyRLRLOO() *Estimator {
	return &Estimator{
		Framework: skyRL, Name: "rloo", Scales: []Scale{ScaleNone},
		Float:   Float32,
		Formula: "A = (r − μ) · n/(n − 1)",
		Doc: "No standard deviation, no eps. A group of one gets 0. Equal rewards give 0 or a float32 residue of it. Groups " +
			"may differ in size. NaN makes its group NaN.",
		Source:    "NovaSky-AI/SkyRL@a9564572eb8e91076be43c1bd5e4615e3de17265 skyrl/backends/skyrl_train/utils/ppo_utils.py:compute_rloo_outcome_advantage",
		Advantage: groupwise{baseline: rlooFactor, ofOne: oneZero}.formula(),
	}
}

// skyRLMaxRL is maximum likelihood reinforcement learning, without a guard.
//
// Source: NovaSky-AI/SkyRL@a9564572eb8e91076be43c1bd5e4615e3de17265 skyrl/backends/skyrl_train/utils/ppo_utils.py:compute_maxrl_advantage.
func skyRLMaxRL() *Estimator {
	return &Estimator{
		Framework: skyRL, Name: "maxrl", Scales: []Scale{ScaleNone},
		CanFilter: true,
		Float:     Float32,
		Formula:   "A = (r − μ) / (μ + 1e-6)",
		Doc: "A negative mean turns the signs round, a mean of 0 gives advantages of 1e6. A group of one gets its raw reward. " +
			"Groups may differ in size. NaN makes its group NaN.",
		Source:    "NovaSky-AI/SkyRL@a9564572eb8e91076be43c1bd5e4615e3de17265 skyrl/backends/skyrl_train/utils/ppo_utils.py:compute_maxrl_advantage",
		Advantage: maxRL(1e-6, false),
	}
}

// skyRLReinforcePlusPlus is REINFORCE++: the reward, whitened over tokens.
//
// Source: NovaSky-AI/SkyRL@a9564572eb8e91076be43c1bd5e4615e3de17265 skyrl/backends/skyrl_train/utils/ppo_utils.py:compute_reinforce_plus_plus_outcome_advantage.
func skyRLReinforcePlusPlus() *Estimator {
	return &Estimator{
		Framework: skyRL, Name: "reinforce_plus_plus", Scales: []Scale{ScaleNone},
		DependsOnBatch: true,
		Float:          Float32,
		Tolerance:      1e-4,
		Formula:        "A = (r − m) / √(v + 1e-8), m and v over response tokens",
		Doc: "All tokens of a sample have one value at gamma 1; group ids are not used. Summed in float64 here: agrees to " +
			"1e-4, not to the bit. ddof 1. NaN makes all NaN.",
		Source:    "NovaSky-AI/SkyRL@a9564572eb8e91076be43c1bd5e4615e3de17265 skyrl/backends/skyrl_train/utils/ppo_utils.py:compute_reinforce_plus_plus_outcome_advantage",
		Needs:     Needs{Lengths: true},
		Advantage: whitening{eps: 1e-8}.after(nil),
	}
}

// skyRLBatchNormalize is GRPO followed by advantage_batch_normalize.
//
// Source: NovaSky-AI/SkyRL@a9564572eb8e91076be43c1bd5e4615e3de17265 skyrl/train/trainer.py:1473-1482.
func skyRLBatchNormalize() *Estimator {
	return &Estimator{
		Framework: skyRL, Name: "grpo_batch_normalize", Scales: []Scale{ScaleGroup, ScaleNone},
		DependsOnBatch: true,
		CanFilter:      true,
		Float:          Float32,
		Tolerance:      1e-4,
		Formula:        "a = GRPO; A = (a − m) / √max(v, 1e-8), m over all positions, v over response tokens",
		Doc: "m counts padding as zeros, up to the longest response of the batch; v is that of a population around m. Summed " +
			"in float64 here: agrees to 1e-4. The rest as grpo.",
		Source:    "NovaSky-AI/SkyRL@a9564572eb8e91076be43c1bd5e4615e3de17265 skyrl/train/trainer.py:1473-1482",
		Needs:     Needs{Lengths: true},
		Advantage: whitening{eps: 1e-8, ddof0: true, epsIsFloor: true, meanOverPadding: true}.after(groupwise{eps: 1e-6, ofOne: oneMean0Std1}.formula()),
	}
}
