package formats

import (
	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
)

// jsonl is any log with a JSON object per sample whose fields have usual names.
func jsonl() Format {
	fields := usualFields()
	return Format{
		Name: "jsonl", Doc: "JSON lines: one object per sample, with a reward and other fields under usual names.",
		TrainerOption: "one json.dumps per sample with reward, step and prompt",
		File:          "log.jsonl",
		Open:          "log.jsonl",
		Origin:        FromAnyone,
		Score:         10,
		Sniff: func(first *First) bool {
			r := decode.NewRowDecoder(fields, first.Name)
			return jsonscan.ScanObject(first.Record, r.Pick) == nil && r.HasReward() && !IsMetrics(first.Record)
		},
		Fields:     fields,
		Positional: true,
	}
}
