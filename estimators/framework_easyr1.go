package estimators

import "math"

// The sources below are of the fork that added the filter, revision
// c414ee81ef06f8e6510bcbcbd939a89c118cff32. Upstream (hiyouga/EasyR1) adds 1e-6 to
// the standard deviation instead, has no filter and lets NaN pass.
const easyR1 = "easyr1"

// easyR1GRPO is GRPO with nothing added to s:
//
//	A_i = (r_i − μ)/s ;  0 if s < 1e-6
//
// s is ddof 1, float32, compared with float32(1e-6), strictly. Each group is a
// tensor of its own: two passes around the float32 mean.
//
// Special cases are:
//
//	a group of one             = NaN, and the refusal "GRPO needs rollout.n > 1."
//	equal rewards              = 0, unless float32 misses their mean by 1e-6: ±0.935 for eight of 10.1
//	NaN or missing rewards     = count as 0, see Clean
//	an infinite reward         = NaN for its group
//	groups of different sizes  = fine
//
// Source: Coobiw/EasyR1-Brian@c414ee81ef06 verl/trainer/core_algos.py:compute_grpo_outcome_advantage.
func easyR1GRPO() *Estimator {
	arithmetic := grpoThreshold(1e-6)
	return &Estimator{
		Framework: easyR1, Name: "grpo", Scales: []Scale{ScaleGroup}, TrainerFilters: true, CanFilter: true, Float: Float32,
		Formula: "A = (r − μ) / s, 0 if s < 1e-6",
		Doc: "s has ddof 1. The eps of 1e-6 is a threshold: nothing is added to s. A group of one is an AssertionError. " +
			"Equal rewards give 0, except where float32 misses their mean by 1e-6 or more (eight of 10.1 give 0.935). " +
			"Groups may differ in size. NaN and missing rewards count as 0; an infinite reward makes its group NaN.",
		Source: "Coobiw/EasyR1-Brian@c414ee81ef06f8e6510bcbcbd939a89c118cff32 verl/trainer/core_algos.py:compute_grpo_outcome_advantage",
		Clean:  cleanNaNToNum,
		Advantage: func(dst []float64, b Batch, _ Scale) error {
			arithmetic.advantages(dst, b, ScaleGroup)
			return rejectSingles(dst, b, "GRPO needs rollout.n > 1.")
		},
	}
}

// easyR1RLOO is RLOO as it stands, without a scale.
//
// Special cases are:
//
//	a group of one             = NaN, and the refusal "RLOO needs rollout.n > 1."
//	equal rewards              = 0 or a float32 residue of it (6e-8 for eight of 0.7)
//	NaN or missing rewards     = count as 0, see Clean
//	an infinite reward         = NaN for its sample, ∓Inf for the others of its group
//	groups of different sizes  = fine
//
// Source: Coobiw/EasyR1-Brian@c414ee81ef06 verl/trainer/core_algos.py:compute_rloo_outcome_advantage.
func easyR1RLOO() *Estimator {
	arithmetic := rloo(0)
	return &Estimator{
		Framework: easyR1, Name: "rloo", Scales: []Scale{ScaleNone}, Float: Float32,
		Formula: "A = r − (Σr − r) / (n − 1)",
		Doc: "No standard deviation and no eps. A group of one is an AssertionError. Equal rewards give 0 or a float32 residue of it. " +
			"Groups may differ in size. NaN and missing rewards count as 0.",
		Source: "Coobiw/EasyR1-Brian@c414ee81ef06f8e6510bcbcbd939a89c118cff32 verl/trainer/core_algos.py:compute_rloo_outcome_advantage",
		Clean:  cleanNaNToNum,
		Advantage: func(dst []float64, b Batch, _ Scale) error {
			arithmetic.advantages(dst, b, ScaleNone)
			return rejectSingles(dst, b, "RLOO needs rollout.n > 1.")
		},
	}
}

// rejectSingles gives groups of one NaN and names them in an AssertionError.
func rejectSingles(dst []float64, b Batch, text string) error {
	var singles []int
	for g := range b.Groups() {
		if lo, hi := b.Offsets[g], b.Offsets[g+1]; hi-lo == 1 {
			dst[lo] = math.NaN()
			singles = append(singles, g)
		}
	}
	if singles == nil {
		return nil
	}
	return &Refusal{Kind: "AssertionError", Text: text, Groups: singles}
}

