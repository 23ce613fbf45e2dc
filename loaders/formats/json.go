package formats

import (
	"errors"

	"vantage/loaders/decode"
	"vantage/loaders/framing"
)

// jsonDocument is a file that is one JSON document: a list of samples, or an object that holds one.
func jsonDocument() Format {
	fields := usualFields()
	return Format{
		Name: "json", Doc: "A JSON document: a list of samples, an object with a list under samples, rollouts, results, rows or data, or an object of lists. Also one such document per line.",
		TrainerOption: "json.dump of a list of objects with reward and prompt",
		File:          "samples.json",
		Open:          "samples.json",
		Origin:        FromAnyone,
		Framing:       framing.Framing{Whole: true},
		Score:         20,
		Sniff: func(first *First) bool {
			r := decode.NewRowDecoder(fields, first.Name)
			hasReward := false
			err := decode.Document(r, first.Record, func() { hasReward = hasReward || r.HasReward() })
			var ragged decode.RaggedError
			return err == nil && hasReward || errors.As(err, &ragged) // which is then said of the file
		},
		Fields:     fields,
		Layout:     decode.Document,
		Positional: true,
	}
}
