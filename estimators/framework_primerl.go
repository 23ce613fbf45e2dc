package estimators

// primeRL is Prime Intellect's prime-rl.
func primeRL() []*Estimator {
	const (
		code     = "PrimeIntellect-ai/prime-rl@559b44772e471d1538537b8805cc77f3824a5e64 src/prime_rl/orchestrator/algo/"
		grpoCode = code + "grpo.py:GRPOAlgorithm.score_group"
	)
	return []*Estimator{
		// prime-rl's GRPO is centred, never divided.
		{
			Name: "grpo", Scales: []Scale{ScaleNone},
			CanFilter: true,
			Float:     Float32,
			Formula:   "A = r − μ",
			Doc: "No standard deviation, no eps. A group of one gets 0. Equal rewards give 0 or a float32 residue of it, which " +
				"zero-advantage filtering does not drop. Groups may differ in size. NaN makes its group NaN.",
			Source:    grpoCode,
			Advantage: groupwise{}.advantages,
		},
		{
			Name: "grpo_length_penalty", Scales: []Scale{ScaleNone},
			CanFilter: true,
			Float:     Float32,
			Formula:   "r' = r − μ · 0.25 · l / max l; A = r' − mean r'",
			Doc: "num_output_tokens_weight is 0.25, its default; num_input_tokens_weight and num_turns_weight, 0.1 by default, are " +
				"0 here, since they take input tokens and turns. The rest as grpo.",
			Source:    grpoCode,
			Needs:     Needs{Lengths: true},
			Advantage: lengthPenalty{[]float64{0.25}}.advantages,
		},
		{
			Name: "max_rl", Scales: []Scale{ScaleNone},
			CanFilter: true,
			Float:     Float32,
			Formula:   "A = (r − μ) / μ if μ > 0, else 0",
			Doc:       "No eps. A group of one gets 0. Groups may differ in size. NaN makes its group NaN.",
			Source:    code + "max_rl.py:MaxRLAlgorithm.score_group",
			Advantage: maxRL(0, true),
		},
		// Role-conditioned advantage estimation.
		notComputable("rae", "A = r − EMA of earlier rewards of the same agent", code+"rae.py:RAEAlgorithm.score_group",
			"Its baseline is a running mean per agent over all groups so far, in the order in which they were scored. A log "+
				"would have to hold the agent of each sample and every group from step 0 on."),
		notComputable("opd", "no advantage: the reverse KL to a teacher, per token",
			"PrimeIntellect-ai/prime-rl@039b4009f84aa9996a5cca4ae6ab257de094ff81 src/prime_rl/orchestrator/algo/opd.py:OPDAlgorithm.score",
			"On-policy distillation assigns no credit by reward. "+teacherNeeded),
		notComputable("echo", "A of grpo, and a cross-entropy on the environment's tokens",
			"PrimeIntellect-ai/prime-rl@12e3f79db3f246e68c761647b7bc837f172c8ac1 src/prime_rl/orchestrator/algo/echo.py:EchoAlgorithm.score_rollout",
			"The advantage of the sampled tokens is that of grpo: choose that. What it adds trains the tokens of tools and users, "+
				"each by the weight of its role. A log would have to hold which tokens are whose."),
	}
}