// easyR1ReinforcePlusPlus is REINFORCE++ of the fork: the reward, whitened over
// tokens.
//
// Source: Coobiw/EasyR1-Brian@c414ee81ef06f8e6510bcbcbd939a89c118cff32 verl/trainer/core_algos.py:compute_reinforce_plus_plus_outcome_advantage.
func easyR1ReinforcePlusPlus() *Estimator {
	return &Estimator{
		Framework: easyR1, Name: "reinforce_plus_plus", Scales: []Scale{ScaleNone},
		DependsOnBatch: true,
		Float:          Float32,
		Tolerance:      1e-4,
		Formula:        "A = (r − m) / √(v + 1e-8), m and v over response tokens",
		Doc: "All tokens of a sample have one value at gamma 1; group ids are not used. Summed in float64 here: agrees to " +
			"1e-4, not to the bit. ddof 1 (none for a single token). NaN and missing rewards count as 0; an infinite one " +
			"makes all NaN.",
		Source:    "Coobiw/EasyR1-Brian@c414ee81ef06f8e6510bcbcbd939a89c118cff32 verl/trainer/core_algos.py:compute_reinforce_plus_plus_outcome_advantage",
		Needs:     Needs{Lengths: true},
		Clean:     cleanNaNToNum,
		Advantage: easyR1Whitening().after(nil),
	}
}

// easyR1ReMax is ReMax of the fork.
//
// Source: Coobiw/EasyR1-Brian@c414ee81ef06f8e6510bcbcbd939a89c118cff32 verl/trainer/core_algos.py:compute_remax_outcome_advantage.
func easyR1ReMax() *Estimator {
	return &Estimator{
		Framework: easyR1, Name: "remax", Scales: []Scale{ScaleNone},
		Float:   Float32,
		Formula: "A = r − b, b the reward of one greedy response",
		Doc: "No scale, no eps; groups of any size, of one too. NaN and missing rewards count as 0. The usual logs do not hold " +
			"b.",
		Source:    "Coobiw/EasyR1-Brian@c414ee81ef06f8e6510bcbcbd939a89c118cff32 verl/trainer/core_algos.py:compute_remax_outcome_advantage",
		Needs:     Needs{Baselines: true},
		Clean:     cleanNaNToNum,
		Advantage: greedyBaseline,
	}
}

// easyR1GAE is generalized advantage estimation.
//
// Source: Coobiw/EasyR1-Brian@c414ee81ef06f8e6510bcbcbd939a89c118cff32 verl/trainer/core_algos.py:compute_gae_advantage_return.
func easyR1GAE() *Estimator {
	return notComputable(easyR1, "gae", "A = Σ (γλ)^k δ_{t+k}, whitened over tokens",
		"Coobiw/EasyR1-Brian@c414ee81ef06f8e6510bcbcbd939a89c118cff32 verl/trainer/core_algos.py:compute_gae_advantage_return",
		"It takes the critic's value of every token; rewards do not tell even the sign of an advantage. A log would have "+
			"to hold the values per token.")
}

// easyR1KL is any estimator of the fork with KL in the reward.
//
// Source: Coobiw/EasyR1-Brian@c414ee81ef06f8e6510bcbcbd939a89c118cff32 verl/trainer/ray_trainer.py:apply_kl_penalty.
func easyR1KL() *Estimator {
	return notComputable(easyR1, "kl_in_reward", "r − kl_coef·KL per token, then the estimator",
		"Coobiw/EasyR1-Brian@c414ee81ef06f8e6510bcbcbd939a89c118cff32 verl/trainer/ray_trainer.py:apply_kl_penalty",
		"The trainer's default (a reference policy, use_kl_loss off) subtracts kl_coef·KL from every token's reward "+
			"before the estimator sees it. A log would have to hold the rewards after that (critic/rewards) per sample, or "+
			"the KL per token.")
}

// easyR1Whitening is masked_whiten of EasyR1 and ROLL, and of verl but for short.
func easyR1Whitening() whitening { return whitening{countEps: 1e-8, eps: 1e-8} }
