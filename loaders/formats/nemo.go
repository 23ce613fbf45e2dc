package formats

import (
	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
)

// nemo is NeMo-RL's train_data_stepN.jsonl and val_data_stepN.jsonl: a row per sample in which every
// value is a list of one. Prompt and response stand in one conversation; advantages and the loss mask
// are per token.
// NVIDIA-NeMo/RL@7ea279abfbeb nemo_rl/utils/logger.py:1071-1096.
func nemo() Format {
	return Format{
		Name: "nemo-rl", Framework: "nemo-rl", Doc: "NeMo-RL's train_data_stepN.jsonl: a row per sample, in which every value is a list of one, with token ids.",
		TrainerOption: byDefault + ", with logger.log_dir=DIR",
		File:          "DIR/exp_{run}/train_data_step{step}.jsonl",
		Open:          "DIR",
		Score:         85,
		Sniff: func(first *First) bool {
			keys := first.Keys()
			return keys["content"] == jsonscan.Array && keys["rewards"] == jsonscan.Array && keys["idx"] == jsonscan.Number
		},
		Fields: decode.PreferNames(decode.Names{
			decode.RoleReward: {"filtered_rewards", "rewards"},
			decode.RoleGroup:  {"group_id"},
		}),
		Layout: nemoRow,
	}
}

// nemoRow takes the values out of their lists of one.
func nemoRow(r *decode.RowDecoder, record []byte, emit func()) error {
	r.BeginRow()
	err := jsonscan.ScanObject(record, func(key, v jsonscan.Value) {
		value, ok := v.Single()
		if !ok {
			r.Pick(key, v)
			return
		}
		switch string(key.Raw) {
		case "content":
			prompt, response := firstTurns(value)
			r.Set(decode.RolePrompt, prompt)
			r.Set(decode.RoleResponse, response)
		case "token_loss_mask":
			n := 0
			value.EachElement(func(e jsonscan.Value) {
				if x, ok := e.ToFloat(); ok && x != 0 {
					n++
				}
			})
			r.Set(decode.RoleLength, jsonscan.FromFloat(float64(n)))
		default:
			r.Pick(key, value)
		}
	})
	if err == nil {
		emit()
	}
	return err
}

// firstTurns returns the user's and the assistant's first turn of a conversation: a list of
// {role, content}, or of texts in turn.
func firstTurns(conversation jsonscan.Value) (prompt, response jsonscan.Value) {
	if messages := conversation.Messages(); len(messages) > 1 {
		for _, m := range messages {
			switch {
			case string(m.Role.Raw) == "user" && prompt.Kind == jsonscan.Absent:
				prompt = m.Content
			case string(m.Role.Raw) == "assistant" && response.Kind == jsonscan.Absent:
				response = m.Content
			}
		}
		return prompt, response
	}
	turns := conversation.Elements()
	if len(turns) > 0 {
		prompt = turns[0]
	}
	if len(turns) > 1 {
		response = turns[1]
	}
	return prompt, response
}
