package estimators

const (
	swift    = "ms-swift"
	swiftEps = 1e-4
)

// The entries ending in _dynamic are the variant for groups that may differ in
// size: each group is a tensor of its own there, not a row.

// swiftGRPO is GRPO with scale_rewards.
//
// Source: modelscope/ms-swift@3602360a562313afbf2ef6065fdf61f271a2c5b9 swift/rl_core/advantage.py:compute_advantages.
func swiftGRPO() *Estimator {
	return &Estimator{
		Framework: swift, Name: "grpo", Scales: []Scale{ScaleGroup, ScaleBatch, ScaleNone},
		CanFilter: true,
		Float:     Float32,
		Formula:   "A = (r − μ) / (s + 1e-4), s of the group or of the batch; none: r − μ",
		Doc: "s has ddof 1. A group of one gets 0. Equal rewards give 0 or a float32 residue of it (eight of 10.1: +0.0095). " +
			"Groups of different sizes are a RuntimeError. NaN counts as 0.",
		Source:    "modelscope/ms-swift@3602360a562313afbf2ef6065fdf61f271a2c5b9 swift/rl_core/advantage.py:compute_advantages",
		Clean:     cleanNaNToZero,
		Advantage: refuseRagged(groupwise{eps: swiftEps, ofOne: oneStd0, asMatrix: true}.formula()),
	}
}

// swiftRLOO is RLOO with scale_rewards, for kl_in_reward=False.
//
// Source: modelscope/ms-swift@3602360a562313afbf2ef6065fdf61f271a2c5b9 swift/rl_core/advantage.py:compute_advantages.
func swiftRLOO() *Estimator {
	return &Estimator{
		Framework: swift, Name: "rloo", Scales: []Scale{ScaleNone, ScaleGroup, ScaleBatch},
		Float:   Float32,
		Formula: "A = (r·n/(n − 1) − μ·n/(n − 1)) / (s + 1e-4); none: not divided",
		Doc: "Only for kl_in_reward=False (the default is True). s has ddof 1 and is that of the rewards. A group of one gets " +
			"0. Groups of different sizes are a RuntimeError. NaN counts as 0.",
		Source:    "modelscope/ms-swift@3602360a562313afbf2ef6065fdf61f271a2c5b9 swift/rl_core/advantage.py:compute_advantages",
		Clean:     cleanNaNToZero,
		Advantage: refuseRagged(groupwise{baseline: rlooTerms, eps: swiftEps, ofOne: oneStd0, asMatrix: true}.formula()),
	}
}

// swiftReinforcePlusPlus is what ms-swift calls REINFORCE++: centred by group,
// scaled by sample.
//
// Source: modelscope/ms-swift@3602360a562313afbf2ef6065fdf61f271a2c5b9 swift/rl_core/advantage.py:compute_advantages.
func swiftReinforcePlusPlus() *Estimator {
	return &Estimator{
		Framework: swift, Name: "reinforce_plus_plus", Scales: []Scale{ScaleBatch, ScaleGroup, ScaleNone},
		Float:   Float32,
		Formula: "a = r − μ; A = a / (s_a + 1e-4), s of the batch or of the group; none: a",
		Doc: "Only for kl_in_reward=False (the default is True). s has ddof 1 and is that of r − μ. No weighting by tokens and " +
			"no second mean, unlike the REINFORCE++ of others. A group of one gets 0. Groups of different sizes are a " +
			"RuntimeError. NaN counts as 0.",
		Source:    "modelscope/ms-swift@3602360a562313afbf2ef6065fdf61f271a2c5b9 swift/rl_core/advantage.py:compute_advantages",
		Clean:     cleanNaNToZero,
		Advantage: refuseRagged(centredStd{eps: swiftEps, asMatrix: true, ofOne: oneStd0}.advantages),
	}
}

// swiftGRPODynamic is GRPO with scale_rewards.
//
// Source: modelscope/ms-swift@3602360a562313afbf2ef6065fdf61f271a2c5b9 swift/rl_core/advantage.py:compute_advantages_dynamic.
func swiftGRPODynamic() *Estimator {
	return &Estimator{
		Framework: swift, Name: "grpo_dynamic", Scales: []Scale{ScaleGroup, ScaleBatch, ScaleNone},
		CanFilter: true,
		Float:     Float32,
		Formula:   "A = (r − μ) / (s + 1e-4), s of the group or of the batch; none: r − μ",
		Doc: "s has ddof 1. A group of one gets 0. Equal rewards give 0 or a float32 residue of it (eight of 10.1: +0.0095). " +
			"Groups may differ in size; of several turns of one request the last counts, which the log must have sorted out. " +
			"NaN counts as 0.",
		Source:    "modelscope/ms-swift@3602360a562313afbf2ef6065fdf61f271a2c5b9 swift/rl_core/advantage.py:compute_advantages_dynamic",
		Clean:     cleanNaNToZero,
		Advantage: groupwise{eps: swiftEps, ofOne: oneStd0}.formula(),
	}
}

