package loaders

// prime is prime-rl's and verifiers' traces.jsonl: an episode per line, with one
// trace or several, and rewards as {name: {score, weight}}.
// PrimeIntellect-ai/prime-rl@559b44772e47 src/prime_rl/monitors/file.py:26-58.
func prime() Format {
	names := NewFields(map[Role][]string{
		RoleReward:    {"reward"},
		RoleStep:      {"run.work.step", "step"},
		RoleGroup:     {"group.id", "group"},
		RolePrompt:    {"task.data.prompt", "task.data.question", "task.prompt"},
		RoleTruth:     {"task.data.answer", "task.answer"},
		RoleResponse:  {"nodes", "completion"},
		RoleAdvantage: {"info.advantage", "advantage"},
		RoleLength:    {"num_output_tokens", "token_usage.output_tokens"},
	})
	return Format{
		Name: "prime-rl", Doc: "prime-rl's rollouts/step_N/{train,eval}/{all,effective}/traces.jsonl, and verifiers' traces.jsonl.",
		TrainerOption: "nothing: it writes them by default; --no-monitors.file turns it off",
		Sniff: func(_ string, first []byte) int {
			if keysOf(first)["traces"] == Array {
				return 85
			}
			return 0
		},
		Decode: withLayout(names, traces),
	}
}

// traces are those of an episode. A conversation is a list of nodes, and what was sampled
// the answer, with whatever came between.
func traces(r *RowDecoder, record []byte, sample func()) error {
	return EachNested(r, record, "traces", func(trace Value) {
		var turns []Value
		_ = ScanObject(trace.Raw, func(k, v Value) {
			if string(k.Raw) == "nodes" && v.Kind == Array {
				turns = sampled(v)
			}
		})
		r.Set(RoleResponse, Conversation(turns))
		sample()
	})
}

// sampled are the messages of nodes, from the first that was sampled on.
func sampled(nodes Value) []Value {
	var turns []Value
	EachElement(nodes, func(node Value) {
		var message Value
		own := len(turns) > 0
		_ = ScanObject(node.Raw, func(k, v Value) {
			switch string(k.Raw) {
			case "message":
				message = v
			case "sampled":
				own = own || string(v.Raw) == "true"
			}
		})
		if own && message.Kind == Object {
			turns = append(turns, message)
		}
	})
	return turns
}

// primeHosted is the export of hosted training: JSON inside of texts.
func primeHosted() Format {
	names := PreferNames(map[Role][]string{RoleGroup: {"problem_id"}, RoleLength: {"num_output_tokens"}})
	return Format{
		Name: "prime-hosted", Doc: "The export of hosted prime-rl training: results.jsonl or rollouts_raw.json.",
		TrainerOption: "nothing: download the run's samples",
		Sniff:         byKeys(80, "run_id", "problem_id", "sample_id", "reward"),
		Decode:        withLayout(names, OneObject),
	}
}
