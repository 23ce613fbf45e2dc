// Package overlong lowers the rewards of responses that are nearly as long as may be, as trainers do
// before they compute advantages, to the last bit of float32.
//
// All follow the soft overlong punishment of DAPO (arXiv:2503.14476, equation 13): nothing up to
// L_max − L_buffer tokens, then a penalty that grows with each token, up to L_max. They differ in what
// is beyond L_max, in precision, and in whether their filter of groups sees the reward before or after.
//
// A [Shaping] is a value in the list [All]: what switches it on in the trainer's configuration, its
// options there, and its arithmetic. A reward that a log holds may be shaped already: whoever shapes it
// again must say so.
//
// # A new shaping
//
//  1. A row in shaping.go, in the precision and order of the framework's own code, and a line of catalogue.
//  2. testdata/golden/NAME.json, numbers that this code printed, and a row in golden_test.go.
//  3. go test ./estimators/overlong, then go test ./model/report -run CataloguePages -update, which writes
//     its name to the page .github/docs/losses.md.
package overlong

import (
	"fmt"
	"math"

	"vantage/estimators"
)

// Shaping is how one framework lowers the rewards of long responses. It is a value in the list [All].
type Shaping struct {
	estimators.Entry

	// FilterSeesRaw: a filter of groups of this framework looks at the reward before shaping.
	FilterSeesRaw bool

	limits
	beyond beyond // what is longer than the longest
	float  float  // precision

	// refuse is what the trainer raises for some values, or nil.
	refuse func(v estimators.Values) error
}

// limits are the keys of the options: L_max, L_buffer, and the penalty at L_max, which is 1 if no option gives it. The penalty
// grows with each token after L_max − L_buffer.
type limits struct{ longest, buffer, factor string }

func catalogue() estimators.Catalogue[*Shaping] {
	return estimators.Catalogue[*Shaping]{
		NoFramework: "no overlong shaping of the framework %q is known: choose %s", NoName: "%s has no overlong shaping %q: it has %s",
		Lists: []estimators.List[*Shaping]{
			{Framework: "verl", Entries: verl},
			{Framework: "trl", Entries: trl},
			{Framework: "ms-swift", Entries: swift},
			{Framework: "openrlhf", Entries: openRLHF},
			{Framework: "nemo-rl", Entries: nemoRL},
			{Framework: "skyrl", Entries: skyRL},
			{Framework: "areal", Entries: areal},
			{Framework: "easyr1-upstream", Entries: easyR1Upstream},
			{Framework: "tunix", Entries: tunix},
		},
	}
}

// All returns the shapings.
func All() []*Shaping { return catalogue().All() }

// Find returns the shaping of a framework by its name; "" is the only one that it has. The error lists the
// alternatives.
func Find(framework, name string) (*Shaping, error) {
	return catalogue().FindOrDefault(framework, name)
}

// Shape writes the shaped rewards to dst and returns how many were changed. dst, rewards and lengths,
// the response tokens, have equal lengths; dst may be rewards. A reward that is not a number stays as
// it is. v are values of s.Options.
//
// The error is a *estimators.Refusal: what the trainer raises or, of the kind estimators.KindMissing,
// what is missing. dst then has the rewards unchanged.
func (s *Shaping) Shape(dst, rewards []float64, lengths []int32, v estimators.Values) (changed int, err error) {
	copy(dst, rewards)
	if s.NotComputable != "" {
		return 0, &estimators.Refusal{Kind: estimators.KindMissing, Text: s.NotComputable}
	}
	if lengths == nil {
		return 0, &estimators.Refusal{Kind: estimators.KindMissing, Text: "response lengths"}
	}
	if s.refuse != nil {
		err = s.refuse(v)
	}
	for _, o := range s.Options {
		if err == nil && o.Default == "none" {
			err = given(v, o.Key)
		}
	}
	buffer := int(v.Number(s.buffer))
	if err != nil || buffer == 0 && s.beyond == levelsOrOff {
		return 0, err
	}
	from, factor := int(v.Number(s.longest))-buffer, 1.0
	if s.factor != "" {
		factor = v.Number(s.factor)
	}
	for i, l := range lengths {
		if r := rewards[i]; r == r && int(l) > from {
			dst[i] = s.shape(r, int(l)-from, buffer, factor)
			changed++
		}
	}
	return changed, nil
}

type beyond int

const (
	grows       beyond = iota // the penalty grows on
	levels                    // it stays at factor
	levelsOrOff               // the same, but a buffer of 0 has no penalty
	zero                      // the reward is 0
)

type float int

const (
	penalty32 float = iota // the penalty is computed in float32, and so is the sum
	sum32                  // the penalty is computed in float64, the sum in float32
	all64                  // the sum is rounded to float32 by what follows
)

