package formats

import (
	"strings"

	"vantage/loaders/decode"
	"vantage/loaders/framing"
)

// trl is TRL's completions: a Parquet file per log step, with a column per reward function and no
// total. huggingface/trl@f2cd57710 trl/trainer/grpo_trainer.py:3293-3327.
func trl() Format {
	return Format{
		Name: "trl", Framework: "trl", Doc: "TRL's completions/completions_{step}.parquet: a column per reward function.",
		TrainerOption: "log_completions=True, logging_steps=1 and output_dir=DIR in GRPOConfig",
		File:          "DIR/completions/completions_{step}.parquet",
		Open:          "DIR",
		Framing:       framing.Framing{Table: true},
		Score:         80,
		Sniff: func(first *First) bool {
			columns := map[string]bool{}
			for name := range strings.SplitSeq(string(first.Record), "\n") {
				columns[name] = true
			}
			return columns["step"] && columns["prompt"] && columns["completion"] && columns["advantage"]
		},
		Fields:        decode.NamesWithoutTotal(),
		Positional:    true,
		MayRepeatRows: true,
		Evaluation:    OverTrainingRows,
	}
}
