package formats

import (
	"vantage/loaders/framing"
	"vantage/loaders/jsonscan"
)

// csv is a table with a header and commas, semicolons or tabs between its columns.
func csv() Format {
	fields := usualFields()
	return Format{
		Name: "csv", Doc: "CSV or TSV with a header: a reward and other columns under usual names.",
		TrainerOption: "DataFrame.to_csv",
		File:          "log.csv",
		Open:          "log.csv",
		Origin:        FromAnyone,
		Framing:       framing.Framing{Quoted: true},
		Score:         15,
		Sniff: func(first *First) bool {
			switch framing.Extension(first.Name) {
			case ".csv", ".tsv", "":
				header := jsonscan.TrimByteOrderMark(first.Record)
				return hasReward(fields, framing.SplitCSV(nil, header, framing.CSVSeparator(header)))
			}
			return false
		},
		Fields:     fields,
		Positional: true,
	}
}
