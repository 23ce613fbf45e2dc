package estimators

const verl = "verl"

// verlGRPO is GRPO; norm_adv_by_std_in_grpo=False is scale "none", Dr. GRPO.
//
// Source: verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9 verl/trainer/ppo/core_algos.py:compute_grpo_outcome_advantage.
func verlGRPO() *Estimator {
	return &Estimator{
		Framework: verl, Name: "grpo", Scales: []Scale{ScaleGroup, ScaleNone},
		CanFilter: true,
		Float:     Float32,
		Formula:   "A = (r − μ) / (s + 1e-6); none: r − μ",
		Doc: "s has ddof 1. A group of one has μ 0 and s 1. Equal rewards give 0 or a float32 residue of it over s + 1e-6 " +
			"(eight of 10.1 give +0.47). Groups may differ in size. NaN makes its group NaN.",
		Source:    "verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9 verl/trainer/ppo/core_algos.py:compute_grpo_outcome_advantage",
		Advantage: groupwise{eps: 1e-6, ofOne: oneMean0Std1}.formula(),
	}
}

// verlVectorized is GRPO with its sums by index_add_.
//
// Source: verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9 verl/trainer/ppo/core_algos.py:compute_grpo_vectorized_outcome_advantage.
func verlVectorized() *Estimator {
	return &Estimator{
		Framework: verl, Name: "grpo_vectorized", Scales: []Scale{ScaleGroup, ScaleNone},
		CanFilter: true,
		Float:     Float32,
		Formula:   "A = (r − μ) / (s + 1e-6); none: r − μ",
		Doc: "As grpo, but sums run from left to right and s, ddof 1, is float32 throughout. A group of one has μ 0 and s 1. " +
			"Groups may differ in size. NaN makes its group NaN.",
		Source:    "verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9 verl/trainer/ppo/core_algos.py:compute_grpo_vectorized_outcome_advantage",
		Advantage: byScale(func(centre bool) formula { return indexAddGRPO(false, centre) }),
	}
}

// verlPassK is Pass@k by the lead of the best response.
//
// Source: verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9 verl/trainer/ppo/core_algos.py:compute_grpo_passk_outcome_advantage.
func verlPassK() *Estimator {
	return &Estimator{
		Framework: verl, Name: "grpo_passk", Scales: []Scale{ScaleGroup, ScaleNone},
		CanFilter: true,
		Float:     Float32,
		Formula:   "best: (r1 − r2) / (s + 1e-6), others 0; none: r1 − r2",
		Doc: "s has ddof 1. A group of one is a ValueError. Equal best rewards give 0. NaN ranks highest and gives NaN. Groups " +
			"may differ in size.",
		Source: "verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9 verl/trainer/ppo/core_algos.py:compute_grpo_passk_outcome_advantage",
		Advantage: func(dst []float64, b Batch, s Scale) error {
			_ = byScale(passK)(dst, b, s)
			return passKError(b)
		},
	}
}

// verlRLOO is RLOO by the mean of the group.
//
// Source: verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9 verl/trainer/ppo/core_algos.py:compute_rloo_outcome_advantage.
func verlRLOO() *Estimator {
	return &Estimator{
		Framework: verl, Name: "rloo", Scales: []Scale{ScaleNone},
		Float:   Float32,
		Formula: "A = r·n/(n − 1) − μ·n/(n − 1)",
		Doc: "No standard deviation, no eps. A group of one gets its raw reward. Equal rewards give 0 or a float32 residue of " +
			"it. Groups may differ in size. NaN makes its group NaN.",
		Source:    "verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9 verl/trainer/ppo/core_algos.py:compute_rloo_outcome_advantage",
		Advantage: groupwise{baseline: rlooTerms, ofOne: oneMean0Std1}.formula(),
	}
}

// verlRLOOVectorized is RLOO with its sums by bincount.
//
// Source: verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9 verl/trainer/ppo/core_algos.py:compute_rloo_vectorized_outcome_advantage.
func verlRLOOVectorized() *Estimator {
	return &Estimator{
		Framework: verl, Name: "rloo_vectorized", Scales: []Scale{ScaleNone},
		Float:   Float32,
		Formula: "A = (n·r − Σ) / max(n − 1, 1), 0 for a group of one",
		Doc: "No standard deviation, no eps; the sum runs from left to right. A group of one gets 0, unlike rloo. Groups may " +
			"differ in size. NaN makes its group NaN.",
		Source:    "verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9 verl/trainer/ppo/core_algos.py:compute_rloo_vectorized_outcome_advantage",
		Advantage: bincountRLOO(),
	}
}

