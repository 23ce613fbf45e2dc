package loaders

// jsonl is any log with one JSON object per sample: fields are found by the
// names that trainers give them, the first of a list that a row has.
func jsonl() Format {
	names := jsonlFields()
	return Format{
		Name:       "jsonl",
		Doc:        "Plain JSON lines, one object per sample, with a reward and whatever else under its usual names.",
		Positional: true,
		Sniff: func(name string, first []byte) int {
			r := newRows(names, name)
			if scanObject(first, r.visit) != nil || !r.rewarded() || isMetrics(first) {
				return 0
			}
			return 10
		},
		Decode: func(name string) Decoder { return newRows(names, name) },
	}
}

// jsonlFields are the names under which trainers write a thing, the best first.
func jsonlFields() *fields {
	return newFields(map[role][]string{
		roleReward: {
			"reward", "score", "total_reward", "rewards", "scores", "final_reward", "trajectory_reward", "return",
			"episode_reward", "raw_reward", "rm_score", "acc", "accuracy", "is_correct", "correct", "success",
		},
		roleStep: {
			"step", "global_step", "training_step", "gen_step", "iteration", "step_index", "rollout_id",
			"tail_version", "policy_version", "epoch",
		},
		roleGroup: {
			"group_id", "group", "group_idx", "group_index", "uid", "problem_id", "example_id", "prompt_idx", "prompt_id",
			"task_hash", "task_id", "qid", "query_id", "question_id", "index", "id",
		},
		rolePrompt: {
			"prompt", "input", "input_prompt", "query", "question", "problem", "messages", "instruction", "obs",
			"observation", "opening", "user_prompt",
		},
		roleResponse: {
			"completion", "response", "output", "output_response", "responses", "answer_text", "generation", "text",
			"act", "action", "model_response", "prediction",
		},
		roleTruth: {
			"gts", "ground_truth", "answer", "label", "solution", "gold", "target", "reference", "expected",
		},
		roleAdvantage: {"advantage", "advantages", "adv"},
		roleLength: {
			"response_length", "completion_length", "num_output_tokens", "n_tokens", "tokens",
		},
		roleTokens:       {"response_tokens", "response_ids", "completion_ids", "completion_tokens", "output_ids"},
		roleTotal:        {"seqlen"},
		rolePromptLength: {"prompt_len"},
	})
}

// isMetrics reports whether a row holds figures of a step, not a sample. Such a
// row has neither texts nor lists; a plain {"step": 1, "reward": 0.5} may well
// be a sample, unless the figures of a training loop stand beside it.
func isMetrics(line []byte) bool {
	var samples, loop bool
	keys, reward := 0, false
	err := scanObject(line, func(key, v value) {
		keys++
		switch string(key.raw) {
		case "loss", "lr", "learning_rate", "grad_norm", "current_steps", "total_steps":
			loop = true
		case "prompt", "completion", "response", "input", "output":
			samples = true
		case "reward", "score", "total_reward", "rewards", "final_reward", "acc", "correct", "is_correct":
			reward = reward || v.kind == number || v.kind == boolean || v.kind == null
		}
		samples = samples || v.kind == list || v.kind == text && !loop
	})
	switch {
	case err != nil || keys == 0:
		return false
	case loop && !samples:
		return true
	default:
		return !samples && !reward
	}
}
