package formats

import (
	"strings"

	"vantage/loaders/decode"
	"vantage/loaders/framing"
)

// trl is TRL's completions: a Parquet file per log step, a column per reward
// function and no total. huggingface/trl@f2cd57710 trl/trainer/grpo_trainer.py:3293-3327.
func trl() Format {
	f, names := parquetFile(), decode.NamesWithoutTotal()
	f.Name, f.Doc = "trl", "TRL's completions/completions_{step}.parquet: a column per reward function."
	f.TrainerOption = "log_completions=True in GRPOConfig"
	f.MayRepeatRows = true
	f.Sniff = func(_ string, first []byte) int {
		names := lineSet(first)
		if names["step"] && names["prompt"] && names["completion"] && names["advantage"] {
			return 80
		}
		return 0
	}
	f.NewDecoder = func(name string) decode.Decoder {
		r := decode.NewRowDecoder(names, name)
		r.Components.AcceptAll, r.HashResponses = true, true
		return r
	}
	return f
}

// parquetFile is a Parquet file with a reward and whatever else under its usual names.
func parquetFile() Format {
	names := decode.PreferNames(nil)
	return Format{
		Name: "parquet", Doc: "A Parquet file: reward and whatever else under its usual names.",
		TrainerOption: "DataFrame.to_parquet",
		Framing:       framing.Framing{Table: true},
		Positional:    true,
		Sniff: func(_ string, first []byte) int {
			for name := range lineSet(first) {
				if p, ok := names.Lookup([]byte(name)); ok && p.Role == decode.RoleReward || decode.IsComponent(name) {
					return 15
				}
			}
			return 0
		},
		NewDecoder: func(name string) decode.Decoder { return decode.NewRowDecoder(names, name) },
	}
}

// lineSet are the lines of a text: the names of columns.
func lineSet(b []byte) map[string]bool {
	set := map[string]bool{}
	for name := range strings.SplitSeq(string(b), "\n") {
		set[name] = true
	}
	return set
}
