package estimators

import "math"

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
	low := NumberOrNone(math.Inf(-1), math.Inf(1)).
		Option("grpo.advantage_clip_low", "none", "raise advantages below it to it, after normalisation")
	high := NumberOrNone(math.Inf(-1), math.Inf(1)).
		Option("grpo.advantage_clip_high", "none", "lower advantages above it to it, after normalisation")
	clipOf := func(f formula) func(Values) formula { // nemo_rl/algorithms/grpo.py:_clip_grpo_advantages
		return func(v Values) formula {
			if v.Optional(low.Key) == nil && v.Optional(high.Key) == nil {
				return f
			}
			return clipped(f, float32(v.NumberOr(low.Key, math.Inf(-1))), float32(v.NumberOr(high.Key, math.Inf(1))))
		}
	}
	return []*Estimator{
		about("grpo", "A = (r − μ₋ᵢ) / (s₋ᵢ + 1e-6) if s₋ᵢ > 0, else r − μ₋ᵢ; none: r − μ₋ᵢ",
			code+"GRPOAdvantageEstimator.compute_advantage",
			"μ and s, ddof 1, leave the sample out: one success among failures keeps 1.0, the failures are divided. Groups of "+
				"two get ±1, of one 0. Groups may differ in size; identical prompts are one group. NaN makes its group NaN. "+docSum).
			with(byStd, leaveOneOut).
			by(Estimator{
				Scales: []Scale{ScaleGroup, ScaleNone}, CanFilter: true, Tolerance: 1e-5,
			}).configurable(clipOf(leaveOneOutStd{leaveOut: true}.advantages), low, high),
		// use_leave_one_out_baseline=False.
		about("grpo_no_leave_one_out", "A = (r − μ) / (s + 1e-6) if s > 0, else r − μ; none: r − μ",
			code+"GRPOAdvantageEstimator.compute_advantage",
			"s has ddof 1, by E[r²] − E[r]². A single-sample group gets 0. Groups may differ in size; identical prompts are one "+
				"group. NaN makes its group NaN. "+docSum).with(byStd, leaveOneOut).
			by(Estimator{
				Scales: []Scale{ScaleGroup, ScaleNone}, CanFilter: true, Tolerance: 1e-5,
			}).configurable(clipOf(leaveOneOutStd{}.advantages), low, high),
		// minus_baseline, the default.
		about("reinforce_plus_plus", "a = r − μ; A = (a − m) / √max(v, 1e-8), m and v over response tokens",
			code+"ReinforcePlusPlusAdvantageEstimator.compute_advantage",
			"ddof 0. A single-sample group has a = 0. Without KL in the reward. "+docWhitenedCentred+"NaN makes all NaN.").
			with(minusBaseline).
			by(Estimator{}).configurable(clipOf(flooredWhiten().after(withScale(leaveOneOutStd{}.advantages, ScaleNone))), low, high).
			whitened(),
		// minus_baseline=False.
		about("reinforce_plus_plus_no_baseline", "A = (r − m) / √max(v, 1e-8), m and v over response tokens",
			code+"ReinforcePlusPlusAdvantageEstimator.compute_advantage",
			"ddof 0. Without KL in the reward. "+docWhitenedRewards+"NaN makes all NaN.").with(minusBaseline).
			by(Estimator{}).configurable(clipOf(flooredWhiten().after(rewardItself)), low, high).whitened(),
		about("gdpo", "a = Σ_k w_k · A_k; A = (a − mean a) / s_a, not divided if s_a is 0",
			code+"GDPOAdvantageEstimator.compute_advantage",
			"A_k is grpo of component k. s_a has ddof 1, over the batch, and nothing added to it. Groups may differ in size; "+
				"identical prompts are one group. NaN makes its group NaN. "+docSum).with(byStd).
			by(Estimator{
				Scales: []Scale{ScaleGroup, ScaleNone}, DependsOnBatch: true, CanFilter: true, Tolerance: 1e-5,
				Needs: Needs{Components: true},
			}).configurable(func(v Values) formula {
			return clipOf(batchStandardized(perComponent(leaveOneOutStd{v.Bool(leaveOneOut.Key)}.advantages)))(v)
		}, low, high, Switch().Option(leaveOneOut.Key, "true", "mean and standard deviation of each component leave the sample out")),
		notComputable("gae", formulaGAE, nemoLater+"GeneralizedAdvantageEstimator", criticNeeded),
		notComputable("opd", "A_t = log π_T − log π", nemoLater+"OPDAdvantageEstimator",
			"Distillation gives every token an advantage of its own, whatever the reward. "+teacherNeeded),
	}
}

// nemoLater is the file at a later revision, which has more estimators.
const nemoLater = "NVIDIA-NeMo/RL@00925dd1e44b816b5cb6afa27d23d7bd7af2b957 nemo_rl/algorithms/advantage_estimator.py:"

