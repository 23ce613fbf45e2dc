package formats

import (
	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
)

// stepData is a log whose lines hold a step and, under data, a sample or the lists of a group. The file
// loggers of trainers write metrics in the same way, which are no samples.
func stepData() Format {
	fields := groupFields()
	return Format{
		Name: "step-data", Doc: `JSON lines {"step": 1, "data": {…}}: under data is a sample, or the lists of a group.`,
		TrainerOption: "one json.dumps per sample or group, with prompt, completion and reward under data",
		File:          "rollouts.jsonl",
		Open:          "rollouts.jsonl",
		Origin:        FromAnyone,
		Score:         14,
		Sniff: func(first *First) bool {
			if first.Keys()["data"] != jsonscan.Object {
				return false
			}
			flat, ok := decode.Unwrap(first.Record)
			if !ok || IsMetrics(flat) {
				return false
			}
			r := decode.NewRowDecoder(fields, first.Name)
			_ = jsonscan.ScanObject(flat, r.Pick)
			hasText := r.Has(decode.RolePrompt) || r.Has(decode.RoleResponse)
			return hasText && r.HasReward() || decode.HasGroupLists(fields, flat)
		},
		Fields:     fields,
		Layout:     decode.Wrapped,
		Positional: true,
	}
}
