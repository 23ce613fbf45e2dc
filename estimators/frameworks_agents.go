package estimators

import (
	"math"
)

const rollEps = 1e-6

func roll() []*Estimator {
	const (
		code        = "alibaba/ROLL@8eb27cc2dc34c4d1310b169d9b86d339004d811a roll/"
		normCode    = code + "utils/functionals.py:reward_norm"
		advCode     = code + "utils/functionals.py:compute_advantage"
		agenticCode = code + "pipeline/agentic/utils.py:agentic_reward_norm"
	)
	meanType := Option{
		Key: "norm_mean_type", Kind: OneOf("group", "batch", "none"), Default: "group",
		Meaning: "the baseline: the mean of the group, of the batch (the entry reward_norm_batch), or nothing",
		Selects: map[string]Selection{"batch": {Estimator: "reward_norm_batch"}},
	}
	stdType := scaleByName("norm_std_type", ScaleGroup, ScaleBatch, ScaleNone)
	agenticMean := OneOf("group", "batch").Option("reward_normalization.norm_mean_type", "group",
		"subtract the mean of the group or of the batch")
	episodeWeight := Option{
		Key: "episode_reward_weight", Kind: anyNumber(), Default: "1", Meaning: "factor of the comparison of whole trajectories",
	}
	stepWeight := Option{Key: "step_reward_weight", Kind: anyNumber(), Default: "1", Meaning: "factor of the comparison of equal states"}
	stepGamma := Option{Key: "step_reward_gamma", Kind: Number(0, 1), Default: "0.95", Meaning: "discount per step of a trajectory"}
	return []*Estimator{
		// adv_estimator grpo, which forces norm_mean_type and norm_std_type to group.
		about("grpo", "A = (r − μ) / (s + 1e-6)", normCode,
			"s has ddof 1. A single-sample group gives NaN. Equal rewards give 0 or rounding error over s + 1e-6 (eight of 10.1: +0.95). "+
				"Groups of different sizes raise RuntimeError. NaN makes its group NaN. reward_clip is off.").
			by(Estimator{Scales: []Scale{ScaleGroup}, CanFilter: true, Advantage: rollNorm(groupMean)}),
		// adv_estimator reinforce with norm_mean_type group; the scale is norm_std_type.
		about("reward_norm", "A = (r − μ) / (s + 1e-6), s of the group or of the batch; none: r − μ", normCode,
			"s has ddof 1. A single-sample group gives NaN (group). Groups of different sizes raise RuntimeError. NaN makes its group "+
				"NaN. reward_clip is off.").with(stdType).
			by(Estimator{Scales: []Scale{ScaleGroup, ScaleBatch, ScaleNone}, CanFilter: true}).configurable(func(v Values) formula {
			if v.Text(meanType.Key) == "none" {
				return rollNorm(noBaseline)
			}
			return rollNorm(groupMean)
		}, meanType),
		// adv_estimator reinforce with mean and standard deviation of the batch.
		about("reward_norm_batch", "A = (r − mean) / (s + 1e-6), both of the batch; none: r − mean", normCode,
			"s has ddof 1. Groups do not count. (batch, group) is broken in the framework: it returns a matrix. NaN makes all NaN.").
			with(scaleByName("norm_std_type", ScaleBatch, ScaleNone)).
			by(Estimator{
				Scales: []Scale{ScaleBatch, ScaleNone}, DependsOnBatch: true,
				Advantage: groupwise{baseline: batchMean, eps: rollEps}.advantages,
			}),
		// agentic_reward_norm, grouping by traj_group_id.
		about("agentic_reward_norm", "A = (r − μ) / (s + 1e-6) if n > 1 and s > 1e-6, else 0; none: r − μ", agenticCode,
			"s has ddof 1. A single-sample group gets 0. Groups may differ in size. NaN makes its group 0.").
			with(agenticMean, scaleByName("reward_normalization.norm_std_type", ScaleGroup, ScaleBatch, ScaleNone)).
			by(Estimator{
				Scales: []Scale{ScaleGroup, ScaleBatch, ScaleNone}, CanFilter: true,
				configure: func(e *Estimator, v Values) {
					if v.Text(agenticMean.Key) == "batch" {
						e.DependsOnBatch = true
						e.Advantage = groupwise{baseline: batchMean, eps: rollEps, zeroIfFlat: true}.advantages
					}
				},
				Advantage: groupwise{eps: rollEps, zeroIfFlat: true}.advantages,
			}),
		// adv_estimator gigpo, grouping by traj_group_id; the scale is reward_normalization.method.
		about("gigpo", "A = norm(r) of the group + norm(Σ 0.95^k · step reward) of equal states; norm(x) = x − mean; "+
			"group: (x − mean) / (s + 1e-6)",
			code+"pipeline/agentic/utils.py:compute_response_level_rewards",
			"The samples are steps, and r is the score of their whole trajectory, which so counts once for each of its steps. "+
				"s has ddof 1; where it is not above 1e-6, and for one sample, norm is 0. States are compared across groups. "+
				"Agrees to 1e-6, since sums over a state go by the order of the batch.").
			by(Estimator{
				Scales: []Scale{ScaleNone, ScaleGroup}, DependsOnBatch: true, Tolerance: 1e-6,
				Needs: Needs{Columns: Columns(Run, RunStep, State, StepReward)},
			}).configurable(func(v Values) formula {
			return rollGiGPO{
				float32(v.Number(episodeWeight.Key)), float32(v.Number(stepWeight.Key)),
				float32(v.Number(stepGamma.Key)),
			}.advantages
		}, episodeWeight, stepWeight, stepGamma, Option{
			Key: "reward_normalization.method", Kind: OneOf("mean", "mean_std"), Default: "mean", Meaning: "mean is scale none, mean_std " +
				"scale group",
			Selects: map[string]Selection{"mean": {Scale: ScaleNone}, "mean_std": {Scale: ScaleGroup}},
		}),
		// adv_estimator reinforce with whiten_advantages and no reward_norm.
		about("reinforce_whiten_advantages", "A = (r − m) / √(v + 1e-8), m and v over response tokens", advCode,
			docWhitenedRewards+"ddof 1. NaN makes all NaN.").
			by(Estimator{Advantage: maskedWhiten().after(rewardItself)}).whitened(),
		// adv_estimator reinforce with whiten_advantages, on rewards centred by group.
		about("reinforce_whiten_advantages_group", "a = r − μ; A = (a − m) / √(v + 1e-8), m and v over response tokens",
			advCode,
			docWhitenedCentred+"ddof 1. Groups of different sizes raise RuntimeError. NaN makes all NaN.").
			by(Estimator{Advantage: maskedWhiten().after(refuseRagged(withScale(grpo(0).advantages, ScaleNone)))}).whitened(),
	}
}

