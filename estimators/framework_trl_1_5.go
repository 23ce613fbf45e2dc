package estimators

// trl15 is TRL up to 1.5, where it differs from [trl]: it took torch.std, in float64 inside,
// where 1.6 and later take their own nanstd, in float32.
func trl15() []*Estimator {
	const (
		code        = "huggingface/trl@v1.5.1 trl/trainer/"
		grpoTrainer = code + "grpo_trainer.py:GRPOTrainer._generate_and_score_completions"
		rlooTrainer = code + "rloo_trainer.py:RLOOTrainer._generate_and_score_completions"
		docUnscored = "A sample without a score (NaN, None) counts as 0 and gets the advantage of a 0; since 1.6 it gets 0 and counts " +
			"in no mean or s. An infinite reward makes its group NaN or infinite, under scale batch all NaN; since 1.6 NaN becomes 0 " +
			"and an infinity ±3.4e38. Groups of different sizes raise RuntimeError."
		docLastBits = "With finite rewards it differs from trl only in the last bits of this s, up to 2e-7 of an advantage near 1"
	)
	scale := scaleRewards(trlScaleError, ScaleGroup, ScaleBatch, ScaleNone)
	aggregation := trlAggregationOption()
	normalize := otherEntry("normalize_advantages", false, "rloo_normalize_advantages", "rloo",
		"divide by the standard deviation of the batch: true is the entry rloo_normalize_advantages")
	clip := clipRange("reward_clip_range", "none", "clip rewards to this range before the baseline")
	return []*Estimator{
		{
			Entry: Entry{
				Name: "grpo", Formula: "A = (r − μ) / (s + 1e-4), s of the group or of the batch; none: r − μ",
				Source: grpoTrainer,
				Doc: "s has ddof 1. A single-sample group gets 0. " + docLastBits + ", and more for equal rewards (eight of 10.1: " +
					"+0.0095, there +0.0094), which frac_reward_zero_std counts here and misses there; not at all under scale none. " +
					docUnscored,
				Options: []Option{scale, aggregation},
			},
			Scales: []Scale{ScaleGroup, ScaleBatch, ScaleNone}, ScaleError: trlScaleError, CanFilter: true,
			Clean: cleanNaNToZero, zeroStd: zeroStdOfScale(torchStd),
			Advantage: refuseRagged(groupwise{eps: trlEps, ofOne: oneStd0, asMatrix: true}.advantages),
		},
		{
			Entry: Entry{
				Name:    "grpo_normalize_then_sum",
				Formula: "z = Σ_k w_k · (r_k − μ_k) / (s_k + 1e-4); A = (z − mean z) / (s_z + 1e-4)", Source: grpoTrainer,
				Doc: "A single-sample group gets 0. scale_rewards is ignored. ddof 1 twice, the second time over the batch. " + docLastBits +
					". A sample without any score counts as z = 0, and NaN of infinite rewards stays. " +
					"Groups of different sizes raise RuntimeError.",
				Options: []Option{aggregation},
			},
			Scales: []Scale{ScaleGroup}, DependsOnBatch: true, CanFilter: true, Needs: Needs{Components: true},
			Clean: cleanNaNToZero, zeroStd: gdpo{eps: trlEps}.zeroStd,
			Advantage: refuseRagged(gdpo{eps: trlEps}.advantages),
		},
		configurable(Estimator{
			Entry: Entry{
				Name: "rloo", Formula: "A = r − (Σ − r) / (n − 1)", Source: rlooTrainer,
				Doc: "Only for beta=0, as in trl, from which it differs only where a reward is not finite. A single-sample group gets 0. " +
					docUnscored,
			},
			Clean: cleanNaNToZero, zeroStd: zeroStdOfGroups(torchStd),
		}, func(v Values) formula {
			return refuseRagged(onClipped(groupwise{baseline: rlooSum, ofOne: oneZero}.advantages, v, clip))
		}, clip, normalize),
		configurable(Estimator{
			Entry: Entry{
				Name: "rloo_normalize_advantages", Formula: "a = r − (Σ − r) / (n − 1); A = (a − mean a) / (s_a + 1e-4)",
				Source: rlooTrainer,
				Doc: "Only for beta=0, as in trl. s has ddof 1, over the advantages of the batch. A single-sample group has a = 0. " +
					docLastBits + ". " + docUnscored,
			},
			Scales: []Scale{ScaleBatch}, Clean: cleanNaNToZero, zeroStd: zeroStdOfGroups(torchStd),
		}, func(v Values) formula {
			inner := withScale(groupwise{baseline: rlooSum, ofOne: oneZero}.advantages, ScaleNone)
			return refuseRagged(onClipped(standardized(inner, trlEps), v, clip))
		}, clip, normalize),
	}
}
