package loaders

// tinker is tinker-cookbook's train_rollout_summaries.jsonl: rewards by step of a
// trajectory, explicit groups, no prompt.
// thinking-machines-lab/tinker-cookbook@9dfcc3a2cf44 tinker_cookbook/rl/rollout_logging.py:72-147.
func tinker() Format {
	names := newFields(map[role][]string{
		roleReward: {"total_reward", "final_reward"}, roleStep: {"iteration"}, roleGroup: {"group_idx"},
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
	err := scanObject(record, func(k, v value) {
		r.pick(k, v)
		if string(k.raw) != "steps" {
			return
		}
		eachElement(v, func(step value) {
			if step.kind != object {
				return
			}
			_ = scanObject(step.raw, func(k, v value) {
				if x, ok := v.toFloat(); ok && string(k.raw) == "ac_len" {
					tokens += x
				}
			})
		})
	})
	if err != nil {
		return err
	}
	if tokens > 0 {
		r.choose(roleLength, floatValue(tokens))
	}
	sample()
	return nil
}
