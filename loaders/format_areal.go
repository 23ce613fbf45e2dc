package loaders

// areal is AReaL's dump: a small file per prompt in a folder per version of the
// policy. inclusionAI/AReaL@4aef98d8d818 areal/infra/workflow_executor.py:818-922.
func areal() Format {
	names := PreferNames(map[Role][]string{
		RoleStep: {"tail_version"}, RoleGroup: {"task_id"}, RoleTotalTokens: {"seqlen"}, RolePromptLength: {"prompt_len"},
	})
	return Format{
		Name: "areal", Doc: "AReaL's {version}/{task}.jsonl: a small file per prompt.",
		TrainerOption: "rollout.dump_to_file=true",
		Sniff:         byKeys(85, "task_id", "sample_idx", "head_version", "tail_version"),
		Decode:        withLayout(names, OneObject),
	}
}