// verlOPO is OPO: the mean of the group by response tokens.
//
// Source: verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9 verl/trainer/ppo/core_algos.py:compute_opo_outcome_advantage.
func verlOPO() *Estimator {
	return &Estimator{
		Framework: verl, Name: "opo", Scales: []Scale{ScaleNone},
		Float:   Float32,
		Formula: "A = r − Σ l r / Σ l",
		Doc: "No scale, no eps. A group of one gets its raw reward. Equal rewards give 0 or a float32 residue of it. Groups " +
			"may differ in size. NaN makes its group NaN.",
		Source:    "verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9 verl/trainer/ppo/core_algos.py:compute_opo_outcome_advantage",
		Needs:     Needs{Lengths: true},
		Advantage: optimalBaseline,
	}
}

// verlGPG is GPG: centred rewards times the share of samples that have one.
//
// Source: verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9 verl/trainer/ppo/core_algos.py:compute_gpg_outcome_advantage.
func verlGPG() *Estimator {
	return &Estimator{
		Framework: verl, Name: "gpg", Scales: []Scale{ScaleNone},
		DependsOnBatch: true,
		CanFilter:      true,
		Float:          Float32,
		Formula:        "A = N / max(m, 1) · (r − μ), m = rewards that are not 0",
		Doc: "The option alpha is overwritten, the standard deviation not used. A group of one has μ 0. NaN counts as not 0 " +
			"and makes its group NaN. Groups may differ in size.",
		Source:    "verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9 verl/trainer/ppo/core_algos.py:compute_gpg_outcome_advantage",
		Advantage: groupPolicyGradient,
	}
}

// verlReinforcePlusPlus is REINFORCE++: the reward, whitened over tokens.
//
// Source: verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9 verl/trainer/ppo/core_algos.py:compute_reinforce_plus_plus_outcome_advantage.
func verlReinforcePlusPlus() *Estimator {
	return &Estimator{
		Framework: verl, Name: "reinforce_plus_plus", Scales: []Scale{ScaleNone},
		DependsOnBatch: true,
		Float:          Float32,
		Tolerance:      1e-4,
		Formula:        "A = (r − m) / √(v + 1e-8), m and v over response tokens",
		Doc: "All tokens of a sample have one value at gamma 1; group ids are not used. Summed in float64 here: agrees to " +
			"1e-4, not to the bit. ddof 1. Up to one token in the batch is a ValueError. NaN makes all NaN.",
		Source:    "verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9 verl/trainer/ppo/core_algos.py:compute_reinforce_plus_plus_outcome_advantage",
		Needs:     Needs{Lengths: true},
		Advantage: verlWhitening().after(nil),
	}
}

// verlReinforceBaseline is REINFORCE++ on rewards centred by group.
//
// Source: verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9 verl/trainer/ppo/core_algos.py:compute_reinforce_plus_plus_baseline_outcome_advantage.
func verlReinforceBaseline() *Estimator {
	return &Estimator{
		Framework: verl, Name: "reinforce_plus_plus_baseline", Scales: []Scale{ScaleNone},
		DependsOnBatch: true,
		Float:          Float32,
		Tolerance:      1e-4,
		Formula:        "a = r − μ; A = (a − m) / √(v + 1e-8), m and v over response tokens",
		Doc: "A group of one keeps r. All tokens of a sample have one value at gamma 1; the group counts in μ only. Summed in " +
			"float64 here: agrees to 1e-4, not to the bit. ddof 1. Up to one token in the batch is a ValueError. NaN makes " +
			"all NaN.",
		Source:    "verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9 verl/trainer/ppo/core_algos.py:compute_reinforce_plus_plus_baseline_outcome_advantage",
		Needs:     Needs{Lengths: true},
		Advantage: verlWhitening().after(groupwise{ofOne: oneMean0Std1}.unscaled()),
	}
}

// verlReMax is ReMax.
//
// Source: verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9 verl/trainer/ppo/core_algos.py:compute_remax_outcome_advantage.
func verlReMax() *Estimator {
	return &Estimator{
		Framework: verl, Name: "remax", Scales: []Scale{ScaleNone},
		Float:     Float32,
		Formula:   "A = r − b, b the reward of one greedy response",
		Doc:       "No scale, no eps; groups of any size. NaN stays with its sample. verl's rollout dump does not hold b.",
		Source:    "verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9 verl/trainer/ppo/core_algos.py:compute_remax_outcome_advantage",
		Needs:     Needs{Baselines: true},
		Advantage: greedyBaseline,
	}
}

