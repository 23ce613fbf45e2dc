package formats

import "vantage/loaders/decode"

// slime is the rollouts that slime and miles save with torch.save, as package torchfile reads them: a line per sample, with the id
// of the rollout as its step.
// THUDM/slime@624b824a8 slime/observability/rollout_data_utils.py:140-153, slime/utils/types.py.
func slime() Format {
	return Format{
		Name: "slime", Framework: "slime", Doc: "slime's and miles' {rollout_id}.pt: samples in a pickle file; no code in it is run.",
		TrainerOption: "--dump-details DIR, or --save-debug-rollout-data DIR/rollout_data/{rollout_id}.pt",
		File:          "DIR/rollout_data/{rollout_id}.pt",
		Open:          "DIR",
		Score:         85,
		Sniff:         hasKeys("step", "group_index", "prompt", "response", "reward"),
		Fields: decode.OnlyNames(decode.Names{
			decode.RoleReward:   {"reward"},
			decode.RoleStep:     {"step"},
			decode.RoleGroup:    {"group_index"},
			decode.RolePrompt:   {"prompt"},
			decode.RoleResponse: {"response"},
			decode.RoleTruth:    {"label"},
			decode.RoleLength:   {"response_length"},
		}),
	}
}
