package estimators

// Files of the fork of EasyR1 that added the filter.
const (
	easyR1Code  = "Coobiw/EasyR1-Brian@c414ee81ef06f8e6510bcbcbd939a89c118cff32 verl/trainer/"
	easyR1Algos = easyR1Code + "core_algos.py:"
)

// easyR1 is EasyR1-Brian. It differs from [easyR1Upstream] in three things: nothing is
// added to the standard deviation, samples can be filtered, and NaN becomes 0.
func easyR1() []*Estimator {
	return []*Estimator{
		{
			Entry: Entry{
				Name: "grpo", Formula: "A = (r − μ) / s, 0 if s < 1e-6", Source: easyR1Algos + "compute_grpo_outcome_advantage",
				Doc: "s has ddof 1. The eps of 1e-6 is a threshold: nothing is added to s. A single-sample group raises AssertionError. " +
					"Equal rewards give 0, except where float32 misses their mean by 1e-6 or more (eight of 10.1 give 0.935). " +
					"Groups may differ in size. NaN and missing rewards count as 0; an infinite reward makes its group NaN.",
			},
			Scales: []Scale{ScaleGroup}, TrainerFilters: true, CanFilter: true, Clean: cleanNaNToNum,
			Advantage: refuseGroupsOfOne(withScale(groupwise{eps: 1e-6, epsIsThreshold: true}.advantages, ScaleGroup), "GRPO needs rollout.n > 1."),
		},
		{
			Entry: Entry{
				Name: "rloo", Formula: "A = r − (Σr − r) / (n − 1)", Source: easyR1Algos + "compute_rloo_outcome_advantage",
				Doc: "No standard deviation and no eps. A single-sample group raises AssertionError. Equal rewards give 0 or float32 rounding error. " +
					"Groups may differ in size. NaN and missing rewards count as 0.",
			},
			Clean:     cleanNaNToNum,
			Advantage: refuseGroupsOfOne(withScale(rloo(0).advantages, ScaleNone), "RLOO needs rollout.n > 1."),
		},
		discounted(*tokenWhitened(Estimator{
			Entry: Entry{
				Name: "reinforce_plus_plus", Formula: "A = (r − m) / √(v + 1e-8), m and v over response tokens",
				Source: easyR1Algos + "compute_reinforce_plus_plus_outcome_advantage",
				Doc: docWhitenedRewards + "ddof 1 (none for a single token). NaN and missing rewards count as 0; an infinite one " +
					"makes all NaN.",
			},
			Clean: cleanNaNToNum,
		}), "algorithm.gamma", maskedWhiten(), rewardItself),
		{
			Entry: Entry{
				Name: "remax", Formula: "A = r − b, b the reward of one greedy response",
				Source: easyR1Algos + "compute_remax_outcome_advantage",
				Doc: "No scale, no eps; groups of any size, of one too. NaN and missing rewards count as 0. The usual logs do not hold " +
					"b.",
			},
			Needs: Needs{Baselines: true}, Clean: cleanNaNToNum,
			Advantage: greedyBaseline,
		},
		notComputable("gae", formulaGAE, easyR1Algos+"compute_gae_advantage_return", criticNeeded),
		notComputable("kl_in_reward", "r − kl_coef·KL per token, then the estimator", easyR1Code+"ray_trainer.py:apply_kl_penalty",
			"The trainer's default (a reference policy, use_kl_loss off) subtracts kl_coef·KL from every token's reward "+
				"before the estimator sees it. A log would need the rewards after that (critic/rewards) per sample, or "+
				"the KL per token."),
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