func rollNorm(from baseline) formula {
	return refuseRagged(groupwise{baseline: from, eps: rollEps, asMatrix: true}.advantages)
}

// areal is AReaL. The entries are reward_norm with other options, and adv_norm.
func areal() []*Estimator {
	const (
		code      = "inclusionAI/AReaL@4aef98d8d818af55b43621aaadba047ae10f4e77 areal/"
		normCode  = code + "utils/data.py:Normalization.__call__"
		docInside = "Rewards are clipped to ±20 first (reward_bias 0, reward_scaling 1). float64 inside. Groups are blocks of the usual " +
			"size by position; rows beyond the last whole block are divided by 1e-5 alone (group). NaN makes its group NaN."
	)
	return []*Estimator{
		// mean_level group; the scale is std_level.
		about("reward_norm", "A = (x − μ) / (s + 1e-5), x = clip(r, ±20), s of the group or of the batch; none: x − μ",
			normCode,
			"s has ddof 1, around the means of the groups. A single-sample group gets 0. "+docInside).
			by(Estimator{
				Scales: []Scale{ScaleGroup, ScaleBatch, ScaleNone}, DependsOnBatch: true, CanFilter: true,
				Advantage: rewardNorm{}.advantages,
			}),
		// std_unbiased=False.
		about("reward_norm_biased", "A = (x − μ) / (s + 1e-5), x = clip(r, ±20)", normCode,
			"As reward_norm, but s has ddof 0. "+docInside).
			by(Estimator{
				Scales: []Scale{ScaleGroup, ScaleBatch}, DependsOnBatch: true, CanFilter: true,
				Advantage: rewardNorm{ddof0: true}.advantages,
			}),
		// mean_level and std_level batch.
		about("reward_norm_batch", "A = (x − mean) / (s + 1e-5), both of the batch, x = clip(r, ±20); none: x − mean",
			normCode,
			"s has ddof 1. "+docInside).
			by(Estimator{
				Scales: []Scale{ScaleBatch, ScaleNone}, DependsOnBatch: true, Advantage: rewardNorm{meanOfBatch: true}.advantages,
			}),
		// mean_leave1out.
		about("reward_norm_leave_one_out", "A = x − mean of the others, x = clip(r, ±20)", normCode,
			"A single-sample group gets x. "+docInside).
			by(Estimator{DependsOnBatch: true, Advantage: rewardNorm{leaveOut: true}.advantages}),
		// reward_norm with the mean of the group, then adv_norm over the tokens of the batch.
		about("adv_norm_batch", "a = x − μ; A = (a − m) / (√v + 1e-5), m and v over response tokens",
			code+"trainer/ppo/actor.py:_compute_advantages",
			"v has ddof 1. mean_leave1out would leave out a token, not a sample. Summed in float64 here: agrees to 1e-4. "+
				docInside).
			by(Estimator{Advantage: whitening{eps: 1e-5, epsOutsideRoot: true}.after(withScale(rewardNorm{}.advantages, ScaleNone))}).
			whitened(),
	}
}

