package estimators

const trl = "trl"

// trlEps is added to every standard deviation but the asynchronous trainer's.
const trlEps = 1e-4

// trlGRPO is GRPO with three scales, scale_rewards.
//
// Source: huggingface/trl@f2cd57710ae345ea6428ae95363267fcf38a3dc8 trl/trainer/grpo_trainer.py:GRPOTrainer._generate_and_score_completions.
func trlGRPO() *Estimator {
	return &Estimator{
		Framework: trl, Name: "grpo", Scales: []Scale{ScaleGroup, ScaleBatch, ScaleNone},
		ScaleError: "Invalid value for scale_rewards: %s. Must be one of 'batch', 'group', or 'none'.",
		CanFilter:  true,
		Float:      Float32,
		Formula:    "A = (r − μ) / (s + 1e-4), s of the group or of the batch; none: r − μ",
		Doc: "s has ddof 1 and is float32 throughout. A group of one gets 0. A sample without a score (NaN, None) gets 0 and " +
			"counts in no mean or s. Groups of different sizes are a RuntimeError. Equal rewards give 0 or a residue (eight " +
			"of 10.1: +0.0094), which frac_reward_zero_std misses.",
		Source:    "huggingface/trl@f2cd57710ae345ea6428ae95363267fcf38a3dc8 trl/trainer/grpo_trainer.py:GRPOTrainer._generate_and_score_completions",
		Advantage: refuseRagged(nanIgnoring{trlEps}.advantages),
	}
}

// trlNormalizeThenSum is multi_objective_aggregation="normalize_then_sum", GDPO.
//
// Source: huggingface/trl@f2cd57710ae345ea6428ae95363267fcf38a3dc8 trl/trainer/grpo_trainer.py:GRPOTrainer._generate_and_score_completions.
func trlNormalizeThenSum() *Estimator {
	return &Estimator{
		Framework: trl, Name: "grpo_normalize_then_sum", Scales: []Scale{ScaleGroup},
		DependsOnBatch: true,
		CanFilter:      true,
		Float:          Float32,
		Formula:        "z = Σ_k w_k · (r_k − μ_k) / (s_k + 1e-4); A = (z − mean z) / (s_z + 1e-4)",
		Doc: "ddof 1 twice, the second time over the batch; scale_rewards is ignored. A group of one gets 0. A sample without " +
			"a score (NaN, None) gets 0 and counts in no mean or s. Groups of different sizes are a RuntimeError.",
		Source:    "huggingface/trl@f2cd57710ae345ea6428ae95363267fcf38a3dc8 trl/trainer/grpo_trainer.py:GRPOTrainer._generate_and_score_completions",
		Needs:     Needs{Components: true},
		Advantage: refuseRagged(nanIgnoring{trlEps}.gdpo(true)),
	}
}

// trlRLOO is RLOO for beta=0; the trainer's default is 0.05, which puts KL into
// the reward.
//
// Source: huggingface/trl@f2cd57710ae345ea6428ae95363267fcf38a3dc8 trl/trainer/rloo_trainer.py:RLOOTrainer._generate_and_score_completions.
func trlRLOO() *Estimator {
	return &Estimator{
		Framework: trl, Name: "rloo", Scales: []Scale{ScaleNone},
		Float:   Float32,
		Formula: "A = r − (Σ − r) / (m − 1), m = samples with a score",
		Doc: "Only for beta=0: by default (0.05) KL is subtracted from the reward. reward_clip_range and normalize_advantages " +
			"are off, as by default. A sample without a score (NaN, None) gets 0 and counts in no mean or s. Groups of " +
			"different sizes are a RuntimeError.",
		Source:    "huggingface/trl@f2cd57710ae345ea6428ae95363267fcf38a3dc8 trl/trainer/rloo_trainer.py:RLOOTrainer._generate_and_score_completions",
		Advantage: refuseRagged(nanIgnoring{trlEps}.rloo(false)),
	}
}

// trlRLOONormalized is RLOO with normalize_advantages, for beta=0.
//
// Source: huggingface/trl@f2cd57710ae345ea6428ae95363267fcf38a3dc8 trl/trainer/rloo_trainer.py:RLOOTrainer._generate_and_score_completions.
func trlRLOONormalized() *Estimator {
	return &Estimator{
		Framework: trl, Name: "rloo_normalize_advantages", Scales: []Scale{ScaleBatch},
		Float:   Float32,
		Formula: "a = r − (Σ − r) / (m − 1); A = (a − mean a) / (s_a + 1e-4)",
		Doc: "Only for beta=0. s has ddof 1, over the advantages of the batch. A sample without a score (NaN, None) gets 0 and " +
			"counts in no mean or s. Groups of different sizes are a RuntimeError.",
		Source:    "huggingface/trl@f2cd57710ae345ea6428ae95363267fcf38a3dc8 trl/trainer/rloo_trainer.py:RLOOTrainer._generate_and_score_completions",
		Advantage: refuseRagged(nanIgnoring{trlEps}.rloo(true)),
	}
}

// trlAsync is GRPO of the experimental asynchronous trainer, another arithmetic
// than that of grpo.
//
// Source: huggingface/trl@f2cd57710ae345ea6428ae95363267fcf38a3dc8 trl/experimental/async_grpo/async_rollout_worker.py:828-843.
func trlAsync() *Estimator {
	return &Estimator{
		Framework: trl, Name: "async_grpo", Scales: []Scale{ScaleGroup},
		CanFilter: true,
		Float:     Float64,
		Formula:   "A = (r − μ) / (s + 1e-8)",
		Doc: "numpy float64, s of a population (ddof 0). A group of one and equal rewards give 0 or a residue of it. Groups " +
			"may differ in size. NaN and None get 0 and count in no mean.",
		Source:    "huggingface/trl@f2cd57710ae345ea6428ae95363267fcf38a3dc8 trl/experimental/async_grpo/async_rollout_worker.py:828-843",
		Advantage: populationGRPO(true),
	}
}

// trlKL is RLOO with beta, 0.05 by default.
//
// Source: huggingface/trl@f2cd57710ae345ea6428ae95363267fcf38a3dc8 trl/trainer/rloo_trainer.py:RLOOTrainer._generate_and_score_completions.
func trlKL() *Estimator {
	return notComputable(trl, "rloo_kl_in_reward", "r − beta·KL, then RLOO",
		"huggingface/trl@f2cd57710ae345ea6428ae95363267fcf38a3dc8 trl/trainer/rloo_trainer.py:RLOOTrainer._generate_and_score_completions",
		"beta (0.05 by default) subtracts the KL of the sequence from the reward before the estimator sees it. A log "+
			"would have to hold the KL per sample.")
}
