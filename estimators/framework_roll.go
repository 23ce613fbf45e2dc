package estimators

const (
	roll    = "roll"
	rollEps = 1e-6
)

// rollGRPO is adv_estimator grpo, which forces norm_mean_type and norm_std_type to
// group.
//
// Source: alibaba/ROLL@8eb27cc2dc34c4d1310b169d9b86d339004d811a roll/utils/functionals.py:reward_norm.
func rollGRPO() *Estimator {
	return &Estimator{
		Framework: roll, Name: "grpo", Scales: []Scale{ScaleGroup},
		CanFilter: true,
		Float:     Float32,
		Formula:   "A = (r − μ) / (s + 1e-6)",
		Doc: "s has ddof 1. A group of one is NaN. Equal rewards give 0 or a residue over s + 1e-6 (eight of 10.1: +0.95). " +
			"Groups of different sizes are a RuntimeError. NaN makes its group NaN. reward_clip is off.",
		Source:    "alibaba/ROLL@8eb27cc2dc34c4d1310b169d9b86d339004d811a roll/utils/functionals.py:reward_norm",
		Advantage: rollNorm(groupMean),
	}
}

// rollRewardNorm is adv_estimator reinforce with norm_mean_type group; the scale
// is norm_std_type.
//
// Source: alibaba/ROLL@8eb27cc2dc34c4d1310b169d9b86d339004d811a roll/utils/functionals.py:reward_norm.
func rollRewardNorm() *Estimator {
	return &Estimator{
		Framework: roll, Name: "reward_norm", Scales: []Scale{ScaleGroup, ScaleBatch, ScaleNone},
		CanFilter: true,
		Float:     Float32,
		Formula:   "A = (r − μ) / (s + 1e-6), s of the group or of the batch; none: r − μ",
		Doc: "s has ddof 1. A group of one is NaN (group). Groups of different sizes are a RuntimeError. NaN makes its group " +
			"NaN. reward_clip is off.",
		Source:    "alibaba/ROLL@8eb27cc2dc34c4d1310b169d9b86d339004d811a roll/utils/functionals.py:reward_norm",
		Advantage: rollNorm(groupMean),
	}
}

// rollRewardNormBatch is adv_estimator reinforce with mean and standard deviation
// of the batch.
//
// Source: alibaba/ROLL@8eb27cc2dc34c4d1310b169d9b86d339004d811a roll/utils/functionals.py:reward_norm.
func rollRewardNormBatch() *Estimator {
	return &Estimator{
		Framework: roll, Name: "reward_norm_batch", Scales: []Scale{ScaleBatch, ScaleNone},
		DependsOnBatch: true,
		Float:          Float32,
		Formula:        "A = (r − mean) / (s + 1e-6), both of the batch; none: r − mean",
		Doc: "s has ddof 1. Groups do not count. (batch, group) is broken in the framework: it returns a matrix. NaN makes all " +
			"NaN.",
		Source:    "alibaba/ROLL@8eb27cc2dc34c4d1310b169d9b86d339004d811a roll/utils/functionals.py:reward_norm",
		Advantage: groupwise{baseline: batchMean, eps: rollEps}.formula(),
	}
}

// rollAgentic is agentic_reward_norm, grouping by traj_group_id.
//
// Source: alibaba/ROLL@8eb27cc2dc34c4d1310b169d9b86d339004d811a roll/pipeline/agentic/utils.py:agentic_reward_norm.
func rollAgentic() *Estimator {
	return &Estimator{
		Framework: roll, Name: "agentic_reward_norm", Scales: []Scale{ScaleGroup, ScaleBatch, ScaleNone},
		CanFilter: true,
		Float:     Float32,
		Formula:   "A = (r − μ) / (s + 1e-6) if n > 1 and s > 1e-6, else 0; none: r − μ",
		Doc:       "s has ddof 1. A group of one gets 0. Groups may differ in size. NaN makes its group 0.",
		Source:    "alibaba/ROLL@8eb27cc2dc34c4d1310b169d9b86d339004d811a roll/pipeline/agentic/utils.py:agentic_reward_norm",
		Advantage: groupwise{eps: rollEps, zeroIfFlat: true}.formula(),
	}
}

// rollWhiten is adv_estimator reinforce with whiten_advantages and no reward_norm.
//
// Source: alibaba/ROLL@8eb27cc2dc34c4d1310b169d9b86d339004d811a roll/utils/functionals.py:compute_advantage.
func rollWhiten() *Estimator {
	return &Estimator{
		Framework: roll, Name: "reinforce_whiten_advantages", Scales: []Scale{ScaleNone},
		DependsOnBatch: true,
		Float:          Float32,
		Tolerance:      1e-4,
		Formula:        "A = (r − m) / √(v + 1e-8), m and v over response tokens",
		Doc: "All tokens of a sample have one value at gamma 1; group ids are not used. Summed in float64 here: agrees to " +
			"1e-4, not to the bit. ddof 1. NaN makes all NaN.",
		Source:    "alibaba/ROLL@8eb27cc2dc34c4d1310b169d9b86d339004d811a roll/utils/functionals.py:compute_advantage",
		Needs:     Needs{Lengths: true},
		Advantage: easyR1Whitening().after(nil),
	}
}

// rollWhitenGroup is adv_estimator reinforce with whiten_advantages on rewards
// centred by group.
//
// Source: alibaba/ROLL@8eb27cc2dc34c4d1310b169d9b86d339004d811a roll/utils/functionals.py:compute_advantage.
func rollWhitenGroup() *Estimator {
	return &Estimator{
		Framework: roll, Name: "reinforce_whiten_advantages_group", Scales: []Scale{ScaleNone},
		DependsOnBatch: true,
		Float:          Float32,
		Tolerance:      1e-4,
		Formula:        "a = r − μ; A = (a − m) / √(v + 1e-8), m and v over response tokens",
		Doc: "All tokens of a sample have one value at gamma 1; the group counts in μ only. Summed in float64 here: agrees to " +
			"1e-4, not to the bit. ddof 1. Groups of different sizes are a RuntimeError. NaN makes all NaN.",
		Source:    "alibaba/ROLL@8eb27cc2dc34c4d1310b169d9b86d339004d811a roll/utils/functionals.py:compute_advantage",
		Needs:     Needs{Lengths: true},
		Advantage: easyR1Whitening().after(refuseRagged(grpo(0).unscaled())),
	}
}

func rollNorm(from baseline) formula {
	return refuseRagged(groupwise{baseline: from, eps: rollEps, asMatrix: true}.formula())
}
