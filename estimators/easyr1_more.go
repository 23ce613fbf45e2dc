package estimators

// easyR1ReinforcePlusPlus is REINFORCE++ of the fork: the reward, whitened over
// tokens.
//
// Source: Coobiw/EasyR1-Brian@c414ee81ef06f8e6510bcbcbd939a89c118cff32 verl/trainer/core_algos.py:compute_reinforce_plus_plus_outcome_advantage.
func easyR1ReinforcePlusPlus() *Estimator {
	return &Estimator{
		Framework: easyR1, Name: "reinforce_plus_plus", Scales: []Scale{ScaleNone},
		Batchwise: true,
		Float:     Float32,
		Tolerance: 1e-4,
		Formula:   "A = (r − m) / √(v + 1e-8), m and v over response tokens",
		Doc: "All tokens of a sample have one value at gamma 1; group ids are not used. Summed in float64 here: agrees to " +
			"1e-4, not to the bit. ddof 1 (none for a single token). NaN and missing rewards count as 0; an infinite one " +
			"makes all NaN.",
		Source:    "Coobiw/EasyR1-Brian@c414ee81ef06f8e6510bcbcbd939a89c118cff32 verl/trainer/core_algos.py:compute_reinforce_plus_plus_outcome_advantage",
		Needs:     Needs{Lengths: true},
		Clean:     nanToNum,
		Advantage: easyR1Whitening().after(nil),
	}
}

// easyR1ReMax is ReMax of the fork.
//
// Source: Coobiw/EasyR1-Brian@c414ee81ef06f8e6510bcbcbd939a89c118cff32 verl/trainer/core_algos.py:compute_remax_outcome_advantage.
func easyR1ReMax() *Estimator {
	return &Estimator{
		Framework: easyR1, Name: "remax", Scales: []Scale{ScaleNone},
		Float:   Float32,
		Formula: "A = r − b, b the reward of one greedy response",
		Doc: "No scale, no eps; groups of any size, of one too. NaN and missing rewards count as 0. The usual logs do not hold " +
			"b.",
		Source:    "Coobiw/EasyR1-Brian@c414ee81ef06f8e6510bcbcbd939a89c118cff32 verl/trainer/core_algos.py:compute_remax_outcome_advantage",
		Needs:     Needs{Baselines: true},
		Clean:     nanToNum,
		Advantage: greedyBaseline,
	}
}

// easyR1GAE is generalized advantage estimation.
//
// Source: Coobiw/EasyR1-Brian@c414ee81ef06f8e6510bcbcbd939a89c118cff32 verl/trainer/core_algos.py:compute_gae_advantage_return.
func easyR1GAE() *Estimator {
	return refused(easyR1, "gae", "A = Σ (γλ)^k δ_{t+k}, whitened over tokens",
		"Coobiw/EasyR1-Brian@c414ee81ef06f8e6510bcbcbd939a89c118cff32 verl/trainer/core_algos.py:compute_gae_advantage_return",
		"It takes the critic's value of every token; rewards do not tell even the sign of an advantage. A log would have "+
			"to hold the values per token.")
}

// easyR1KL is any estimator of the fork with KL in the reward.
//
// Source: Coobiw/EasyR1-Brian@c414ee81ef06f8e6510bcbcbd939a89c118cff32 verl/trainer/ray_trainer.py:apply_kl_penalty.
func easyR1KL() *Estimator {
	return refused(easyR1, "kl_in_reward", "r − kl_coef·KL per token, then the estimator",
		"Coobiw/EasyR1-Brian@c414ee81ef06f8e6510bcbcbd939a89c118cff32 verl/trainer/ray_trainer.py:apply_kl_penalty",
		"The trainer's default (a reference policy, use_kl_loss off) subtracts kl_coef·KL from every token's reward "+
			"before the estimator sees it. A log would have to hold the rewards after that (critic/rewards) per sample, or "+
			"the KL per token.")
}

// easyR1Whitening is masked_whiten of EasyR1 and ROLL, and of verl but for short.
func easyR1Whitening() whitening { return whitening{lean: 1e-8, eps: 1e-8} }
