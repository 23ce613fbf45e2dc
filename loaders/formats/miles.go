package formats

import (
	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
)

// miles is the conversations that miles keeps beside its torch files: {rollout_id}.jsonl, and
// eval_{rollout_id}.jsonl of an evaluation. They hold the samples that have a conversation, and no rewards of several parts.
// radixark/miles@31f1ca961a94 miles/ray/rollout/debug_data.py:12-30, 75-90, miles/utils/arguments.py:3183-3187.
func miles() Format {
	return Format{
		Name: "miles", Framework: "miles", Doc: "miles' conversations: {rollout_id}.jsonl with sample_index, group_index, status, reward, prompt and messages.",
		TrainerOption: "--save-debug-trajectory-data DIR/{rollout_id}.jsonl --save-debug-rollout-data OTHER/{rollout_id}.pt",
		File:          "DIR/{rollout}.jsonl",
		Twin:          ".pt",
		Open:          "DIR",
		Score:         80,
		Sniff:         hasKeys("sample_index", "group_index", "status", "reward", decode.ConversationField),
		Fields: decode.OnlyNames(decode.Names{
			decode.RoleReward:   {"reward"},
			decode.RoleStep:     {"rollout_id"},
			decode.RoleGroup:    {"group_index"},
			decode.RolePrompt:   {"prompt"},
			decode.RoleResponse: {decode.ConversationField},
		}),
		Layout: milesRow,
	}
}

// milesRow takes what stands in the conversation after the prompt as the response.
func milesRow(r *decode.RowDecoder, record []byte, emit func()) error {
	r.BeginRow()
	var messages jsonscan.Value
	err := jsonscan.ScanObject(record, func(key, v jsonscan.Value) {
		if string(key.Raw) == decode.ConversationField && v.Kind == jsonscan.Array {
			messages = v
		}
		r.Pick(key, v)
	})
	if err != nil {
		return err
	}
	turns := decode.FromAssistant(messages)
	if given := r.Values[decode.RolePrompt].Len(); given > 0 {
		all := messages.Elements()
		turns = all[min(given, len(all)):]
	}
	r.Values[decode.RoleResponse] = decode.Conversation(turns)
	emit()
	return nil
}
