package formats

import (
	"bytes"
	"errors"
	"math"
	"slices"

	"vantage/loaders/decode"
	"vantage/loaders/framing"
	"vantage/loaders/jsonscan"
	"vantage/model"
)

// episodes are the formats whose samples are conversations, or in lists of what agents did.
func episodes() []Format {
	return []Format{
		// prime-rl is prime-rl's and verifiers' traces.jsonl: an episode per line, with one trace or several, and
		// rewards as {name: {score, weight}}.
		// PrimeIntellect-ai/prime-rl@559b44772e47 src/prime_rl/monitors/file.py:26-58.
		{
			Name: "prime-rl", Framework: "prime-rl", Doc: "prime-rl's rollouts/step_N/{train,eval}/{all,effective}/traces.jsonl, and " +
				"verifiers' traces.jsonl.",
			TrainerOption: byDefault + ", with DIR = output_dir/run.name (--no-monitors.file turns it off)",
			File:          "DIR/rollouts/step_{step}/{train,eval}/{effective,all}/traces.jsonl",
			Score:         85,
			Keys:          Keys{"traces": jsonscan.Array},
			StepOfPath:    true, // run.work.step is that at which it was sent: src/prime_rl/orchestrator/dispatcher.py:471-485
			Fields: decode.OnlyNames(decode.Names{
				decode.RoleReward:    {"reward"},
				decode.RoleStep:      {"run.work.step", "step"},
				decode.RoleGroup:     {"group.id", "group"},
				decode.RolePrompt:    {"task.data.prompt", "task.data.question", "task.prompt"},
				decode.RoleTruth:     {"task.data.answer", "task.answer"},
				decode.RoleResponse:  {"nodes", "completion"},
				decode.RoleAdvantage: {"nodes.advantages", "info.advantage", "advantage"},
				decode.RoleLength:    {"num_output_tokens", "token_usage.output_tokens"},
			}).Telling(decode.Statuses{
				// iter_trainable_traces in src/prime_rl/orchestrator/algo/base.py, Trace.is_truncated in verifiers/v1/trace.py:493
				"ok": {"false": model.StatusErrored},
				"stop_condition": {
					"max_turns": model.StatusCutOff, "max_input_tokens": model.StatusCutOff, "max_output_tokens": model.StatusCutOff,
					"max_total_tokens": model.StatusCutOff, "context_length": model.StatusCutOff,
				},
			}),
			Layout: primeTraces,
		},

		// prime-hosted is the export of hosted training: JSON inside of texts.
		{
			Name: "prime-hosted", Framework: "prime-rl", Doc: "The export of hosted prime-rl training: results.jsonl or rollouts_raw.json.",
			TrainerOption: "nothing: download the samples of the run",
			File:          "results.jsonl",
			Score:         80,
			Keys:          keys("run_id", "problem_id", "sample_id", "reward"),
			Fields: decode.PreferNames(decode.Names{
				decode.RoleGroup:  {"problem_id"},
				decode.RoleLength: {"num_output_tokens"},
			}),
		},

		// rllm is rLLM's episode files: one pretty JSON per episode.
		// rllm-org/rllm@9beb6e0f676a rllm/utils/episode_logger.py:74-136, rllm/trainer/unified_trainer.py:358-363,
		// rllm/trainer/config/rllm/base.yaml.
		{
			Name: "rllm", Framework: "rllm", Doc: "rLLM's episodes/{train,val}_step_N_epoch_E/episode_*.json: a file per episode, with " +
				"its trajectories.",
			TrainerOption: "rllm.episode_logging.log_episodes=true and rllm.episode_logging.episode_log_dir=DIR",
			File:          "DIR/episodes/{train,val}_step_{step}_epoch_{epoch}/episode_{hash}_{id}.json",
			Open:          "DIR",
			Framing:       framing.Framing{Whole: true},
			Score:         85,
			Keys:          keys("training_step", "task_hash", "trajectories"),
			Fields: decode.OnlyNames(decode.Names{
				decode.RoleReward:   {"reward"},
				decode.RoleStep:     {"training_step"},
				decode.RoleGroup:    {"task_hash and agent", "task_hash"}, // the first is what rllmTrajectories sets
				decode.RolePrompt:   {"task.question", "task.prompt", "task.problem"},
				decode.RoleTruth:    {"task.ground_truth", "task.answer"},
				decode.RoleResponse: {"steps"},
			}).Telling(decode.Statuses{"termination_reason": { // whether it trains is said by rllm.compact_filtering
				"max_prompt_length_exceeded": model.StatusCutOff, "max_response_length_exceeded": model.StatusCutOff,
				"max_turns_exceeded": model.StatusCutOff, "timeout": model.StatusCutOff,
			}}),
			Layout: rllmTrajectories,
		},

		// art is the trajectories that OpenPipe's ART keeps: {split}/{step:04d}.parquet with a row each, whose groups
		// are numbered anew in each file.
		// OpenPipe/ART src/art/utils/trajectory_logging.py, write_trajectory_groups_parquet.
		{
			Name: "art", Framework: "art", Doc: "ART's trajectories/{split}/{step}.parquet: a row per trajectory with group_index, " +
				"reward and messages.",
			TrainerOption: artOption,
			File:          "DIR/{project}/models/{model}/trajectories/{split}/{step}.parquet",
			Framing:       framing.Framing{Table: true},
			Score:         85,
			Keys:          keys("group_index", "group_metadata", "reward", decode.ConversationField),
			Fields: decode.OnlyNames(decode.Names{
				decode.RoleReward: {"reward"},
				decode.RoleStep:   {"step"},
				decode.RoleGroup:  {"group_index"},
				decode.RolePrompt: {decode.ConversationField},
			}),
		},

		// art-lines is the same of 2025: {step:04d}.jsonl with a group in each line.
		// OpenPipe/ART@08216f56e675 src/art/utils/trajectory_logging.py:16-76.
		{
			Name: "art-lines", Framework: "art", Doc: "ART's trajectories/{split}/{step}.jsonl of 2025: a group of trajectories " +
				"in each line.",
			TrainerOption: artOption,
			File:          "DIR/{project}/models/{model}/trajectories/{split}/{step}.jsonl",
			Score:         85,
			Sniff: func(first *First) (isART bool) {
				first.field("trajectories").EachElement(func(e jsonscan.Value) {
					isART = isART || e.Field(artMessages).Kind == jsonscan.Array
				})
				return isART
			},
			Fields: decode.OnlyNames(decode.Names{
				decode.RoleReward:   {"reward"},
				decode.RoleStep:     {"step"},
				decode.RolePrompt:   {artMessages},
				decode.RoleResponse: {artMessages + " from the first choice on"}, // what artGroup sets
				decode.RoleGroup:    {"the group"},
			}),
			Layout: artGroup,
		},

		// torchtitan is the rollouts that torchtitan's RL records: the best and the worst of each group, as its default filter keeps them,
		// when the group is done. The step is the newest policy that wrote one so far: groups are done in another order than begun.
		// pytorch/torchtitan@b5bcd76c66d0 torchtitan/experiments/rl/rollout_recorder.py:34-150.
		{
			Name: "torchtitan", Framework: "torchtitan", Doc: "torchtitan's rollout_samples.jsonl: the best and the worst rollout of " +
				"each group, with turns, reward_breakdown and advantage.",
			TrainerOption: byDefault + ", with DIR = dump_folder",
			File:          "DIR/rollout_samples.jsonl",
			Score:         85,
			Keys: Keys{
				"group_id": anyKind, "rollout_id": anyKind, "reward": anyKind, "reward_breakdown": jsonscan.Object, "turns": jsonscan.Array,
			},
			Fields: decode.OnlyNames(decode.Names{
				decode.RoleReward:    {"reward"},
				decode.RoleStep:      {"turns.max_policy_version"},
				decode.RoleGroup:     {"group_id"},
				decode.RolePrompt:    {"turns.prompt_messages"},
				decode.RoleResponse:  {"turns.completion_message"},
				decode.RoleAdvantage: {"advantage"},
				decode.RoleLength:    {"turns.completion_token_ids"}, // how many titanRollout counts
			}).Telling(decode.Statuses{
				"is_validation": {"true": decode.Evaluated},
				"status": { // torchtitan/experiments/rl/rollout/types.py:18-23
					"truncated_length": model.StatusCutOff, "truncated_prompt_too_long": model.StatusCutOff,
					"truncated_max_turns": model.StatusCutOff,
				},
			}),
			Layout:     titanRollout,
			Evaluation: Marked,
		},

		// nemo-gym is the rollouts that NeMo Gym collects: a line per rollout with the request and the response of
		// OpenAI's Responses API. A task is repeated as often as num_repeats says.
		// NVIDIA-NeMo/Gym@00536e7a140e nemo_gym/rollout_collection.py:309-349, 480-520.
		{
			Name: "nemo-gym", Doc: "NeMo Gym's rollouts: a line per rollout with responses_create_params, response, reward and the index " +
				"of the task.",
			TrainerOption: "gym eval run (or ng_collect_rollouts) +output_jsonl_fpath=rollouts.jsonl +num_repeats=N",
			File:          "rollouts.jsonl",
			Score:         85,
			Keys:          keys("responses_create_params", "response", "reward"),
			Fields: decode.OnlyNames(decode.Names{
				decode.RoleReward:   {"reward"},
				decode.RoleStep:     {"step"},
				decode.RoleGroup:    {"_ng_task_index"},
				decode.RolePrompt:   {"responses_create_params.input"},
				decode.RoleResponse: {"response.output"},
				decode.RoleTruth:    {"expected_answer"},
				decode.RoleLength:   {"response.usage.output_tokens"},
			}),
			Layout: nemoGymRollout,
		},

		// miles is the conversations that miles keeps beside its torch files: {rollout_id}.jsonl, and
		// eval_{rollout_id}.jsonl of an evaluation. They hold the samples that have a conversation, and no rewards of several parts.
		// radixark/miles@31f1ca961a94 miles/ray/rollout/debug_data.py:12-30, 75-90, miles/utils/arguments.py:3183-3187.
		{
			Name: "miles", Framework: "miles", Doc: "miles' conversations: {rollout_id}.jsonl with sample_index, group_index, status, " +
				"reward, prompt and messages.",
			TrainerOption: "--save-debug-trajectory-data DIR/{rollout_id}.jsonl --save-debug-rollout-data OTHER/{rollout_id}.pt",
			File:          "DIR/{rollout}.jsonl",
			Twin:          ".pt",
			Score:         80,
			Keys:          keys("sample_index", "group_index", "status", "reward", decode.ConversationField),
			Fields: decode.OnlyNames(decode.Names{
				decode.RoleReward:   {"reward"},
				decode.RoleStep:     {"rollout_id"},
				decode.RoleGroup:    {"group_index"},
				decode.RolePrompt:   {"prompt"},
				decode.RoleResponse: {decode.ConversationField},
			}).Telling(decode.Statuses{"status": {"truncated": model.StatusCutOff}}),
			Layout: milesRow,
		},

		// harbor is the result of a trial that Harbor ran: {job}/{trial}/result.json. Trials of a task are its group.
		// What the agent said and did is in another file, agent/trajectory.json, in the form that is called ATIF.
		{
			Name: "harbor", Doc: "Harbor's {job}/{trial}/result.json: a file per trial, grouped by task; the ATIF trajectory next to it " +
				"is not opened.",
			TrainerOption: "nothing: harbor run writes them, under --jobs-dir",
			File:          "jobs/{job}/{trial}/result.json",
			Framing:       framing.Framing{Whole: true},
			Score:         85,
			Keys:          keys("task_name", "verifier_result", "agent_info"),
			Fields: noting("; texts are in agent/trajectory.json next to each result.json", decode.OnlyNames(decode.Names{
				decode.RoleReward: {"verifier_result.rewards.reward"},
				decode.RoleGroup:  {"task_name"},
				decode.RoleLength: {"agent_result.n_output_tokens"},
			}).Telling(decode.Statuses{"exception_info": {"*": model.StatusErrored}})),
		},
	}
}

