package model

// Gone returns what to do instead of something that the program did once, "" for anything else. What was asked for is a flag with
// its value, or a command of the screen.
func Gone(asked string) string { return gone[asked] }

// gone is all that a person or a script may still ask for: by words of the command line, and by commands and keys of the screen.
var gone = map[string]string{
	"--format parquet":     "no Parquet is written any more: take csv or jsonl, which pandas, polars and DuckDB load as they are",
	"--input-format arrow": "tables of Arrow are not read any more: write JSON lines with Dataset.to_json(\"samples.jsonl\") of datasets",
	"--emit parquet":       "no Parquet is written any more: take jsonl, which verl and datasets load too",
}
