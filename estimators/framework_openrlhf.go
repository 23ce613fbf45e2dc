package estimators

const openRLHF = "openrlhf"

// openRLHFClip is the default of reward.clip_range, ±10: it cuts what the baseline
// and the standard deviation have made of the reward.
const openRLHFClip = 10

// openRLHFGroupNorm is GRPO under the name group_norm.
//
// Source: OpenRLHF/OpenRLHF@3c3be6234e0cb353e76bb8019947db9dfe99fca7 openrlhf/trainer/ppo_utils/experience_maker.py:compute_advantages_and_returns.
func openRLHFGroupNorm() *Estimator {
	return &Estimator{
		Framework: openRLHF, Name: "group_norm", Scales: []Scale{ScaleGroup},
		CanFilter: true,
		Float:     Float32,
		Formula:   "A = clip((r − μ) / (s + 1e-9), ±10)",
		Doc: "s has ddof 1. A group of one is NaN (the command line forbids it). Equal rewards often do not give 0 (eight of " +
			"0.7: 10, cut from 59.6). Then cut to ±10. kl_coef is 0 here. Groups of different sizes are a RuntimeError. NaN " +
			"makes its group NaN.",
		Source:    "OpenRLHF/OpenRLHF@3c3be6234e0cb353e76bb8019947db9dfe99fca7 openrlhf/trainer/ppo_utils/experience_maker.py:compute_advantages_and_returns",
		Advantage: openRLHFClipped(grpo(1e-9).formula()),
	}
}

// openRLHFDrGRPO is Dr. GRPO.
//
// Source: OpenRLHF/OpenRLHF@3c3be6234e0cb353e76bb8019947db9dfe99fca7 openrlhf/trainer/ppo_utils/experience_maker.py:compute_advantages_and_returns.
func openRLHFDrGRPO() *Estimator {
	return &Estimator{
		Framework: openRLHF, Name: "dr_grpo", Scales: []Scale{ScaleNone},
		CanFilter: true,
		Float:     Float32,
		Formula:   "A = clip(r − μ, ±10)",
		Doc: "No scale, no eps. A group of one gets 0 (the command line forbids it). Then cut to ±10. kl_coef is 0 here. " +
			"Groups of different sizes are a RuntimeError. NaN makes its group NaN.",
		Source:    "OpenRLHF/OpenRLHF@3c3be6234e0cb353e76bb8019947db9dfe99fca7 openrlhf/trainer/ppo_utils/experience_maker.py:compute_advantages_and_returns",
		Advantage: openRLHFClipped(grpo(0).formula()),
	}
}

// openRLHFRLOO is RLOO without a scale.
//
// Source: OpenRLHF/OpenRLHF@3c3be6234e0cb353e76bb8019947db9dfe99fca7 openrlhf/trainer/ppo_utils/experience_maker.py:compute_advantages_and_returns.
func openRLHFRLOO() *Estimator {
	return &Estimator{
		Framework: openRLHF, Name: "rloo", Scales: []Scale{ScaleNone},
		Float:   Float32,
		Formula: "A = clip(r − (Σr − r) / (n − 1), ±10)",
		Doc: "No scale, no eps. A group of one is NaN (the command line forbids it). Then cut to ±10. kl_coef is 0 here. " +
			"Groups of different sizes are a RuntimeError. NaN makes its group NaN.",
		Source:    "OpenRLHF/OpenRLHF@3c3be6234e0cb353e76bb8019947db9dfe99fca7 openrlhf/trainer/ppo_utils/experience_maker.py:compute_advantages_and_returns",
		Advantage: openRLHFClipped(rloo(0).formula()),
	}
}

