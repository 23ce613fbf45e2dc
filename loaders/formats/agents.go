package formats

import (
	"bytes"
	"slices"

	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
)

// agents is the format of logs that agents of one's own loop write: an episode in each line, with its steps in a list.
func agents() Format {
	fields := agentFields()
	return Format{
		Name: "agent-lines", Doc: "JSON lines with an episode each: a task, what an agent did in a list of steps (trajectory, steps, " +
			"turns, history), and a reward of the episode, or of its steps.",
		TrainerOption: "one json.dumps per episode with step, task, trajectory and reward",
		File:          "trajectories.jsonl",
		Origin:        FromAnyone,
		Score:         11,
		Sniff:         func(first *First) bool { return isEpisode(fields, first) },
		Fields:        fields,
		Layout:        agentEpisode,
		Positional:    true,
	}
}

// stepsReward is how the total of rewards of steps is called.
const stepsReward = "the sum over its steps"

func agentFields() *decode.Fields {
	f := decode.PreferNames(decode.Names{decode.RoleReward: {stepsReward}})
	f.Also(decode.Names{decode.RolePrompt: {"task", "task_description", "task_prompt", "goal"}})
	for _, within := range []string{"task", "metadata", "meta", "info"} {
		f.AlsoWithin(within, nestedNames())
	}
	f.AlsoWithin("task", decode.Names{
		decode.RolePrompt: {"instruction", "prompt", "question", "description", "problem", "query", "goal"},
		decode.RoleGroup:  {"task_id", "id"},
		decode.RoleTruth:  {"answer", "ground_truth", "solution"},
	})
	f.Totals = []string{"overall", "total", "total_reward", "final_reward", "reward"}
	return f
}

func isStepList(key, v jsonscan.Value) bool {
	names := []string{"trajectory", "steps", "turns", "history", "transitions", "interactions", "actions"}
	inside := bytes.TrimLeft(bytes.TrimPrefix(v.Raw, []byte{'['}), " \t\r\n")
	return v.Kind == jsonscan.Array && bytes.HasPrefix(inside, []byte{'{'}) && slices.Contains(names, string(bytes.ToLower(key.Raw)))
}

// isEpisode reports whether a record has a list of steps, a reward and no response next to it.
func isEpisode(fields *decode.Fields, first *First) bool {
	hasSteps, hasReward := false, false
	r := decode.NewRowDecoder(fields, first.Name)
	err := jsonscan.ScanObject(first.Record, func(key, v jsonscan.Value) {
		if isStepList(key, v) {
			_, ok := sumOfSteps(v)
			hasSteps, hasReward = true, hasReward || ok
		}
		r.Pick(key, v)
	})
	return err == nil && hasSteps && (hasReward || r.HasReward()) && !r.Has(decode.RoleResponse)
}

// agentEpisode takes what an agent did in its steps as the response, and the sum of their rewards where the episode has none.
func agentEpisode(r *decode.RowDecoder, record []byte, emit func()) error {
	var steps jsonscan.Value
	return decode.OneRow(r, record, func(key, v jsonscan.Value) {
		if isStepList(key, v) {
			steps = v
			return
		}
		r.Pick(key, v)
	}, func() {
		if sum, ok := sumOfSteps(steps); ok && !r.HasReward() {
			r.Set(decode.RoleReward, jsonscan.FromFloat(sum))
		}
		said := steps.Messages()
		switch turns := steps.Elements(); {
		case len(said) == 0:
			r.Set(decode.RoleResponse, actions(steps))
		case r.Has(decode.RolePrompt):
			r.Set(decode.RoleResponse, decode.Conversation(decode.FromAssistant(steps)))
		default:
			answer := decode.FromAssistant(steps)
			r.Set(decode.RolePrompt, decode.Conversation(turns[:len(turns)-len(answer)]))
			r.Set(decode.RoleResponse, decode.Conversation(answer))
		}
		emit()
	})
}

// sumOfSteps is the sum of the rewards of steps; ok is false if none has one.
func sumOfSteps(steps jsonscan.Value) (sum float64, ok bool) {
	steps.EachElement(func(step jsonscan.Value) {
		step.EachField(func(key, v jsonscan.Value) {
			name := string(key.Raw)
			if x, isNumber := v.ToFloat(); isNumber && v.Kind != jsonscan.Null && (name == "reward" || name == "score") {
				sum, ok = sum+x, true
			}
		})
	})
	return sum, ok
}

// actions are the turns of an agent and its environment: what it thought and did, and what it saw then.
func actions(steps jsonscan.Value) jsonscan.Value {
	var turns []jsonscan.Value
	add := func(role string, text jsonscan.Value) {
		turn := text.AppendJSON([]byte(`{"role":"` + role + `","content":`))
		turns = append(turns, jsonscan.Value{Kind: jsonscan.Object, Raw: append(turn, '}')})
	}
	steps.EachElement(func(step jsonscan.Value) {
		step.EachField(func(key, v jsonscan.Value) {
			switch string(key.Raw) {
			case "thought", "reasoning", "action", "response", "model_response", "completion", "output", "text", "content", "tool_call":
				if v.Kind == jsonscan.String {
					add("assistant", v)
				}
			case "observation", "obs", "result", "feedback", "tool_result", "tool_output", "next_observation":
				if v.Kind == jsonscan.String {
					add("tool", v)
				}
			}
		})
	})
	return decode.Conversation(turns)
}
