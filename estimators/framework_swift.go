package estimators

import "slices"

const (
	swiftCode = "modelscope/ms-swift@3602360a562313afbf2ef6065fdf61f271a2c5b9 swift/rl_core/advantage.py:compute_advantages"
	swift46   = "modelscope/ms-swift@v4.6.0 swift/rl_core/advantage.py:"
	swiftEps  = 1e-4
)

// swift is ModelScope's ms-swift. The entries ending in _dynamic are the variant for
// groups that may differ in size: each group is a tensor of its own there, not a row.
func swift() []*Estimator {
	fixed := swiftVariant{
		asMatrix: true,
		docSizes: "Groups of different sizes raise RuntimeError.",
		refuse:   refuseRagged,
	}
	dynamic := swiftVariant{
		suffix:   "_dynamic",
		docSizes: "Groups may differ in size; of several turns of one request the last counts, which the log must have sorted out.",
		refuse:   func(f formula) formula { return f },
	}
	return slices.Concat(fixed.estimators(), dynamic.estimators(), []*Estimator{
		// scale_rewards="gdpo".
		{
			Entry: Entry{
				Name: "gdpo", Formula: "z = Σ_k w_k · (r_k − μ_k) / (s_k + 1e-8); A = (z − mean z) / (s_z + 1e-8)",
				Source: swiftCode,
				Doc: "ddof 1 twice, the second time over the batch. A component without a score counts as 0 after its scaling. Groups of different sizes raise " +
					"RuntimeError. reinforce_plus_plus and the dynamic functions ignore the setting.",
				Options: []Option{swiftNotGDPO()},
			},
			Scales: []Scale{ScaleGroup}, DependsOnBatch: true, CanFilter: true, Needs: Needs{Components: true},
			Clean: cleanNaNToZero, zeroStd: zeroStdOfGroups(torchStd),
			Advantage: refuseRagged(gdpo{eps: 1e-8, perFunction: true}.advantages),
		},
		// The default of rloo and reinforce_plus_plus.
		notComputable("kl_in_reward", "r − beta·KL, then the estimator", swiftCode,
			"kl_in_reward (True by default for rloo and reinforce_plus_plus) subtracts beta·KL of the sequence from the "+
				"reward. A log would need the KL per sample."),
		// advantage_reweight="rlsd".
		notComputable("rlsd", "A_t = A · ((1 − λ) + λ·clip(exp(sign A · (log π_T − log π)), 1 ± ε))", swift46+"apply_rlsd_reweight",
			"It spreads the advantage of a sample over its tokens by what a teacher, the policy that sees the answer, gives "+
				"each. "+teacherNeeded),
		// sdar_loss_coef above 0.
		notComputable("sdar", "A of grpo, and a loss of its own per token", swift46+"compute_sdar_loss",
			"The advantage of a sample stays that of grpo: choose that. What it adds is a loss by token, of a teacher that sees "+
				"the answer. "+teacherNeeded),
		// A teacher_model with grpo.
		notComputable("opd_rl", "A_t = A + coef·(log π_T − log π)", swift46+"compute_teacher_logratio",
			"It adds what a teacher gives each token. "+teacherNeeded),
	})
}

// swiftScale is scale_rewards, whose value gdpo is an entry here; the default first.
func swiftScale(first Scale, others ...Scale) Option {
	o := scaleRewards("", append([]Scale{first}, others...)...)
	o.Meaning = "the scale; gdpo is the entry gdpo"
	o.Selects["gdpo"] = Selection{Estimator: "gdpo"}
	return o
}

// swiftNotGDPO is scale_rewards of gdpo, whose other values are those of grpo.
func swiftNotGDPO() Option {
	o := swiftScale("gdpo", ScaleGroup, ScaleBatch, ScaleNone)
	for value, s := range o.Selects {
		if s.Estimator == "" {
			o.Selects[value] = Selection{Estimator: "grpo", Scale: s.Scale}
		}
	}
	return o
}

