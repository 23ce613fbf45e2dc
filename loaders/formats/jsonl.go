package formats

import (
	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
)

// jsonl is any log with one JSON object per sample: fields are found by the
// names that trainers give them, the first of a list that a row has.
func jsonl() Format {
	names := decode.OnlyNames(decode.Synonyms())
	return Format{
		Name:          "jsonl",
		Doc:           "Plain JSON lines, one object per sample, with a reward and whatever else under its usual names.",
		TrainerOption: "one json.dumps per sample with reward, step and prompt",
		Positional:    true,
		Sniff: func(name string, first []byte) int {
			r := decode.NewRowDecoder(names, name)
			if jsonscan.ScanObject(first, r.Pick) != nil || !r.HasReward() || IsMetrics(first) {
				return 0
			}
			return 10
		},
		NewDecoder: func(name string) decode.Decoder { return decode.NewRowDecoder(names, name) },
	}
}

// IsMetrics reports whether a row holds figures of a step, not a sample. Such a
// row has neither texts nor lists; a plain {"step": 1, "reward": 0.5} may well
// be a sample, unless the figures of a training loop stand beside it.
func IsMetrics(line []byte) bool {
	var samples, loop bool
	keys, reward := 0, false
	err := jsonscan.ScanObject(line, func(key, v jsonscan.Value) {
		keys++
		switch string(key.Raw) {
		case "loss", "lr", "learning_rate", "grad_norm", "current_steps", "total_steps":
			loop = true
		case "prompt", "completion", "response", "input", "output":
			samples = true
		case "reward", "score", "total_reward", "rewards", "final_reward", "acc", "correct", "is_correct":
			reward = reward || v.Kind == jsonscan.Number || v.Kind == jsonscan.Bool || v.Kind == jsonscan.Null
		}
		samples = samples || v.Kind == jsonscan.Array || v.Kind == jsonscan.String && !loop
	})
	switch {
	case err != nil || keys == 0:
		return false
	case loop && !samples:
		return true
	default:
		return !samples && !reward
	}
}
