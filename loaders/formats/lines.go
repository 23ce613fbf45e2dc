package formats

import (
	"bytes"
	"slices"

	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
	"vantage/model"
)

func lines() []Format {
	usual := UsualFields()
	return []Format{
		// verl is the dump of trainer.rollout_data_dir and validation_data_dir. Its v0 trainer writes no group
		// id, and balance_batch shuffles the rows, so nothing may be concluded from their order. Its v1
		// trainer adds uid, the group's uuid with "_{rollout}_{output}" after it. request_id is another per
		// row: no group.
		{
			Name: "verl", Framework: "verl", Doc: "verl's and RAGEN's {step}.jsonl: a row per sample with input, output, gts, score and " +
				"step, and uid since verl's v1 trainer.",
			TrainerOption: "trainer.rollout_data_dir=DIR",
			File:          "DIR/{step}.jsonl",
			Score:         90,
			Keys:          keys("input", "output", "score"),
			Fields:        verlFields(),
		},

		// areal is AReaL's dump: a small file per prompt in a folder per version of the policy.
		// inclusionAI/AReaL@4aef98d8d818 areal/infra/workflow_executor.py:818-922.
		{
			Name: "areal", Framework: "areal", Doc: "AReaL's {version}/{task}.jsonl: a small file for each prompt.",
			TrainerOption: "rollout.dump_to_file=true and cluster.fileroot=DIR",
			File:          "DIR/logs/{user}/{experiment}/{trial}/rollout/{version}/{task}.jsonl",
			Score:         85,

			VersionFolders: true,

			Keys: keys("task_id", "sample_idx", "head_version", "tail_version"),
			Fields: decode.PreferNames(decode.Names{
				decode.RoleStep:         {"tail_version"},
				decode.RoleGroup:        {"task_id"},
				decode.RoleTotalTokens:  {"seqlen"},
				decode.RolePromptLength: {"prompt_len"},
			}),
		},

		// open-instruct is open-instruct's rollouts: token ids without text.
		// allenai/open-instruct@e6c3044aa620 open_instruct/rl_utils.py:18-128.
		{
			Name: "open-instruct", Framework: "open-instruct", Doc: "open-instruct's {run}_rollouts_{shard}.jsonl: token ids without text.",
			TrainerOption: "--save_traces --rollouts_save_path DIR",
			File:          "DIR/{run}_rollouts_{shard}.jsonl",
			Score:         85,
			Keys:          keys("prompt_tokens", "response_tokens", "prompt_idx"),
			Fields: decode.OnlyNames(decode.Names{
				decode.RoleReward:    {"reward"},
				decode.RoleStep:      {"step"},
				decode.RoleGroup:     {"prompt_idx"},
				decode.RoleAdvantage: {"advantage"},
				decode.RoleTokens:    {"response_tokens"},
			}).Telling(decode.Statuses{"finish_reason": {"length": model.StatusCutOff}}),
			Positional: true,
		},

		// slime is the rollouts that slime and miles save with torch.save, as package torchfile reads them: a line per sample, with the id
		// of the rollout as its step.
		// THUDM/slime@624b824a8 slime/observability/rollout_data_utils.py:140-153, slime/utils/types.py.
		{
			Name: "slime", Framework: "slime", Doc: "slime's and miles' {rollout_id}.pt: samples in a pickle file; no code in it is run.",
			TrainerOption: "--dump-details DIR, or --save-debug-rollout-data DIR/rollout_data/{rollout_id}.pt",
			File:          "DIR/rollout_data/{rollout_id}.pt",
			Open:          "DIR",
			Score:         85,
			Keys:          keys("step", "group_index", "prompt", "response", "reward"),
			Fields: decode.OnlyNames(decode.Names{
				decode.RoleReward:   {"reward"},
				decode.RoleStep:     {"step"},
				decode.RoleGroup:    {"group_index"},
				decode.RolePrompt:   {"prompt"},
				decode.RoleResponse: {"response"},
				decode.RoleTruth:    {"label"},
				decode.RoleLength:   {"response_length"},
			}).Telling(decode.Statuses{ // slime/ray/rollout.py:664, 680
				"remove_sample": {"true": model.StatusMasked},
				"status":        {"truncated": model.StatusCutOff},
			}),
		},

		// skyrl is SkyRL's dump of evaluations. Its score is a number, or one per token.
		// NovaSky-AI/SkyRL@a9564572eb8e skyrl/train/utils/trainer_utils.py:324-373.
		{
			Name: "skyrl", Framework: "skyrl", Doc: "SkyRL's dumped_evals: evaluations only; score is a number or a list with " +
				"one per token.",
			TrainerOption: byDefault + ", for evaluations only, with trainer.export_path=DIR",
			File:          "DIR/dumped_evals/global_step_{step}_evals/{dataset}.jsonl",
			Evaluation:    NothingElse,
			Score:         80,
			Keys:          keys("input_prompt", "output_response", "env_class"),
			Fields: decode.PreferNames(decode.Names{
				decode.RoleReward:   {"score"},
				decode.RolePrompt:   {"input_prompt"},
				decode.RoleResponse: {"output_response"},
				decode.RoleTruth:    {"env_extras.reward_spec.ground_truth", "env_extras.extra_info.answer"},
			}),
			Layout: skyrlRow,
		},

		// nemo-rl is NeMo-RL's train_data_stepN.jsonl and val_data_stepN.jsonl: a row per sample in which every
		// value is a list of one. Prompt and response stand in one conversation; advantages and the loss mask
		// are per token.
		// NVIDIA-NeMo/RL@7ea279abfbeb nemo_rl/utils/logger.py:1071-1096.
		{
			Name: "nemo-rl", Framework: "nemo-rl", Doc: "NeMo-RL's train_data_stepN.jsonl: a row per sample, in which every value is a " +
				"list of one, with token ids.",
			TrainerOption: byDefault + ", with logger.log_dir=DIR",
			File:          "DIR/exp_{run}/train_data_step{step}.jsonl",
			Score:         85,
			Keys:          Keys{"content": jsonscan.Array, "rewards": jsonscan.Array, "idx": jsonscan.Number},
			Fields: decode.PreferNames(decode.Names{
				decode.RoleReward: {"filtered_rewards", "rewards"},
				decode.RoleGroup:  {"group_id"},
			}).Telling(decode.Statuses{"sample_loss_mask": {"0": model.StatusMasked}}), // nemo_rl/algorithms/grpo.py:3144, 3644
			Layout: nemoRow,
		},

		// tinker is tinker-cookbook's train_rollout_summaries.jsonl: rewards by step of a trajectory, explicit
		// groups, no prompt.
		// thinking-machines-lab/tinker-cookbook@9dfcc3a2cf44 tinker_cookbook/rl/rollout_logging.py:72-147.
		{
			Name: "tinker", Framework: "tinker", Doc: "tinker-cookbook's iteration_N/*_rollout_summaries.jsonl: a row per trajectory, " +
				"without prompts.",
			TrainerOption: byDefault + ", with log_path=DIR",
			File:          "DIR/iteration_{step}/{train,eval}_rollout_summaries.jsonl",
			Score:         85,
			Keys:          keys("group_idx", "traj_idx", "total_reward"),
			Fields: decode.OnlyNames(decode.Names{
				decode.RoleReward:   {"total_reward", "final_reward"},
				decode.RoleStep:     {"iteration"},
				decode.RoleGroup:    {"group_idx"},
				decode.RoleResponse: {"steps.logs.response"},
			}),
			Layout: tinkerTrajectory,
		},

		// verifiers is the results.jsonl of evaluations with verifiers, of 2025 (id, a column per reward
		// function) and of 2026 (example_id, metrics).
		// PrimeIntellect-ai/verifiers@a60a606ec verifiers/legacy/utils/save_utils.py:199-294.
		{
			Name: "verifiers", Framework: "verifiers", Doc: "verifiers' results.jsonl, and prime-rl's {train,eval}_rollouts.jsonl of " +
				"early 2026.",
			TrainerOption: "-s on the command line, or save_results = true",
			File:          "outputs/evals/{env}--{model}/{run}/results.jsonl",
			Evaluation:    NothingElse,
			Score:         70,
			Keys:          Keys{"prompt": jsonscan.Array, "completion": jsonscan.Array, "reward": anyKind},
			Sniff: func(first *First) bool { // sample_id is of hosted training
				return (first.has("id") || first.has("example_id")) && !first.has("sample_id")
			},
			Fields: decode.PreferNames(decode.Names{
				decode.RoleGroup:  {"example_id", "id"},
				decode.RoleTruth:  {"answer"},
				decode.RoleLength: {"token_usage.output_tokens"},
			}).Telling(decode.Statuses{ // prime-rl@2d577a42e masked what a filter found and wrote its name, prime-rl@9eeffdb6f leaves it out
				"error":          {"*": model.StatusErrored},
				"is_filtered":    {"true": model.StatusDropped},
				"stop_condition": {"gibberish": model.StatusMasked, "repetition": model.StatusMasked},
			}),
		},

		// agilerl is AgileRL's sampled completions: a line per sample of the groups that it draws at an interval of
		// steps. A population has several agents, each with its own groups.
		// AgileRL/AgileRL@1d9dc45b1973 agilerl/training/llm/completion_logging.py:39-94, 188-211.
		{
			Name: "agilerl", Doc: "AgileRL's completions: a line per sample, of the groups that it picks at random to log.",
			TrainerOption: "CompletionLoggingConfig(jsonl_path=\"completions.jsonl\", interval=1, num_groups=N)",
			File:          "completions.jsonl",
			Score:         80,
			Keys:          keys("agent_index", "group_index", "sample_index", "reward", "completion"),
			Fields: noting("; the trainer logs only num_groups groups at each interval and cuts long texts, so means are of those "+
				"groups, not of the whole step", decode.OnlyNames(decode.Names{
				decode.RoleReward:   {"reward"},
				decode.RoleStep:     {"step"},
				decode.RoleGroup:    {"group_index and agent_index", "group_index"}, // the first is what agileRow sets
				decode.RolePrompt:   {"prompt"},
				decode.RoleResponse: {"completion"},
				decode.RoleLength:   {"completion_tokens"},
			})),
			Layout: agileRow,
		},

		// jsonl is any log with a JSON object per sample whose fields have usual names.
		{
			Name: "jsonl", Doc: "JSON lines: one object per sample, with a reward and other fields under usual names.",
			TrainerOption: "one json.dumps per sample with reward, step and prompt",
			File:          "log.jsonl",
			Origin:        FromAnyone,
			Score:         10,
			Sniff:         func(first *First) bool { return isUsualRow(usual, first) },
			Fields:        usual,
			Positional:    true,
		},
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

// skyrlRow sums a score per token.
func skyrlRow(r *decode.RowDecoder, record []byte, emit func()) error {
	return decode.OneRow(r, record, func(key, v jsonscan.Value) {
		if string(key.Raw) != "score" || v.Kind != jsonscan.Array {
			r.Pick(key, v)
			return
		}
		sum := 0.0
		v.EachElement(func(e jsonscan.Value) {
			if x, ok := e.ToFloat(); ok {
				sum += x
			}
		})
		r.Set(decode.RoleReward, jsonscan.FromFloat(sum))
	}, emit)
}

// nemoRow takes the values out of their lists of one.
func nemoRow(r *decode.RowDecoder, record []byte, emit func()) error {
	return decode.OneRow(r, record, func(key, v jsonscan.Value) {
		value, ok := v.Single()
		switch name := string(key.Raw); {
		case !ok:
			r.Pick(key, v)
		case name == "content":
			prompt, response := firstTurns(value)
			r.Set(decode.RolePrompt, prompt)
			r.Set(decode.RoleResponse, response)
		case name == "token_loss_mask":
			n := 0
			value.EachElement(func(e jsonscan.Value) {
				if x, ok := e.ToFloat(); ok && x != 0 {
					n++
				}
			})
			r.Set(decode.RoleLength, jsonscan.FromFloat(float64(n)))
		default:
			r.Pick(key, value)
		}
	}, emit)
}

// firstTurns returns the user's and the assistant's first turn of a conversation: a list of
// {role, content}, or of texts in turn.
func firstTurns(conversation jsonscan.Value) (prompt, response jsonscan.Value) {
	if messages := conversation.Messages(); len(messages) > 1 {
		for _, m := range messages {
			switch {
			case string(m.Role.Raw) == "user" && prompt.Kind == jsonscan.Absent:
				prompt = m.Content
			case string(m.Role.Raw) == "assistant" && response.Kind == jsonscan.Absent:
				response = m.Content
			}
		}
		return prompt, response
	}
	turns := conversation.Elements()
	if len(turns) > 0 {
		prompt = turns[0]
	}
	if len(turns) > 1 {
		response = turns[1]
	}
	return prompt, response
}

// tinkerTrajectory takes response and length from the steps of a trajectory.
func tinkerTrajectory(r *decode.RowDecoder, record []byte, emit func()) error {
	tokens := 0.0
	var responses []jsonscan.Value
	readStep := func(key, v jsonscan.Value) {
		switch string(key.Raw) {
		case "ac_len":
			if n, ok := v.ToFloat(); ok {
				tokens += n
			}
		case "logs":
			if response := v.Field("response"); response.Kind == jsonscan.String {
				responses = append(responses, response)
			}
		}
	}
	return decode.OneRow(r, record, func(key, v jsonscan.Value) {
		r.Pick(key, v)
		if string(key.Raw) == "steps" {
			v.EachElement(func(step jsonscan.Value) { step.EachField(readStep) })
		}
	}, func() {
		if tokens > 0 {
			r.Set(decode.RoleLength, jsonscan.FromFloat(tokens))
		}
		r.Set(decode.RoleResponse, decode.Paragraphs(responses))
		emit()
	})
}

// agileRow keeps the groups of several agents apart.
func agileRow(r *decode.RowDecoder, record []byte, emit func()) error {
	var agent jsonscan.Value
	return decode.OneRow(r, record, func(key, v jsonscan.Value) {
		if string(key.Raw) == "agent_index" && v.Kind == jsonscan.Number {
			agent = v
		}
		r.Pick(key, v)
	}, func() {
		if group := r.Values[decode.RoleGroup]; agent.Kind != jsonscan.Absent && r.Has(decode.RoleGroup) {
			raw := slices.Concat([]byte("agent "), agent.Raw, []byte(": "), group.Raw)
			r.Set(decode.RoleGroup, jsonscan.Value{Kind: jsonscan.String, Raw: raw})
		}
		emit()
	})
}

func verlFields() *decode.Fields {
	f := decode.OnlyNames(decode.Names{
		decode.RoleReward:   {"score", "reward"},
		decode.RoleStep:     {"step"},
		decode.RoleGroup:    {"uid", "data_id"},
		decode.RoleRollout:  {"rollout_id"},
		decode.RolePrompt:   {"input"},
		decode.RoleResponse: {"output"},
		decode.RoleTruth:    {"gts"},
		decode.RoleLength:   {"response_length"},
	})
	f.Caveat = overlongCaveat
	f.SplitGroupID = splitUID
	return decode.KeepingParts(f) // reward functions return acc and such beside their score
}

// isUsualRow reports whether a record is an object with a reward that may be a sample: whether it is, several rows tell.
func isUsualRow(fields *decode.Fields, first *First) bool {
	r := decode.NewRowDecoder(fields, first.Name)
	rows := rowsOf(first.Record)
	return jsonscan.ScanObject(first.Record, r.Pick) == nil && r.HasReward() && rows.Verdict() != Averages
}
