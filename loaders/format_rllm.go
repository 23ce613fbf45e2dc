package loaders

// rllm is rLLM's episode files: one pretty JSON per episode.
// rllm-org/rllm@9beb6e0f676a rllm/utils/episode_logger.py:74-136.
func rllm() Format {
	names := newFields(map[role][]string{
		roleReward: {"reward"}, roleStep: {"training_step"}, roleGroup: {"task_hash"},
		rolePrompt: {"task.question", "task.prompt", "task.problem"}, roleTruth: {"task.ground_truth", "task.answer"},
	})
	return Format{
		Name: "rllm", Doc: "rLLM's episodes/{train,val}_step_N_epoch_E/episode_*.json.",
		Writes: "rllm.log_episodes=true, with rllm.episode_log_dir=DIR",
		Cut:    cut{whole: true},
		Sniff:  byKeys(85, "training_step", "task_hash", "trajectories"),
		Decode: shaped(names, nested("trajectories")),
	}
}
