package loaders

// prime is prime-rl's and verifiers' traces.jsonl: an episode per line, with one
// trace or several, and rewards as {name: {score, weight}}.
// PrimeIntellect-ai/prime-rl@559b44772e47 src/prime_rl/monitors/file.py:26-58.
func prime() Format {
	names := newFields(map[role][]string{
		roleReward:    {"reward"},
		roleStep:      {"run.work.step", "step"},
		roleGroup:     {"group.id", "group"},
		rolePrompt:    {"task.data.prompt", "task.data.question", "task.prompt"},
		roleTruth:     {"task.data.answer", "task.answer"},
		roleResponse:  {"nodes", "completion"},
		roleAdvantage: {"info.advantage", "advantage"},
		roleLength:    {"num_output_tokens", "token_usage.output_tokens"},
	})
	return Format{
		Name: "prime-rl", Doc: "prime-rl's rollouts/step_N/{train,eval}/{all,effective}/traces.jsonl, and verifiers' traces.jsonl.",
		Writes: "nothing: it writes them by default; --no-monitors.file turns it off",
		Sniff: func(_ string, first []byte) int {
			if keysOf(first)["traces"] == list {
				return 85
			}
			return 0
		},
		Decode: shaped(names, traces),
	}
}

// traces are those of an episode. A conversation is a list of nodes, and what was sampled
// the answer, with whatever came between.
func traces(r *rows, record []byte, sample func()) error {
	return within(r, record, "traces", func(trace value) {
		var turns []value
		_ = scanObject(trace.raw, func(k, v value) {
			if string(k.raw) == "nodes" && v.kind == list {
				turns = sampled(v)
			}
		})
		r.choose(roleResponse, conversation(turns))
		sample()
	})
}

// sampled are the messages of nodes, from the first that was sampled on.
func sampled(nodes value) []value {
	var turns []value
	eachElement(nodes, func(node value) {
		var message value
		own := len(turns) > 0
		_ = scanObject(node.raw, func(k, v value) {
			switch string(k.raw) {
			case "message":
				message = v
			case "sampled":
				own = own || string(v.raw) == "true"
			}
		})
		if own && message.kind == object {
			turns = append(turns, message)
		}
	})
	return turns
}

// primeHosted is the export of hosted training: JSON inside of texts.
func primeHosted() Format {
	names := with(map[role][]string{roleGroup: {"problem_id"}, roleLength: {"num_output_tokens"}})
	return Format{
		Name: "prime-hosted", Doc: "The export of hosted prime-rl training: results.jsonl or rollouts_raw.json.",
		Writes: "nothing: download the run's samples",
		Sniff:  byKeys(80, "run_id", "problem_id", "sample_id", "reward"),
		Decode: shaped(names, plain),
	}
}
