package formats

import "vantage/loaders/decode"

// areal is AReaL's dump: a small file per prompt in a folder per version of the policy.
// inclusionAI/AReaL@4aef98d8d818 areal/infra/workflow_executor.py:818-922.
func areal() Format {
	return Format{
		Name: "areal", Framework: "areal", Doc: "AReaL's {version}/{task}.jsonl: a small file for each prompt.",
		TrainerOption: "rollout.dump_to_file=true and cluster.fileroot=DIR",
		File:          "DIR/logs/{user}/{experiment}/{trial}/rollout/{version}/{task}.jsonl",
		Open:          "DIR/logs",
		Score:         85,
		Sniff:         hasKeys("task_id", "sample_idx", "head_version", "tail_version"),
		Fields: decode.PreferNames(decode.Names{
			decode.RoleStep:         {"tail_version"},
			decode.RoleGroup:        {"task_id"},
			decode.RoleTotalTokens:  {"seqlen"},
			decode.RolePromptLength: {"prompt_len"},
		}),
	}
}
