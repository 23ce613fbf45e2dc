package loaders

// nemo is NeMo-RL's train_data_stepN.jsonl and val_data_stepN.jsonl: a row per
// sample in which every value is a list of one. Prompt and answer stand in one
// conversation; advantages and the loss mask are per token.
// NVIDIA-NeMo/RL@7ea279abfbeb nemo_rl/utils/logger.py:1071-1096.
func nemo() Format {
	return Format{
		Name: "nemo-rl", Doc: "NeMo-RL's train_data_stepN.jsonl: rows of lists of one, with token ids.",
		Writes: "nothing: it writes them by default, into logger.log_dir",
		Sniff: func(_ string, first []byte) int {
			keys := keysOf(first)
			if keys["content"] == list && keys["rewards"] == list && keys["idx"] == number {
				return 85
			}
			return 0
		},
		Decode: shaped(with(map[role][]string{roleReward: {"filtered_rewards", "rewards"}, roleGroup: {"group_id"}}), unboxed),
	}
}

// unboxed takes the values out of their lists of one, and the conversation apart.
func unboxed(r *rows, record []byte, sample func()) error {
	r.begin()
	err := scanObject(record, func(k, v value) {
		one, ok := v.single()
		if !ok {
			r.pick(k, v)
			return
		}
		switch string(k.raw) {
		case "content":
			asked, answered := turns(one)
			r.choose(rolePrompt, asked)
			r.choose(roleResponse, answered)
		case "token_loss_mask":
			n := 0
			eachElement(one, func(e value) {
				if x, ok := e.toFloat(); ok && x != 0 {
					n++
				}
			})
			r.choose(roleLength, floatValue(float64(n)))
		default:
			r.pick(k, one)
		}
	})
	if err == nil {
		sample()
	}
	return err
}

// turns are the first and the second entry of a conversation: of texts in turn, or
// of {role, content}.
func turns(v value) (asked, answered value) {
	if all := v.toMessages(); len(all) > 1 {
		for _, m := range all {
			switch {
			case string(m.role.raw) == "user" && asked.kind == absent:
				asked = m.content
			case string(m.role.raw) == "assistant" && answered.kind == absent:
				answered = m.content
			}
		}
		return asked, answered
	}
	all := elements(v)
	if len(all) > 0 {
		asked = all[0]
	}
	if len(all) > 1 {
		answered = all[1]
	}
	return asked, answered
}
