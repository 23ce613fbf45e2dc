package estimators

// nemoRL is NVIDIA's NeMo-RL.
func nemoRL() []*Estimator {
	const (
		code   = "NVIDIA-NeMo/RL@7ea279abfbeb698b092856d0dab61e7cf39bc909 nemo_rl/algorithms/advantage_estimator.py:"
		docSum = "Agrees to 1e-5; where rewards are nearly equal, the rounding of the framework's BLAS decides whether s is 0."
	)
	byStd := divideByStd("grpo.normalize_rewards")
	leaveOneOut := otherEntry("grpo.use_leave_one_out_baseline", true, "grpo", "grpo_no_leave_one_out",
		"mean and standard deviation leave the sample out: false is the entry grpo_no_leave_one_out")
	minusBaseline := otherEntry("grpo.adv_estimator.minus_baseline", true, "reinforce_plus_plus", "reinforce_plus_plus_no_baseline",
		"subtract the mean of the group first: false is the entry reinforce_plus_plus_no_baseline")
	return []*Estimator{
		{
			Entry: Entry{
				Name: "grpo", Formula: "A = (r − μ₋ᵢ) / (s₋ᵢ + 1e-6) if s₋ᵢ > 0, else r − μ₋ᵢ; none: r − μ₋ᵢ",
				Source: code + "GRPOAdvantageEstimator.compute_advantage",
				Doc: "μ and s, ddof 1, leave the sample out: one success among failures keeps 1.0, the failures are divided. Groups of " +
					"two get ±1, of one 0. Groups may differ in size; identical prompts are one group. NaN makes its group NaN. " + docSum,
				Options: []Option{byStd, leaveOneOut},
			},
			Scales: []Scale{ScaleGroup, ScaleNone}, CanFilter: true, Tolerance: 1e-5,
			Advantage: leaveOneOutStd{leaveOut: true}.advantages,
		},
		// use_leave_one_out_baseline=False.
		{
			Entry: Entry{
				Name: "grpo_no_leave_one_out", Formula: "A = (r − μ) / (s + 1e-6) if s > 0, else r − μ; none: r − μ",
				Source: code + "GRPOAdvantageEstimator.compute_advantage",
				Doc: "s has ddof 1, by E[r²] − E[r]². A single-sample group gets 0. Groups may differ in size; identical prompts are one " +
					"group. NaN makes its group NaN. " + docSum,
				Options: []Option{byStd, leaveOneOut},
			},
			Scales: []Scale{ScaleGroup, ScaleNone}, CanFilter: true, Tolerance: 1e-5,
			Advantage: leaveOneOutStd{}.advantages,
		},
		// minus_baseline, the default.
		tokenWhitened(Estimator{
			Entry: Entry{
				Name: "reinforce_plus_plus", Formula: "a = r − μ; A = (a − m) / √max(v, 1e-8), m and v over response tokens",
				Source: code + "ReinforcePlusPlusAdvantageEstimator.compute_advantage",
				Doc: "ddof 0. A single-sample group has a = 0. Without KL in the reward. " + docWhitenedCentred +
					"NaN makes all NaN.",
				Options: []Option{minusBaseline},
			},
			Advantage: flooredWhiten().after(withScale(leaveOneOutStd{}.advantages, ScaleNone)),
		}),
		// minus_baseline=False.
		tokenWhitened(Estimator{
			Entry: Entry{
				Name: "reinforce_plus_plus_no_baseline", Formula: "A = (r − m) / √max(v, 1e-8), m and v over response tokens",
				Source:  code + "ReinforcePlusPlusAdvantageEstimator.compute_advantage",
				Doc:     "ddof 0. Without KL in the reward. " + docWhitenedRewards + "NaN makes all NaN.",
				Options: []Option{minusBaseline},
			},
			Advantage: flooredWhiten().after(rewardItself),
		}),
		configurable(Estimator{
			Entry: Entry{
				Name: "gdpo", Formula: "a = Σ_k w_k · A_k; A = (a − mean a) / s_a, not divided if s_a is 0",
				Source: code + "GDPOAdvantageEstimator.compute_advantage",
				Doc: "A_k is grpo of component k. s_a has ddof 1, over the batch, and nothing added to it. Groups may differ in size; " +
					"identical prompts are one group. NaN makes its group NaN. " + docSum,
				Options: []Option{byStd},
			},
			Scales: []Scale{ScaleGroup, ScaleNone}, DependsOnBatch: true, CanFilter: true, Tolerance: 1e-5,
			Needs: Needs{Components: true},
		}, func(v Values) formula {
			return batchStandardized(perComponent(leaveOneOutStd{v.Bool(leaveOneOut.Key)}.advantages))
		}, Option{
			Key: leaveOneOut.Key, Kind: Switch(), Default: "true", Meaning: "mean and standard deviation of each component leave the sample out",
		}),
		notComputable("gae", formulaGAE, nemoLater+"GeneralizedAdvantageEstimator", criticNeeded),
		notComputable("opd", "A_t = log π_T − log π", nemoLater+"OPDAdvantageEstimator",
			"Distillation gives every token an advantage of its own, whatever the reward. "+teacherNeeded),
	}
}

// nemoLater is the file at a later revision, which has more estimators.
const nemoLater = "NVIDIA-NeMo/RL@00925dd1e44b816b5cb6afa27d23d7bd7af2b957 nemo_rl/algorithms/advantage_estimator.py:"

// flooredWhiten is the whitening of NeMo-RL and OpenRLHF.
func flooredWhiten() whitening { return whitening{eps: 1e-8, ddof0: true, epsIsFloor: true} }
