package loaders

// tinker is tinker-cookbook's train_rollout_summaries.jsonl: rewards by step of a
// trajectory, explicit groups, no prompt.
// thinking-machines-lab/tinker-cookbook@9dfcc3a2cf44 tinker_cookbook/rl/rollout_logging.py:72-147.
func tinker() Format {
	names := NewFields(map[Role][]string{
		RoleReward: {"total_reward", "final_reward"}, RoleStep: {"iteration"}, RoleGroup: {"group_idx"},
		RoleResponse: {"steps.logs.response"},
	})
	return Format{
		Name: "tinker", Doc: "tinker-cookbook's iteration_N/*_rollout_summaries.jsonl.",
		TrainerOption: "nothing: it writes them by default, into log_path",
		Sniff:         byKeys(85, "group_idx", "traj_idx", "total_reward"),
		Decode:        withLayout(names, trajectory),
	}
}

// trajectory takes response and length from the steps of a row.
func trajectory(r *RowDecoder, record []byte, sample func()) error {
	r.BeginRow()
	tokens := 0.0
	var said []Value
	take := func(k, v Value) {
		x, isNumber := v.ToFloat()
		switch name := string(k.Raw); {
		case name == "ac_len" && isNumber:
			tokens += x
		case name == "logs" && v.Kind == Object:
			_ = ScanObject(v.Raw, func(k, v Value) {
				if string(k.Raw) == "response" && v.Kind == String {
					said = append(said, v)
				}
			})
		}
	}
	err := ScanObject(record, func(k, v Value) {
		r.Pick(k, v)
		if string(k.Raw) == "steps" {
			EachElement(v, func(step Value) { _ = ScanObject(step.Raw, take) })
		}
	})
	if err != nil {
		return err
	}
	if tokens > 0 {
		r.Set(RoleLength, FromFloat(tokens))
	}
	r.Set(RoleResponse, Paragraphs(said))
	sample()
	return nil
}
