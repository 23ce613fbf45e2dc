package formats

import (
	"bytes"
	"slices"

	"vantage/loaders/decode"
	"vantage/model"
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
	fields.SplitGroupID = splitUID
	return Format{
		Name: "verl", Framework: "verl", Doc: "verl's and RAGEN's {step}.jsonl: a row per sample with input, output, gts, score and step, and uid since verl's v1 trainer.",
		TrainerOption: "trainer.rollout_data_dir=DIR",
		File:          "DIR/{step}.jsonl",
		Open:          "DIR",
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
	return "; score may lack the penalty for overlong responses that the trainer adds: that is in overlong_reward"
}

// splitUID returns the uid of the prompt in "{uid}_{session}_{output}", and the session as rollout. A
// uid without both is the group's.
// verl 0.9.1 verl/trainer/ppo/v1/agent_loop_tq.py, AgentLoopWorkerTQ.
func splitUID(field string, id []byte) ([]byte, model.Rollout) {
	if field != "uid" {
		return id, model.Rollout{}
	}
	rest, output, ok := cutNumber(id)
	group, session, both := cutNumber(rest)
	if !ok || !both {
		return id, model.Rollout{}
	}
	return group, model.Rollout{Number: session + 1, Output: output}
}

// maxDigits is how many digits a session and an output may have.
const maxDigits = 9

// cutNumber divides an id at its last "_", after which there is a number.
func cutNumber(id []byte) (before []byte, number int32, ok bool) {
	i := bytes.LastIndexByte(id, '_')
	if i <= 0 || i+1 == len(id) || len(id)-i-1 > maxDigits {
		return nil, 0, false
	}
	for _, c := range id[i+1:] {
		if c < '0' || c > '9' {
			return nil, 0, false
		}
		number = number*10 + int32(c-'0')
	}
	return id[:i], number, true
}
