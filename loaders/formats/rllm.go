package formats

import (
	"slices"

	"vantage/loaders/decode"
	"vantage/loaders/framing"
	"vantage/loaders/jsonscan"
)

// rllm is rLLM's episode files: one pretty JSON per episode.
// rllm-org/rllm@9beb6e0f676a rllm/utils/episode_logger.py:74-136.
func rllm() Format {
	names := decode.OnlyNames(map[decode.Role][]string{
		decode.RoleReward: {"reward"}, decode.RoleStep: {"training_step"}, decode.RoleGroup: {"task_hash and agent", "task_hash"},
		decode.RolePrompt: {"task.question", "task.prompt", "task.problem"}, decode.RoleTruth: {"task.ground_truth", "task.answer"},
		decode.RoleResponse: {"steps"},
	})
	return Format{
		Name: "rllm", Doc: "rLLM's episodes/{train,val}_step_N_epoch_E/episode_*.json.",
		TrainerOption: "rllm.log_episodes=true, with rllm.episode_log_dir=DIR",
		Framing:       framing.Framing{Whole: true},
		Sniff:         byKeys(85, "training_step", "task_hash", "trajectories"),
		NewDecoder:    withLayout(names, trajectories),
	}
}

// trajectories are those of an episode. Advantages are computed over those of one agent on
// one task: what a judge is given says nothing of a solver.
func trajectories(r *decode.RowDecoder, record []byte, sample func()) error {
	return decode.EachInList(r, record, "trajectories", func(one jsonscan.Value) {
		_ = jsonscan.ScanObject(one.Raw, func(k, v jsonscan.Value) {
			switch name := string(k.Raw); {
			case name == "name" && v.Kind == jsonscan.String && r.Values[decode.RoleGroup].Kind != jsonscan.Absent:
				r.Set(decode.RoleGroup, jsonscan.Value{Kind: jsonscan.String, Raw: slices.Concat(r.Values[decode.RoleGroup].Raw, []byte{':'}, v.Raw)})
			case name == "steps" && v.Kind == jsonscan.Array:
				r.Set(decode.RoleResponse, spoken(v))
			}
		})
		sample()
	})
}

// spoken is what an agent said in its steps. The conversation of the last one holds those of
// the steps before.
func spoken(steps jsonscan.Value) jsonscan.Value {
	var turns, said []jsonscan.Value
	steps.EachElement(func(step jsonscan.Value) {
		_ = jsonscan.ScanObject(step.Raw, func(k, v jsonscan.Value) {
			switch {
			case string(k.Raw) == "chat_completions" && v.Kind == jsonscan.Array:
				turns = decode.FromAssistant(v)
			case string(k.Raw) == "model_response" && v.Kind == jsonscan.String:
				said = append(said, v)
			}
		})
	})
	if len(turns) > 0 {
		return decode.Conversation(turns)
	}
	return decode.Paragraphs(said)
}
