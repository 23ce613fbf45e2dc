package estimators

const rollEps = 1e-6

// roll is Alibaba's ROLL.
func roll() []*Estimator {
	const (
		code        = "alibaba/ROLL@8eb27cc2dc34c4d1310b169d9b86d339004d811a roll/"
		normCode    = code + "utils/functionals.py:reward_norm"
		advCode     = code + "utils/functionals.py:compute_advantage"
		agenticCode = code + "pipeline/agentic/utils.py:agentic_reward_norm"
	)
	meanType := Option{
		Key: "norm_mean_type", Kind: OneOf("group", "batch", "none"), Default: "group",
		Meaning: "what is subtracted: the mean of the group, of the batch (the entry reward_norm_batch), or nothing",
		Selects: map[string]Selection{"batch": {Estimator: "reward_norm_batch"}},
	}
	stdType := scaleByName("norm_std_type", ScaleGroup, ScaleBatch, ScaleNone)
	agenticMean := Option{
		Key: "reward_normalization.norm_mean_type", Kind: OneOf("group", "batch"), Default: "group",
		Meaning: "subtract the mean of the group or of the batch",
	}
	episodeWeight := Option{Key: "episode_reward_weight", Kind: anyNumber(), Default: "1", Meaning: "factor of the comparison of whole trajectories"}
	stepWeight := Option{Key: "step_reward_weight", Kind: anyNumber(), Default: "1", Meaning: "factor of the comparison of equal states"}
	stepGamma := Option{Key: "step_reward_gamma", Kind: Number(0, 1), Default: "0.95", Meaning: "discount per step of a trajectory"}
	return []*Estimator{
		// adv_estimator grpo, which forces norm_mean_type and norm_std_type to group.
		{
			Entry: Entry{
				Name: "grpo", Formula: "A = (r − μ) / (s + 1e-6)", Source: normCode,
				Doc: "s has ddof 1. A single-sample group gives NaN. Equal rewards give 0 or rounding error over s + 1e-6 (eight of 10.1: +0.95). " +
					"Groups of different sizes raise RuntimeError. NaN makes its group NaN. reward_clip is off.",
			},
			Scales: []Scale{ScaleGroup}, CanFilter: true,
			Advantage: rollNorm(groupMean),
		},
		// adv_estimator reinforce with norm_mean_type group; the scale is norm_std_type.
		configurable(Estimator{
			Entry: Entry{
				Name: "reward_norm", Formula: "A = (r − μ) / (s + 1e-6), s of the group or of the batch; none: r − μ",
				Source: normCode,
				Doc: "s has ddof 1. A single-sample group gives NaN (group). Groups of different sizes raise RuntimeError. NaN makes its group " +
					"NaN. reward_clip is off.",
				Options: []Option{stdType},
			},
			Scales: []Scale{ScaleGroup, ScaleBatch, ScaleNone}, CanFilter: true,
		}, func(v Values) formula {
			if v.Text(meanType.Key) == "none" {
				return rollNorm(noBaseline)
			}
			return rollNorm(groupMean)
		}, meanType),
		// adv_estimator reinforce with mean and standard deviation of the batch.
		{
			Entry: Entry{
				Name: "reward_norm_batch", Formula: "A = (r − mean) / (s + 1e-6), both of the batch; none: r − mean",
				Source: normCode,
				Doc: "s has ddof 1. Groups do not count. (batch, group) is broken in the framework: it returns a matrix. NaN makes all " +
					"NaN.",
				Options: []Option{scaleByName("norm_std_type", ScaleBatch, ScaleNone)},
			},
			Scales: []Scale{ScaleBatch, ScaleNone}, DependsOnBatch: true,
			Advantage: groupwise{baseline: batchMean, eps: rollEps}.advantages,
		},
		// agentic_reward_norm, grouping by traj_group_id.
		{
			Entry: Entry{
				Name: "agentic_reward_norm", Formula: "A = (r − μ) / (s + 1e-6) if n > 1 and s > 1e-6, else 0; none: r − μ",
				Source:  agenticCode,
				Doc:     "s has ddof 1. A single-sample group gets 0. Groups may differ in size. NaN makes its group 0.",
				Options: []Option{agenticMean, scaleByName("reward_normalization.norm_std_type", ScaleGroup, ScaleBatch, ScaleNone)},
			},
			Scales: []Scale{ScaleGroup, ScaleBatch, ScaleNone}, CanFilter: true,
			configure: func(e *Estimator, v Values) {
				if v.Text(agenticMean.Key) == "batch" {
					e.DependsOnBatch = true
					e.Advantage = groupwise{baseline: batchMean, eps: rollEps, zeroIfFlat: true}.advantages
				}
			},
			Advantage: groupwise{eps: rollEps, zeroIfFlat: true}.advantages,
		},
		// adv_estimator gigpo, grouping by traj_group_id; the scale is reward_normalization.method.
		configurable(Estimator{
			Entry: Entry{
				Name:    "gigpo",
				Formula: "A = norm(r) of the group + norm(Σ 0.95^k · step reward) of equal states; norm(x) = x − mean; group: (x − mean) / (s + 1e-6)",
				Source:  code + "pipeline/agentic/utils.py:compute_response_level_rewards",
				Doc: "The samples are steps, and r is the score of their whole trajectory, which so counts once for each of its steps. " +
					"s has ddof 1; where it is not above 1e-6, and for one sample, norm is 0. States are compared across groups. " +
					"Agrees to 1e-6, since sums over a state go by the order of the batch.",
			},
			Scales: []Scale{ScaleNone, ScaleGroup}, DependsOnBatch: true, Tolerance: 1e-6,
			Needs: Needs{Columns: Columns(Run, RunStep, State, StepReward)},
		}, func(v Values) formula {
			return rollGiGPO{float32(v.Number(episodeWeight.Key)), float32(v.Number(stepWeight.Key)), float32(v.Number(stepGamma.Key))}.advantages
		}, episodeWeight, stepWeight, stepGamma, Option{
			Key: "reward_normalization.method", Kind: OneOf("mean", "mean_std"), Default: "mean", Meaning: "mean is scale none, mean_std scale group",
			Selects: map[string]Selection{"mean": {Scale: ScaleNone}, "mean_std": {Scale: ScaleGroup}},
		}),
		// adv_estimator reinforce with whiten_advantages and no reward_norm.
		tokenWhitened(Estimator{
			Entry: Entry{
				Name: "reinforce_whiten_advantages", Formula: "A = (r − m) / √(v + 1e-8), m and v over response tokens",
				Source: advCode,
				Doc:    docWhitenedRewards + "ddof 1. NaN makes all NaN.",
			},
			Advantage: maskedWhiten().after(rewardItself),
		}),
		// adv_estimator reinforce with whiten_advantages, on rewards centred by group.
		tokenWhitened(Estimator{
			Entry: Entry{
				Name:    "reinforce_whiten_advantages_group",
				Formula: "a = r − μ; A = (a − m) / √(v + 1e-8), m and v over response tokens", Source: advCode,
				Doc: docWhitenedCentred + "ddof 1. Groups of different sizes raise RuntimeError. NaN makes all NaN.",
			},
			Advantage: maskedWhiten().after(refuseRagged(withScale(grpo(0).advantages, ScaleNone))),
		}),
	}
}

func rollNorm(from baseline) formula {
	return refuseRagged(groupwise{baseline: from, eps: rollEps, asMatrix: true}.advantages)
}