const docTrinityGrouped = "Groups may differ in size. NaN makes its group NaN."

func trinity() []*Estimator {
	const (
		code = "modelscope/Trinity-RFT trinity-rft@0.6.0 trinity/algorithm/advantage_fn/"
		args = "algorithm.advantage_fn_args."
	)
	stdLevel := scaleByName(args+"std_cal_level", ScaleGroup, ScaleBatch)
	shift := Option{Key: args + "baseline_shift", Kind: anyNumber(), Default: "-0.1", Meaning: "added to the mean before it is subtracted"}
	baseline := OneOf("mean", "logavgexp").Option(args+"opmd_baseline", "mean",
		"the baseline: the mean, or the soft maximum of temperature tau")
	tau := Number(1e-6, math.Inf(1)).Option(args+"tau", "1",
		"temperature of logavgexp: near 0 it is the largest reward, at infinity the mean")
	drop := OneOf("none", "balance").Option(args+"drop", "none",
		"balance leaves out as many samples below the mean as there are more of them than at or above it; Trinity draws which, here it "+
			"is the last ones")
	perStep := Option{
		Key: args + "enable_step_norm", Kind: Switch(), Default: "false", Meaning: "divide by the number of steps of the trajectory",
	}
	threshold := NumberOrNone(0, math.Inf(1)).Option(args+"std_threshold", "none",
		"leave out groups whose standard deviation is not above it, and those of one trajectory")
	stdNormalize := divideByStd(args + "std_normalize")
	stdNormalize.Default = "false"
	omega := Option{Key: args + "omega", Kind: anyNumber(), Default: "1", Meaning: "factor of the comparison of equal states"}
	gamma := Option{Key: args + "gamma", Kind: Number(0, 1), Default: "1", Meaning: "discount per step of a trajectory"}
	return []*Estimator{
		about("grpo", "A = (r − μ) / (s + 1e-6), s of the group or of the batch",
			code+"grpo_advantage.py:GRPOGroupedAdvantage.process",
			"s has ddof 1. A single-sample group has μ 0 and, under scale group, s 1. Equal rewards give 0 or float32 rounding error "+
				"over s + 1e-6 (eight of 10.1: +0.47). rank_penalty is off. "+docTrinityGrouped).with(stdLevel).
			by(Estimator{Scales: []Scale{ScaleGroup, ScaleBatch}, CanFilter: true, Advantage: trinityGRPO().advantages}),
		// drop = balance makes a filter of its own.
		about("rec", "A = r − μ; group: (r − μ) / (s + 1e-6)",
			code+"rec_advantage.py:RECGroupedAdvantage.calculate_group_advantage",
			"s has ddof 0. A single-sample group raises UnboundLocalError. Equal rewards give 0 or float32 rounding error. With drop = "+
				"balance μ and s are those of the samples that stay, the others get 0; which of those below the mean go is drawn by "+
				"Trinity and here the last ones, which changes no advantage where their rewards are equal. "+docTrinityGrouped).
			by(Estimator{Scales: []Scale{ScaleNone, ScaleGroup}, CanFilter: true}).configured(func(e *Estimator, v Values) {
			w := rec{balance: v.Text(drop.Key) == "balance"}
			e.Advantage = w.advantages
			if w.balance {
				e.selects, e.Draws, e.CanFilter = w.selects, true, false
			}
		}, drop, stdNormalize),
		about("asymre", "A = r − (μ − 0.1)", code+"asymre_advantage.py:ASYMREGroupAdvantage.calculate_group_advantage",
			"Every sample of a group gets 0.1 more than its centred reward, so equal rewards train as if they were good. A "+
				"single-sample group gets its raw reward. "+docTrinityGrouped).
			by(Estimator{CanFilter: true}).
			configurable(func(v Values) formula { return minusBaseline(shiftedMean(float32(v.Number(shift.Key)))) }, shift),
		about("opmd", "A = r − μ; opmd_baseline logavgexp: r − τ · log mean exp(r/τ)",
			code+"opmd_advantage.py:OPMDGroupAdvantage.calculate_group_advantage",
			"logavgexp is a soft maximum, so most samples of a group are pushed down. A single-sample group gets its raw reward. Equal "+
				"rewards give 0 or float32 rounding error. Exponentials and logarithms are rounded correctly here and not always "+
				"in PyTorch: logavgexp agrees to 1e-5. "+docTrinityGrouped).
			by(Estimator{CanFilter: true}).configured(func(e *Estimator, v Values) {
			e.Advantage = minusBaseline(shiftedMean(0))
			if v.Text(baseline.Key) == "logavgexp" {
				e.Advantage, e.Tolerance = minusBaseline(logAvgExp(float32(v.Number(tau.Key)))), 1e-5
			}
		}, baseline, tau),
		about("reinforce", "A = r", code+"reinforce_advantage.py:REINFORCEGroupAdvantage.calculate_group_advantage",
			"No baseline: groups do not count, and a group of equal rewards trains. NaN stays.").
			by(Estimator{Advantage: rewardItself}),
		about("step_wise_grpo", "A = (r − μ) / (s + 1e-6) of the trajectory, r that of its last sample; s of the group or of the batch",
			code+"multi_step_grpo_advantage.py:StepWiseGRPOAdvantageFn.process",
			"The samples are steps; μ and s, ddof 1, count each trajectory once. A group of one trajectory has μ 0 and, under "+
				"scale group, s 1. "+docTrinityGrouped).with(stdLevel).
			by(Estimator{Scales: []Scale{ScaleGroup, ScaleBatch}, Needs: Needs{Columns: Columns(Run)}, Outputs: EachOutput}).
			configured(func(e *Estimator, v Values) {
				w := stepwise{grpo: trinityGRPO(), perStep: v.Bool(perStep.Key), threshold: v.Optional(threshold.Key)}
				e.Advantage, e.selects = w.advantages, nil
				if w.threshold != nil {
					e.selects = w.selects
				}
			}, perStep, threshold),
		// The scale is fnorm: std or none.
		about("gigpo", "A = norm(Σ step rewards) of the trajectories of a group + ω · norm(R) of equal states; "+
			"norm(x) = (x − mean) / (1 + 1e-6); group: / (s + 1e-6)",
			code+"gigpo_advantage.py:GiGPOAdvantageFn.process",
			"The samples are steps, R the discounted step rewards from the step on. A trajectory without step rewards has its "+
				"reward at the last step. s has ddof 1. A group of one trajectory has norm x/(1 + 1e-6), a state that comes once 0. "+
				"States are compared across groups. Agrees to 1e-6, since sums over a state go by the order of the batch.").
			by(Estimator{
				Scales: []Scale{ScaleNone, ScaleGroup}, DependsOnBatch: true, Tolerance: 1e-6,
				Needs: Needs{Columns: Columns(Run, RunStep, State), Optional: Columns(StepReward)}, Outputs: EachOutput,
			}).
			configurable(func(v Values) formula {
				return trinityGiGPO{v.Number(omega.Key), v.Number(gamma.Key)}.advantages
			}, omega, gamma, Option{
				Key: args + "fnorm", Kind: OneOf("none", "std"), Default: "none", Meaning: "divisor of the comparisons: none is scale " +
					"none, std scale group",
				Selects: map[string]Selection{"none": {Scale: ScaleNone}, "std": {Scale: ScaleGroup}},
			}),
	}
}

