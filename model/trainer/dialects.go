package trainer

import (
	"slices"
	"strconv"
	"strings"
)

// Dialects returns all dialects. Of each it is said where the keys were read; those of scales, filters and losses are in the lists of
// package estimators and below.
func Dialects() []Dialect {
	return []Dialect{
		{Framework: "easyr1", filters: true, option: assigned, size: "worker.rollout.n", emit: easyr1},
		{Framework: "verl", option: assigned, size: "actor_rollout_ref.rollout.n", emit: verl},
		{Framework: "trl", option: yaml, size: "num_generations", emit: trl},
		{Framework: "ms-swift", option: flag, size: "num_generations", emit: swift},
		{Framework: "twinkle", emit: twinkle},
		// openrlhf 0.11.2 openrlhf/cli/train_ppo_ray.py
		{Framework: "openrlhf", option: flagOfSwitches, size: "rollout.n_samples_per_prompt", estimator: "algo.advantage.estimator"},
		// NVIDIA-NeMo/RL docs/guides/prorlv2.md, and @00294d9baabc examples/configs/grpo_math_1B.yaml
		{
			Framework: "nemo-rl", option: assigned, size: "grpo.num_generations_per_prompt", estimator: "grpo.adv_estimator.name",
			spelled: map[string]string{"grpo_no_leave_one_out": "grpo", "reinforce_plus_plus_no_baseline": "reinforce_plus_plus"},
		},
		// PrimeIntellect-ai/prime-rl docs/algorithms.md
		{
			Framework: "prime-rl", option: toml, size: "orchestrator.group_size", estimator: "orchestrator.algo.type",
			spelled: map[string]string{"grpo_length_penalty": "grpo"},
			also:    map[string][]Option{"grpo_length_penalty": {{Key: "orchestrator.algo.length_penalty.num_output_tokens_weight", Value: "0.25"}}},
		},
		// THUDM/slime@f4fcce8dfd28 slime/utils/arguments.py
		{
			Framework: "slime", option: dashedFlag, size: "n-samples-per-prompt", estimator: "advantage-estimator",
			also: map[string][]Option{"reinforce_plus_plus": whitenedInSlime(), "reinforce_plus_plus_baseline": whitenedInSlime()},
		},
		// radixark/miles@31f1ca961a94 miles/utils/arguments.py
		{Framework: "miles", option: dashedFlag, size: "n-samples-per-prompt", estimator: "advantage-estimator"},
		// skyrl 0.4.0 skyrl/train/config/config.py, skyrl/backends/skyrl_train/utils/ppo_utils.py:AdvantageEstimator
		{
			Framework: "skyrl", option: assigned, size: "generator.n_samples_per_prompt", estimator: "trainer.algorithm.advantage_estimator",
			spelled: map[string]string{"reinforce_plus_plus": "reinforce++", "grpo_batch_normalize": "grpo"},
			also:    map[string][]Option{"grpo_batch_normalize": {{Key: "trainer.algorithm.advantage_batch_normalize", Value: "true"}}},
		},
		// alibaba/ROLL@51e53586d87b roll/configs/base_config.py, docs/UserGuide/algorithms/Reinforce_Plus_Plus
		{
			Framework: "roll", option: yaml, size: "num_return_sequences_in_group", estimator: "adv_estimator",
			spelled: map[string]string{
				"reward_norm": reinforce, "reward_norm_batch": reinforce, "agentic_reward_norm": unnamed,
				"reinforce_whiten_advantages": reinforce, "reinforce_whiten_advantages_group": reinforce,
			},
			also: map[string][]Option{
				"reward_norm":                       {{Key: "norm_mean_type", Value: "group"}},
				"reward_norm_batch":                 {{Key: "norm_mean_type", Value: "batch"}},
				"reinforce_whiten_advantages":       {{Key: "whiten_advantages", Value: "true"}},
				"reinforce_whiten_advantages_group": {{Key: "norm_mean_type", Value: "group"}, {Key: "whiten_advantages", Value: "true"}},
			},
		},
		// allenai/open-instruct@e6c3044aa620 open_instruct/data_loader.py:StreamingDataLoaderConfig
		{
			Framework: "open-instruct", option: flag, size: "num_samples_per_prompt_rollout", estimator: "advantage_normalization_type",
		},
		// areal 1.0.4 areal/api/cli_args.py:NormConfig
		{Framework: "areal", option: assigned, size: "gconfig.n_samples", emit: areal},
		// rllm-org/rllm@06bffb248548 rllm/trainer/config/rllm/base.yaml
		{Framework: "rllm", option: assigned, size: "rllm.rollout.n", estimator: "rllm.algorithm.adv_estimator"},
		// tinker-cookbook 0.6.1 tinker_cookbook/rl/train.py:Config, of which no key chooses an estimator
		{Framework: "tinker", option: assigned, size: "group_size"},
		// pytorch/torchtitan@b5bcd76c66d0 torchtitan/experiments/rl/rollout/advantage.py:AdvantageEstimator.Config
		{Framework: "torchtitan", option: argument, size: "group_size"},
		// google-tunix 0.1.7 tunix/rl/grpo/grpo_learner.py:GRPOConfig
		{Framework: "tunix", option: argument, size: "num_generations", estimator: "advantage_estimator"},
		// RLinf/RLinf docs: Configuration of algorithm.adv_type
		{Framework: "rlinf", option: assigned, size: "algorithm.group_size", estimator: "algorithm.adv_type"},
		// axolotl-ai-cloud/axolotl axolotl/utils/schemas/trl.py:TRLConfig
		{Framework: "axolotl", option: yamlOfTRL, size: "num_generations"},
		// OpenPipe/ART@v0.5.23 art/dev/train.py, art/tinker_native/backend.py
		{Framework: "art", option: argument},
		// modelscope/Trinity-RFT docs/sphinx_doc/source/tutorial/align_with_verl.md
		{Framework: "trinity", option: yaml, size: "algorithm.repeat_times", estimator: "algorithm.advantage_fn"},
		// hiyouga/EasyR1@b44b311b669b verl/trainer/config.py
		{Framework: "easyr1-upstream", option: assigned, size: "worker.rollout.n", estimator: "algorithm.adv_estimator"},
	}
}