// verlGDPO is GDPO: GRPO per reward component, whitened over tokens.
//
// Source: verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9 verl/trainer/ppo/core_algos.py:compute_gdpo_outcome_advantage.
func verlGDPO() *Estimator {
	return &Estimator{
		Framework: verl, Name: "gdpo", Scales: []Scale{ScaleGroup, ScaleNone},
		DependsOnBatch: true,
		CanFilter:      true,
		Float:          Float32,
		Tolerance:      1e-4,
		Formula:        "A = whiten(Σ_k w_k · (r_k − μ_k) / (s_k + 1e-6)), over response tokens",
		Doc: "ddof 1 twice. A group of one has μ 0 and s 1. Components are gdpo_reward_keys, weights gdpo_reward_weights, 1 by " +
			"default. Whitening is summed in float64 here: agrees to 1e-4. NaN makes all NaN.",
		Source:    "verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9 verl/trainer/ppo/core_algos.py:compute_gdpo_outcome_advantage",
		Needs:     Needs{Lengths: true, Components: true},
		Advantage: verlWhitening().after(perComponent(groupwise{eps: 1e-6, ofOne: oneMean0Std1}.formula())),
	}
}

// verlGAE is generalized advantage estimation.
//
// Source: verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9 verl/trainer/ppo/core_algos.py:compute_gae_advantage_return.
func verlGAE() *Estimator {
	return notComputable(verl, "gae", "A = Σ (γλ)^k δ_{t+k}, whitened over tokens",
		"verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9 verl/trainer/ppo/core_algos.py:compute_gae_advantage_return",
		"It takes the critic's value of every token; rewards do not tell even the sign of an advantage. A log would have "+
			"to hold the values per token.")
}

// verlTokenBaseline is the optimal token baseline.
//
// Source: verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9 verl/trainer/ppo/core_algos.py:compute_optimal_token_baseline_advantage.
func verlTokenBaseline() *Estimator {
	return notComputable(verl, "optimal_token_baseline", "A_t = G_t − Σ G_t W_t / (Σ W_t + 1e-8)",
		"verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9 verl/trainer/ppo/core_algos.py:compute_optimal_token_baseline_advantage",
		"It takes the log-probability of every token and the sum of squared probabilities there (Σπ²). A log would have "+
			"to hold both per token.")
}

// verlTurnBaseline is the optimal token baseline over several turns.
//
// Source: verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9 verl/trainer/ppo/core_algos.py:compute_multi_turn_optimal_token_baseline_advantage.
func verlTurnBaseline() *Estimator {
	return notComputable(verl, "tir_optimal_token_baseline", "A_t = G_t − Σ G_t W_t / (Σ W_t + 1e-8)",
		"verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9 verl/trainer/ppo/core_algos.py:compute_multi_turn_optimal_token_baseline_advantage",
		"It takes the log-probability of every token and the sum of squared probabilities there (Σπ²). A log would have "+
			"to hold both per token.")
}

// verlKL is any estimator of verl with KL in the reward.
//
// Source: verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9 verl/trainer/ppo/ray_trainer.py:apply_kl_penalty.
func verlKL() *Estimator {
	return notComputable(verl, "kl_in_reward", "r − kl_coef·KL per token, then the estimator",
		"verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9 verl/trainer/ppo/ray_trainer.py:apply_kl_penalty",
		"use_kl_in_reward (off by default) subtracts the KL from every token's reward before the estimator sees it. A log "+
			"would have to hold the rewards after that, or the KL per token.")
}

// verlWhitening is masked_whiten as verl has it.
func verlWhitening() whitening {
	w := easyR1Whitening()
	w.needsTwoTokens = true
	return w
}

// byScale is f(true) under scale "none", where nothing is divided, else f(false).
func byScale(f func(centre bool) formula) formula {
	return func(dst []float64, b Batch, s Scale) error { return f(s == ScaleNone)(dst, b, s) }
}

// unscaled is the arithmetic without its scale, whatever the scale asked for.
func (w groupwise) unscaled() formula {
	return func(dst []float64, b Batch, _ Scale) error {
		w.advantages(dst, b, ScaleNone)
		return nil
	}
}
