package formats

import (
	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
)

// verifiers is the results.jsonl of evaluations with verifiers, of 2025 (id, a column per reward
// function) and of 2026 (example_id, metrics).
// PrimeIntellect-ai/verifiers@a60a606ec verifiers/legacy/utils/save_utils.py:199-294.
func verifiers() Format {
	return Format{
		Name: "verifiers", Framework: "verifiers", Doc: "verifiers' results.jsonl, and prime-rl's {train,eval}_rollouts.jsonl of early 2026.",
		TrainerOption: "-s on the command line, or save_results = true",
		File:          "outputs/evals/{env}--{model}/{run}/results.jsonl",
		Open:          "outputs/evals",
		Score:         70,
		Sniff: func(first *First) bool {
			keys := first.Keys()
			hasID := keys["id"] != jsonscan.Absent || keys["example_id"] != jsonscan.Absent
			isHosted := keys["sample_id"] != jsonscan.Absent
			return keys["prompt"] == jsonscan.Array && keys["completion"] == jsonscan.Array && keys["reward"] != jsonscan.Absent && hasID && !isHosted
		},
		Fields: decode.PreferNames(decode.Names{
			decode.RoleGroup:  {"example_id", "id"},
			decode.RoleTruth:  {"answer"},
			decode.RoleLength: {"token_usage.output_tokens"},
		}),
	}
}
