package estimators

// trlEps is added to every standard deviation except the asynchronous trainer's.
const trlEps = 1e-4

const trlScaleError = "Invalid value for scale_rewards: %s. Must be one of 'batch', 'group', or 'none'."

// trl is Hugging Face's TRL, from 1.6 on; [trl15] is what came before.
func trl() []*Estimator {
	const (
		code        = "huggingface/trl@f2cd57710ae345ea6428ae95363267fcf38a3dc8 trl/"
		grpoTrainer = code + "trainer/grpo_trainer.py:GRPOTrainer._generate_and_score_completions"
		rlooTrainer = code + "trainer/rloo_trainer.py:RLOOTrainer._generate_and_score_completions"
		docUnscored = "A sample without a score (NaN, None) gets 0 and counts in no mean or s. Groups of different sizes raise RuntimeError."
	)
	scale := scaleRewards(trlScaleError, ScaleGroup, ScaleBatch, ScaleNone)
	aggregation := trlAggregationOption()
	normalize := otherEntry("normalize_advantages", false, "rloo_normalize_advantages", "rloo",
		"divide by the standard deviation of the batch: true is the entry rloo_normalize_advantages")
	clip := clipRange("reward_clip_range", "none", "clip rewards to this range before the baseline")
	return []*Estimator{
		// The scale is scale_rewards.
		{
			Entry: Entry{
				Name: "grpo", Formula: "A = (r − μ) / (s + 1e-4), s of the group or of the batch; none: r − μ",
				Source: grpoTrainer,
				Doc: "s has ddof 1 and is float32 throughout. A single-sample group gets 0. " + docUnscored + " Equal rewards give 0 or a " +
					"residue (eight of 10.1: +0.0094), which frac_reward_zero_std misses.",
				Options: []Option{scale, aggregation},
			},
			Scales: []Scale{ScaleGroup, ScaleBatch, ScaleNone}, ScaleError: trlScaleError, CanFilter: true,
			zeroStd:   zeroStdOfScale(ignoringNaN),
			Advantage: refuseRagged(nanIgnoring{trlEps}.advantages),
		},
		// multi_objective_aggregation="normalize_then_sum" is GDPO.
		{
			Entry: Entry{
				Name:    "grpo_normalize_then_sum",
				Formula: "z = Σ_k w_k · (r_k − μ_k) / (s_k + 1e-4); A = (z − mean z) / (s_z + 1e-4)", Source: grpoTrainer,
				Doc: "ddof 1 twice, the second time over the batch; scale_rewards is ignored. A single-sample group gets 0. " +
					docUnscored,
				Options: []Option{aggregation},
			},
			Scales: []Scale{ScaleGroup}, DependsOnBatch: true, CanFilter: true, Needs: Needs{Components: true},
			zeroStd:   gdpo{eps: trlEps, ignoreUnscored: true}.zeroStd,
			Advantage: refuseRagged(gdpo{eps: trlEps, ignoreUnscored: true}.advantages),
		},
		configurable(Estimator{
			Entry: Entry{
				Name: "rloo", Formula: "A = r − (Σ − r) / (m − 1), m = samples with a score", Source: rlooTrainer,
				Doc: "Only for beta=0: by default (0.05) KL is subtracted from the reward. reward_clip_range and normalize_advantages " +
					"are off, as by default. " + docUnscored,
			},
			zeroStd: zeroStdOfGroups(ignoringNaN),
		}, func(v Values) formula {
			return refuseRagged(onClipped(nanIgnoring{trlEps}.rloo(false), v, clip))
		}, clip, normalize),
		configurable(Estimator{
			Entry: Entry{
				Name: "rloo_normalize_advantages", Formula: "a = r − (Σ − r) / (m − 1); A = (a − mean a) / (s_a + 1e-4)",
				Source: rlooTrainer,
				Doc:    "Only for beta=0. s has ddof 1, over the advantages of the batch. " + docUnscored,
			},
			Scales: []Scale{ScaleBatch}, zeroStd: zeroStdOfGroups(ignoringNaN),
		}, func(v Values) formula {
			return refuseRagged(onClipped(nanIgnoring{trlEps}.rloo(true), v, clip))
		}, clip, normalize),
		// The experimental asynchronous trainer has another arithmetic than grpo.
		{
			Entry: Entry{
				Name: "async_grpo", Formula: "A = (r − μ) / (s + 1e-8)",
				Source: code + "experimental/async_grpo/async_rollout_worker.py:828-843",
				Doc: "numpy float64, s of a population (ddof 0). A group of one and equal rewards give 0 or rounding error. Groups " +
					"may differ in size. NaN and None get 0 and count in no mean.",
			},
			Scales: []Scale{ScaleGroup}, CanFilter: true, Float: Float64,
			Advantage: population{eps: 1e-8, ignoreNaN: true}.advantages,
		},
		// The experimental self-distillation trainer.
		{
			Entry: Entry{
				Name: "sdpo", Formula: "A = (r − μ) / (s + 1e-4), s of the group or of the batch; none: (r − μ) / 1.0001",
				Source: "huggingface/trl@v1.16.0 trl/experimental/sdpo/sdpo_trainer.py:SDPOTrainer",
				Doc: "SDPO's policy advantage. s has ddof 1. Scale none divides by 1 + 1e-4 all the same. A single-sample group gives NaN " +
					"(group) or 0. A component without a score counts as 0. Groups of different sizes raise RuntimeError.",
				Options: []Option{scale},
			},
			Scales: []Scale{ScaleGroup, ScaleBatch, ScaleNone}, CanFilter: true, Clean: cleanNaNToZero,
			Advantage: refuseRagged(sdpo),
		},
		notComputable("rloo_kl_in_reward", "r − beta·KL, then RLOO", rlooTrainer,
			"beta (0.05 by default) subtracts the KL of the sequence from the reward before the estimator sees it. A log "+
				"would have to hold the KL per sample."),
	}
}

// trlAggregationOption is the option that selects GDPO.
func trlAggregationOption() Option {
	return Option{
		Key: "multi_objective_aggregation", Kind: OneOf("sum_then_normalize", "normalize_then_sum"), Default: "sum_then_normalize",
		Meaning: "normalize_then_sum is the entry grpo_normalize_then_sum",
		Refusal: "Invalid multi_objective_aggregation: %s. Must be 'sum_then_normalize' or 'normalize_then_sum'.",
		Selects: map[string]Selection{"sum_then_normalize": {Estimator: "grpo"}, "normalize_then_sum": {Estimator: "grpo_normalize_then_sum"}},
	}
}

// sdpo is GRPO that divides by 1 + eps where the scale is none.
func sdpo(dst []float64, b Batch, s Scale) error {
	err := grpo(trlEps).advantages(dst, b, s)
	switch {
	case s == ScaleNone:
		divide(dst, 1+trlEps)
	case s == ScaleBatch && len(dst) == 1:
		dst[0] = (b.Rewards[0] - b.Rewards[0]) / trlEps // s is 0 then
	}
	return err
}
