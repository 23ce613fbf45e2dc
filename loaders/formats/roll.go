package formats

import (
	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
)

// roll is ROLL's rollout dump: one line per file, an object of lists.
// alibaba/ROLL@8eb27cc2dc34 roll/pipeline/rlvr/utils.py:35-77.
func roll() Format {
	return Format{
		Name: "roll", Framework: "roll", Doc: "ROLL's rollout_dump_data.step_N.jsonl: one line per step, with a list for each column.",
		TrainerOption: "rollout_dump_dir=DIR, which must be an absolute path",
		File:          "DIR/rollout_dump_data.step_{step}.jsonl",
		Open:          "DIR",
		Score:         85,
		Sniff: func(first *First) bool {
			keys := first.Keys()
			return keys["responses"] == jsonscan.Array && keys["scores"] == jsonscan.Array
		},
		Fields: decode.PreferNames(decode.Names{
			decode.RoleReward: {"scores"},
			decode.RoleGroup:  {"id"},
		}),
		Layout: decode.ColumnLists,
	}
}