// swiftRLOODynamic is RLOO with scale_rewards, for kl_in_reward=False.
//
// Source: modelscope/ms-swift@3602360a562313afbf2ef6065fdf61f271a2c5b9 swift/rl_core/advantage.py:compute_advantages_dynamic.
func swiftRLOODynamic() *Estimator {
	return &Estimator{
		Framework: swift, Name: "rloo_dynamic", Scales: []Scale{ScaleNone, ScaleGroup, ScaleBatch},
		Float:   Float32,
		Formula: "A = (r·n/(n − 1) − μ·n/(n − 1)) / (s + 1e-4); none: not divided",
		Doc: "Only for kl_in_reward=False (the default is True). s has ddof 1 and is that of the rewards. A group of one gets " +
			"0. Groups may differ in size; of several turns of one request the last counts, which the log must have sorted " +
			"out. NaN counts as 0.",
		Source:    "modelscope/ms-swift@3602360a562313afbf2ef6065fdf61f271a2c5b9 swift/rl_core/advantage.py:compute_advantages_dynamic",
		Clean:     cleanNaNToZero,
		Advantage: groupwise{baseline: rlooTerms, eps: swiftEps, ofOne: oneStd0}.formula(),
	}
}

// swiftReinforcePlusPlusDynamic is what ms-swift calls REINFORCE++: centred by
// group, scaled by sample.
//
// Source: modelscope/ms-swift@3602360a562313afbf2ef6065fdf61f271a2c5b9 swift/rl_core/advantage.py:compute_advantages_dynamic.
func swiftReinforcePlusPlusDynamic() *Estimator {
	return &Estimator{
		Framework: swift, Name: "reinforce_plus_plus_dynamic", Scales: []Scale{ScaleBatch, ScaleGroup, ScaleNone},
		Float:   Float32,
		Formula: "a = r − μ; A = a / (s_a + 1e-4), s of the batch or of the group; none: a",
		Doc: "Only for kl_in_reward=False (the default is True). s has ddof 1 and is that of r − μ. No weighting by tokens and " +
			"no second mean, unlike the REINFORCE++ of others. A group of one gets 0. Groups may differ in size; of several " +
			"turns of one request the last counts, which the log must have sorted out. NaN counts as 0.",
		Source:    "modelscope/ms-swift@3602360a562313afbf2ef6065fdf61f271a2c5b9 swift/rl_core/advantage.py:compute_advantages_dynamic",
		Clean:     cleanNaNToZero,
		Advantage: centredStd{eps: swiftEps, ofOne: oneStd0}.advantages,
	}
}

// swiftGDPO is scale_rewards="gdpo".
//
// Source: modelscope/ms-swift@3602360a562313afbf2ef6065fdf61f271a2c5b9 swift/rl_core/advantage.py:compute_advantages.
func swiftGDPO() *Estimator {
	return &Estimator{
		Framework: swift, Name: "gdpo", Scales: []Scale{ScaleGroup},
		DependsOnBatch: true,
		CanFilter:      true,
		Float:          Float32,
		Formula:        "z = Σ_k w_k · (r_k − μ_k) / (s_k + 1e-8); A = (z − mean z) / (s_z + 1e-8)",
		Doc: "ddof 1 twice, the second time over the batch. A component without a score counts as 0 after its scaling. Groups " +
			"of different sizes are a RuntimeError.",
		Source:    "modelscope/ms-swift@3602360a562313afbf2ef6065fdf61f271a2c5b9 swift/rl_core/advantage.py:compute_advantages",
		Needs:     Needs{Components: true},
		Clean:     cleanNaNToZero,
		Advantage: refuseRagged(nanIgnoring{1e-8}.gdpo(false)),
	}
}

// swiftKL is rloo and reinforce_plus_plus of ms-swift by default.
//
// Source: modelscope/ms-swift@3602360a562313afbf2ef6065fdf61f271a2c5b9 swift/rl_core/advantage.py:compute_advantages.
func swiftKL() *Estimator {
	return notComputable(swift, "kl_in_reward", "r − beta·KL, then the estimator",
		"modelscope/ms-swift@3602360a562313afbf2ef6065fdf61f271a2c5b9 swift/rl_core/advantage.py:compute_advantages",
		"kl_in_reward (True by default for rloo and reinforce_plus_plus) subtracts beta·KL of the sequence from the "+
			"reward. A log would have to hold the KL per sample.")
}
