package formats

import (
	"vantage/loaders/decode"
	"vantage/loaders/framing"
	"vantage/loaders/jsonscan"
)

// wandbTable is a table of W&B's offline runs: {"columns": […], "data": [[…]]}.
// wandb/wandb@b6e29505884e wandb/sdk/data_types/table.py:650-701.
func wandbTable() Format {
	return Format{
		Name: "wandb-table", Doc: "A W&B table on disk: files/media/table/*.table.json of an offline run.",
		TrainerOption: "WANDB_MODE=offline, and log_completions=True (TRL), trainer.log_val_generations=N (verl) or trainer.val_generations_to_log=N (EasyR1)",
		File:          "wandb/{run}/files/media/table/{key}_{step}_{hash}.table.json",
		Open:          "wandb",
		Origin:        FromLogger,
		Framing:       framing.Framing{Whole: true},
		Score:         85,
		Sniff: func(first *First) bool {
			keys := first.Keys()
			return keys["columns"] == jsonscan.Array && keys["data"] == jsonscan.Array
		},
		Fields:        decode.UsualNames(),
		Layout:        decode.WandbTable,
		Positional:    true,
		MayRepeatRows: true,
	}
}