// openRLHFReinforce is REINFORCE: the reward, whitened over tokens.
//
// Source: OpenRLHF/OpenRLHF@3c3be6234e0cb353e76bb8019947db9dfe99fca7 openrlhf/trainer/ppo_utils/experience_maker.py:compute_advantages_and_returns.
func openRLHFReinforce() *Estimator {
	return &Estimator{
		Framework: openRLHF, Name: "reinforce", Scales: []Scale{ScaleNone},
		DependsOnBatch: true,
		Float:          Float32,
		Tolerance:      1e-4,
		Formula:        "A = (r − m) / √max(v, 1e-8), m and v over response tokens",
		Doc: "r is cut to ±10 first. All tokens of a sample have one value at gamma 1; group ids are not used. Summed in " +
			"float64 here: agrees to 1e-4, not to the bit. ddof 0. kl_coef is 0 here. NaN makes all NaN.",
		Source:    "OpenRLHF/OpenRLHF@3c3be6234e0cb353e76bb8019947db9dfe99fca7 openrlhf/trainer/ppo_utils/experience_maker.py:compute_advantages_and_returns",
		Needs:     Needs{Lengths: true},
		Advantage: openRLHFWhitening().after(clipped(rewardItself, -openRLHFClip, openRLHFClip)),
	}
}

// openRLHFReinforceBaseline is REINFORCE++-baseline: rewards centred by group,
// whitened over tokens.
//
// Source: OpenRLHF/OpenRLHF@3c3be6234e0cb353e76bb8019947db9dfe99fca7 openrlhf/trainer/ppo_utils/experience_maker.py:compute_advantages_and_returns.
func openRLHFReinforceBaseline() *Estimator {
	return &Estimator{
		Framework: openRLHF, Name: "reinforce_baseline", Scales: []Scale{ScaleNone},
		DependsOnBatch: true,
		Float:          Float32,
		Tolerance:      1e-4,
		Formula:        "a = clip(r − μ, ±10); A = (a − m) / √max(v, 1e-8), m and v over response tokens",
		Doc: "All tokens of a sample have one value at gamma 1; the group counts in μ only. Summed in float64 here: agrees to " +
			"1e-4, not to the bit. ddof 0. kl_coef is 0 here. Groups of different sizes are a RuntimeError. NaN makes all " +
			"NaN.",
		Source:    "OpenRLHF/OpenRLHF@3c3be6234e0cb353e76bb8019947db9dfe99fca7 openrlhf/trainer/ppo_utils/experience_maker.py:compute_advantages_and_returns",
		Needs:     Needs{Lengths: true},
		Advantage: openRLHFWhitening().after(openRLHFClipped(grpo(0).unscaled())),
	}
}

// openRLHFGAE is generalized advantage estimation.
//
// Source: OpenRLHF/OpenRLHF@3c3be6234e0cb353e76bb8019947db9dfe99fca7 openrlhf/trainer/ppo_utils/experience_maker.py:compute_advantages_and_returns.
func openRLHFGAE() *Estimator {
	return notComputable(openRLHF, "gae", "A = Σ (γλ)^k δ_{t+k}, whitened over tokens",
		"OpenRLHF/OpenRLHF@3c3be6234e0cb353e76bb8019947db9dfe99fca7 openrlhf/trainer/ppo_utils/experience_maker.py:compute_advantages_and_returns",
		"It takes the critic's value of every token; rewards do not tell even the sign of an advantage. A log would have "+
			"to hold the values per token.")
}

// openRLHFKL is any estimator of OpenRLHF with KL in the reward.
//
// Source: OpenRLHF/OpenRLHF@3c3be6234e0cb353e76bb8019947db9dfe99fca7 openrlhf/trainer/ppo_utils/experience_maker.py:compute_advantages_and_returns.
func openRLHFKL() *Estimator {
	return notComputable(openRLHF, "kl_in_reward", "r − kl_coef·KL per token, then the estimator",
		"OpenRLHF/OpenRLHF@3c3be6234e0cb353e76bb8019947db9dfe99fca7 openrlhf/trainer/ppo_utils/experience_maker.py:compute_advantages_and_returns",
		"By default (kl.init_coef 0.01, no KL loss) every token carries −kl_coef·KL. A log would have to hold the KL per "+
			"token.")
}

func openRLHFClipped(f formula) formula {
	return refuseRagged(clipped(f, -openRLHFClip, openRLHFClip))
}

func openRLHFWhitening() whitening { return whitening{eps: 1e-8, ddof0: true, epsIsFloor: true} }

// rewardItself is the reward itself.
func rewardItself(dst []float64, b Batch, _ Scale) error {
	copy(dst, b.Rewards)
	return nil
}
