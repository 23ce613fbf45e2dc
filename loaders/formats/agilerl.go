package formats

import (
	"slices"

	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
)

// agileRL is AgileRL's sampled completions: a line per sample of the groups that it draws at an interval of
// steps. A population has several agents, each with its own groups.
// AgileRL/AgileRL@1d9dc45b1973 agilerl/training/llm/completion_logging.py:39-94, 188-211.
func agileRL() Format {
	fields := decode.OnlyNames(decode.Names{
		decode.RoleReward:   {"reward"},
		decode.RoleStep:     {"step"},
		decode.RoleGroup:    {"group_index and agent_index", "group_index"}, // the first is what agileRow sets
		decode.RolePrompt:   {"prompt"},
		decode.RoleResponse: {"completion"},
		decode.RoleLength:   {"completion_tokens"},
	})
	fields.Caveat = func([]string) string {
		return "; the trainer logs only num_groups groups at each interval and cuts long texts, so means are of those groups, not of the whole step"
	}
	return Format{
		Name: "agilerl", Doc: "AgileRL's completions: a line per sample, of the groups that it picks at random to log.",
		TrainerOption: "CompletionLoggingConfig(jsonl_path=\"completions.jsonl\", interval=1, num_groups=N)",
		File:          "completions.jsonl",
		Open:          "completions.jsonl",
		Score:         80,
		Sniff:         hasKeys("agent_index", "group_index", "sample_index", "reward", "completion"),
		Fields:        fields,
		Layout:        agileRow,
	}
}

// agileRow keeps the groups of several agents apart.
func agileRow(r *decode.RowDecoder, record []byte, emit func()) error {
	r.BeginRow()
	var agent jsonscan.Value
	err := jsonscan.ScanObject(record, func(key, v jsonscan.Value) {
		if string(key.Raw) == "agent_index" && v.Kind == jsonscan.Number {
			agent = v
		}
		r.Pick(key, v)
	})
	if err != nil {
		return err
	}
	if group := r.Values[decode.RoleGroup]; agent.Kind != jsonscan.Absent && r.Has(decode.RoleGroup) {
		raw := slices.Concat([]byte("agent "), agent.Raw, []byte(": "), group.Raw)
		r.Set(decode.RoleGroup, jsonscan.Value{Kind: jsonscan.String, Raw: raw})
	}
	emit()
	return nil
}
