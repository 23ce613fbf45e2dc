package estimators

import (
	"math"
	"strings"
)

// primeRL is Prime Intellect's prime-rl.
func primeRL() []*Estimator {
	const (
		code     = "PrimeIntellect-ai/prime-rl@559b44772e471d1538537b8805cc77f3824a5e64 src/prime_rl/orchestrator/algo/"
		grpoCode = code + "grpo.py:GRPOAlgorithm.score_group"
	)
	weight := func(of, byDefault string) Option {
		return Option{
			Key:  "orchestrator.algo.length_penalty.num_" + of + "_weight",
			Kind: Number(0, math.Inf(1)), Default: byDefault,
			Meaning: "penalty of the longest sample of a group for its " + strings.ReplaceAll(of, "_", " ") + ", as a share of the mean reward",
		}
	}
	output, input, turns := weight("output_tokens", "0.25"), weight("input_tokens", "0.1"), weight("turns", "0.1")
	episodeAgents := Option{
		Key: "orchestrator.algo.episode_agents", Kind: Names(), Default: "solver",
		Meaning: "agents that are compared within an episode, the others within the group; prime-rl has no default",
	}
	return []*Estimator{
		// prime-rl's GRPO is centred, never divided.
		{
			Entry: Entry{
				Name: "grpo", Formula: "A = r − μ", Source: grpoCode,
				Doc: "No standard deviation, no eps. A single-sample group gets 0. Equal rewards give 0 or float32 rounding error, which " +
					"zero-advantage filtering does not drop. Groups may differ in size. NaN makes its group NaN.",
			},
			CanFilter: true,
			Advantage: groupwise{}.advantages,
		},
		configured(Estimator{
			Entry: Entry{
				Name:    "grpo_length_penalty",
				Formula: "r' = r − μ · (0.25 · output + 0.1 · input + 0.1 · turns, each over the largest of the group); A = r' − mean r'",
				Source:  grpoCode,
				Doc: "Input are the tokens that the model did not write. A log without input tokens or turns is enough where " +
					"num_input_tokens_weight and num_turns_weight are 0. A negative mean makes a bonus of the penalty. The rest as grpo.",
			},
			CanFilter: true,
		}, func(e *Estimator, v Values) {
			w := lengthPenalty{float32(v.Number(output.Key)), float32(v.Number(input.Key)), float32(v.Number(turns.Key))}
			e.Needs, e.Advantage = w.needs(), w.advantages
		}, output, input, turns),
		configurable(Estimator{
			Entry: Entry{
				Name:    "hierarchical_grpo",
				Formula: "A = r − Σr/n of the peers: the same agent, and the same episode if episode_agents lists the agent",
				Source:  code + "hierarchical_grpo.py:HierarchicalGRPOAlgorithm.score_group",
				Doc: "Python floats (float64), summed from left to right. A sample without peers gets 0; equal rewards 0 or a residue. " +
					"Groups may differ in size. NaN makes its peers NaN.",
			},
			CanFilter: true, Float: Float64, Needs: Needs{Columns: Columns(Agent, Episode)},
		}, func(v Values) formula { return newHierarchical(v.Names(episodeAgents.Key)).advantages }, episodeAgents),
		{
			Entry: Entry{
				Name: "max_rl", Formula: "A = (r − μ) / μ if μ > 0, else 0",
				Source: code + "max_rl.py:MaxRLAlgorithm.score_group",
				Doc:    "No eps. A single-sample group gets 0. Groups may differ in size. NaN makes its group NaN.",
			},
			CanFilter: true,
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
				"each by the weight of its role. A log would need which tokens are whose."),
	}
}
