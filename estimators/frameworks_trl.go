package estimators

import "slices"

// trlEps is added to every standard deviation except the asynchronous trainer's.
const trlEps = 1e-4

const trlScaleError = "Invalid value for scale_rewards: %s. Must be one of 'batch', 'group', or 'none'."

// trl is Hugging Face's TRL, from 1.6 on; [trl15] is what came before.
func trl() []*Estimator {
	const (
		code        = "huggingface/trl@f2cd57710ae345ea6428ae95363267fcf38a3dc8 trl/"
		grpoTrainer = code + "trainer/grpo_trainer.py:GRPOTrainer._generate_and_score_completions"
		rlooTrainer = code + "trainer/rloo_trainer.py:RLOOTrainer._generate_and_score_completions"
		docUnscored = "A sample without a score (NaN, None) gets 0 and counts in no mean or s. Groups of different sizes raise " +
			"RuntimeError."
	)
	scale := scaleRewards(trlScaleError, ScaleGroup, ScaleBatch, ScaleNone)
	aggregation := trlAggregationOption()
	normalize := otherEntry("normalize_advantages", false, "rloo_normalize_advantages", "rloo",
		"divide by the standard deviation of the batch: true is the entry rloo_normalize_advantages")
	clip := trlClip()
	return []*Estimator{
		// The scale is scale_rewards.
		about("grpo", "A = (r − μ) / (s + 1e-4), s of the group or of the batch; none: r − μ", grpoTrainer,
			"s has ddof 1 and is float32 throughout. A single-sample group gets 0. "+docUnscored+" Equal rewards give 0 or a "+
				"residue (eight of 10.1: +0.0094), which frac_reward_zero_std misses.").with(scale, aggregation).
			by(Estimator{
				Scales: []Scale{ScaleGroup, ScaleBatch, ScaleNone}, ScaleError: trlScaleError, CanFilter: true,
				zeroStd: zeroStdOfScale(ignoringNaN), Advantage: refuseRagged(nanIgnoring{trlEps}.advantages),
			}),
		// multi_objective_aggregation="normalize_then_sum" is GDPO.
		about("grpo_normalize_then_sum", "z = Σ_k w_k · (r_k − μ_k) / (s_k + 1e-4); A = (z − mean z) / (s_z + 1e-4)",
			grpoTrainer,
			"ddof 1 twice, the second time over the batch; scale_rewards is ignored. A single-sample group gets 0. "+
				docUnscored).with(scale.unheardIn("TRL 1.5 to 1.16"), aggregation).
			by(Estimator{
				Scales: []Scale{ScaleGroup}, DependsOnBatch: true, CanFilter: true, Needs: Needs{Components: true},
				zeroStd:   gdpo{eps: trlEps, ignoreUnscored: true}.zeroStd,
				Advantage: refuseRagged(gdpo{eps: trlEps, ignoreUnscored: true}.advantages),
			}),
		about("rloo", "A = r − (Σ − r) / (m − 1), m = samples with a score", rlooTrainer,
			"Only for beta=0: by default (0.05) KL is subtracted from the reward. reward_clip_range and normalize_advantages "+
				"are off, as by default. "+docUnscored).
			by(Estimator{zeroStd: zeroStdOfGroups(ignoringNaN)}).configurable(func(v Values) formula {
			return refuseRagged(onClipped(nanIgnoring{trlEps}.rloo(false), v, clip))
		}, clip, normalize),
		about("rloo_normalize_advantages", "a = r − (Σ − r) / (m − 1); A = (a − mean a) / (s_a + 1e-4)", rlooTrainer,
			"Only for beta=0. s has ddof 1, over the advantages of the batch. "+docUnscored).
			by(Estimator{Scales: []Scale{ScaleBatch}, zeroStd: zeroStdOfGroups(ignoringNaN)}).configurable(func(v Values) formula {
			return refuseRagged(onClipped(nanIgnoring{trlEps}.rloo(true), v, clip))
		}, clip, normalize),
		// The experimental asynchronous trainer has another arithmetic than grpo.
		about("async_grpo", "A = (r − μ) / (s + 1e-8)", code+"experimental/async_grpo/async_rollout_worker.py:828-843",
			"numpy float64, s of a population (ddof 0). A group of one and equal rewards give 0 or rounding error. Groups "+
				"may differ in size. NaN and None get 0 and count in no mean.").
			by(Estimator{
				Scales: []Scale{ScaleGroup}, CanFilter: true, Float: Float64,
				Advantage: population{eps: 1e-8, ignoreNaN: true}.advantages,
			}),
		// The experimental self-distillation trainer.
		about("sdpo", "A = (r − μ) / (s + 1e-4), s of the group or of the batch; none: (r − μ) / 1.0001",
			"huggingface/trl@v1.16.0 trl/experimental/sdpo/sdpo_trainer.py:SDPOTrainer",
			"SDPO's policy advantage. s has ddof 1. Scale none divides by 1 + 1e-4 all the same. A single-sample group gives NaN "+
				"(group) or 0. A component without a score counts as 0. Groups of different sizes raise RuntimeError.").with(scale).
			by(Estimator{
				Scales: []Scale{ScaleGroup, ScaleBatch, ScaleNone}, CanFilter: true, Clean: cleanNaNToZero,
				Advantage: refuseRagged(sdpo),
			}),
		notComputable("rloo_kl_in_reward", "r − beta·KL, then RLOO", rlooTrainer,
			"beta (0.05 by default) subtracts the KL of the sequence from the reward before the estimator sees it. A log "+
				"would have to hold the KL per sample."),
	}
}

