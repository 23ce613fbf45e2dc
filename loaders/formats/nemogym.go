package formats

import (
	"errors"

	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
)

// nemoGym is the rollouts that NeMo Gym collects: a line per rollout with the request and the response of
// OpenAI's Responses API. A task is repeated as often as num_repeats says.
// NVIDIA-NeMo/Gym@00536e7a140e nemo_gym/rollout_collection.py:309-349, 480-520.
func nemoGym() Format {
	return Format{
		Name: "nemo-gym", Doc: "NeMo Gym's rollouts: a line per rollout with responses_create_params, response, reward and the index of the task.",
		TrainerOption: "gym eval run (or ng_collect_rollouts) +output_jsonl_fpath=rollouts.jsonl +num_repeats=N",
		File:          "rollouts.jsonl",
		Open:          "rollouts.jsonl",
		Score:         85,
		Sniff:         hasKeys("responses_create_params", "response", "reward"),
		Fields: decode.OnlyNames(decode.Names{
			decode.RoleReward:   {"reward"},
			decode.RoleStep:     {"step"},
			decode.RoleGroup:    {"_ng_task_index"},
			decode.RolePrompt:   {"responses_create_params.input"},
			decode.RoleResponse: {"response.output"},
			decode.RoleTruth:    {"expected_answer"},
			decode.RoleLength:   {"response.usage.output_tokens"},
		}),
		Layout: nemoGymRollout,
	}
}

// errFailedRollout is the error for a row of {name}_failures.jsonl: the task is tried again.
var errFailedRollout = errors.New("an attempt that failed (_ng_failure_class): it has no reward")

// nemoGymRollout takes the items of a response as the turns of a conversation.
func nemoGymRollout(r *decode.RowDecoder, record []byte, emit func()) error {
	r.BeginRow()
	failed := false
	err := jsonscan.ScanObject(record, func(key, v jsonscan.Value) {
		failed = failed || string(key.Raw) == "_ng_failure_class" && v.Kind == jsonscan.String
		r.Pick(key, v)
	})
	switch {
	case err != nil:
		return err
	case failed:
		return errFailedRollout
	}
	var turns []jsonscan.Value
	r.Values[decode.RoleResponse].EachElement(func(item jsonscan.Value) {
		if turn := responseTurn(item); turn.Kind != jsonscan.Absent {
			turns = append(turns, turn)
		}
	})
	r.Values[decode.RoleResponse] = decode.Conversation(turns)
	emit()
	return nil
}

// responseTurn returns an item of a response as {role, content}, absent if it says nothing.
func responseTurn(item jsonscan.Value) jsonscan.Value {
	switch string(item.Field("type").Raw) {
	case "function_call":
		return turnOf(`{"role":"assistant","content":"","tool_calls":[{"name":`, literal(item.Field("name")), `,"arguments":`, literal(item.Field("arguments")), `}]}`)
	case "function_call_output":
		return turnOf(`{"role":"tool","content":`, literal(item.Field("output")), `}`)
	case "reasoning":
		return turnOf(`{"role":"assistant","content":`, literal(item.Field("summary")), `}`)
	}
	if item.Field("role").Kind != jsonscan.String {
		return jsonscan.Value{}
	}
	return item
}

// turnOf returns an object of pieces of JSON.
func turnOf(pieces ...string) jsonscan.Value {
	var raw []byte
	for _, piece := range pieces {
		raw = append(raw, piece...)
	}
	return jsonscan.Value{Kind: jsonscan.Object, Raw: raw}
}

// literal returns a value as it stands in a record, null if it is absent.
func literal(v jsonscan.Value) string {
	switch v.Kind {
	case jsonscan.Absent:
		return "null"
	case jsonscan.String:
		return `"` + string(v.Raw) + `"`
	default:
		return string(v.Raw)
	}
}
