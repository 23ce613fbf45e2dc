package formats

import (
	"slices"

	"vantage/loaders/decode"
	"vantage/loaders/framing"
	"vantage/loaders/jsonscan"
)

// rllm is rLLM's episode files: one pretty JSON per episode.
// rllm-org/rllm@9beb6e0f676a rllm/utils/episode_logger.py:74-136, rllm/trainer/unified_trainer.py:358-363, rllm/trainer/config/rllm/base.yaml.
func rllm() Format {
	return Format{
		Name: "rllm", Framework: "rllm", Doc: "rLLM's episodes/{train,val}_step_N_epoch_E/episode_*.json: a file per episode, with its trajectories.",
		TrainerOption: "rllm.episode_logging.log_episodes=true and rllm.episode_logging.episode_log_dir=DIR",
		File:          "DIR/episodes/{train,val}_step_{step}_epoch_{epoch}/episode_{hash}_{id}.json",
		Open:          "DIR",
		Framing:       framing.Framing{Whole: true},
		Score:         85,
		Sniff:         hasKeys("training_step", "task_hash", "trajectories"),
		Fields: decode.OnlyNames(decode.Names{
			decode.RoleReward:   {"reward"},
			decode.RoleStep:     {"training_step"},
			decode.RoleGroup:    {"task_hash and agent", "task_hash"}, // the first is what rllmTrajectories sets
			decode.RolePrompt:   {"task.question", "task.prompt", "task.problem"},
			decode.RoleTruth:    {"task.ground_truth", "task.answer"},
			decode.RoleResponse: {"steps"},
		}),
		Layout: rllmTrajectories,
	}
}

// rllmTrajectories takes each trajectory of an episode as a sample. Advantages are computed over those
// of one agent on one task: the rewards of a judge say nothing of a solver.
func rllmTrajectories(r *decode.RowDecoder, record []byte, emit func()) error {
	return decode.EachInList(r, record, "trajectories", func(trajectory jsonscan.Value) {
		trajectory.EachField(func(key, v jsonscan.Value) {
			switch name := string(key.Raw); {
			case name == "name" && v.Kind == jsonscan.String && r.Has(decode.RoleGroup):
				group := slices.Concat(r.Values[decode.RoleGroup].Raw, []byte{':'}, v.Raw)
				r.Set(decode.RoleGroup, jsonscan.Value{Kind: jsonscan.String, Raw: group})
			case name == "steps" && v.Kind == jsonscan.Array:
				r.Set(decode.RoleResponse, agentResponse(v))
			}
		})
		emit()
	})
}

// agentResponse returns what an agent said in its steps. The conversation of the last step holds those
// of the steps before.
func agentResponse(steps jsonscan.Value) jsonscan.Value {
	var turns, texts []jsonscan.Value
	steps.EachElement(func(step jsonscan.Value) {
		step.EachField(func(key, v jsonscan.Value) {
			switch {
			case string(key.Raw) == "chat_completions" && v.Kind == jsonscan.Array:
				turns = decode.FromAssistant(v)
			case string(key.Raw) == "model_response" && v.Kind == jsonscan.String:
				texts = append(texts, v)
			}
		})
	})
	if len(turns) > 0 {
		return decode.Conversation(turns)
	}
	return decode.Paragraphs(texts)
}
