package formats

import (
	"slices"
	"strings"

	"vantage/loaders/decode"
)

// verl is the dump of trainer.rollout_data_dir and validation_data_dir. Its v0 trainer writes no group
// id, and balance_batch shuffles the rows, so nothing may be concluded from their order. Its v1
// trainer adds uid, the group's uuid with "_{rollout}_{output}" after it. request_id is another per
// row: no group.
func verl() Format {
	fields := decode.OnlyNames(decode.Names{
		decode.RoleReward:   {"score", "reward"},
		decode.RoleStep:     {"step"},
		decode.RoleGroup:    {"uid"},
		decode.RolePrompt:   {"input"},
		decode.RoleResponse: {"output"},
		decode.RoleTruth:    {"gts"},
		decode.RoleLength:   {"response_length"},
	})
	fields.Caveat = overlongCaveat
	fields.TrimGroupID = trimRolloutSuffix
	return Format{
		Name: "verl", Framework: "verl", Doc: "verl and RAGEN: {step}.jsonl with rows of input, output, gts, score, step, and uid since v1.",
		TrainerOption: "trainer.rollout_data_dir=DIR (and trainer.validation_data_dir=DIR)",
		Score:         90,
		Sniff:         hasKeys("input", "output", "score"),
		Fields:        fields,
	}
}

// overlongCaveat says what a score may lack: DAPO's reward manager subtracts a penalty for long
// responses from the reward, but where the reward function returns a score of its own, that is logged
// instead.
// verl-project/verl@1dda039b9 verl/trainer/ppo/ray_trainer.py:454-475, verl/workers/reward_manager/dapo.py:103-126.
func overlongCaveat(components []string) string {
	if !slices.Contains(components, "overlong_reward") {
		return ""
	}
	return "; score may lack the penalty for overlong responses that the trainer adds, which stands in overlong_reward"
}

// trimRolloutSuffix returns a uid without its "_{rollout}_{output}", if it has both.
func trimRolloutSuffix(field, id string) string {
	if field != "uid" {
		return id
	}
	uid := id
	for range 2 {
		i := strings.LastIndexByte(id, '_')
		if i <= 0 || !decode.IsDigits(id[i+1:]) {
			return uid
		}
		id = id[:i]
	}
	return id
}