// primeTraces takes each trace of an episode as a sample, but for those of agents that are not trained,
// as a judge: verifiers 0.4.0 verifiers/v1/trace.py:114. A trace without the flag is trained.
func primeTraces(r *decode.RowDecoder, record []byte, emit func()) error {
	var episode jsonscan.Value
	if r.Fields.IsRequested([]byte("episode")) { // it is the record itself, which EachInList checks
		episode = jsonscan.Value{Kind: jsonscan.Object, Raw: record}.Field("id")
	}
	return decode.EachInList(r, record, "traces", func(trace jsonscan.Value) {
		if string(trace.Field("agent").Field("trainable").Raw) == "false" {
			r.LeaveOut()
			return
		}
		if episode.Kind == jsonscan.String {
			r.Pick(jsonscan.Value{Kind: jsonscan.String, Raw: []byte("episode")}, episode)
		}
		r.SetStatus(trace) // that of the episode is of all its traces
		messages, credit := sampled(trace.Field("nodes"))
		r.Set(decode.RoleResponse, decode.Conversation(messages))
		if !r.Has(decode.RoleAdvantage) {
			r.Set(decode.RoleAdvantage, credit)
		}
		emit()
	})
}

// sampled returns the messages of nodes from the first that was sampled on: the response, with what the
// environment said in between. credit is the advantages of the tokens of a node, since verifiers 0.4
// (verifiers/v1/graph.py:138): of the first node in which one is not 0, if there is one.
func sampled(nodes jsonscan.Value) (messages []jsonscan.Value, credit jsonscan.Value) {
	nodes.EachElement(func(node jsonscan.Value) {
		var message jsonscan.Value
		isSampled := len(messages) > 0
		node.EachField(func(key, v jsonscan.Value) {
			switch string(key.Raw) {
			case "message":
				message = v
			case "sampled":
				isSampled = isSampled || string(v.Raw) == "true"
			case "advantages":
				if v.Kind == jsonscan.Array && (credit.Kind == jsonscan.Absent || credit.ToAdvantage() == 0) {
					credit = v
				}
			}
		})
		if isSampled && message.Kind == jsonscan.Object {
			messages = append(messages, message)
		}
	})
	return messages, credit
}

