package formats

import (
	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
)

// tinker is tinker-cookbook's train_rollout_summaries.jsonl: rewards by step of a
// trajectory, explicit groups, no prompt.
// thinking-machines-lab/tinker-cookbook@9dfcc3a2cf44 tinker_cookbook/rl/rollout_logging.py:72-147.
func tinker() Format {
	names := decode.OnlyNames(map[decode.Role][]string{
		decode.RoleReward: {"total_reward", "final_reward"}, decode.RoleStep: {"iteration"}, decode.RoleGroup: {"group_idx"},
		decode.RoleResponse: {"steps.logs.response"},
	})
	return Format{
		Name: "tinker", Doc: "tinker-cookbook's iteration_N/*_rollout_summaries.jsonl.",
		TrainerOption: "nothing: it writes them by default, into log_path",
		Sniff:         byKeys(85, "group_idx", "traj_idx", "total_reward"),
		NewDecoder:    withLayout(names, trajectory),
	}
}

// trajectory takes response and length from the steps of a row.
func trajectory(r *decode.RowDecoder, record []byte, sample func()) error {
	r.BeginRow()
	tokens := 0.0
	var said []jsonscan.Value
	take := func(k, v jsonscan.Value) {
		x, isNumber := v.ToFloat()
		switch name := string(k.Raw); {
		case name == "ac_len" && isNumber:
			tokens += x
		case name == "logs" && v.Kind == jsonscan.Object:
			_ = jsonscan.ScanObject(v.Raw, func(k, v jsonscan.Value) {
				if string(k.Raw) == "response" && v.Kind == jsonscan.String {
					said = append(said, v)
				}
			})
		}
	}
	err := jsonscan.ScanObject(record, func(k, v jsonscan.Value) {
		r.Pick(k, v)
		if string(k.Raw) == "steps" {
			v.EachElement(func(step jsonscan.Value) { _ = jsonscan.ScanObject(step.Raw, take) })
		}
	})
	if err != nil {
		return err
	}
	if tokens > 0 {
		r.Set(decode.RoleLength, jsonscan.FromFloat(tokens))
	}
	r.Set(decode.RoleResponse, decode.Paragraphs(said))
	sample()
	return nil
}
