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
		roleResponse:  {"completion"},
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
		Decode: shaped(names, nested("traces")),
	}
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
