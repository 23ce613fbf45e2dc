package logprobs

import "vantage/estimators"

// Writers says in a sentence how the trainer of a framework comes to write log-probs of both sides; of one that writes none, or of no known
// one, which names any log may have.
func Writers(framework string) string {
	const names = "a log in JSON lines or Parquet has them as rollout_log_probs and old_log_probs"
	option := map[string]string{
		"nemo-rl":  "NeMo-RL writes them into train_data_step{N}.jsonl unless env.should_log_nemo_gym_responses is on, without force_on_policy_ratio",
		"prime-rl": "trainer.enable_token_export=true has prime-rl write them into token_exports, next to rollouts",
		"slime":    "--dump-details DIR has slime write them into train_data, next to rollout_data",
		"miles":    "--dump-details DIR has miles write them into train_data, next to rollout_data",
	}[framework]
	switch {
	case option != "":
		return option
	case framework == "":
		return names
	}
	return estimators.Title(framework) + " writes them into no log; " + names
}
