package formats

import (
	"slices"

	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
)

// verl is the dump of trainer.rollout_data_dir and validation_data_dir. Its v0
// trainer writes no group id, and balance_batch shuffles the rows, so nothing
// may be concluded from their order. Its v1 trainer adds uid, the group's uuid
// with "_{rollout}_{output}" after it. request_id is another per row: no group.
func verl() Format {
	names := decode.OnlyNames(map[decode.Role][]string{
		decode.RoleReward:   {"score", "reward"},
		decode.RoleStep:     {"step"},
		decode.RoleGroup:    {"uid"},
		decode.RolePrompt:   {"input"},
		decode.RoleResponse: {"output"},
		decode.RoleTruth:    {"gts"},
		decode.RoleLength:   {"response_length"},
	})
	names.RewardCaveat = overlong
	return Format{
		Name:          "verl",
		Doc:           "verl and RAGEN: {step}.jsonl with rows of input, output, gts, score, step, and uid since v1.",
		TrainerOption: "trainer.rollout_data_dir=DIR (and trainer.validation_data_dir=DIR)",
		Sniff: func(name string, first []byte) int {
			var input, output, score bool
			err := jsonscan.ScanObject(first, func(key, _ jsonscan.Value) {
				switch string(key.Raw) {
				case "input":
					input = true
				case "output":
					output = true
				case "score":
					score = true
				}
			})
			if err != nil || !input || !output || !score {
				return 0
			}
			return 90
		},
		NewDecoder: func(name string) decode.Decoder { return decode.NewRowDecoder(names, name) },
	}
}

// overlong says what a score may lack: the reward manager for DAPO takes a penalty for long
// responses off the reward, but a reward function that returns a score of its own has that
// written instead.
// verl-project/verl@1dda039b9 verl/trainer/ppo/ray_trainer.py:454-475, verl/workers/reward_manager/dapo.py:103-126.
func overlong(parts []string) string {
	if !slices.Contains(parts, "overlong_reward") {
		return ""
	}
	return "; score may lack the penalty for overlong responses that the trainer adds, which stands in overlong_reward"
}
