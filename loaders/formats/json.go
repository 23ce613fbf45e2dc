package formats

import (
	"vantage/loaders/decode"
	"vantage/loaders/framing"
)

// jsonDocument is a file that is one JSON document: a list of samples, or an object that holds one.
func jsonDocument() Format {
	fields := usualFields()
	return Format{
		Name: "json", Doc: "A JSON document, or one on each line: a list of samples, or an object with samples, rollouts, results, rows or data.",
		TrainerOption: "json.dump of a list of objects with reward and prompt",
		Origin:        FromAnyone,
		Framing:       framing.Framing{Whole: true},
		Score:         20,
		Sniff: func(first *First) bool {
			r := decode.NewRowDecoder(fields, first.Name)
			hasReward := false
			err := decode.Document(r, first.Record, func() { hasReward = hasReward || r.HasReward() })
			return err == nil && hasReward
		},
		Fields:     fields,
		Layout:     decode.Document,
		Positional: true,
	}
}