// swiftIgnoringGDPO is scale_rewards where gdpo has no effect but to turn the division off.
func swiftIgnoringGDPO(first Scale, others ...Scale) Option {
	o := swiftScale(first, append(others, "gdpo")...)
	o.Meaning = "the scale; gdpo is not applied here: it is none"
	o.Selects["gdpo"] = Selection{Scale: ScaleNone}
	return o
}

// scale is scale_rewards; the variant for groups of different sizes ignores gdpo.
func (v swiftVariant) scale(first Scale, others ...Scale) Option {
	if !v.asMatrix {
		return swiftIgnoringGDPO(first, others...)
	}
	return swiftScale(first, append(others, "gdpo")...)
}

// swiftVariant is one of the two functions that compute advantages.
type swiftVariant struct {
	suffix   string // of names and of the function
	asMatrix bool   // as in groupwise
	docSizes string
	refuse   func(formula) formula
}

// estimators returns grpo, rloo and reinforce_plus_plus; the scale is scale_rewards.
func (v swiftVariant) estimators() []*Estimator {
	return []*Estimator{
		{
			Entry: Entry{
				Name: "grpo" + v.suffix, Formula: "A = (r − μ) / (s + 1e-4), s of the group or of the batch; none: r − μ",
				Source: swiftCode + v.suffix,
				Doc: "s has ddof 1. A single-sample group gets 0. Equal rewards give 0 or float32 rounding error (eight of 10.1: +0.0095). " +
					v.docSizes + " NaN counts as 0.",
				Options: []Option{v.scale(ScaleGroup, ScaleBatch, ScaleNone)},
			},
			Scales: []Scale{ScaleGroup, ScaleBatch, ScaleNone}, CanFilter: true, Clean: cleanNaNToZero,
			zeroStd:   zeroStdOfGroups(torchStd),
			Advantage: v.refuse(groupwise{eps: swiftEps, ofOne: oneStd0, asMatrix: v.asMatrix}.advantages),
		},
		// For kl_in_reward=False.
		{
			Entry: Entry{
				Name: "rloo" + v.suffix, Formula: "A = (r·n/(n − 1) − μ·n/(n − 1)) / (s + 1e-4); none: not divided",
				Source: swiftCode + v.suffix,
				Doc: "Only for kl_in_reward=False (the default is True). s has ddof 1 and is that of the rewards. A single-sample group gets " +
					"0. " + v.docSizes + " NaN counts as 0.",
				Options: []Option{v.scale(ScaleNone, ScaleGroup, ScaleBatch)},
			},
			Scales: []Scale{ScaleNone, ScaleGroup, ScaleBatch}, Clean: cleanNaNToZero, zeroStd: zeroStdOfGroups(torchStd),
			Advantage: v.refuse(groupwise{baseline: rlooTerms, eps: swiftEps, ofOne: oneStd0, asMatrix: v.asMatrix}.advantages),
		},
		// ms-swift's REINFORCE++ is centred by group and scaled by sample.
		{
			Entry: Entry{
				Name:    "reinforce_plus_plus" + v.suffix,
				Formula: "a = r − μ; A = a / (s_a + 1e-4), s of the batch or of the group; none: a",
				Source:  swiftCode + v.suffix,
				Doc: "Only for kl_in_reward=False (the default is True). s has ddof 1 and is that of r − μ. No weighting by tokens and " +
					"no second mean, unlike the REINFORCE++ of others. A single-sample group gets 0. " + v.docSizes + " NaN counts as 0.",
				Options: []Option{swiftIgnoringGDPO(ScaleBatch, ScaleGroup, ScaleNone)},
			},
			Scales: []Scale{ScaleBatch, ScaleGroup, ScaleNone}, Clean: cleanNaNToZero, zeroStd: zeroStdOfGroups(torchStd),
			Advantage: v.refuse(centredStd{eps: swiftEps, asMatrix: v.asMatrix, ofOne: oneStd0}.advantages),
		},
	}
}
