package estimators

// openRLHF is OpenRLHF.
func openRLHF() []*Estimator {
	const source = "OpenRLHF/OpenRLHF@3c3be6234e0cb353e76bb8019947db9dfe99fca7 " +
		"openrlhf/trainer/ppo_utils/experience_maker.py:compute_advantages_and_returns"
	clip := clipRange("reward.clip_range", "-10 10", "clip the advantage to this range before whitening")
	gamma := discount("algo.advantage.gamma")
	centred := Option{
		Key: "algo.advantage.no_std_norm", Kind: Switch(), Default: "false",
		Meaning: "only subtract the mean over the tokens, do not divide by their standard deviation",
	}
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
		configurable(Estimator{
			Entry: Entry{
				Name: "group_norm", Formula: "A = clip((r − μ) / (s + 1e-9), ±10)", Source: source,
				Doc: "s has ddof 1. A single-sample group gives NaN (the command line forbids it). Equal rewards often do not give 0 (eight of " +
					"0.7: 10, cut from 59.6). Then clipped to ±10. kl_coef is 0 here. Groups of different sizes raise RuntimeError. NaN " +
					"makes its group NaN.",
			},
			Scales: []Scale{ScaleGroup}, CanFilter: true,
		}, func(v Values) formula { return refuseRagged(clipOf(grpo(1e-9).advantages, v)) }, clip),
		configurable(Estimator{
			Entry: Entry{
				Name: "dr_grpo", Formula: "A = clip(r − μ, ±10)", Source: source,
				Doc: "No scale, no eps. A single-sample group gets 0 (the command line forbids it). Then clipped to ±10. kl_coef is 0 here. " +
					"Groups of different sizes raise RuntimeError. NaN makes its group NaN.",
			},
			CanFilter: true,
		}, func(v Values) formula { return refuseRagged(clipOf(grpo(0).advantages, v)) }, clip),
		configurable(Estimator{
			Entry: Entry{
				Name: "rloo", Formula: "A = clip(r − (Σr − r) / (n − 1), ±10)", Source: source,
				Doc: "No scale, no eps. A single-sample group gives NaN (the command line forbids it). Then clipped to ±10. kl_coef is 0 here. " +
					"Groups of different sizes raise RuntimeError. NaN makes its group NaN.",
			},
		}, func(v Values) formula { return refuseRagged(clipOf(rloo(0).advantages, v)) }, clip),
		configurable(*tokenWhitened(Estimator{
			Entry: Entry{
				Name: "reinforce", Formula: "A = (r − m) / √max(v, 1e-8), m and v over response tokens", Source: source,
				Doc: "r is cut to ±10 first. " + docWhitenedRewards +
					"ddof 0. kl_coef is 0 here. NaN makes all NaN.",
			},
		}), func(v Values) formula {
			return whiten(v).discounted(clipOf(rewardItself, v), v.Number(gamma.Key))
		}, clip, gamma, centred),
		// REINFORCE++-baseline.
		configurable(*tokenWhitened(Estimator{
			Entry: Entry{
				Name:    "reinforce_baseline",
				Formula: "a = clip(r − μ, ±10); A = (a − m) / √max(v, 1e-8), m and v over response tokens", Source: source,
				Doc: docWhitenedCentred + "ddof 0. kl_coef is 0 here. Groups of different sizes raise RuntimeError. NaN makes all " +
					"NaN.",
			},
		}), func(v Values) formula {
			return whiten(v).after(refuseRagged(clipOf(withScale(grpo(0).advantages, ScaleNone), v)))
		}, clip, centred),
		configurable(Estimator{
			Entry: Entry{
				Name: "flash_reinforce", Formula: "A = clip(r − mean, ±10), the mean of the whole batch",
				Source: "OpenRLHF/OpenRLHF@v0.11.2 openrlhf/trainer/ppo_utils/experience_maker.py:compute_advantages_and_returns",
				Doc: "From 0.11 on. Groups do not count: made for one sample per prompt. No scale, no eps, no whitening. Then clipped to " +
					"±10. kl_coef is 0 here. NaN makes all NaN.",
			},
			DependsOnBatch: true,
		}, func(v Values) formula {
			return clipOf(withScale(groupwise{baseline: batchMean}.advantages, ScaleNone), v)
		}, clip),
		notComputable("gae", formulaGAE, source, criticNeeded),
		notComputable("kl_in_reward", "r − kl_coef·KL per token, then the estimator", source,
			"By default (kl.init_coef 0.01, no KL loss) every token carries −kl_coef·KL. A log would need the KL per "+
				"token."),
	}
}
