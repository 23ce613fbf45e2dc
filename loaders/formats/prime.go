package formats

import (
	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
)

// prime is prime-rl's and verifiers' traces.jsonl: an episode per line, with one trace or several, and
// rewards as {name: {score, weight}}.
// PrimeIntellect-ai/prime-rl@559b44772e47 src/prime_rl/monitors/file.py:26-58.
func prime() Format {
	return Format{
		Name: "prime-rl", Framework: "prime-rl", Doc: "prime-rl's rollouts/step_N/{train,eval}/{all,effective}/traces.jsonl, and verifiers' traces.jsonl.",
		TrainerOption: byDefault + ", with DIR = output_dir/run.name (--no-monitors.file turns it off)",
		File:          "DIR/rollouts/step_{step}/{train,eval}/{effective,all}/traces.jsonl",
		Open:          "DIR/rollouts",
		Score:         85,
		Sniff: func(first *First) bool {
			return first.Keys()["traces"] == jsonscan.Array
		},
		Fields: decode.OnlyNames(decode.Names{
			decode.RoleReward:    {"reward"},
			decode.RoleStep:      {"run.work.step", "step"},
			decode.RoleGroup:     {"group.id", "group"},
			decode.RolePrompt:    {"task.data.prompt", "task.data.question", "task.prompt"},
			decode.RoleTruth:     {"task.data.answer", "task.answer"},
			decode.RoleResponse:  {"nodes", "completion"},
			decode.RoleAdvantage: {"nodes.advantages", "info.advantage", "advantage"},
			decode.RoleLength:    {"num_output_tokens", "token_usage.output_tokens"},
		}),
		Layout: primeTraces,
	}
}

// primeTraces takes each trace of an episode as a sample, but for those of agents that are not trained,
// as a judge: verifiers 0.4.0 verifiers/v1/trace.py:114. A trace without the flag is trained.
func primeTraces(r *decode.RowDecoder, record []byte, emit func()) error {
	episode := jsonscan.Value{}
	if r.Fields.IsRequested([]byte("episode")) { // it is the record itself
		_ = jsonscan.ScanObject(record, func(k, v jsonscan.Value) { // which EachInList checks
			if string(k.Raw) == "id" {
				episode = v
			}
		})
	}
	return decode.EachInList(r, record, "traces", func(trace jsonscan.Value) {
		if string(trace.Field("agent").Field("trainable").Raw) == "false" {
			r.LeaveOut()
			return
		}
		if episode.Kind == jsonscan.String {
			r.Pick(jsonscan.Value{Kind: jsonscan.String, Raw: []byte("episode")}, episode)
		}
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

// primeHosted is the export of hosted training: JSON inside of texts.
func primeHosted() Format {
	return Format{
		Name: "prime-hosted", Framework: "prime-rl", Doc: "The export of hosted prime-rl training: results.jsonl or rollouts_raw.json.",
		TrainerOption: "nothing: download the samples of the run",
		File:          "results.jsonl",
		Open:          "results.jsonl",
		Score:         80,
		Sniff:         hasKeys("run_id", "problem_id", "sample_id", "reward"),
		Fields: decode.PreferNames(decode.Names{
			decode.RoleGroup:  {"problem_id"},
			decode.RoleLength: {"num_output_tokens"},
		}),
	}
}
