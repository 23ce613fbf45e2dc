package formats

import (
	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
)

// nemo is NeMo-RL's train_data_stepN.jsonl and val_data_stepN.jsonl: a row per
// sample in which every value is a list of one. Prompt and answer stand in one
// conversation; advantages and the loss mask are per token.
// NVIDIA-NeMo/RL@7ea279abfbeb nemo_rl/utils/logger.py:1071-1096.
func nemo() Format {
	return Format{
		Name: "nemo-rl", Doc: "NeMo-RL's train_data_stepN.jsonl: rows of lists of one, with token ids.",
		TrainerOption: "nothing: it writes them by default, into logger.log_dir",
		Sniff: func(_ string, first []byte) int {
			keys := keysOf(first)
			if keys["content"] == jsonscan.Array && keys["rewards"] == jsonscan.Array && keys["idx"] == jsonscan.Number {
				return 85
			}
			return 0
		},
		NewDecoder: withLayout(decode.PreferNames(map[decode.Role][]string{decode.RoleReward: {"filtered_rewards", "rewards"}, decode.RoleGroup: {"group_id"}}), unboxed),
	}
}

// unboxed takes the values out of their lists of one, and the conversation apart.
func unboxed(r *decode.RowDecoder, record []byte, sample func()) error {
	r.BeginRow()
	err := jsonscan.ScanObject(record, func(k, v jsonscan.Value) {
		one, ok := v.Single()
		if !ok {
			r.Pick(k, v)
			return
		}
		switch string(k.Raw) {
		case "content":
			asked, answered := turns(one)
			r.Set(decode.RolePrompt, asked)
			r.Set(decode.RoleResponse, answered)
		case "token_loss_mask":
			n := 0
			one.EachElement(func(e jsonscan.Value) {
				if x, ok := e.ToFloat(); ok && x != 0 {
					n++
				}
			})
			r.Set(decode.RoleLength, jsonscan.FromFloat(float64(n)))
		default:
			r.Pick(k, one)
		}
	})
	if err == nil {
		sample()
	}
	return err
}

// turns are the first and the second entry of a conversation: of texts in turn, or
// of {role, content}.
func turns(v jsonscan.Value) (asked, answered jsonscan.Value) {
	if all := v.Messages(); len(all) > 1 {
		for _, m := range all {
			switch {
			case string(m.Role.Raw) == "user" && asked.Kind == jsonscan.Absent:
				asked = m.Content
			case string(m.Role.Raw) == "assistant" && answered.Kind == jsonscan.Absent:
				answered = m.Content
			}
		}
		return asked, answered
	}
	all := v.Elements()
	if len(all) > 0 {
		asked = all[0]
	}
	if len(all) > 1 {
		answered = all[1]
	}
	return asked, answered
}
