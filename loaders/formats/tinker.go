package formats

import (
	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
)

// tinker is tinker-cookbook's train_rollout_summaries.jsonl: rewards by step of a trajectory, explicit
// groups, no prompt.
// thinking-machines-lab/tinker-cookbook@9dfcc3a2cf44 tinker_cookbook/rl/rollout_logging.py:72-147.
func tinker() Format {
	return Format{
		Name: "tinker", Framework: "tinker", Doc: "tinker-cookbook's iteration_N/*_rollout_summaries.jsonl: a row per trajectory, without prompts.",
		TrainerOption: byDefault + ", with log_path=DIR",
		File:          "DIR/iteration_{step}/{train,eval}_rollout_summaries.jsonl",
		Open:          "DIR",
		Score:         85,
		Sniff:         hasKeys("group_idx", "traj_idx", "total_reward"),
		Fields: decode.OnlyNames(decode.Names{
			decode.RoleReward:   {"total_reward", "final_reward"},
			decode.RoleStep:     {"iteration"},
			decode.RoleGroup:    {"group_idx"},
			decode.RoleResponse: {"steps.logs.response"},
		}),
		Layout: tinkerTrajectory,
	}
}

// tinkerTrajectory takes response and length from the steps of a trajectory.
func tinkerTrajectory(r *decode.RowDecoder, record []byte, emit func()) error {
	r.BeginRow()
	tokens := 0.0
	var responses []jsonscan.Value
	readStep := func(key, v jsonscan.Value) {
		switch string(key.Raw) {
		case "ac_len":
			if n, ok := v.ToFloat(); ok {
				tokens += n
			}
		case "logs":
			if response := v.Field("response"); response.Kind == jsonscan.String {
				responses = append(responses, response)
			}
		}
	}
	err := jsonscan.ScanObject(record, func(key, v jsonscan.Value) {
		r.Pick(key, v)
		if string(key.Raw) == "steps" {
			v.EachElement(func(step jsonscan.Value) { step.EachField(readStep) })
		}
	})
	if err != nil {
		return err
	}
	if tokens > 0 {
		r.Set(decode.RoleLength, jsonscan.FromFloat(tokens))
	}
	r.Set(decode.RoleResponse, decode.Paragraphs(responses))
	emit()
	return nil
}
