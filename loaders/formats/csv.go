package formats

import (
	"bytes"

	"vantage/loaders/decode"
	"vantage/loaders/framing"
	"vantage/loaders/jsonscan"
)

// csv is a table with a header and commas or tabs between its columns.
func csv() Format {
	names := decode.PreferNames(nil)
	return Format{
		Name: "csv", Doc: "CSV or TSV with a header: reward and whatever else under its usual names.",
		TrainerOption: "DataFrame.to_csv",
		Framing:       framing.Framing{Quoted: true},
		Positional:    true,
		Sniff: func(name string, first []byte) int {
			switch framing.Extension(name) {
			case ".csv", ".tsv", "": // a stream has no name
			default:
				return 0
			}
			first = jsonscan.TrimByteOrderMark(first)
			for _, key := range framing.SplitCSV(nil, first, framing.CSVSeparator(first)) {
				if p, ok := names.Lookup(bytes.TrimSpace(key)); ok && p.Role == decode.RoleReward || decode.IsComponent(string(key)) {
					return 15
				}
			}
			return 0
		},
		NewDecoder: func(name string) decode.Decoder {
			return &decode.CSVDecoder{RowDecoder: decode.NewRowDecoder(names, name)}
		},
	}
}

// unstableBaselines is the train_data_step_N.csv of UnstableBaselines: turns of
// games, with rewards that were normalised before. Nothing tells which belong
// together but equal observations.
// LeonGuertler/UnstableBaselines@66aec040f789.
func unstableBaselines() Format {
	f := csv()
	f.Name, f.Doc = "unstable-baselines", "UnstableBaselines' train_data_step_N.csv: turns of games; its rewards are normalised already."
	f.TrainerOption, f.Positional = "nothing: it writes them by default", false
	f.Sniff = func(_ string, first []byte) int {
		if bytes.HasPrefix(jsonscan.TrimByteOrderMark(first), []byte("pid,obs,act,reward")) {
			return 85
		}
		return 0
	}
	return f
}
