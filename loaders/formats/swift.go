package formats

import (
	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
)

// swift is ms-swift's completions.jsonl: a whole step in one line, an object of
// lists. Reward functions come under the names of their classes, without a total.
// modelscope/ms-swift@3602360a5623 swift/rlhf_trainers/grpo_trainer.py:1874-1897.
func swift() Format {
	names := decode.NamesWithoutTotal()
	return Format{
		Name: "ms-swift", Doc: "ms-swift's completions.jsonl: one line of columns per log step.",
		TrainerOption: "--log_completions true",
		Positional:    true,
		MayRepeatRows: true,
		Sniff: func(_ string, first []byte) int {
			keys := keysOf(first)
			steps := keys["step"] == jsonscan.Array || keys["gen_step"] == jsonscan.Array
			if keys["prompt"] == jsonscan.Array && keys["completion"] == jsonscan.Array && steps {
				return 85
			}
			return 0
		},
		NewDecoder: func(name string) decode.Decoder {
			r := decode.NewRowDecoder(names, name)
			r.Layout = decode.ColumnLists
			r.HashResponses = true
			r.Components.AcceptAll = true
			return r
		},
	}
}

// swiftRay is the same file as its Ray trainer writes it: a line per sample.
func swiftRay() Format {
	return Format{
		Name: "ms-swift-ray", Doc: "ms-swift's completions.jsonl of the Ray trainer: one line per sample.",
		TrainerOption: "--log_completions true",
		Positional:    true,
		Sniff:         byKeys(60, "gen_step", "prompt", "completion"),
		NewDecoder:    withLayout(decode.PreferNames(nil), decode.OneObject),
	}
}