// titanRollout takes the turns of a rollout as its prompt, its response and its policy. The log holds a part of each group.
func titanRollout(r *decode.RowDecoder, record []byte, emit func()) error {
	policy, isKnown := int64(0), false
	return decode.OneRow(r, record, func(key, v jsonscan.Value) {
		if string(key.Raw) != "turns" {
			r.Pick(key, v)
			return
		}
		var said []jsonscan.Value
		tokens, turns := 0, v.Elements()
		for i, turn := range turns {
			if i == 0 {
				r.Set(decode.RolePrompt, decode.Conversation(turn.Field("prompt_messages").Elements()))
			}
			if message := turn.Field("completion_message"); message.Kind == jsonscan.Object {
				said = append(said, message)
			}
			if i < len(turns)-1 {
				said = append(said, turn.Field("env_messages").Elements()...)
			}
			tokens += turn.Field("completion_token_ids").Len()
			for _, name := range []string{"min_policy_version", "max_policy_version"} {
				if version, ok := turn.Field(name).ToInt(); ok {
					policy, isKnown = max(policy, version), true
				}
			}
		}
		r.Set(decode.RoleResponse, decode.Conversation(said))
		if tokens > 0 {
			r.Set(decode.RoleLength, jsonscan.FromFloat(float64(tokens)))
		}
	}, func() {
		r.SetNewestStep(policy, isKnown)
		r.SetWhole(&model.Whole{Mean: math.NaN(), Std: math.NaN()})
		if r.HasReward() {
			emit()
		}
	})
}

