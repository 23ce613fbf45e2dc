package estimators

import "math"

const docTrinityGrouped = "Groups may differ in size. NaN makes its group NaN."

// trinity is Trinity-RFT.
func trinity() []*Estimator {
	const (
		code = "modelscope/Trinity-RFT trinity-rft@0.6.0 trinity/algorithm/advantage_fn/"
		args = "algorithm.advantage_fn_args."
	)
	stdLevel := scaleByName(args+"std_cal_level", ScaleGroup, ScaleBatch)
	shift := Option{Key: args + "baseline_shift", Kind: anyNumber(), Default: "-0.1", Meaning: "added to the mean before it is subtracted"}
	baseline := Option{
		Key: args + "opmd_baseline", Kind: OneOf("mean", "logavgexp"), Default: "mean",
		Meaning: "what is subtracted: the mean, or the soft maximum of temperature tau",
	}
	tau := Option{
		Key: args + "tau", Kind: Number(1e-6, math.Inf(1)), Default: "1",
		Meaning: "temperature of logavgexp: near 0 it is the largest reward, at infinity the mean",
	}
	drop := Option{
		Key: args + "drop", Kind: OneOf("none", "balance"), Default: "none",
		Meaning: "balance leaves out as many samples below the mean as there are more of them than at or above it; Trinity draws which, here it is the last ones",
	}
	perStep := Option{Key: args + "enable_step_norm", Kind: Switch(), Default: "false", Meaning: "divide by the number of steps of the trajectory"}
	threshold := Option{
		Key: args + "std_threshold", Kind: NumberOrNone(0, math.Inf(1)), Default: "none",
		Meaning: "leave out groups whose standard deviation is not above it, and those of one trajectory",
	}
	omega := Option{Key: args + "omega", Kind: anyNumber(), Default: "1", Meaning: "factor of the comparison of equal states"}
	gamma := Option{Key: args + "gamma", Kind: Number(0, 1), Default: "1", Meaning: "discount per step of a trajectory"}
	return []*Estimator{
		{
			Entry: Entry{
				Name: "grpo", Formula: "A = (r − μ) / (s + 1e-6), s of the group or of the batch",
				Source: code + "grpo_advantage.py:GRPOGroupedAdvantage.process",
				Doc: "s has ddof 1. A single-sample group has μ 0 and, under scale group, s 1. Equal rewards give 0 or float32 rounding error " +
					"over s + 1e-6 (eight of 10.1: +0.47). rank_penalty is off. " + docTrinityGrouped,
				Options: []Option{stdLevel},
			},
			Scales: []Scale{ScaleGroup, ScaleBatch}, CanFilter: true,
			Advantage: trinityGRPO().advantages,
		},
		// drop = balance makes a filter of its own.
		configured(Estimator{
			Entry: Entry{
				Name: "rec", Formula: "A = r − μ; group: (r − μ) / (s + 1e-6)",
				Source: code + "rec_advantage.py:RECGroupedAdvantage.calculate_group_advantage",
				Doc: "s has ddof 0. A single-sample group raises UnboundLocalError. Equal rewards give 0 or float32 rounding error. With drop = " +
					"balance μ and s are those of the samples that stay, the others get 0; which of those below the mean go is drawn by " +
					"Trinity and here the last ones, which changes no advantage where their rewards are equal. " + docTrinityGrouped,
			},
			Scales: []Scale{ScaleNone, ScaleGroup}, CanFilter: true,
		}, func(e *Estimator, v Values) {
			w := rec{balance: v.Text(drop.Key) == "balance"}
			e.Advantage = w.advantages
			if w.balance {
				e.selects, e.Draws, e.CanFilter = w.selects, true, false
			}
		}, drop, Option{
			Key: args + "std_normalize", Kind: Switch(), Default: "false", Meaning: "divide by the standard deviation: true is scale group, false scale none",
			Selects: map[string]Selection{"true": {Scale: ScaleGroup}, "false": {Scale: ScaleNone}},
		}),
		configurable(Estimator{
			Entry: Entry{
				Name: "asymre", Formula: "A = r − (μ − 0.1)",
				Source: code + "asymre_advantage.py:ASYMREGroupAdvantage.calculate_group_advantage",
				Doc: "Every sample of a group gets 0.1 more than its centred reward, so equal rewards train as if they were good. A single-sample group " +
					"gets its raw reward. " + docTrinityGrouped,
			},
			CanFilter: true,
		}, func(v Values) formula { return minusBaseline(shiftedMean(float32(v.Number(shift.Key)))) }, shift),
		configured(Estimator{
			Entry: Entry{
				Name: "opmd", Formula: "A = r − μ; opmd_baseline logavgexp: r − τ · log mean exp(r/τ)",
				Source: code + "opmd_advantage.py:OPMDGroupAdvantage.calculate_group_advantage",
				Doc: "logavgexp is a soft maximum, so most samples of a group are pushed down. A single-sample group gets its raw reward. Equal " +
					"rewards give 0 or float32 rounding error. Exponentials and logarithms are rounded correctly here and not always " +
					"in PyTorch: logavgexp agrees to 1e-5. " + docTrinityGrouped,
			},
			CanFilter: true,
		}, func(e *Estimator, v Values) {
			e.Advantage = minusBaseline(shiftedMean(0))
			if v.Text(baseline.Key) == "logavgexp" {
				e.Advantage, e.Tolerance = minusBaseline(logAvgExp(float32(v.Number(tau.Key)))), 1e-5
			}
		}, baseline, tau),
		{
			Entry: Entry{
				Name: "reinforce", Formula: "A = r",
				Source: code + "reinforce_advantage.py:REINFORCEGroupAdvantage.calculate_group_advantage",
				Doc:    "No baseline: groups do not count, and a group of equal rewards trains. NaN stays.",
			},
			Advantage: rewardItself,
		},
		configured(Estimator{
			Entry: Entry{
				Name:    "step_wise_grpo",
				Formula: "A = (r − μ) / (s + 1e-6) of the trajectory, r that of its last sample; s of the group or of the batch",
				Source:  code + "multi_step_grpo_advantage.py:StepWiseGRPOAdvantageFn.process",
				Doc: "The samples are steps; μ and s, ddof 1, count each trajectory once. A group of one trajectory has μ 0 and, under " +
					"scale group, s 1. " + docTrinityGrouped,
				Options: []Option{stdLevel},
			},
			Scales: []Scale{ScaleGroup, ScaleBatch}, Needs: Needs{Columns: Columns(Run)}, Outputs: EachOutput,
		}, func(e *Estimator, v Values) {
			w := stepwise{grpo: trinityGRPO(), perStep: v.Bool(perStep.Key), threshold: v.Optional(threshold.Key)}
			e.Advantage, e.selects = w.advantages, nil
			if w.threshold != nil {
				e.selects = w.selects
			}
		}, perStep, threshold),
		// The scale is fnorm: std or none.
		configurable(Estimator{
			Entry: Entry{
				Name:    "gigpo",
				Formula: "A = norm(Σ step rewards) of the trajectories of a group + ω · norm(R) of equal states; norm(x) = (x − mean) / (1 + 1e-6); group: / (s + 1e-6)",
				Source:  code + "gigpo_advantage.py:GiGPOAdvantageFn.process",
				Doc: "The samples are steps, R the discounted step rewards from the step on. A trajectory without step rewards has its " +
					"reward at the last step. s has ddof 1. A group of one trajectory has norm x/(1 + 1e-6), a state that comes once 0. " +
					"States are compared across groups. Agrees to 1e-6, since sums over a state go by the order of the batch.",
			},
			Scales: []Scale{ScaleNone, ScaleGroup}, DependsOnBatch: true, Tolerance: 1e-6,
			Needs: Needs{Columns: Columns(Run, RunStep, State), Optional: Columns(StepReward)}, Outputs: EachOutput,
		}, func(v Values) formula { return trinityGiGPO{v.Number(omega.Key), v.Number(gamma.Key)}.advantages }, omega, gamma, Option{
			Key: args + "fnorm", Kind: OneOf("none", "std"), Default: "none", Meaning: "what the comparisons are divided by: none is scale none, std scale group",
			Selects: map[string]Selection{"none": {Scale: ScaleNone}, "std": {Scale: ScaleGroup}},
		}),
	}
}

func trinityGRPO() groupwise { return groupwise{eps: 1e-6, ofOne: oneMean0Std1} }
