package decode

// Synonyms are the names under which trainers write a thing, the best first.
func Synonyms() map[Role][]string {
	return map[Role][]string{
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
