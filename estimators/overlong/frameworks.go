package overlong

import (
	"math"

	"vantage/estimators"
)

// tokens is an option that takes a number of tokens and has no default.
func tokens(key, meaning string, aliases ...string) estimators.Option {
	return estimators.Option{Key: key, Aliases: aliases, Kind: estimators.OrNone(estimators.Count(0)), Default: "none", Meaning: meaning}
}

// factor is an option that multiplies the penalty.
func factor(key, preset string, aliases ...string) estimators.Option {
	kind := estimators.OrNone(estimators.Number(math.Inf(-1), math.Inf(1)))
	return estimators.Option{Key: key, Aliases: aliases, Kind: kind, Default: preset, Meaning: "penalty at the longest length"}
}

const (
	longestMeaning = "L_max, tokens of the longest response"
	bufferMeaning  = "L_buffer, tokens before L_max that have a penalty"
)

const (
	verlEnable = "reward.reward_kwargs.overlong_buffer_cfg.enable"
	verlBuffer = "reward.reward_kwargs.overlong_buffer_cfg.len"
	verlFactor = "reward.reward_kwargs.overlong_buffer_cfg.penalty_factor"
	verlMax    = "reward.reward_kwargs.max_resp_len"
)

func verl() []*Shaping {
	return []*Shaping{{
		Entry: estimators.Entry{
			Name: "dapo", Key: verlEnable, Value: "true",
			Formula: "r + min(−(l − (L_max − L_buffer)) / L_buffer · factor, 0)",
			Source:  "verl-project/verl wheel verl==0.9.1 verl/experimental/reward_loop/reward_manager/dapo.py:DAPORewardManager, verl/workers/reward_manager/dapo.py",
			Doc: "Of the reward manager dapo. float32. A response longer than L_max has a larger penalty still. " +
				"filter_groups sees the shaped reward with the metric reward, the one before with acc or score.",
			Options: []estimators.Option{
				tokens(verlBuffer, bufferMeaning, "reward_model.overlong_buffer.len", "reward_model.reward_kwargs.overlong_buffer_cfg.len"),
				factor(verlFactor, "none", "reward_model.overlong_buffer.penalty_factor", "reward_model.reward_kwargs.overlong_buffer_cfg.penalty_factor"),
				tokens(verlMax, longestMeaning, "data.max_response_length", "reward_model.reward_kwargs.max_resp_len"),
			},
		},
		ramp: func(v estimators.Values) (ramp, error) {
			longest, buffer := v.Number(verlMax), v.Number(verlBuffer)
			switch {
			case v.Text(verlMax) == "none":
				return ramp{}, assertion("max_resp_len must be provided if overlong_buffer_cfg.enable, but got None")
			case longest < buffer:
				return ramp{}, assertion("max_resp_len must be larger than overlong_buffer.len")
			case buffer == 0 && v.Text(verlBuffer) != "none":
				return ramp{}, assertion("overlong_buffer.len must be positive when overlong penalty is enabled,but got %s."+
					"To disable the overlong penalty, set overlong_buffer.enable = False", v.Text(verlBuffer))
			}
			return rampOf(longest, buffer, v.Number(verlFactor), grows, penalty32), given(v, verlBuffer, verlFactor)
		},
	}}
}

func trl() []*Shaping {
	const longest, buffer = "max_completion_len", "soft_punish_cache"
	return []*Shaping{{
		Entry: estimators.Entry{
			Name: "soft_overlong_punishment", Key: "reward_funcs", Value: "get_soft_overlong_punishment",
			Formula: "r − min((l − (L_max − L_buffer)) / L_buffer, 1) if l > L_max − L_buffer",
			Source:  "huggingface/trl wheel trl==1.16.0 trl/rewards/other_rewards.py:get_soft_overlong_punishment, trl/scripts/grpo.py",
			Doc: "A reward function of its own, added with weight 1 here, float32. Beyond L_max the penalty stays at 1. " +
				"The defaults are those of trl's scripts. TRL has no filter of groups.",
			Options: []estimators.Option{
				{Key: longest, Kind: estimators.Count(0), Default: "1280", Meaning: longestMeaning},
				{Key: buffer, Kind: estimators.Count(0), Default: "256", Meaning: bufferMeaning},
			},
		},
		ramp: func(v estimators.Values) (ramp, error) {
			return rampOf(v.Number(longest), v.Number(buffer), 1, levels, sum32), nil
		},
	}}
}