func flooredWhiten() whitening { return whitening{eps: 1e-8, ddof0: true, epsIsFloor: true} }

func slime() []*Estimator {
	const (
		code    = "THUDM/slime@624b824a898ab0ec1fcb4d373004c7f3852bf515 slime/"
		rewards = code + "ray/rollout.py:_post_process_rewards"
		loss    = code + "backends/megatron_utils/loss.py:compute_advantages_and_returns"
		docStd  = "ddof 1; v = E[x²] − E[x]²: the framework, in float32, gives NaN for a batch of equal " +
			"rewards or with a large offset; here it does not. "
	)
	return []*Estimator{
		// gspo and cispo as well; --disable-grpo-std-normalization is scale "none".
		about("grpo", "a = r − μ; A = a / (s_a + 1e-6); none: a", rewards,
			"s has ddof 1 and is that of the centred rewards. Single-sample groups get 0. Equal rewards give 0 or rounding error over s + "+
				"1e-6 (eight of 10.1: +0.95). If groups differ in size, the whole batch is one group. NaN makes its group NaN.").
			with(withoutStd("disable-grpo-std-normalization")).
			by(Estimator{Scales: []Scale{ScaleGroup, ScaleNone}, DependsOnBatch: true, CanFilter: true, Advantage: slimeGRPO}),
		// With --normalize-advantages, which it requires.
		about("reinforce_plus_plus", "A = (r − m) / √(v + 1e-8), m and v over response tokens", loss,
			docWhitenedRewards+docStd+"NaN makes all NaN.").
			by(Estimator{}).whitened().discounted("gamma", slimeWhitening(), rewardItself),
		about("reinforce_plus_plus_baseline", "a = r − μ; A = (a − m) / √(v + 1e-8), m and v over response tokens", loss,
			docWhitenedCentred+docStd+"If groups differ in size, the whole batch is one group. NaN makes all NaN.").
			by(Estimator{Advantage: slimeWhitening().after(raggedAsOneGroup(withScale(grpo(0).advantages, ScaleNone)))}).whitened(),
		notComputable("ppo", formulaGAE, loss, criticNeeded),
		// --use-opd, with any estimator.
		notComputable("opd", "A_t = A − opd_kl_coef·(log π − log π_T)",
			"THUDM/slime@00c2d6db0f23a4900be6e80a8eb81eebf9e1ebff slime/backends/megatron_utils/loss.py:apply_opd_kl_to_advantages",
			"It subtracts the KL to a teacher from every token's advantage. "+teacherNeeded),
	}
}

// slimeGRPO does not divide where all groups have one sample, which would be NaN: the
// command line turns the division off.
func slimeGRPO(dst []float64, b Batch, s Scale) error {
	if largestGroup(b.Offsets) == 1 {
		s = ScaleNone
	}
	return slimeNorm()(dst, b, s)
}

func slimeNorm() formula {
	return raggedAsOneGroup(centredStd{eps: 1e-6, asMatrix: true}.advantages)
}

func slimeWhitening() whitening { return whitening{eps: 1e-8, fromMoments: true} }

// miles is radixark's miles, a fork of slime that counts a rollout of several samples once.
func miles() []*Estimator {
	const source = "radixark/miles@31f1ca961a94cb860cec3b2dea34ec332bfa8f76 " +
		"miles/ray/rollout/train_data_conversion.py:_post_process_rewards"
	const doc = "The samples of a rollout count once in μ and s, and must share one reward: else it is a ValueError, for NaN " +
		"too. Groups may differ in size."
	byStd := withoutStd("disable-grpo-std-normalization")
	entry := func(name string) *Estimator {
		return about(name, "A = (r − μ) / (s + 1e-6) if s > 0, else r − μ; none: r − μ", source,
			"s has ddof 1. A single rollout gets 0. "+doc).with(byStd).
			by(Estimator{
				Scales: []Scale{ScaleGroup, ScaleNone}, CanFilter: true, Clean: cleanNothing, Outputs: ByRollout, Advantage: oncePerRollout,
			})
	}
	return []*Estimator{
		entry("grpo"),
		entry("gspo"),
		about("reinforce_plus_plus_baseline", "A = r − μ", source,
			"Before --normalize-advantages, which whitens over tokens. A single rollout gets 0. "+doc).
			by(Estimator{CanFilter: true, Clean: cleanNothing, Outputs: ByRollout, Advantage: oncePerRollout}),
		notComputable("ppo", formulaGAE, "radixark/miles@31f1ca961a94cb860cec3b2dea34ec332bfa8f76 "+
			"miles/backends/megatron_utils/loss.py:compute_advantages_and_returns", criticNeeded),
	}
}

