package loaders

import "slices"

// rllm is rLLM's episode files: one pretty JSON per episode.
// rllm-org/rllm@9beb6e0f676a rllm/utils/episode_logger.py:74-136.
func rllm() Format {
	names := NewFields(map[Role][]string{
		RoleReward: {"reward"}, RoleStep: {"training_step"}, RoleGroup: {"task_hash and agent", "task_hash"},
		RolePrompt: {"task.question", "task.prompt", "task.problem"}, RoleTruth: {"task.ground_truth", "task.answer"},
		RoleResponse: {"steps"},
	})
	return Format{
		Name: "rllm", Doc: "rLLM's episodes/{train,val}_step_N_epoch_E/episode_*.json.",
		TrainerOption: "rllm.log_episodes=true, with rllm.episode_log_dir=DIR",
		Framing:       Framing{Whole: true},
		Sniff:         byKeys(85, "training_step", "task_hash", "trajectories"),
		Decode:        withLayout(names, trajectories),
	}
}

// trajectories are those of an episode. Advantages are computed over those of one agent on
// one task: what a judge is given says nothing of a solver.
func trajectories(r *RowDecoder, record []byte, sample func()) error {
	return EachNested(r, record, "trajectories", func(one Value) {
		_ = ScanObject(one.Raw, func(k, v Value) {
			switch name := string(k.Raw); {
			case name == "name" && v.Kind == String && r.Values[RoleGroup].Kind != Absent:
				r.Set(RoleGroup, Value{Kind: String, Raw: slices.Concat(r.Values[RoleGroup].Raw, []byte{':'}, v.Raw)})
			case name == "steps" && v.Kind == Array:
				r.Set(RoleResponse, spoken(v))
			}
		})
		sample()
	})
}

// spoken is what an agent said in its steps. The conversation of the last one holds those of
// the steps before.
func spoken(steps Value) Value {
	var turns, said []Value
	EachElement(steps, func(step Value) {
		_ = ScanObject(step.Raw, func(k, v Value) {
			switch {
			case string(k.Raw) == "chat_completions" && v.Kind == Array:
				turns = FromAssistant(v)
			case string(k.Raw) == "model_response" && v.Kind == String:
				said = append(said, v)
			}
		})
	})
	if len(turns) > 0 {
		return Conversation(turns)
	}
	return Paragraphs(said)
}