func trinityGRPO() groupwise { return groupwise{eps: 1e-6, ofOne: oneMean0Std1} }

// rlinf is RLinf; the names are those of algorithm.adv_type.
func rlinf() []*Estimator {
	const code = "RLinf/RLinf@v0.3.0 rlinf/algorithms/advantages.py:"
	return []*Estimator{
		about("grpo", "A = (r − μ) / (s + 1e-6)", code+"compute_grpo_advantages",
			"s has ddof 1. A single-sample group gives NaN. Equal rewards give 0 or float32 rounding error over s + 1e-6. Groups of "+
				"different sizes raise RuntimeError. NaN makes its group NaN.").
			by(Estimator{Scales: []Scale{ScaleGroup}, CanFilter: true, Advantage: refuseRagged(grpo(1e-6).advantages)}),
		// grpo_dynamic with algorithm.advantage_mode turn, the default.
		about("grpo_dynamic", "A = (r − μ) / (s + 1e-6), over the rows of a question",
			code+"compute_grpo_dynamic_advantages",
			"Rows are turns, rollouts trajectories. s has ddof 1. A single row or trajectory is NaN. Groups may differ in the "+
				"number of rows. NaN makes its group NaN.").
			by(Estimator{Scales: []Scale{ScaleGroup}, CanFilter: true, Outputs: ByRollout}).configurable(func(v Values) formula {
			if v.Text("algorithm.advantage_mode") == "turn" {
				return groupwise{eps: 1e-6}.advantages
			}
			return rolloutMeans(grpo(1e-6).advantages)
		}, Option{
			Key: "algorithm.advantage_mode", Kind: OneOf("turn", "trajectory"), Default: "turn",
			Refusal: "Invalid advantage_mode: %s. Must be 'trajectory' or 'turn'",
			Meaning: "turn: mean and standard deviation over all rows of a question; trajectory: over the mean rewards of its " +
				"trajectories",
		}),
		about("reinpp", "A = (r − m) / √max(v, 1e-8), m and v over response tokens", code+"compute_reinpp_advantages",
			docWhitenedRewards+"ddof 0. The framework places the reward by the mask of another row where masks begin at "+
				"different positions; here every token of a sample has its reward. NaN makes all NaN.").
			by(Estimator{Advantage: flooredWhiten().after(rewardItself)}).whitened(),
		notComputable("gae", formulaGAE, code+"compute_gae_advantages_and_returns", criticNeeded),
	}
}