// rllmTrajectories takes each trajectory of an episode as a sample. Advantages are computed over those
// of one agent on one task: the rewards of a judge say nothing of a solver.
func rllmTrajectories(r *decode.RowDecoder, record []byte, emit func()) error {
	return decode.EachInList(r, record, "trajectories", func(trajectory jsonscan.Value) {
		trajectory.EachField(func(key, v jsonscan.Value) {
			switch name := string(key.Raw); {
			case name == "name" && v.Kind == jsonscan.String && r.Has(decode.RoleGroup):
				group := slices.Concat(r.Values[decode.RoleGroup].Raw, []byte{':'}, v.Raw)
				r.Set(decode.RoleGroup, jsonscan.Value{Kind: jsonscan.String, Raw: group})
			case name == "steps" && v.Kind == jsonscan.Array:
				r.Set(decode.RoleResponse, agentResponse(v))
			}
		})
		emit()
	})
}

// agentResponse returns what an agent said in its steps. The conversation of the last step holds those
// of the steps before.
func agentResponse(steps jsonscan.Value) jsonscan.Value {
	var turns, texts []jsonscan.Value
	steps.EachElement(func(step jsonscan.Value) {
		step.EachField(func(key, v jsonscan.Value) {
			switch {
			case string(key.Raw) == "chat_completions" && v.Kind == jsonscan.Array:
				turns = decode.FromAssistant(v)
			case string(key.Raw) == "model_response" && v.Kind == jsonscan.String:
				texts = append(texts, v)
			}
		})
	})
	if len(turns) > 0 {
		return decode.Conversation(turns)
	}
	return decode.Paragraphs(texts)
}

