package estimators

import "fmt"

// verl is verl, formerly volcengine/verl.
func verl() []*Estimator {
	const (
		code        = "verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9 verl/trainer/ppo/"
		algos       = code + "core_algos.py:"
		tokenNeeded = "It takes the log-probability of every token and the sum of squared probabilities there (Σπ²). A log would " +
			"need both per token."
	)
	whiten := maskedWhiten()
	whiten.needsTwoTokens = true
	grpoFormula := groupwise{eps: 1e-6, ofOne: oneMean0Std1}.advantages
	byStd := []Option{divideByStd("algorithm.norm_adv_by_std_in_grpo")}
	return countingOutputs([]*Estimator{
		// norm_adv_by_std_in_grpo=False is scale "none", Dr. GRPO.
		{
			Entry: Entry{
				Name: "grpo", Formula: "A = (r − μ) / (s + 1e-6); none: r − μ",
				Source: algos + "compute_grpo_outcome_advantage",
				Doc: "s has ddof 1. A single-sample group has μ 0 and s 1. Equal rewards give 0 or float32 rounding error over s + 1e-6 " +
					"(eight of 10.1 give +0.47). Groups may differ in size. NaN makes its group NaN. Of a rollout of several outputs " +
					"the last counts, and all get its advantage; the other estimators of verl count each output.",
				Options: byStd,
			},
			Scales: []Scale{ScaleGroup, ScaleNone}, CanFilter: true,
			Advantage: grpoFormula,
		},
		{
			Entry: Entry{
				Name: "grpo_vectorized", Formula: "A = (r − μ) / (s + 1e-6); none: r − μ",
				Source: algos + "compute_grpo_vectorized_outcome_advantage",
				Doc: "As grpo, but sums run from left to right and s, ddof 1, is float32 throughout. A single-sample group has μ 0 and s 1. " +
					"Groups may differ in size. NaN makes its group NaN.",
				Options: byStd,
			},
			Scales: []Scale{ScaleGroup, ScaleNone}, CanFilter: true,
			Advantage: indexAddGRPO(false),
		},
		{
			Entry: Entry{
				Name: "grpo_passk", Formula: "best: (r1 − r2) / (s + 1e-6), others 0; none: r1 − r2",
				Source: algos + "compute_grpo_passk_outcome_advantage",
				Doc: "s has ddof 1. A single-sample group raises ValueError. Equal best rewards give 0. NaN ranks highest and gives NaN. Groups " +
					"may differ in size.",
				Options: byStd,
			},
			Scales: []Scale{ScaleGroup, ScaleNone}, CanFilter: true,
			Advantage: verlPassK,
		},
		{
			Entry: Entry{
				Name: "rloo", Formula: "A = r·n/(n − 1) − μ·n/(n − 1)", Source: algos + "compute_rloo_outcome_advantage",
				Doc: "No standard deviation, no eps. A single-sample group gets its raw reward. Equal rewards give 0 or float32 rounding " +
					"error. Groups may differ in size. NaN makes its group NaN.",
			},
			Advantage: groupwise{baseline: rlooTerms, ofOne: oneMean0Std1}.advantages,
		},
		{
			Entry: Entry{
				Name: "rloo_vectorized", Formula: "A = (n·r − Σ) / max(n − 1, 1), 0 for a group of one",
				Source: algos + "compute_rloo_vectorized_outcome_advantage",
				Doc: "No standard deviation, no eps; the sum runs from left to right. A single-sample group gets 0, unlike rloo. Groups may " +
					"differ in size. NaN makes its group NaN.",
			},
			Advantage: bincountRLOO(),
		},
		{
			Entry: Entry{
				Name: "opo", Formula: "A = r − Σ l r / Σ l", Source: algos + "compute_opo_outcome_advantage",
				Doc: "No scale, no eps. A single-sample group gets its raw reward. Equal rewards give 0 or float32 rounding error. Groups " +
					"may differ in size. NaN makes its group NaN.",
			},
			Needs:     Needs{Lengths: true},
			Advantage: lengthWeighted,
		},
		{
			Entry: Entry{
				Name: "gpg", Formula: "A = N / max(m, 1) · (r − μ), m = rewards that are not 0",
				Source: algos + "compute_gpg_outcome_advantage",
				Doc: "The option alpha is overwritten, the standard deviation not used. A single-sample group has μ 0. NaN counts as not 0 " +
					"and makes its group NaN. Groups may differ in size.",
			},
			DependsOnBatch: true, CanFilter: true,
			Advantage: groupPolicyGradient,
		},
		discounted(*tokenWhitened(Estimator{
			Entry: Entry{
				Name: "reinforce_plus_plus", Formula: "A = (r − m) / √(v + 1e-8), m and v over response tokens",
				Source: algos + "compute_reinforce_plus_plus_outcome_advantage",
				Doc: docWhitenedRewards + "ddof 1. Up to one token in the batch is a ValueError. NaN makes all " +
					"NaN.",
			},
		}), "algorithm.gamma", whiten, rewardItself),
		tokenWhitened(Estimator{
			Entry: Entry{
				Name:    "reinforce_plus_plus_baseline",
				Formula: "a = r − μ; A = (a − m) / √(v + 1e-8), m and v over response tokens",
				Source:  algos + "compute_reinforce_plus_plus_baseline_outcome_advantage",
				Doc: "A single-sample group keeps r. " + docWhitenedCentred + "ddof 1. Up to one token in the batch is a ValueError. NaN makes " +
					"all NaN.",
			},
			Advantage: whiten.after(withScale(groupwise{ofOne: oneMean0Std1}.advantages, ScaleNone)),
		}),
		{
			Entry: Entry{
				Name: "remax", Formula: "A = r − b, b the reward of one greedy response",
				Source: algos + "compute_remax_outcome_advantage",
				Doc:    "No scale, no eps; groups of any size. NaN stays with its sample. verl's rollout dump does not hold b.",
			},
			Needs:     Needs{Baselines: true},
			Advantage: greedyBaseline,
		},
		tokenWhitened(Estimator{
			Entry: Entry{
				Name: "gdpo", Formula: "A = whiten(Σ_k w_k · (r_k − μ_k) / (s_k + 1e-6)), over response tokens",
				Source: algos + "compute_gdpo_outcome_advantage",
				Doc: "ddof 1 twice. A single-sample group has μ 0 and s 1. Components are gdpo_reward_keys, weights gdpo_reward_weights, 1 by " +
					"default. Whitening is summed in float64 here: agrees to 1e-4. NaN makes all NaN.",
				Options: byStd,
			},
			Scales: []Scale{ScaleGroup, ScaleNone}, CanFilter: true, Needs: Needs{Components: true},
			Advantage: whiten.after(perComponent(grpoFormula)),
		}),
		notComputable("gae", formulaGAE, algos+"compute_gae_advantage_return", criticNeeded),
		notComputable("optimal_token_baseline", "A_t = G_t − Σ G_t W_t / (Σ W_t + 1e-8)",
			algos+"compute_optimal_token_baseline_advantage", tokenNeeded),
		notComputable("tir_optimal_token_baseline", "A_t = G_t − Σ G_t W_t / (Σ W_t + 1e-8)",
			algos+"compute_multi_turn_optimal_token_baseline_advantage", tokenNeeded),
		notComputable("kl_in_reward", "r − kl_coef·KL per token, then the estimator", code+"ray_trainer.py:apply_kl_penalty",
			"use_kl_in_reward (off by default) subtracts the KL from every token's reward before the estimator sees it. A log "+
				"would have to hold the rewards after that, or the KL per token."),
	})
}

// countingOutputs says how verl counts rollouts of several outputs: only grpo takes the last of each.
// verl 0.9.1 verl/trainer/ppo/v1/utils.py:compute_advantage_for_multi_trajectories.
func countingOutputs(list []*Estimator) []*Estimator {
	for _, e := range list {
		e.Outputs = EachOutput
		if e.Name == "grpo" {
			e.Outputs = LastOutput
		}
	}
	return list
}

// verlPassK is pass@k with verl's ValueError for the first group of one. The trainer
// names the group's uid; here it is the group's number.
func verlPassK(dst []float64, b Batch, s Scale) error {
	_ = passK(s != ScaleNone)(dst, b, s)
	groups := groupsOfOne(b)
	if groups == nil {
		return nil
	}
	text := fmt.Sprintf("Pass@k requires at least 2 samples per group. Got 1 for group uid-%04d.", groups[0])
	return &Refusal{Kind: "ValueError", Text: text, Groups: groups}
}
