package offpolicy

import (
	"errors"
	"slices"

	"vantage/estimators"
)

// ErrNone is that nothing that was read has log-probs of the engine that sampled.
var ErrNone = errors.New("no log-probs of the engine that sampled are in it")

// HowToLog says which option of a trainer writes the log-probs of both sides, in a clause that follows a colon; framework is that of the
// log, empty if nobody knows it.
func HowToLog(framework string) string {
	if i := slices.IndexFunc(ways(), func(w way) bool { return w.framework == framework }); i >= 0 {
		return ways()[i].how
	}
	who := "its trainer"
	if framework != "" {
		who = estimators.Title(framework)
	}
	return "no option of " + who + " is known to write them, and any JSON lines or Parquet with rollout_log_probs and old_log_probs are read"
}

// way is how a trainer logs log-probs.
type way struct{ framework, how string }

// ways are those of the trainers that are known; the page off-policy has them as a table.
func ways() []way {
	const averages = " writes averages alone, which `vantage summary` reads"
	return []way{
		{
			"nemo-rl", "NeMo-RL writes both sides unless env.should_log_nemo_gym_responses is on, " +
				"and the trainer's unless loss_fn.force_on_policy_ratio is",
		},
		{"prime-rl", "prime-rl writes both sides with trainer.enable_token_export=true, into token_exports next to rollouts"},
		{"slime", "slime writes both sides with --dump-details DIR, into rollout_data and train_data"},
		{"miles", "miles writes both sides with --dump-details DIR, into rollout_data and train_data"},
		{
			"open-instruct", "open-instruct writes those of the sampler with --save_traces and --rollouts_save_path, " +
				"and no option writes the trainer's",
		},
		{"areal", "AReaL writes versions alone, head_version and tail_version, and no option writes log-probs"},
		{"tinker", "tinker-cookbook writes versions alone, sampling_client_step, and no option writes log-probs"},
		{"skyrl", "SkyRL writes both sides with trainer.dump_data_batch=true, into a pickle that vantage does not read"},
		{"verl", "verl keeps them in memory (actor_rollout_ref.rollout.calculate_log_probs) and" + averages},
		{"trl", "TRL" + averages},
		{"unsloth", "Unsloth" + averages},
		{"ms-swift", "ms-swift" + averages},
		{"roll", "ROLL" + averages},
		{"openrlhf", "OpenRLHF" + averages},
	}
}
