package formats

import (
	"vantage/loaders/decode"
)

// openInstruct is open-instruct's rollouts: token ids only.
// allenai/open-instruct@e6c3044aa620 open_instruct/rl_utils.py:18-128.
func openInstruct() Format {
	names := decode.OnlyNames(map[decode.Role][]string{
		decode.RoleReward: {"reward"}, decode.RoleStep: {"step"}, decode.RoleGroup: {"prompt_idx"}, decode.RoleAdvantage: {"advantage"},
		decode.RoleTokens: {"response_tokens"},
	})
	return Format{
		Name: "open-instruct", Doc: "open-instruct's {run}_rollouts_{shard}.jsonl: token ids without text.",
		TrainerOption: "--save_traces --rollouts_save_path DIR",
		Positional:    true,
		Sniff:         byKeys(85, "prompt_tokens", "response_tokens", "prompt_idx"),
		NewDecoder:    withLayout(names, decode.OneObject),
	}
}