// rllm is rLLM; the names are those of rllm.algorithm.adv_estimator.
func rllm() []*Estimator {
	const (
		code  = "rllm-org/rllm@9beb6e0f676a46d38858991fd79ac5f8e0b16d4c rllm/trainer/algorithms/"
		docNP = "numpy float64, ddof 0. Groups may differ in size. "
	)
	raw := population{eps: 1e-6, rawOfOne: true}
	return []*Estimator{
		about("grpo", "A = (r − μ) / (s + 1e-6); none: r − μ", code+"rl_algo.py:calculate_grpo_advantages_per_group",
			docNP+"A single-sample group has μ 0 and s 1. Equal rewards give 0 or float64 rounding error. NaN makes its group NaN.").
			with(divideByStd("rllm.algorithm.norm_adv_by_std_in_grpo")).
			by(Estimator{Scales: []Scale{ScaleGroup, ScaleNone}, CanFilter: true, Float: Float64, Advantage: raw.advantages}),
		about("rloo", "A = n/(n − 1) · (r − μ)", code+"rl_algo.py:calculate_rloo_advantages_per_group",
			docNP+"A single-sample group gets its raw reward. NaN makes its group NaN.").
			by(Estimator{Float: Float64, Advantage: perGroup64(rloo64{}.advantages)}),
		about("prpo", "A = (r − mean) / (s + 1e-6), both of the batch", code+"advantage.py:calculate_prpo_advantages",
			docNP+"Groups do not count: the batch is all groups of one role. NaN makes all NaN.").
			by(Estimator{Scales: []Scale{ScaleBatch}, Float: Float64, Advantage: population{eps: 1e-6}.batchWide}),
		about("reinforce_plus_plus_baseline", "a = r − μ; A = a / (s_a + 1e-6), s_a of the batch",
			code+"advantage.py:calculate_reinforce_plus_plus_baseline_advantages",
			docNP+"A single-sample group gets 0. No weighting by tokens, unlike the REINFORCE++ of others. The batch is all groups "+
				"of one role. NaN makes all NaN.").
			by(Estimator{Scales: []Scale{ScaleBatch}, Float: Float64, Advantage: population{eps: 1e-6}.batchStd}),
		about("reinforce", "A = r", code+"advantage.py:calculate_reinforce_advantages",
			"The reward itself; groups do not count. NaN stays with its sample.").
			by(Estimator{Float: Float64, Advantage: rewardItself}),
	}
}

