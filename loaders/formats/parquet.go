package formats

import (
	"bytes"

	"vantage/loaders/decode"
	"vantage/loaders/framing"
)

// parquetFile is a Parquet file with a reward and whatever else under its usual names.
func parquetFile() Format {
	fields := decode.UsualNames()
	return Format{
		Name: "parquet", Doc: "A Parquet file: reward and whatever else under its usual names.",
		TrainerOption: "DataFrame.to_parquet",
		Origin:        FromAnyone,
		Framing:       framing.Framing{Table: true},
		Sniff: func(first *First) int {
			for name := range bytes.SplitSeq(first.Record, []byte{'\n'}) {
				if p, ok := fields.Lookup(name); ok && p.Role == decode.RoleReward || decode.IsComponentName(string(name)) {
					return 15
				}
			}
			return 0
		},
		Fields:     fields,
		Positional: true,
	}
}
