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
		Name: "verifiers", Doc: "verifiers' results.jsonl, and prime-rl's {train,eval}_rollouts.jsonl of early 2026.",
		TrainerOption: "-s, or save_results = true",
		Sniff: func(first *First) int {
			keys := first.Keys()
			_, hasID := keys["id"]
			_, hasExample := keys["example_id"]
			_, isHosted := keys["sample_id"]
			_, hasReward := keys["reward"]
			if keys["prompt"] == jsonscan.Array && keys["completion"] == jsonscan.Array && (hasID || hasExample) && hasReward && !isHosted {
				return 70
			}
			return 0
		},
		Fields: decode.PreferNames(decode.Names{
			decode.RoleGroup:  {"example_id", "id"},
			decode.RoleTruth:  {"answer"},
			decode.RoleLength: {"token_usage.output_tokens"},
		}),
	}
}