// shape returns the reward of a response that is so many tokens, one or more, longer than has no penalty.
func (s *Shaping) shape(r float64, exceeds, buffer int, factor float64) float64 {
	if exceeds > buffer {
		switch s.beyond {
		case levels, levelsOrOff:
			exceeds = buffer
		case zero:
			return 0
		case grows:
		}
	}
	if s.float == penalty32 {
		return float64(float32(r) + float32(-exceeds)/float32(buffer)*float32(factor))
	}
	penalty := -factor
	if exceeds != buffer { // a buffer of 0 divides nothing
		penalty = float64(-exceeds) / float64(buffer) * factor
	}
	if s.float == sum32 {
		return float64(float32(r) + float32(penalty))
	}
	return r + penalty
}

// given returns what is missing if an option that has no default is not given.
func given(v estimators.Values, keys ...string) error {
	for _, key := range keys {
		if v.Text(key) == "none" {
			return &estimators.Refusal{Kind: estimators.KindMissing, Text: "the option " + key + ", which has no default"}
		}
	}
	return nil
}

func assertion(format string, args ...any) error {
	return &estimators.Refusal{Kind: "AssertionError", Text: fmt.Sprintf(format, args...)}
}

func tokens(key, meaning string, aliases ...string) estimators.Option {
	return estimators.Option{Key: key, Aliases: aliases, Kind: estimators.OrNone(estimators.Count(0)), Default: "none", Meaning: meaning}
}

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
			Source: "verl-project/verl wheel verl==0.9.1 verl/experimental/reward_loop/reward_manager/dapo.py:DAPORewardManager, " +
				"verl/workers/reward_manager/dapo.py",
			Doc: "For the reward manager dapo. float32. A response longer than L_max has a larger penalty still. " +
				"filter_groups sees the shaped reward with the metric reward, the one before with acc or score.",
			Options: []estimators.Option{
				tokens(verlBuffer, bufferMeaning, "reward_model.overlong_buffer.len", "reward_model.reward_kwargs.overlong_buffer_cfg.len"),
				factor(verlFactor, "none", "reward_model.overlong_buffer.penalty_factor",
					"reward_model.reward_kwargs.overlong_buffer_cfg.penalty_factor"),
				tokens(verlMax, longestMeaning, "data.max_response_length", "reward_model.reward_kwargs.max_resp_len"),
			},
		},
		limits: limits{verlMax, verlBuffer, verlFactor}, beyond: grows, float: penalty32,
		refuse: func(v estimators.Values) error {
			longest, buffer := v.Number(verlMax), v.Number(verlBuffer)
			switch {
			case v.Text(verlMax) == "none":
				return assertion("max_resp_len must be provided if overlong_buffer_cfg.enable, but got None")
			case longest < buffer:
				return assertion("max_resp_len must be larger than overlong_buffer.len")
			case buffer == 0 && v.Text(verlBuffer) != "none":
				return assertion("overlong_buffer.len must be positive when overlong penalty is enabled,but got %s."+
					"To disable the overlong penalty, set overlong_buffer.enable = False", v.Text(verlBuffer))
			}
			return nil
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
		limits: limits{longest, buffer, ""}, beyond: levels, float: sum32,
	}}
}

