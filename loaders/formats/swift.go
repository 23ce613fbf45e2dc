package formats

import (
	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
)

// swift is ms-swift's completions.jsonl: a whole step in one line, an object of lists. Reward
// functions come under the names of their classes, without a total.
// modelscope/ms-swift@3602360a5623 swift/rlhf_trainers/grpo_trainer.py:1874-1897.
func swift() Format {
	return Format{
		Name: "ms-swift", Framework: "ms-swift", Doc: "ms-swift's completions.jsonl: one line per logged step, with a list for each column.",
		TrainerOption: "--log_completions true --logging_steps 1 --output_dir DIR",
		File:          "DIR/v{n}-{time}/completions.jsonl",
		Open:          "DIR",
		Score:         85,
		Sniff: func(first *First) bool {
			keys := first.Keys()
			hasSteps := keys["step"] == jsonscan.Array || keys["gen_step"] == jsonscan.Array
			return hasSteps && keys["prompt"] == jsonscan.Array && keys["completion"] == jsonscan.Array
		},
		Fields:        decode.NamesWithoutTotal(),
		Layout:        decode.ColumnLists,
		Positional:    true,
		MayRepeatRows: true,
		Evaluation:    AfterTrainingRows,
	}
}

// swiftRay is the same file as its Ray trainer writes it: a line per sample.
func swiftRay() Format {
	return Format{
		Name: "ms-swift-ray", Framework: "ms-swift", Doc: "ms-swift's completions.jsonl of the Ray trainer: one line per sample.",
		TrainerOption: "--log_completions true --logging_steps 1 --output_dir DIR",
		File:          "DIR/v{n}-{time}/completions.jsonl",
		Open:          "DIR",
		Score:         60,
		Sniff:         hasKeys("gen_step", "prompt", "completion"),
		Fields:        decode.UsualNames(),
		Positional:    true,
	}
}