func openRLHF() []*Estimator {
	const source = "OpenRLHF/OpenRLHF@3c3be6234e0cb353e76bb8019947db9dfe99fca7 " +
		"openrlhf/trainer/ppo_utils/experience_maker.py:compute_advantages_and_returns"
	clip := Interval().Option("reward.clip_range", "-10 10", "clip the advantage to this range before whitening")
	gamma := discount("algo.advantage.gamma")
	centred := Switch().Option("algo.advantage.no_std_norm", "false",
		"only subtract the mean over the tokens, do not divide by their standard deviation")
	clipOf := func(f formula, v Values) formula {
		low, high := v.Interval(clip.Key)
		return clipped(f, float32(low), float32(high))
	}
	whiten := func(v Values) whitening {
		w := flooredWhiten()
		w.meanOnly = v.Bool(centred.Key)
		return w
	}
	return []*Estimator{
		// GRPO.
		about("group_norm", "A = clip((r − μ) / (s + 1e-9), ±10)", source,
			"s has ddof 1. A single-sample group gives NaN (the command line forbids it). Equal rewards often do not give 0 (eight of "+
				"0.7: 10, cut from 59.6). Then clipped to ±10. kl_coef is 0 here. Groups of different sizes raise RuntimeError. NaN "+
				"makes its group NaN.").
			by(Estimator{Scales: []Scale{ScaleGroup}, CanFilter: true}).
			configurable(func(v Values) formula { return refuseRagged(clipOf(grpo(1e-9).advantages, v)) }, clip),
		about("dr_grpo", "A = clip(r − μ, ±10)", source,
			"No scale, no eps. A single-sample group gets 0 (the command line forbids it). Then clipped to ±10. kl_coef is 0 here. "+
				"Groups of different sizes raise RuntimeError. NaN makes its group NaN.").
			by(Estimator{CanFilter: true}).
			configurable(func(v Values) formula { return refuseRagged(clipOf(grpo(0).advantages, v)) }, clip),
		about("rloo", "A = clip(r − (Σr − r) / (n − 1), ±10)", source,
			"No scale, no eps. A single-sample group gives NaN (the command line forbids it). Then clipped to ±10. kl_coef is 0 here. "+
				"Groups of different sizes raise RuntimeError. NaN makes its group NaN.").
			by(Estimator{}).configurable(func(v Values) formula { return refuseRagged(clipOf(rloo(0).advantages, v)) }, clip),
		about("reinforce", "A = (r − m) / √max(v, 1e-8), m and v over response tokens", source,
			"r is cut to ±10 first. "+docWhitenedRewards+"ddof 0. kl_coef is 0 here. NaN makes all NaN.").
			by(Estimator{}).whitened().configurable(func(v Values) formula {
			return whiten(v).discounted(clipOf(rewardItself, v), v.Number(gamma.Key))
		}, clip, gamma, centred),
		// REINFORCE++-baseline.
		about("reinforce_baseline", "a = clip(r − μ, ±10); A = (a − m) / √max(v, 1e-8), m and v over response tokens",
			source,
			docWhitenedCentred+"ddof 0. kl_coef is 0 here. Groups of different sizes raise RuntimeError. NaN makes all NaN.").
			by(Estimator{}).whitened().configurable(func(v Values) formula {
			return whiten(v).after(refuseRagged(clipOf(withScale(grpo(0).advantages, ScaleNone), v)))
		}, clip, centred),
		about("flash_reinforce", "A = clip(r − mean, ±10), the mean of the whole batch",
			"OpenRLHF/OpenRLHF@v0.11.2 openrlhf/trainer/ppo_utils/experience_maker.py:compute_advantages_and_returns",
			"From 0.11 on. Groups do not count: made for one sample per prompt. No scale, no eps, no whitening. Then clipped to "+
				"±10. kl_coef is 0 here. NaN makes all NaN.").
			by(Estimator{DependsOnBatch: true}).configurable(func(v Values) formula {
			return clipOf(withScale(groupwise{baseline: batchMean}.advantages, ScaleNone), v)
		}, clip),
		notComputable("gae", formulaGAE, source, criticNeeded),
		notComputable("kl_in_reward", "r − kl_coef·KL per token, then the estimator", source,
			"By default (kl.init_coef 0.01, no KL loss) every token carries −kl_coef·KL. A log would need the KL per token."),
	}
}

func cosmosRL() []*Estimator {
	unbiased := withoutStd("train.train_policy.unbiased_advantage")
	unbiased.Meaning += "; the trainer's help describes the opposite"
	return []*Estimator{
		about("grpo", "A = (r − μ) / (s + 1e-6); none: r − μ",
			"nvidia-cosmos/cosmos-rl@v0.4.7 cosmos_rl/dispatcher/algo/grpo.py:GRPO.compute_advantage",
			"numpy float32 throughout, s with ddof 0. A single-sample group gets 0. Equal rewards give 0 or float32 rounding error over s "+
				"+ 1e-6. Groups may differ in size. NaN makes its group NaN.").with(unbiased).
			by(Estimator{Scales: []Scale{ScaleGroup, ScaleNone}, CanFilter: true, Advantage: numpy32{eps: 1e-6}.advantages}),
	}
}
