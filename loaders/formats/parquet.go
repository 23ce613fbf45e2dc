package formats

import (
	"bytes"

	"vantage/loaders/framing"
)

// parquetFile is a Parquet file with a reward and whatever else under its usual names.
func parquetFile() Format {
	fields := usualFields()
	return Format{
		Name: "parquet", Doc: "A Parquet file: a reward and other columns under usual names.",
		TrainerOption: "DataFrame.to_parquet",
		File:          "log.parquet",
		Open:          "log.parquet",
		Origin:        FromAnyone,
		Framing:       framing.Framing{Table: true},
		Score:         15,
		Sniff: func(first *First) bool {
			return hasReward(fields, bytes.Split(first.Record, []byte{'\n'}))
		},
		Fields:     fields,
		Positional: true,
	}
}