// reinforce is what ROLL calls several, and unnamed what a trainer does without, whatever the key of the estimator says.
const reinforce, unnamed = "reinforce", ""

// whitenedInSlime is what slime requires with REINFORCE++.
func whitenedInSlime() []Option { return []Option{{Key: "normalize-advantages", Value: "true"}} }

// How trainers write a key and its value; "" is a switch that is off unless it is given.

func assigned(key, value string) string { return key + "=" + value }
func yaml(key, value string) string     { return key + ": " + value }
func flag(key, value string) string     { return "--" + key + " " + value }

// flagOfSwitches is for trainers whose switches take no value.
func flagOfSwitches(key, value string) string {
	switch value {
	case "true":
		return "--" + key
	case "false":
		return ""
	}
	return flag(key, value)
}

func dashedFlag(key, value string) string {
	return flagOfSwitches(strings.ReplaceAll(key, "_", "-"), value)
}

// yamlOfTRL is a key in axolotl's section of TRL, whose scale_rewards is a switch.
func yamlOfTRL(key, value string) string {
	if text, isSwitch := map[string]string{"scale_rewards group": "true", "scale_rewards none": "false"}[key+" "+value]; isSwitch {
		value = text
	}
	return yaml("trl."+key, value)
}

// toml quotes what is neither a number nor a truth value.
func toml(key, value string) string { return key + " = " + quoted(value, "true", "false") }

// argument is a keyword argument of Python, of a configuration whose sections are objects.
func argument(key, value string) string {
	name := key[strings.LastIndexByte(key, '.')+1:]
	if value == "true" || value == "false" {
		value = strings.ToUpper(value[:1]) + value[1:]
	}
	return name + "=" + quoted(value, "True", "False")
}

func quoted(value string, words ...string) string {
	if _, err := strconv.ParseFloat(value, 64); err == nil {
		return value
	}
	if slices.Contains(words, value) {
		return value
	}
	return strconv.Quote(value)
}
