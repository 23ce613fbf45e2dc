package loaders

import "slices"

// rllm is rLLM's episode files: one pretty JSON per episode.
// rllm-org/rllm@9beb6e0f676a rllm/utils/episode_logger.py:74-136.
func rllm() Format {
	names := newFields(map[role][]string{
		roleReward: {"reward"}, roleStep: {"training_step"}, roleGroup: {"task_hash and agent", "task_hash"},
		rolePrompt: {"task.question", "task.prompt", "task.problem"}, roleTruth: {"task.ground_truth", "task.answer"},
		roleResponse: {"steps"},
	})
	return Format{
		Name: "rllm", Doc: "rLLM's episodes/{train,val}_step_N_epoch_E/episode_*.json.",
		Writes: "rllm.log_episodes=true, with rllm.episode_log_dir=DIR",
		Cut:    cut{whole: true},
		Sniff:  byKeys(85, "training_step", "task_hash", "trajectories"),
		Decode: shaped(names, trajectories),
	}
}

// trajectories are those of an episode. Advantages are computed over those of one agent on
// one task: what a judge is given says nothing of a solver.
func trajectories(r *rows, record []byte, sample func()) error {
	return within(r, record, "trajectories", func(one value) {
		_ = scanObject(one.raw, func(k, v value) {
			switch name := string(k.raw); {
			case name == "name" && v.kind == text && r.picked[roleGroup].kind != absent:
				r.choose(roleGroup, value{kind: text, raw: slices.Concat(r.picked[roleGroup].raw, []byte{':'}, v.raw)})
			case name == "steps" && v.kind == list:
				r.choose(roleResponse, spoken(v))
			}
		})
		sample()
	})
}

// spoken is what an agent said in its steps. The conversation of the last one holds those of
// the steps before.
func spoken(steps value) value {
	var turns, said []value
	eachElement(steps, func(step value) {
		_ = scanObject(step.raw, func(k, v value) {
			switch {
			case string(k.raw) == "chat_completions" && v.kind == list:
				turns = answered(v)
			case string(k.raw) == "model_response" && v.kind == text:
				said = append(said, v)
			}
		})
	})
	if len(turns) > 0 {
		return conversation(turns)
	}
	return paragraphs(said)
}
