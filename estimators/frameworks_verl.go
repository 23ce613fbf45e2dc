package estimators

import (
	"fmt"
	"strings"
)

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
	byStd := divideByStd("algorithm.norm_adv_by_std_in_grpo")
	// verl/trainer/ppo/ray_trainer.py:218-290 hands it to grpo alone; grpo_passk reads it from the configuration
	unheard := byStd.unheardIn("verl 0.9.1")
	return countingOutputs([]*Estimator{
		// norm_adv_by_std_in_grpo=False is scale "none", Dr. GRPO.
		about("grpo", "A = (r − μ) / (s + 1e-6); none: r − μ", algos+"compute_grpo_outcome_advantage",
			"s has ddof 1. A single-sample group has μ 0 and s 1. Equal rewards give 0 or float32 rounding error over s + 1e-6 "+
				"(eight of 10.1 give +0.47). Groups may differ in size. NaN makes its group NaN. The last of several outputs of "+
				"a rollout counts, and all get its advantage; the other estimators of verl count each output.").with(byStd).
			by(Estimator{Scales: []Scale{ScaleGroup, ScaleNone}, CanFilter: true, Advantage: grpoFormula}),
		about("grpo_vectorized", "A = (r − μ) / (s + 1e-6); none: r − μ",
			algos+"compute_grpo_vectorized_outcome_advantage",
			"As grpo, but sums run from left to right and s, ddof 1, is float32 throughout. A single-sample group has μ 0 and s 1. "+
				"Groups may differ in size. NaN makes its group NaN.").with(unheard).
			by(Estimator{Scales: []Scale{ScaleGroup, ScaleNone}, CanFilter: true, Advantage: indexAddGRPO(false)}),
		about("grpo_passk", "best: (r1 − r2) / (s + 1e-6), others 0; none: r1 − r2",
			algos+"compute_grpo_passk_outcome_advantage",
			"s has ddof 1. A single-sample group raises ValueError. Equal best rewards give 0. NaN ranks highest and gives NaN. Groups "+
				"may differ in size.").with(byStd).
			by(Estimator{Scales: []Scale{ScaleGroup, ScaleNone}, CanFilter: true, Advantage: verlPassK}),
		about("rloo", "A = r·n/(n − 1) − μ·n/(n − 1)", algos+"compute_rloo_outcome_advantage",
			"No standard deviation, no eps. A single-sample group gets its raw reward. Equal rewards give 0 or float32 rounding "+
				"error. Groups may differ in size. NaN makes its group NaN.").
			by(Estimator{Advantage: groupwise{baseline: rlooTerms, ofOne: oneMean0Std1}.advantages}),
		about("rloo_vectorized", "A = (n·r − Σ) / max(n − 1, 1), 0 for a group of one",
			algos+"compute_rloo_vectorized_outcome_advantage",
			"No standard deviation, no eps; the sum runs from left to right. A single-sample group gets 0, unlike rloo. Groups may "+
				"differ in size. NaN makes its group NaN.").
			by(Estimator{Advantage: bincountRLOO()}),
		about("opo", "A = r − Σ l r / Σ l", algos+"compute_opo_outcome_advantage",
			"No scale, no eps. A single-sample group gets its raw reward. Equal rewards give 0 or float32 rounding error. Groups "+
				"may differ in size. NaN makes its group NaN.").
			by(Estimator{Needs: Needs{Lengths: true}, Advantage: lengthWeighted}),
		about("gpg", "A = N / max(m, 1) · (r − μ), m = rewards that are not 0", algos+"compute_gpg_outcome_advantage",
			"The option alpha is overwritten, the standard deviation not used. A single-sample group has μ 0. NaN counts as not 0 "+
				"and makes its group NaN. Groups may differ in size.").
			by(Estimator{DependsOnBatch: true, CanFilter: true, Advantage: groupPolicyGradient}),
		about("reinforce_plus_plus", "A = (r − m) / √(v + 1e-8), m and v over response tokens",
			algos+"compute_reinforce_plus_plus_outcome_advantage",
			docWhitenedRewards+"ddof 1. Up to one token in the batch is a ValueError. NaN makes all NaN.").
			by(Estimator{}).whitened().discounted("algorithm.gamma", whiten, rewardItself),
		about("reinforce_plus_plus_baseline", "a = r − μ; A = (a − m) / √(v + 1e-8), m and v over response tokens",
			algos+"compute_reinforce_plus_plus_baseline_outcome_advantage",
			"A single-sample group keeps r. "+docWhitenedCentred+"ddof 1. Up to one token in the batch is a ValueError. NaN makes "+
				"all NaN.").
			by(Estimator{Advantage: whiten.after(withScale(groupwise{ofOne: oneMean0Std1}.advantages, ScaleNone))}).whitened(),
		about("remax", "A = r − b, b the reward of one greedy response", algos+"compute_remax_outcome_advantage",
			"No scale, no eps; groups of any size. NaN stays with its sample. verl's rollout dump does not hold b.").
			by(Estimator{Needs: Needs{Baselines: true}, Advantage: greedyBaseline}),
		about("gdpo", "A = whiten(Σ_k w_k · (r_k − μ_k) / (s_k + 1e-6)), over response tokens",
			algos+"compute_gdpo_outcome_advantage",
			"ddof 1 twice. A single-sample group has μ 0 and s 1. Components are gdpo_reward_keys, weights gdpo_reward_weights, 1 by "+
				"default. Whitening is summed in float64 here: agrees to 1e-4. NaN makes all NaN.").with(unheard).
			by(Estimator{
				Scales: []Scale{ScaleGroup, ScaleNone}, CanFilter: true, Needs: Needs{Components: true},
				Advantage: whiten.after(perComponent(grpoFormula)),
			}).whitened(),
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

// verl202601 is verl as of January 2026, where it differs from [verl].
func verl202601() []*Estimator {
	return []*Estimator{changed(verl(), "grpo_vectorized", func(e *Estimator) {
		e.Formula = "A = (r − μ) / (s + 1e-6), s ≥ 1e-3; none: r − μ"
		e.Doc = "s² = max((Σr² − (Σr)²/n)/(n − 1), 1e-6), float32 from left to right. A single-sample group has μ 0 and s 1. Equal " +
			"rewards give nearly 0. Groups may differ in size. NaN makes its group NaN."
		e.Source = "volcengine/verl@b178a3cd56f58b2d502255daba591e92833930a7 " +
			"verl/trainer/ppo/core_algos.py:compute_grpo_vectorized_outcome_advantage"
		e.Options, e.Advantage = nil, indexAddGRPO(true)
	})}
}

// Files of the fork of EasyR1 that added the filter.
const (
	easyR1Code  = "Coobiw/EasyR1-Brian@c414ee81ef06f8e6510bcbcbd939a89c118cff32 verl/trainer/"
	easyR1Algos = easyR1Code + "core_algos.py:"
)

// easyR1 is EasyR1-Brian. It differs from [easyR1Upstream] in three things: nothing is
// added to the standard deviation, samples can be filtered, and NaN becomes 0.
func easyR1() []*Estimator {
	return []*Estimator{
		about("grpo", "A = (r − μ) / s, 0 if s < 1e-6", easyR1Algos+"compute_grpo_outcome_advantage",
			"s has ddof 1. The eps of 1e-6 is a threshold: nothing is added to s. A single-sample group raises AssertionError. "+
				"Equal rewards give 0, except where float32 misses their mean by 1e-6 or more (eight of 10.1 give 0.935). "+
				"Groups may differ in size. NaN and missing rewards count as 0; an infinite reward makes its group NaN.").
			by(Estimator{
				Scales: []Scale{ScaleGroup}, TrainerFilters: true, CanFilter: true, Clean: cleanNaNToNum,
				Advantage: refuseGroupsOfOne(withScale(groupwise{eps: 1e-6, epsIsThreshold: true}.advantages, ScaleGroup), "AssertionError",
					"GRPO needs rollout.n > 1."),
			}),
		// An infinite reward gives NaN to its sample and ∓Inf to the others of its group.
		about("rloo", "A = r − (Σr − r) / (n − 1)", easyR1Algos+"compute_rloo_outcome_advantage",
			"No standard deviation and no eps. A single-sample group raises AssertionError. Equal rewards give 0 or float32 "+
				"rounding error. Groups may differ in size. NaN and missing rewards count as 0.").
			by(Estimator{
				Clean:     cleanNaNToNum,
				Advantage: refuseGroupsOfOne(withScale(rloo(0).advantages, ScaleNone), "AssertionError", "RLOO needs rollout.n > 1."),
			}),
		about("reinforce_plus_plus", "A = (r − m) / √(v + 1e-8), m and v over response tokens",
			easyR1Algos+"compute_reinforce_plus_plus_outcome_advantage",
			docWhitenedRewards+"ddof 1 (none for a single token). NaN and missing rewards count as 0; an infinite one "+
				"makes all NaN.").
			by(Estimator{Clean: cleanNaNToNum}).whitened().discounted("algorithm.gamma", maskedWhiten(), rewardItself),
		about("remax", "A = r − b, b the reward of one greedy response", easyR1Algos+"compute_remax_outcome_advantage",
			"No scale, no eps; groups of any size, of one too. NaN and missing rewards count as 0. The usual logs do not hold b.").
			by(Estimator{Needs: Needs{Baselines: true}, Clean: cleanNaNToNum, Advantage: greedyBaseline}),
		notComputable("gae", formulaGAE, easyR1Algos+"compute_gae_advantage_return", criticNeeded),
		notComputable("kl_in_reward", "r − kl_coef·KL per token, then the estimator", easyR1Code+"ray_trainer.py:apply_kl_penalty",
			"The trainer's default (a reference policy, use_kl_loss off) subtracts kl_coef·KL from every token's reward before the "+
				"estimator sees it. A log would need the rewards after that (critic/rewards) per sample, or the KL per token."),
	}
}

// Generalized advantage estimation, as several frameworks have it.
const (
	formulaGAE   = "A = Σ (γλ)^k δ_{t+k}, whitened over tokens"
	criticNeeded = "It takes the critic's value of every token; rewards do not tell even the sign of an advantage. A log would " +
		"need the values per token."
)

// maskedWhiten is masked_whiten of EasyR1 and ROLL, and of verl except for
// needsTwoTokens.
func maskedWhiten() whitening { return whitening{countEps: 1e-8, eps: 1e-8} }

// easyR1Upstream is the project that [easyR1] was forked from: eps is added to the
// standard deviation, nothing is filtered, and NaN passes.
func easyR1Upstream() []*Estimator {
	const algos = "hiyouga/EasyR1@b44b311b669bf1fd1aa2fc36f2251482ba33cb16 verl/trainer/core_algos.py:"
	fork := easyR1()
	as := func(name, doc string) *Estimator {
		return changed(fork, name, func(e *Estimator) {
			e.Source, e.Doc, e.Clean = strings.Replace(e.Source, easyR1Algos, algos, 1), doc, cleanRound
		})
	}
	grpo := as("grpo", "s has ddof 1. A single-sample group raises AssertionError. Equal rewards give 0 or float32 rounding "+
		"error over s + 1e-6: eight of 10.1 give +0.47. Groups may differ in size. NaN makes its group NaN.")
	grpo.Formula, grpo.TrainerFilters = "A = (r − μ) / (s + 1e-6)", false
	grpo.Advantage = refuseGroupsOfOne(groupwise{eps: 1e-6}.advantages, "AssertionError", "GRPO needs rollout.n > 1.")
	return []*Estimator{
		grpo,
		about("grpo_passk", "best: (r1 − r2) / (s + 1e-6), others 0", algos+"compute_grpo_passk_outcome_advantage",
			"s has ddof 1. A single-sample group raises AssertionError. Equal best rewards give 0. NaN ranks highest and gives NaN. "+
				"Groups may differ in size.").
			by(Estimator{
				Scales: []Scale{ScaleGroup}, CanFilter: true,
				Advantage: refuseGroupsOfOne(passK(true), "AssertionError", "GRPO needs rollout.n > 1."),
			}),
		as("rloo", "No standard deviation and no eps. A single-sample group raises AssertionError. Equal rewards give 0 or "+
			"float32 rounding error. Groups may differ in size. NaN makes its group NaN."),
		as("reinforce_plus_plus", docWhitenedRewards+"ddof 1. NaN makes all NaN."),
		as("remax", "No scale, no eps; groups of any size. NaN stays with its sample. The usual logs do not hold b."),
		notComputable("gae", formulaGAE, algos+"compute_gae_advantage_return",
			"It takes the critic's value of every token (and at this revision raises a RuntimeError for more than one "+
				"sample). A log would need the values per token."),
	}
}

func skyRL() []*Estimator {
	const (
		code  = "NovaSky-AI/SkyRL@a9564572eb8e91076be43c1bd5e4615e3de17265 skyrl/"
		algos = code + "backends/skyrl_train/utils/ppo_utils.py:"
	)
	byStd := divideByStd("trainer.algorithm.grpo_norm_by_std")
	grpoFormula := groupwise{eps: 1e-6, ofOne: oneMean0Std1}.advantages
	return []*Estimator{
		// grpo_norm_by_std=False is scale "none".
		about("grpo", "A = (r − μ) / (s + 1e-6); none: r − μ", algos+"compute_grpo_outcome_advantage",
			"s has ddof 1. A single-sample group has μ 0 and s 1. Equal rewards give 0 or float32 rounding error over s + 1e-6 "+
				"(eight of 10.1: +0.47). Groups may differ in size. NaN makes its group NaN.").with(byStd).
			by(Estimator{Scales: []Scale{ScaleGroup, ScaleNone}, CanFilter: true, Advantage: grpoFormula}),
		about("rloo", "A = (r − μ) · n/(n − 1)", algos+"compute_rloo_outcome_advantage",
			"No standard deviation, no eps. A single-sample group gets 0. Equal rewards give 0 or float32 rounding error. Groups "+
				"may differ in size. NaN makes its group NaN.").
			by(Estimator{Advantage: groupwise{baseline: rlooFactor, ofOne: oneZero}.advantages}),
		about("maxrl", "A = (r − μ) / (μ + 1e-6)", algos+"compute_maxrl_advantage",
			"A negative mean turns the signs round, a mean of 0 gives advantages of 1e6. A single-sample group gets its raw reward. "+
				"Groups may differ in size. NaN makes its group NaN.").
			by(Estimator{CanFilter: true, Advantage: maxRL(1e-6, false)}),
		about("reinforce_plus_plus", "A = (r − m) / √(v + 1e-8), m and v over response tokens",
			algos+"compute_reinforce_plus_plus_outcome_advantage",
			docWhitenedRewards+"ddof 1. NaN makes all NaN.").
			by(Estimator{Advantage: whitening{eps: 1e-8}.after(rewardItself)}).whitened(),
		// grpo followed by advantage_batch_normalize.
		about("grpo_batch_normalize", "a = GRPO; A = (a − m) / √max(v, 1e-8), m over all positions, v over response tokens",
			code+"train/trainer.py:1473-1482",
			"m counts padding as zeros, up to the longest response of the batch; v is that of a population around m. Summed "+
				"in float64 here: agrees to 1e-4. The rest as grpo.").with(byStd).
			by(Estimator{
				Scales: []Scale{ScaleGroup, ScaleNone}, CanFilter: true,
				Advantage: whitening{eps: 1e-8, ddof0: true, epsIsFloor: true, meanOverPadding: true}.after(grpoFormula),
			}).whitened(),
	}
}