func trlClip() Option {
	return Interval().Option("reward_clip_range", "none", "clip rewards to this range before the baseline")
}

func trlAggregationOption() Option {
	return Option{
		Key: "multi_objective_aggregation", Kind: OneOf("sum_then_normalize", "normalize_then_sum"), Default: "sum_then_normalize",
		Meaning: "normalize_then_sum is the entry grpo_normalize_then_sum",
		Refusal: "Invalid multi_objective_aggregation: %s. Must be 'sum_then_normalize' or 'normalize_then_sum'.",
		Selects: map[string]Selection{
			"sum_then_normalize": {Estimator: "grpo"}, "normalize_then_sum": {Estimator: "grpo_normalize_then_sum"},
		},
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
	newer := trl()
	rloo := groupwise{baseline: rlooSum, ofOne: oneZero}.advantages
	return []*Estimator{
		changed(newer, "grpo", func(e *Estimator) {
			e.Source, e.Clean, e.zeroStd = grpoTrainer, cleanNaNToZero, zeroStdOfScale(torchStd)
			e.Doc = "s has ddof 1. A single-sample group gets 0. " + docLastBits + ", and more for equal rewards (eight of 10.1: " +
				"+0.0095, there +0.0094), which frac_reward_zero_std counts here and misses there; not at all under scale none. " +
				docUnscored
			e.Advantage = refuseRagged(groupwise{eps: trlEps, ofOne: oneStd0, asMatrix: true}.advantages)
		}),
		changed(newer, "grpo_normalize_then_sum", func(e *Estimator) {
			w := gdpo{eps: trlEps}
			e.Source, e.Clean, e.zeroStd, e.Advantage = grpoTrainer, cleanNaNToZero, w.zeroStd, refuseRagged(w.advantages)
			e.Doc = "A single-sample group gets 0. scale_rewards is ignored. ddof 1 twice, the second time over the batch. " + docLastBits +
				". A sample without any score counts as z = 0, and NaN of infinite rewards stays. " +
				"Groups of different sizes raise RuntimeError."
		}),
		changed(newer, "rloo", func(e *Estimator) {
			e.Source, e.Clean, e.zeroStd = rlooTrainer, cleanNaNToZero, zeroStdOfGroups(torchStd)
			e.Formula = "A = r − (Σ − r) / (n − 1)"
			e.Doc = "Only for beta=0, as in trl, from which it differs only where a reward is not finite. A single-sample group gets 0. " +
				docUnscored
			e.build(func(v Values) formula { return refuseRagged(onClipped(rloo, v, trlClip())) })
		}),
		changed(newer, "rloo_normalize_advantages", func(e *Estimator) {
			e.Source, e.Clean, e.zeroStd = rlooTrainer, cleanNaNToZero, zeroStdOfGroups(torchStd)
			e.Formula = "a = r − (Σ − r) / (n − 1); A = (a − mean a) / (s_a + 1e-4)"
			e.Doc = "Only for beta=0, as in trl. s has ddof 1, over the advantages of the batch. A single-sample group has a = 0. " +
				docLastBits + ". " + docUnscored
			e.build(func(v Values) formula {
				return refuseRagged(onClipped(standardized(withScale(rloo, ScaleNone), trlEps), v, trlClip()))
			})
		}),
	}
}

// axolotl is axolotl's asynchronous GRPO, which is TRL's before it took samples without a score out.
func axolotl() []*Estimator {
	const source = "axolotl-ai-cloud/axolotl@v0.21.0 axolotl/core/trainers/grpo/async_trainer.py:AsyncGRPOTrainer"
	scale := scaleRewards("Invalid scale_rewards: %s", ScaleGroup, ScaleBatch, ScaleNone)
	aggregation := trlAggregationOption()
	aggregation.Refusal = "Invalid multi_objective_aggregation: %s"
	origin := trl15()
	return []*Estimator{
		changed(origin, "grpo", func(e *Estimator) {
			e.Source, e.Options, e.ScaleError = source, []Option{scale, aggregation}, scale.Refusal
			e.Doc = "s has ddof 1. A single-sample group gets 0. Equal rewards give 0 or float32 rounding error over s + 1e-4. " +
				"A reward without a score (NaN) counts as 0. Groups of different sizes raise RuntimeError."
		}),
		changed(origin, "grpo_normalize_then_sum", func(e *Estimator) {
			e.Source, e.Options = source, []Option{aggregation}
			e.Doc = "A single-sample group gets 0. scale_rewards is ignored. ddof 1 twice, the second time over the batch. A " +
				"sample without any score counts as z = 0. Groups of different sizes raise RuntimeError."
		}),
	}
}

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
	notGDPO := swiftScale(false, "gdpo", ScaleGroup, ScaleBatch, ScaleNone)
	for value, s := range notGDPO.Selects {
		if s.Estimator == "" { // of gdpo, whose other values are those of grpo
			notGDPO.Selects[value] = Selection{Estimator: "grpo", Scale: s.Scale}
		}
	}
	return slices.Concat(fixed.estimators(), dynamic.estimators(), []*Estimator{
		// scale_rewards="gdpo".
		about("gdpo", "z = Σ_k w_k · (r_k − μ_k) / (s_k + 1e-8); A = (z − mean z) / (s_z + 1e-8)", swiftCode,
			"ddof 1 twice, the second time over the batch. A component without a score counts as 0 after its scaling. Groups of "+
				"different sizes raise RuntimeError. reinforce_plus_plus and the dynamic functions ignore the setting.").with(notGDPO).
			by(Estimator{
				Scales: []Scale{ScaleGroup}, DependsOnBatch: true, CanFilter: true, Needs: Needs{Components: true},
				Clean: cleanNaNToZero, zeroStd: zeroStdOfGroups(torchStd),
				Advantage: refuseRagged(gdpo{eps: 1e-8, perFunction: true}.advantages),
			}),
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

// swiftScale is scale_rewards, the default first. Its value gdpo is an entry here, or has no effect but to turn the division off.
func swiftScale(gdpoIsNone bool, first Scale, others ...Scale) Option {
	o := scaleRewards("", append([]Scale{first}, others...)...)
	o.Meaning, o.Selects["gdpo"] = "the scale; gdpo is the entry gdpo", Selection{Estimator: "gdpo"}
	if gdpoIsNone {
		o.Meaning, o.Selects["gdpo"] = "the scale; gdpo is not applied here: it is none", Selection{Scale: ScaleNone}
	}
	return o
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
		about("grpo"+v.suffix, "A = (r − μ) / (s + 1e-4), s of the group or of the batch; none: r − μ",
			swiftCode+v.suffix,
			"s has ddof 1. A single-sample group gets 0. Equal rewards give 0 or float32 rounding error (eight of 10.1: +0.0095). "+
				v.docSizes+" NaN counts as 0.").with(swiftScale(!v.asMatrix, ScaleGroup, ScaleBatch, ScaleNone, "gdpo")).
			by(Estimator{
				Scales: []Scale{ScaleGroup, ScaleBatch, ScaleNone}, CanFilter: true, Clean: cleanNaNToZero,
				zeroStd:   zeroStdOfGroups(torchStd),
				Advantage: v.refuse(groupwise{eps: swiftEps, ofOne: oneStd0, asMatrix: v.asMatrix}.advantages),
			}),
		// For kl_in_reward=False.
		about("rloo"+v.suffix, "A = (r·n/(n − 1) − μ·n/(n − 1)) / (s + 1e-4); none: not divided", swiftCode+v.suffix,
			"Only for kl_in_reward=False (the default is True). s has ddof 1 and is that of the rewards. A single-sample group gets "+
				"0. "+v.docSizes+" NaN counts as 0.").with(swiftScale(!v.asMatrix, ScaleNone, ScaleGroup, ScaleBatch, "gdpo")).
			by(Estimator{
				Scales: []Scale{ScaleNone, ScaleGroup, ScaleBatch}, Clean: cleanNaNToZero, zeroStd: zeroStdOfGroups(torchStd),
				Advantage: v.refuse(groupwise{baseline: rlooTerms, eps: swiftEps, ofOne: oneStd0, asMatrix: v.asMatrix}.advantages),
			}),
		// ms-swift's REINFORCE++ is centred by group and scaled by sample.
		about("reinforce_plus_plus"+v.suffix, "a = r − μ; A = a / (s_a + 1e-4), s of the batch or of the group; none: a",
			swiftCode+v.suffix,
			"Only for kl_in_reward=False (the default is True). s has ddof 1 and is that of r − μ. No weighting by tokens and "+
				"no second mean, unlike the REINFORCE++ of others. A single-sample group gets 0. "+v.docSizes+" NaN counts as 0.").
			with(swiftScale(true, ScaleBatch, ScaleGroup, ScaleNone, "gdpo")).
			by(Estimator{
				Scales: []Scale{ScaleBatch, ScaleGroup, ScaleNone}, Clean: cleanNaNToZero, zeroStd: zeroStdOfGroups(torchStd),
				Advantage: v.refuse(centredStd{eps: swiftEps, asMatrix: v.asMatrix, ofOne: oneStd0}.advantages),
			}),
	}
}

const (
	twinkleCode = "modelscope/twinkle@1a1d8845dc6de05c7957bada323b0cc5c5e90f35 src/twinkle/advantage/"
	twinkleEps  = 1e-8 // added to every standard deviation
)

// twinkle is ModelScope's Twinkle. Groups are rows of a matrix. A scale of any other
// name is none to it.
func twinkle() []*Estimator {
	scales := []Scale{ScaleGroup, ScaleBatch, ScaleNone}
	return []*Estimator{
		// A group of one among larger ones is NaN ("group"). A NaN reward makes its group
		// NaN ("group", "none") or all ("batch").
		about("grpo", "A = (r − μ) / (s + 1e-8), s of the group or of the batch; none: r − μ",
			twinkleCode+"grpo.py:GRPOAdvantage.__call__",
			"s has ddof 1. Single-sample groups get their raw reward (group), or are compared with the whole batch (batch, none). "+
				"Equal rewards often do not give 0, since s is 0 and float32 misses the mean (eight of 0.7 give +5.96). "+
				"Groups of different sizes raise ValueError, missing rewards raise TypeError; NaN makes its group NaN.").
			by(Estimator{Scales: scales, CanFilter: true, DependsOnBatch: true, Advantage: refuseAsTwinkle(twinkleGRPO, 1)}),
		about("rloo", "A = (r − (Σr − r) / (n − 1)) / (s + 1e-8), s of the group or of the batch; none: not divided",
			twinkleCode+"rloo.py:RLOOAdvantage.__call__",
			"s has ddof 1 and is that of the rewards. The default scale is group, unlike other RLOOs. Single-sample groups and groups of "+
				"different sizes raise ValueError, missing rewards raise TypeError; NaN makes its group NaN. Equal rewards often do "+
				"not give 0.").
			by(Estimator{Scales: scales, Advantage: refuseAsTwinkle(rloo(twinkleEps).advantages, 2)}),
		notComputable("gae", formulaGAE,
			"modelscope/twinkle@4380b27d197213a59a6fb7a5380d5f15e4b23c38 src/twinkle/advantage/gae.py:GAEAdvantage.__call__", criticNeeded),
	}
}

// twinkleGRPO is GRPO unless every group has one sample: then nothing is compared
// within a group, but with the batch, if that has others.
func twinkleGRPO(dst []float64, b Batch, s Scale) error {
	switch {
	case largestGroup(b.Offsets) != 1:
		return grpo(twinkleEps).advantages(dst, b, s)
	case s == ScaleGroup:
		return rewardItself(dst, b, s)
	case len(dst) == 1:
		s = ScaleNone
	}
	return groupwise{baseline: batchMean, eps: twinkleEps}.advantages(dst, b, s)
}

// refuseAsTwinkle returns f with twinkle's exceptions: first for missing rewards, since
// the list becomes a tensor first; then for groups that are no matrix of at least least
// columns.
func refuseAsTwinkle(f formula, least int) formula {
	return func(dst []float64, b Batch, s Scale) error {
		_ = f(dst, b, s) // refuses nothing
		if groups := groupsWithMissing(b); groups != nil {
			return &Refusal{Kind: "TypeError", Text: "must be real number, not NoneType", Groups: groups}
		}
		if groups := raggedGroups(b.Offsets, least); groups != nil {
			return &Refusal{Kind: "ValueError", Text: "Invalid", Groups: groups}
		}
		return nil
	}
}
