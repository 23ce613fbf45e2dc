package loaders

// tinker is tinker-cookbook's train_rollout_summaries.jsonl: rewards by step of a
// trajectory, explicit groups, no prompt.
// thinking-machines-lab/tinker-cookbook@9dfcc3a2cf44 tinker_cookbook/rl/rollout_logging.py:72-147.
func tinker() Format {
	names := newFields(map[role][]string{
		roleReward: {"total_reward", "final_reward"}, roleStep: {"iteration"}, roleGroup: {"group_idx"},
		roleResponse: {"steps.logs.response"},
	})
	return Format{
		Name: "tinker", Doc: "tinker-cookbook's iteration_N/*_rollout_summaries.jsonl.",
		Writes: "nothing: it writes them by default, into log_path",
		Sniff:  byKeys(85, "group_idx", "traj_idx", "total_reward"),
		Decode: shaped(names, trajectory),
	}
}

// trajectory takes response and length from the steps of a row.
func trajectory(r *rows, record []byte, sample func()) error {
	r.begin()
	tokens := 0.0
	var said []value
	take := func(k, v value) {
		x, isNumber := v.toFloat()
		switch name := string(k.raw); {
		case name == "ac_len" && isNumber:
			tokens += x
		case name == "logs" && v.kind == object:
			_ = scanObject(v.raw, func(k, v value) {
				if string(k.raw) == "response" && v.kind == text {
					said = append(said, v)
				}
			})
		}
	}
	err := scanObject(record, func(k, v value) {
		r.pick(k, v)
		if string(k.raw) == "steps" {
			eachElement(v, func(step value) { _ = scanObject(step.raw, take) })
		}
	})
	if err != nil {
		return err
	}
	if tokens > 0 {
		r.choose(roleLength, floatValue(tokens))
	}
	r.choose(roleResponse, paragraphs(said))
	sample()
	return nil
}
