package decode

import (
	"bytes"
	"strings"

	"vantage/estimators"
)

// usualNames returns the names that trainers use for each role, the most telling first.
func usualNames() Names {
	return Names{
		RoleReward: {
			"reward", "score", "total_reward", "rewards", "scores", "final_reward", "trajectory_reward", "return",
			"episode_reward", "raw_reward", "rm_score", "acc", "accuracy", "is_correct", "correct", "success",
		},
		RoleStep: {
			"step", "global_step", "training_step", "gen_step", "iteration", "step_index", "rollout_id",
			"tail_version", "policy_version", "epoch",
		},
		RoleGroup: {
			"group_id", "group", "group_idx", "group_index", "uid", "problem_id", "example_id", "prompt_idx", "prompt_id",
			"task_hash", "task_id", "qid", "query_id", "question_id", "index", "id",
		},
		RolePrompt: {
			"prompt", "input", "input_prompt", "query", "question", "problem", "messages", "instruction", "obs",
			"observation", "opening", "user_prompt",
		},
		RoleResponse: {
			"completion", "response", "output", "output_response", "responses", "answer_text", "generation", "text",
			"act", "action", "model_response", "prediction",
		},
		RoleTruth: {
			"gts", "ground_truth", "answer", "label", "solution", "gold", "target", "reference", "expected",
		},
		RoleAdvantage: {"advantage", "advantages", "adv"},
		RoleLength: {
			"response_length", "completion_length", "num_output_tokens", "n_tokens", "tokens",
		},
		RoleTokens:       {"response_tokens", "response_ids", "completion_ids", "completion_tokens", "output_ids"},
		RoleTotalTokens:  {"seqlen"},
		RolePromptLength: {"prompt_len"},
	}
}

// ConversationField is the field that holds the prompt alone or the whole conversation.
const ConversationField = "messages"

// IsComponentName reports whether trainers give that name to what a single reward function returned.
func IsComponentName(name string) bool {
	name = strings.ToLower(name)
	switch name {
	case "judge_reward", "baseline", "reward_baseline", "reward_baselines", "greedy_reward":
		return true
	case "total_reward", "final_reward", "trajectory_reward", "episode_reward", "raw_reward", "rm_score":
		return false
	}
	for _, end := range []string{"_reward", "_reward_func", "_score", "_reward_fn"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return strings.HasPrefix(name, "rewards/") || strings.HasPrefix(name, "reward_func_") || strings.HasPrefix(name, "reward/")
}

// isCounter reports whether a column of numbers is what no reward function returns.
func isCounter(name string) bool {
	switch name {
	case "num_turns", "entropy", "step", "gen_step", "index", "request_id", "truncated", "is_truncated":
		return true
	}
	return false
}

// metricsPrefix marks components from the metrics of a sample. Reward functions and counts of turns
// stand there side by side, so they are not summed.
const metricsPrefix = "metrics/"

// ComponentPrefix reports whether an object of that name holds reward components, and returns what to
// put before their names.
func ComponentPrefix(name []byte) (prefix string, ok bool) {
	switch string(bytes.ToLower(name)) {
	case "rewards", "reward", "score", "scores", "reward_components", "reward_breakdown":
		return "", true
	case "metrics":
		return metricsPrefix, true
	}
	return "", false
}

// IsSummand reports whether a component of that name counts in the sum of a log without totals.
func IsSummand(name string) bool {
	column, isInput := estimators.ColumnNamed(name)
	return !strings.HasPrefix(name, metricsPrefix) && !strings.Contains(name, "baseline") && name != "greedy_reward" &&
		(!isInput || column == estimators.StepReward)
}