// artOption is what makes ART write its trajectories.
const artOption = byDefault + ", into the folder trajectories next to history.jsonl; DIR is .art, or that of LocalBackend(path=DIR)"

// artMessages holds the turns of a trajectory: messages, and the choices that the model made.
const artMessages = "messages_and_choices"

// artGroup takes each trajectory of a group as a sample. Its response begins with the first choice, or the
// assistant's first turn if there is none.
func artGroup(r *decode.RowDecoder, record []byte, emit func()) error {
	return decode.EachInList(r, record, "trajectories", func(trajectory jsonscan.Value) {
		var turns []jsonscan.Value
		first := -1
		trajectory.Field(artMessages).EachElement(func(turn jsonscan.Value) {
			if message := turn.Field("message"); message.Kind == jsonscan.Object {
				if first < 0 {
					first = len(turns)
				}
				turn = message
			}
			turns = append(turns, turn)
		})
		if first < 0 {
			first = len(turns) - len(decode.FromAssistant(decode.Conversation(turns)))
		}
		r.Values[decode.RolePrompt] = decode.Conversation(turns[:first])
		r.Values[decode.RoleResponse] = decode.Conversation(turns[first:])
		r.SetRecordGroup()
		emit()
	})
}

// errFailedRollout is the error for a row of {name}_failures.jsonl: the task is tried again.
var errFailedRollout = errors.New("an attempt that failed (_ng_failure_class): it has no reward")

// nemoGymRollout takes the items of a response as the turns of a conversation.
func nemoGymRollout(r *decode.RowDecoder, record []byte, emit func()) error {
	failed := false
	err := decode.OneRow(r, record, func(key, v jsonscan.Value) {
		failed = failed || string(key.Raw) == "_ng_failure_class" && v.Kind == jsonscan.String
		r.Pick(key, v)
	}, func() {
		if failed {
			return
		}
		var turns []jsonscan.Value
		r.Values[decode.RoleResponse].EachElement(func(item jsonscan.Value) {
			if turn := responseTurn(item); turn.Kind != jsonscan.Absent {
				turns = append(turns, turn)
			}
		})
		r.Values[decode.RoleResponse] = decode.Conversation(turns)
		emit()
	})
	if err == nil && failed {
		return errFailedRollout
	}
	return err
}

// responseTurn returns an item of a response as {role, content}, absent if it says nothing.
func responseTurn(item jsonscan.Value) jsonscan.Value {
	turn := func(pieces ...string) jsonscan.Value { // of JSON, with the names of fields of the item in between
		raw := []byte(`{"role":`)
		for i, piece := range pieces {
			if i%2 == 0 {
				raw = append(raw, piece...)
			} else {
				raw = item.Field(piece).AppendJSON(raw)
			}
		}
		return jsonscan.Value{Kind: jsonscan.Object, Raw: raw}
	}
	switch string(item.Field("type").Raw) {
	case "function_call":
		return turn(`"assistant","content":"","tool_calls":[{"name":`, "name", `,"arguments":`, "arguments", `}]}`)
	case "function_call_output":
		return turn(`"tool","content":`, "output", `}`)
	case "reasoning":
		return turn(`"assistant","content":`, "summary", `}`)
	}
	if item.Field("role").Kind != jsonscan.String {
		return jsonscan.Value{}
	}
	return item
}

// milesRow takes what stands in the conversation after the prompt as the response.
func milesRow(r *decode.RowDecoder, record []byte, emit func()) error {
	var messages jsonscan.Value
	return decode.OneRow(r, record, func(key, v jsonscan.Value) {
		if string(key.Raw) == decode.ConversationField && v.Kind == jsonscan.Array {
			messages = v
		}
		r.Pick(key, v)
	}, func() {
		turns := decode.FromAssistant(messages)
		if given := r.Values[decode.RolePrompt].Len(); given > 0 {
			all := messages.Elements()
			turns = all[min(given, len(all)):]
		}
		r.Values[decode.RoleResponse] = decode.Conversation(turns)
		emit()
	})
}

// isATIF reports whether a document is the trajectory of an agent, which has no reward.
func isATIF(record []byte) bool {
	fields, _ := jsonscan.Pluck(record, "schema_version")
	return bytes.HasPrefix(fields[0].Raw, []byte("ATIF-"))
}
