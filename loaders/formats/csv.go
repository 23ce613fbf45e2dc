package formats

import (
	"bytes"

	"vantage/loaders/decode"
	"vantage/loaders/framing"
	"vantage/loaders/jsonscan"
)

// csv is a table with a header and commas, semicolons or tabs between its columns.
func csv() Format {
	fields := decode.UsualNames()
	return Format{
		Name: "csv", Doc: "CSV or TSV with a header: reward and whatever else under its usual names.",
		TrainerOption: "DataFrame.to_csv",
		Origin:        FromAnyone,
		Framing:       framing.Framing{Quoted: true},
		Sniff: func(first *First) int {
			switch framing.Extension(first.Name) {
			case ".csv", ".tsv", "":
			default:
				return 0
			}
			header := jsonscan.TrimByteOrderMark(first.Record)
			for _, name := range framing.SplitCSV(nil, header, framing.CSVSeparator(header)) {
				if p, ok := fields.Lookup(bytes.TrimSpace(name)); ok && p.Role == decode.RoleReward || decode.IsComponentName(string(name)) {
					return 15
				}
			}
			return 0
		},
		Fields:     fields,
		Positional: true,
	}
}