// torchtitan is the estimator of torchtitan's RL; the scale is should_std_normalize.
func torchTitan() []*Estimator {
	byStd := Option{
		Key: "advantage.should_std_normalize", Kind: Switch(), Default: "false", Meaning: "divide by the standard deviation: true is " +
			"scale group, false scale none",
		Selects: map[string]Selection{"true": {Scale: ScaleGroup}, "false": {Scale: ScaleNone}},
	}
	return []*Estimator{
		about("centered", "A = r − Σr/n; group: (r − Σr/n) / (s + 1e-6)",
			"pytorch/torchtitan@b5bcd76c66d0acb1a08b176d9639425bc55e0b2a "+
				"torchtitan/experiments/rl/rollout/advantage.py:AdvantageEstimator.__call__",
			"Python floats (float64), summed from left to right as up to Python 3.11; s has ddof 0 and is exact there, so that scale "+
				"group agrees to 1e-12. A single-sample group gets 0; equal rewards 0 or a residue. Groups may differ in size. NaN makes "+
				"its group NaN; with scale group the trainer raises AttributeError.").with(byStd).
			by(Estimator{
				Scales: []Scale{ScaleNone, ScaleGroup}, CanFilter: true, Float: Float64, Tolerance: 1e-12,
				Advantage: perGroup64(func(dst, r []float64, s Scale) { pythonGRPO(dst, r, s != ScaleNone) }),
			}),
	}
}

func areno() []*Estimator {
	return []*Estimator{
		about("grpo", "A = (r − μ) / (s + 1e-8)",
			"inclusionAI/AReno@cec61a39ba9990d40c3cb42922908cc65b1a79ea areno/api/rewards.py:compute_group_advantages",
			"GRPO and GSPO. numpy float32, s of a population (ddof 0). A single-sample group gets 0. Equal rewards give 0 or float32 "+
				"rounding error over s + 1e-8. Groups may differ in size. NaN makes its group NaN.").
			by(Estimator{Scales: []Scale{ScaleGroup}, CanFilter: true, Advantage: numpy32{eps: 1e-8}.advantages}),
	}
}