func swift() []*Shaping {
	const longest, buffer = "soft_max_length", "soft_cache_length"
	return []*Shaping{{
		Entry: estimators.Entry{
			Name: "soft_overlong", Key: "reward_funcs", Value: "soft_overlong",
			Formula: "r + min(−(l − (L_max − L_buffer)) / L_buffer, 0)",
			Source:  "modelscope/ms-swift wheel ms-swift==4.6.0 swift/rewards/orm.py:SoftOverlong, swift/arguments/rlhf_args.py",
			Doc: "A reward function of its own, added with weight 1 here, float32. A response longer than L_max has a larger penalty still. " +
				"Without soft_max_length L_max is max_completion_length. dynamic_sample sees the sum, so the shaped reward.",
			Options: []estimators.Option{
				{Key: longest, Aliases: []string{"max_completion_length"}, Kind: estimators.Count(0), Default: "512", Meaning: longestMeaning},
				tokens(buffer, bufferMeaning),
			},
		},
		ramp: func(v estimators.Values) (ramp, error) {
			switch {
			case v.Text(buffer) == "none":
				return ramp{}, assertion("The soft_cache_length must be set when using soft overlong rewards.")
			case v.Number(buffer) >= v.Number(longest):
				return ramp{}, assertion("assert args.soft_cache_length < args.soft_max_length")
			}
			return rampOf(v.Number(longest), v.Number(buffer), 1, grows, sum32), nil
		},
	}}
}

func openRLHF() []*Shaping {
	const longest, buffer, penalty = "rollout.max_new_tokens", "reward.overlong_buffer_len", "reward.overlong_penalty_factor"
	return []*Shaping{{
		Entry: estimators.Entry{
			Name: "overlong_penalty", Key: buffer,
			Formula: "r − min(l − (L_max − L_buffer), L_buffer) / L_buffer · factor if l > L_max − L_buffer",
			Source:  "OpenRLHF/OpenRLHF wheel openrlhf==0.11.2 openrlhf/trainer/ppo_utils/length_penalty.py:apply_overlong_penalty",
			Doc: "float32. Beyond L_max the penalty stays at factor. Dynamic filtering sees the scores, so the reward before. " +
				"Without rollout.max_new_tokens L_max is data.max_len, which counts the prompt too.",
			Options: []estimators.Option{
				tokens(longest, longestMeaning, "data.max_len"), tokens(buffer, bufferMeaning), factor(penalty, "1"),
			},
		},
		FilterSeesRaw: true,
		ramp: func(v estimators.Values) (ramp, error) {
			switch {
			case v.Text(longest) != "none" && v.Number(longest) < v.Number(buffer):
				return ramp{}, assertion("max_new_tokens (%s) must be >= overlong_buffer_len (%.1f)", v.Text(longest), v.Number(buffer))
			case v.Number(buffer) == 0: // what exceeds it is at most 0
				return ramp{from: math.MaxInt}, given(v, longest, buffer)
			}
			return rampOf(v.Number(longest), v.Number(buffer), v.Number(penalty), levels, sum32), given(v, longest)
		},
	}}
}

func nemoRL() []*Shaping {
	const longest, buffer, penalty = "grpo.reward_shaping.max_response_length", "grpo.reward_shaping.overlong_buffer_length", "grpo.reward_shaping.overlong_buffer_penalty"
	return []*Shaping{{
		Entry: estimators.Entry{
			Name: "reward_shaping", Key: "grpo.reward_shaping.enabled", Value: "true",
			Formula: "r + min(−(l − (L_max − L_buffer)) / L_buffer · penalty, 0)",
			Source:  "NVIDIA-NeMo/RL@7ea279abfbeb698b092856d0dab61e7cf39bc909 nemo_rl/algorithms/reward_functions.py:apply_reward_shaping",
			Doc: "float32. A response longer than L_max has a larger penalty still. use_dynamic_sampling sees the reward before. " +
				"With stop_properly_penalty_coef this shaping is off.",
			Options: []estimators.Option{tokens(longest, longestMeaning), tokens(buffer, bufferMeaning), factor(penalty, "none")},
		},
		FilterSeesRaw: true,
		ramp: func(v estimators.Values) (ramp, error) {
			switch {
			case given(v, longest, buffer, penalty) != nil:
				return ramp{}, &estimators.Refusal{Kind: "ValueError", Text: "Reward function is enabled but only DAPO reward shaping is currently supported. " +
					"Please ensure overlong_buffer_length, overlong_buffer_penalty, and max_response_length are properly configured."}
			case v.Number(penalty) < 0:
				return ramp{}, assertion("overlong_buffer_penalty=%s must be >=0", v.Text(penalty))
			case v.Number(buffer) == 0:
				return ramp{}, &estimators.Refusal{Kind: "ZeroDivisionError", Text: "division by zero"}
			}
			return rampOf(v.Number(longest), v.Number(buffer), v.Number(penalty), grows, sum32), nil
		},
	}}
}

