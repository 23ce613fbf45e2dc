package estimators

const nemoRL = "nemo-rl"

// nemoGRPO is GRPO with baseline and standard deviation of the others.
//
// Source: NVIDIA-NeMo/RL@7ea279abfbeb698b092856d0dab61e7cf39bc909 nemo_rl/algorithms/advantage_estimator.py:GRPOAdvantageEstimator.compute_advantage.
func nemoGRPO() *Estimator {
	return &Estimator{
		Framework: nemoRL, Name: "grpo", Scales: []Scale{ScaleGroup, ScaleNone},
		CanFilter: true,
		Float:     Float32,
		Tolerance: 1e-5,
		Formula:   "A = (r − μ₋ᵢ) / (s₋ᵢ + 1e-6) if s₋ᵢ > 0, else r − μ₋ᵢ; none: r − μ₋ᵢ",
		Doc: "μ and s, ddof 1, leave the sample out: one success among failures keeps 1.0, the failures are divided. Groups of " +
			"two get ±1, of one 0. Groups may differ in size; identical prompts are one group. NaN makes its group NaN. " +
			"Agrees to 1e-5; where rewards are nearly equal, the rounding of the framework's BLAS decides whether s is 0.",
		Source:    "NVIDIA-NeMo/RL@7ea279abfbeb698b092856d0dab61e7cf39bc909 nemo_rl/algorithms/advantage_estimator.py:GRPOAdvantageEstimator.compute_advantage",
		Advantage: leaveOneOutStd{leaveOut: true}.advantages,
	}
}

// nemoGRPOAll is GRPO with use_leave_one_out_baseline=False.
//
// Source: NVIDIA-NeMo/RL@7ea279abfbeb698b092856d0dab61e7cf39bc909 nemo_rl/algorithms/advantage_estimator.py:GRPOAdvantageEstimator.compute_advantage.
func nemoGRPOAll() *Estimator {
	return &Estimator{
		Framework: nemoRL, Name: "grpo_no_leave_one_out", Scales: []Scale{ScaleGroup, ScaleNone},
		CanFilter: true,
		Float:     Float32,
		Tolerance: 1e-5,
		Formula:   "A = (r − μ) / (s + 1e-6) if s > 0, else r − μ; none: r − μ",
		Doc: "s has ddof 1, by E[r²] − E[r]². A group of one gets 0. Groups may differ in size; identical prompts are one " +
			"group. NaN makes its group NaN. Agrees to 1e-5; where rewards are nearly equal, the rounding of the framework's " +
			"BLAS decides whether s is 0.",
		Source:    "NVIDIA-NeMo/RL@7ea279abfbeb698b092856d0dab61e7cf39bc909 nemo_rl/algorithms/advantage_estimator.py:GRPOAdvantageEstimator.compute_advantage",
		Advantage: leaveOneOutStd{}.advantages,
	}
}

// nemoReinforcePlusPlus is REINFORCE++ with minus_baseline, the default.
//
// Source: NVIDIA-NeMo/RL@7ea279abfbeb698b092856d0dab61e7cf39bc909 nemo_rl/algorithms/advantage_estimator.py:ReinforcePlusPlusAdvantageEstimator.compute_advantage.
func nemoReinforcePlusPlus() *Estimator {
	return &Estimator{
		Framework: nemoRL, Name: "reinforce_plus_plus", Scales: []Scale{ScaleNone},
		DependsOnBatch: true,
		Float:          Float32,
		Tolerance:      1e-4,
		Formula:        "a = r − μ; A = (a − m) / √max(v, 1e-8), m and v over response tokens",
		Doc: "ddof 0. A group of one has a = 0. Without KL in the reward. All tokens of a sample have one value at gamma 1; " +
			"the group counts in μ only. Summed in float64 here: agrees to 1e-4, not to the bit. NaN makes all NaN.",
		Source:    "NVIDIA-NeMo/RL@7ea279abfbeb698b092856d0dab61e7cf39bc909 nemo_rl/algorithms/advantage_estimator.py:ReinforcePlusPlusAdvantageEstimator.compute_advantage",
		Needs:     Needs{Lengths: true},
		Advantage: openRLHFWhitening().after(nemoCentre),
	}
}

// nemoReinforcePlain is REINFORCE++ with minus_baseline=False.
//
// Source: NVIDIA-NeMo/RL@7ea279abfbeb698b092856d0dab61e7cf39bc909 nemo_rl/algorithms/advantage_estimator.py:ReinforcePlusPlusAdvantageEstimator.compute_advantage.
func nemoReinforcePlain() *Estimator {
	return &Estimator{
		Framework: nemoRL, Name: "reinforce_plus_plus_no_baseline", Scales: []Scale{ScaleNone},
		DependsOnBatch: true,
		Float:          Float32,
		Tolerance:      1e-4,
		Formula:        "A = (r − m) / √max(v, 1e-8), m and v over response tokens",
		Doc: "ddof 0. Without KL in the reward. All tokens of a sample have one value at gamma 1; group ids are not used. " +
			"Summed in float64 here: agrees to 1e-4, not to the bit. NaN makes all NaN.",
		Source:    "NVIDIA-NeMo/RL@7ea279abfbeb698b092856d0dab61e7cf39bc909 nemo_rl/algorithms/advantage_estimator.py:ReinforcePlusPlusAdvantageEstimator.compute_advantage",
		Needs:     Needs{Lengths: true},
		Advantage: openRLHFWhitening().after(nil),
	}
}

// nemoGDPO is GDPO over the leave-one-out GRPO of each component.
//
// Source: NVIDIA-NeMo/RL@7ea279abfbeb698b092856d0dab61e7cf39bc909 nemo_rl/algorithms/advantage_estimator.py:GDPOAdvantageEstimator.compute_advantage.
func nemoGDPO() *Estimator {
	return &Estimator{
		Framework: nemoRL, Name: "gdpo", Scales: []Scale{ScaleGroup, ScaleNone},
		DependsOnBatch: true,
		CanFilter:      true,
		Float:          Float32,
		Tolerance:      1e-5,
		Formula:        "a = Σ_k w_k · A_k; A = (a − mean a) / s_a, not divided if s_a is 0",
		Doc: "A_k is grpo of component k. s_a has ddof 1, over the batch, and nothing added to it. Groups may differ in size; " +
			"identical prompts are one group. NaN makes its group NaN. Agrees to 1e-5; where rewards are nearly equal, the " +
			"rounding of the framework's BLAS decides whether s is 0.",
		Source:    "NVIDIA-NeMo/RL@7ea279abfbeb698b092856d0dab61e7cf39bc909 nemo_rl/algorithms/advantage_estimator.py:GDPOAdvantageEstimator.compute_advantage",
		Needs:     Needs{Components: true},
		Advantage: batchStandardized(perComponent(leaveOneOutStd{leaveOut: true}.advantages)),
	}
}

func nemoCentre(dst []float64, b Batch, _ Scale) error {
	return leaveOneOutStd{}.advantages(dst, b, ScaleNone)
}
