package formats

import (
	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
)

// prime is prime-rl's and verifiers' traces.jsonl: an episode per line, with one
// trace or several, and rewards as {name: {score, weight}}.
// PrimeIntellect-ai/prime-rl@559b44772e47 src/prime_rl/monitors/file.py:26-58.
func prime() Format {
	names := decode.OnlyNames(map[decode.Role][]string{
		decode.RoleReward:    {"reward"},
		decode.RoleStep:      {"run.work.step", "step"},
		decode.RoleGroup:     {"group.id", "group"},
		decode.RolePrompt:    {"task.data.prompt", "task.data.question", "task.prompt"},
		decode.RoleTruth:     {"task.data.answer", "task.answer"},
		decode.RoleResponse:  {"nodes", "completion"},
		decode.RoleAdvantage: {"info.advantage", "advantage"},
		decode.RoleLength:    {"num_output_tokens", "token_usage.output_tokens"},
	})
	return Format{
		Name: "prime-rl", Doc: "prime-rl's rollouts/step_N/{train,eval}/{all,effective}/traces.jsonl, and verifiers' traces.jsonl.",
		TrainerOption: "nothing: it writes them by default; --no-monitors.file turns it off",
		Sniff: func(_ string, first []byte) int {
			if keysOf(first)["traces"] == jsonscan.Array {
				return 85
			}
			return 0
		},
		NewDecoder: withLayout(names, traces),
	}
}

// traces are those of an episode. A conversation is a list of nodes, and what was sampled
// the answer, with whatever came between.
func traces(r *decode.RowDecoder, record []byte, sample func()) error {
	return decode.EachInList(r, record, "traces", func(trace jsonscan.Value) {
		var turns []jsonscan.Value
		_ = jsonscan.ScanObject(trace.Raw, func(k, v jsonscan.Value) {
			if string(k.Raw) == "nodes" && v.Kind == jsonscan.Array {
				turns = sampled(v)
			}
		})
		r.Set(decode.RoleResponse, decode.Conversation(turns))
		sample()
	})
}

// sampled are the messages of nodes, from the first that was sampled on.
func sampled(nodes jsonscan.Value) []jsonscan.Value {
	var turns []jsonscan.Value
	nodes.EachElement(func(node jsonscan.Value) {
		var message jsonscan.Value
		own := len(turns) > 0
		_ = jsonscan.ScanObject(node.Raw, func(k, v jsonscan.Value) {
			switch string(k.Raw) {
			case "message":
				message = v
			case "sampled":
				own = own || string(v.Raw) == "true"
			}
		})
		if own && message.Kind == jsonscan.Object {
			turns = append(turns, message)
		}
	})
	return turns
}

// primeHosted is the export of hosted training: JSON inside of texts.
func primeHosted() Format {
	names := decode.PreferNames(map[decode.Role][]string{decode.RoleGroup: {"problem_id"}, decode.RoleLength: {"num_output_tokens"}})
	return Format{
		Name: "prime-hosted", Doc: "The export of hosted prime-rl training: results.jsonl or rollouts_raw.json.",
		TrainerOption: "nothing: download the run's samples",
		Sniff:         byKeys(80, "run_id", "problem_id", "sample_id", "reward"),
		NewDecoder:    withLayout(names, decode.OneObject),
	}
}