func skyRL() []*Shaping {
	const longest, buffer, penalty = "generator.sampling_params.max_generate_length", "trainer.algorithm.overlong_buffer_len", "trainer.algorithm.overlong_buffer_penalty_factor"
	return []*Shaping{{
		Entry: estimators.Entry{
			Name: "dapo", Key: buffer,
			Formula: "r − (l − (L_max − L_buffer)) / L_buffer · factor if l > L_max − L_buffer; 0 if l > L_max",
			Source:  "NovaSky-AI/SkyRL@a9564572eb8e91076be43c1bd5e4615e3de17265 examples/train/algorithms/dapo/main_dapo.py:DAPOTrainer",
			Doc: "Of the example examples/train/algorithms/dapo, whose trainer is its own. Python floats. A response longer than L_max has the reward 0. " +
				"dynamic_sampling sees the reward before, zero_variance_filter the shaped one.",
			Options: []estimators.Option{
				tokens(longest, longestMeaning),
				{Key: buffer, Kind: estimators.Count(1), Default: "512", Meaning: bufferMeaning},
				factor(penalty, "1"),
			},
		},
		FilterSeesRaw: true,
		ramp: func(v estimators.Values) (ramp, error) {
			return rampOf(v.Number(longest), v.Number(buffer), v.Number(penalty), zero, all64), given(v, longest)
		},
	}}
}

func areal() []*Shaping {
	const longest, buffer, penalty = "actor.max_new_tokens", "actor.overlong_tokens", "actor.overlong_penalty_factor"
	return []*Shaping{{
		Entry: estimators.Entry{
			Name: "overlong_reward_penalty", Key: "actor.overlong_reward_penalty", Value: "true",
			Formula: "r + min(−(l − (L_max − L_buffer)) / L_buffer · factor, 0)",
			Source:  "inclusionAI/AReaL@4aef98d8d818af55b43621aaadba047ae10f4e77 areal/utils/functional/functional.py:reward_overlong_penalty, areal/trainer/ppo/actor.py",
			Doc: "float32. A response longer than L_max has a larger penalty still. l counts tokens with a loss mask of 1. " +
				"reward_bias, reward_scaling and reward_clip follow. A dynamic_filter_fn sees the reward before.",
			Options: []estimators.Option{tokens(longest, longestMeaning), tokens(buffer, bufferMeaning), factor(penalty, "none")},
		},
		FilterSeesRaw: true,
		ramp: func(v estimators.Values) (ramp, error) {
			return rampOf(v.Number(longest), v.Number(buffer), v.Number(penalty), grows, penalty32), given(v, buffer, penalty, longest)
		},
	}}
}

func easyR1Upstream() []*Shaping {
	const longest, buffer, penalty = "worker.reward.reward_function_kwargs.max_response_length",
		"worker.reward.reward_function_kwargs.overlong_buffer_length", "worker.reward.reward_function_kwargs.overlong_penalty_factor"
	return []*Shaping{{
		Entry: estimators.Entry{
			Name: "dapo", Key: "worker.reward.reward_function", Value: "examples/reward_function/dapo.py:compute_score",
			Formula: "r − min((l − (L_max − L_buffer)) / L_buffer, 1) · factor if l > L_max − L_buffer",
			Source:  "hiyouga/EasyR1@b44b311b669bf1fd1aa2fc36f2251482ba33cb16 examples/reward_function/dapo.py:compute_score",
			Doc: "Of the example's reward function. Python floats. Beyond L_max the penalty stays at factor. " +
				"online_filtering sees the shaped reward with the key overall, the one before with accuracy_normalized.",
			Options: []estimators.Option{tokens(longest, longestMeaning), tokens(buffer, bufferMeaning), factor(penalty, "none")},
		},
		ramp: func(v estimators.Values) (ramp, error) {
			return rampOf(v.Number(longest), v.Number(buffer), v.Number(penalty), levels, all64), given(v, longest, buffer, penalty)
		},
	}}
}

func tunix() []*Shaping {
	return []*Shaping{{
		Entry: estimators.Entry{
			Name: "dapo", Key: "overlong_buffer.enable", Value: "true",
			Formula:       "r + min(−(l − (L_max − L_buffer)) / L_buffer · penalty, 0), l characters",
			Source:        "google/tunix wheel google-tunix==0.1.7 tunix/rl/grpo/dapo_learner.py:reward_shaping",
			NotComputable: "the characters of the responses, which this shaping counts in place of tokens",
			Doc:           "Of DAPOLearner, on by default. Its function takes the length of the decoded text, so it counts characters against limits in tokens.",
		},
	}}
}