func swift() []*Shaping {
	const longest, buffer = "soft_max_length", "soft_cache_length"
	return []*Shaping{{
		Entry: estimators.Entry{
			Name: "soft_overlong", Key: "reward_funcs", Value: "soft_overlong",
			Formula: "r + min(−(l − (L_max − L_buffer)) / L_buffer, 0)",
			Source:  "modelscope/ms-swift wheel ms-swift==4.6.0 swift/rewards/orm.py:SoftOverlong, swift/arguments/rlhf_args.py",
			Doc: "A reward function of its own, added with weight 1 here, float32. A response longer than L_max has a larger " +
				"penalty still. Without soft_max_length L_max is max_completion_length. dynamic_sample sees the sum, so the shaped reward.",
			Options: []estimators.Option{
				{
					Key: longest, Aliases: []string{"max_completion_length"}, Kind: estimators.Count(0), Default: "512",
					Meaning: longestMeaning,
				},
				tokens(buffer, bufferMeaning),
			},
		},
		limits: limits{longest, buffer, ""}, beyond: grows, float: sum32,
		refuse: func(v estimators.Values) error {
			switch {
			case v.Text(buffer) == "none":
				return assertion("The soft_cache_length must be set when using soft overlong rewards.")
			case v.Number(buffer) >= v.Number(longest):
				return assertion("assert args.soft_cache_length < args.soft_max_length")
			}
			return nil
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
		FilterSeesRaw: true, limits: limits{longest, buffer, penalty}, beyond: levelsOrOff, float: sum32,
		refuse: func(v estimators.Values) error {
			if v.Text(longest) != "none" && v.Number(longest) < v.Number(buffer) {
				return assertion("max_new_tokens (%s) must be >= overlong_buffer_len (%.1f)", v.Text(longest), v.Number(buffer))
			}
			return nil
		},
	}}
}

func nemoRL() []*Shaping {
	const longest, buffer, penalty = "grpo.reward_shaping.max_response_length", "grpo.reward_shaping.overlong_buffer_length",
		"grpo.reward_shaping.overlong_buffer_penalty"
	return []*Shaping{{
		Entry: estimators.Entry{
			Name: "reward_shaping", Key: "grpo.reward_shaping.enabled", Value: "true",
			Formula: "r + min(−(l − (L_max − L_buffer)) / L_buffer · penalty, 0)",
			Source:  "NVIDIA-NeMo/RL@7ea279abfbeb698b092856d0dab61e7cf39bc909 nemo_rl/algorithms/reward_functions.py:apply_reward_shaping",
			Doc: "float32. A response longer than L_max has a larger penalty still. use_dynamic_sampling sees the reward before. " +
				"With stop_properly_penalty_coef this shaping is off.",
			Options: []estimators.Option{tokens(longest, longestMeaning), tokens(buffer, bufferMeaning), factor(penalty, "none")},
		},
		FilterSeesRaw: true, limits: limits{longest, buffer, penalty}, beyond: grows, float: sum32,
		refuse: func(v estimators.Values) error {
			switch {
			case given(v, longest, buffer, penalty) != nil:
				return &estimators.Refusal{Kind: "ValueError", Text: "Reward function is enabled but only DAPO reward shaping is " +
					"currently supported. Please ensure overlong_buffer_length, overlong_buffer_penalty, and max_response_length are " +
					"properly configured."}
			case v.Number(penalty) < 0:
				return assertion("overlong_buffer_penalty=%s must be >=0", v.Text(penalty))
			case v.Number(buffer) == 0:
				return &estimators.Refusal{Kind: "ZeroDivisionError", Text: "division by zero"}
			}
			return nil
		},
	}}
}

func skyRL() []*Shaping {
	const longest, buffer, penalty = "generator.sampling_params.max_generate_length", "trainer.algorithm.overlong_buffer_len",
		"trainer.algorithm.overlong_buffer_penalty_factor"
	return []*Shaping{{
		Entry: estimators.Entry{
			Name: "dapo", Key: buffer,
			Formula: "r − (l − (L_max − L_buffer)) / L_buffer · factor if l > L_max − L_buffer; 0 if l > L_max",
			Source:  "NovaSky-AI/SkyRL@a9564572eb8e91076be43c1bd5e4615e3de17265 examples/train/algorithms/dapo/main_dapo.py:DAPOTrainer",
			Doc: "For the example examples/train/algorithms/dapo, which has its own trainer. Python floats. A response longer than L_max " +
				"has the reward 0. dynamic_sampling sees the reward before, zero_variance_filter the shaped one.",
			Options: []estimators.Option{
				tokens(longest, longestMeaning),
				{Key: buffer, Kind: estimators.Count(1), Default: "512", Meaning: bufferMeaning},
				factor(penalty, "1"),
			},
		},
		FilterSeesRaw: true, limits: limits{longest, buffer, penalty}, beyond: zero, float: all64,
	}}
}

func areal() []*Shaping {
	const longest, buffer, penalty = "actor.max_new_tokens", "actor.overlong_tokens", "actor.overlong_penalty_factor"
	return []*Shaping{{
		Entry: estimators.Entry{
			Name: "overlong_reward_penalty", Key: "actor.overlong_reward_penalty", Value: "true",
			Formula: "r + min(−(l − (L_max − L_buffer)) / L_buffer · factor, 0)",
			Source: "inclusionAI/AReaL@4aef98d8d818af55b43621aaadba047ae10f4e77 " +
				"areal/utils/functional/functional.py:reward_overlong_penalty, areal/trainer/ppo/actor.py",
			Doc: "float32. A response longer than L_max has a larger penalty still. l counts tokens with a loss mask of 1. " +
				"reward_bias, reward_scaling and reward_clip follow. A dynamic_filter_fn sees the reward before.",
			Options: []estimators.Option{tokens(longest, longestMeaning), tokens(buffer, bufferMeaning), factor(penalty, "none")},
		},
		FilterSeesRaw: true, limits: limits{longest, buffer, penalty}, beyond: grows, float: penalty32,
		refuse: func(v estimators.Values) error { return given(v, buffer, penalty, longest) },
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
			Doc: "For the example's reward function. Python floats. Beyond L_max the penalty stays at factor. " +
				"online_filtering sees the shaped reward with the key overall, the one before with accuracy_normalized.",
			Options: []estimators.Option{tokens(longest, longestMeaning), tokens(buffer, bufferMeaning), factor(penalty, "none")},
		},
		limits: limits{longest, buffer, penalty}, beyond: levels, float: all64,
	}}
}

func tunix() []*Shaping {
	return []*Shaping{{
		Entry: estimators.Entry{
			Name: "dapo", Key: "overlong_buffer.enable", Value: "true",
			Formula:       "r + min(−(l − (L_max − L_buffer)) / L_buffer · penalty, 0), l characters",
			Source:        "google/tunix wheel google-tunix==0.1.7 tunix/rl/grpo/dapo_learner.py:reward_shaping",
			NotComputable: "the characters of the responses, which this shaping counts in place of tokens",
			Doc: "Of DAPOLearner, on by default. Its function takes the length of the decoded text, so it counts characters " +
				"against limits in tokens.",
		},
	}}
}
