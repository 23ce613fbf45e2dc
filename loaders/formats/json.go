package formats

import (
	"vantage/loaders/decode"
	"vantage/loaders/framing"
)

// jsonDocument is a file that is one JSON document: a list of samples, or an
// object that holds one.
func jsonDocument() Format {
	return Format{
		Name: "json", Doc: "A JSON document, or one on each line: a list of samples, or an object with samples, rollouts, results, rows or data.",
		TrainerOption: "json.dump of a list of objects with reward and prompt",
		Framing:       framing.Framing{Whole: true},
		Positional:    true,
		Sniff: func(name string, first []byte) int {
			r := decode.NewRowDecoder(decode.OnlyNames(decode.Synonyms()), name)
			found := 0
			if decode.Document(r, first, func() {
				if r.HasReward() {
					found++
				}
			}) != nil || found == 0 {
				return 0
			}
			return 20
		},
		NewDecoder: withLayout(decode.PreferNames(nil), decode.Document),
	}
}
