package formats

import (
	"vantage/loaders/decode"
	"vantage/loaders/framing"
	"vantage/loaders/jsonscan"
)

// trlTable is TRL's completions as W&B keeps them: the columns of its Parquet files, with reward
// functions under their own names. TRL's RLOO writes nothing else.
// huggingface/trl@1.16.0 trl/trainer/grpo_trainer.py:3341-3381, rloo_trainer.py:1941.
func trlTable() Format {
	return Format{
		Name: "trl-table", Framework: "trl", Doc: "TRL's completions as a W&B table on disk: a column per reward function.",
		TrainerOption: "WANDB_MODE=offline, and log_completions=True, logging_steps=1 and report_to=wandb in GRPOConfig or RLOOConfig",
		File:          "wandb/{run}/files/media/table/completions_{step}_{hash}.table.json",
		Open:          "wandb",
		Origin:        FromLogger,
		Framing:       framing.Framing{Whole: true},
		Score:         90,
		Sniff:         isTRLTable,
		Fields:        decode.NamesWithoutTotal(),
		Layout:        decode.WandbTable,
		Positional:    true,
		MayRepeatRows: true,
		Evaluation:    AfterTrainingRows,
	}
}

// isTRLTable reports whether a document is a table with the columns that TRL always writes.
func isTRLTable(first *First) bool {
	columns := map[string]bool{}
	_ = jsonscan.ScanObject(first.Record, func(key, v jsonscan.Value) {
		if string(key.Raw) == "columns" {
			v.EachElement(func(name jsonscan.Value) { columns[string(name.Text())] = true })
		}
	})
	return first.Keys()["data"] == jsonscan.Array && columns["step"] && columns["prompt"] && columns["completion"] && columns["advantage"]
}
