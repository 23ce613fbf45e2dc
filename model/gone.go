package model

import "slices"

// Gone returns what to do instead of something that the program did once, "" for anything else. What was asked for is a flag with its
// value, a command of the screen with its colon, or a key.
func Gone(asked string) string {
	for _, g := range gone {
		if slices.Contains(g.asked, asked) {
			return g.instead
		}
	}
	return ""
}

// gone is all that a person or a script may still ask for.
var gone = [...]struct {
	asked   []string
	instead string
}{
	{[]string{"--format parquet"}, "no Parquet is written any more: take csv or jsonl, which pandas, polars and DuckDB load as they are"},
	{[]string{"--emit parquet"}, "no Parquet is written any more: take jsonl, which verl and datasets load too"},
	{[]string{"--input-format arrow"}, "no format is called arrow: its tables are read as lines of JSON, jsonl, without the flag too"},
	{[]string{":export svg"}, "pictures of the screen are gone: take one in the terminal, or copy the screen as text with y; `vantage report --svg FILE` draws charts"},
	{
		[]string{"*", "a", "'", ":mark", ":note", ":marks"},
		"marks and notes are gone: keep them in a file of your own; `vantage why GROUP PATH` prints a group by its name",
	},
}
