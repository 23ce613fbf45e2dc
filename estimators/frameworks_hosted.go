package estimators

import (
	"math"
	"strings"
)

func primeRL() []*Estimator {
	const (
		code     = "PrimeIntellect-ai/prime-rl@559b44772e471d1538537b8805cc77f3824a5e64 src/prime_rl/orchestrator/algo/"
		grpoCode = code + "grpo.py:GRPOAlgorithm.score_group"
	)
	weight := func(of, byDefault string) Option {
		return Option{
			Key:  "orchestrator.algo.length_penalty.num_" + of + "_weight",
			Kind: Number(0, math.Inf(1)), Default: byDefault,
			Meaning: "penalty of the longest sample of a group for its " + strings.ReplaceAll(of, "_", " ") +
				", as a share of the mean reward",
		}
	}
	output, input, turns := weight("output_tokens", "0.25"), weight("input_tokens", "0.1"), weight("turns", "0.1")
	episodeAgents := Names().Option("orchestrator.algo.episode_agents", "solver",
		"agents that are compared within an episode, the others within the group; prime-rl has no default")
	return []*Estimator{
		// prime-rl's GRPO is centred, never divided.
		about("grpo", "A = r − μ", grpoCode,
			"No standard deviation, no eps. A single-sample group gets 0. Equal rewards give 0 or float32 rounding error, which "+
				"zero-advantage filtering does not drop. Groups may differ in size. NaN makes its group NaN.").
			by(Estimator{CanFilter: true, Advantage: groupwise{}.advantages}),
		about("grpo_length_penalty", "r' = r − μ · (0.25 · output + 0.1 · input + 0.1 · turns, each over the largest of the group); "+
			"A = r' − mean r'",
			grpoCode,
			"Input are the tokens that the model did not write. A log without input tokens or turns is enough where "+
				"num_input_tokens_weight and num_turns_weight are 0. A negative mean makes a bonus of the penalty. The rest as grpo.").
			by(Estimator{CanFilter: true}).configured(func(e *Estimator, v Values) {
			w := lengthPenalty{float32(v.Number(output.Key)), float32(v.Number(input.Key)), float32(v.Number(turns.Key))}
			e.Needs, e.Advantage = w.needs(), w.advantages
		}, output, input, turns),
		about("hierarchical_grpo", "A = r − Σr/n of the peers: the same agent, and the same episode if episode_agents lists the agent",
			code+"hierarchical_grpo.py:HierarchicalGRPOAlgorithm.score_group",
			"Python floats (float64), summed from left to right. A sample without peers gets 0; equal rewards 0 or a residue. "+
				"Groups may differ in size. NaN makes its peers NaN.").
			by(Estimator{CanFilter: true, Float: Float64, Needs: Needs{Columns: Columns(Agent, Episode)}}).
			configurable(func(v Values) formula { return newHierarchical(v.Names(episodeAgents.Key)).advantages }, episodeAgents),
		about("max_rl", "A = (r − μ) / μ if μ > 0, else 0", code+"max_rl.py:MaxRLAlgorithm.score_group",
			"No eps. A single-sample group gets 0. Groups may differ in size. NaN makes its group NaN.").
			by(Estimator{CanFilter: true, Advantage: maxRL(0, true)}),
		// Role-conditioned advantage estimation.
		notComputable("rae", "A = r − EMA of earlier rewards of the same agent", code+"rae.py:RAEAlgorithm.score_group",
			"Its baseline is a running mean per agent over all groups so far, in the order in which they were scored. A log "+
				"would have to hold the agent of each sample and every group from step 0 on."),
		notComputable("opd", "no advantage: the reverse KL to a teacher, per token",
			"PrimeIntellect-ai/prime-rl@039b4009f84aa9996a5cca4ae6ab257de094ff81 src/prime_rl/orchestrator/algo/opd.py:OPDAlgorithm.score",
			"On-policy distillation assigns no credit by reward. "+teacherNeeded),
		notComputable("echo", "A of grpo, and a cross-entropy on the environment's tokens",
			"PrimeIntellect-ai/prime-rl@12e3f79db3f246e68c761647b7bc837f172c8ac1 "+
				"src/prime_rl/orchestrator/algo/echo.py:EchoAlgorithm.score_rollout",
			"The advantage of the sampled tokens is that of grpo: choose that. What it adds trains the tokens of tools and users, "+
				"each by the weight of its role. A log would need which tokens are whose."),
	}
}

// verifiers is the library of environments by Prime Intellect; the advantage is that of
// a rubric over its group.
func verifiers() []*Estimator {
	return []*Estimator{
		about("group", "A = r − Σr/n",
			"PrimeIntellect-ai/verifiers@a60a606ecc4d309247edf9ff92c3eabca362781f verifiers/legacy/rubrics/rubric.py:Rubric.score_group",
			"Python floats (float64), summed from left to right. A single-sample group gets 0; equal rewards 0 or a residue. Groups "+
				"may differ in size. NaN makes its group NaN. A RubricGroup leaves the advantage of its last rubric, whatever the "+
				"summed reward.").
			by(Estimator{CanFilter: true, Float: Float64, Advantage: perGroup64(centredByPythonSum)}),
	}
}

func tinker() []*Estimator {
	return []*Estimator{
		about("centered", "A = r − μ",
			"thinking-machines-lab/tinker-cookbook@9dfcc3a2cf44432d621a01005073dc6d76a1e87a "+
				"tinker_cookbook/rl/data_processing.py:compute_advantages",
			"float32; no standard deviation, no eps. A single-sample group gets 0. Equal rewards give 0 or float32 rounding error. "+
				"Groups may differ in size. NaN makes its group NaN.").
			by(Estimator{CanFilter: true, Advantage: groupwise{}.advantages}),
	}
}

// art is OpenPipe's ART; the names are those of its backends, which differ in arithmetic.
func art() []*Estimator {
	const (
		code    = "OpenPipe/ART@v0.5.23 art/"
		docFlat = "A group of one, and one whose rewards are all within 1e-12 of the first, gets 0. Rows of advantage exactly 0 are left " +
			"out of training (drop_zero_advantage_trajectories, true by default). Groups may differ in size. NaN makes its group NaN."
	)
	return []*Estimator{
		about("local", "A = (r − μ) / (s + 1e-6); none: r − μ",
			code+"preprocessing/tokenize.py:tokenize_trajectory_groups, art/utils/grpo.py:rewards_have_zero_variance",
			"Python floats (float64), summed from left to right; s has ddof 0. "+docFlat).with(divideByStd("scale_rewards")).
			by(Estimator{Scales: []Scale{ScaleGroup, ScaleNone}, CanFilter: true, Float: Float64, Advantage: flatGroups(pythonGRPO)}),
		about("tinker_native", "A = (r − μ) / s, 0 if s ≤ 1e-8; none: r − μ",
			code+"tinker_native/data.py:compute_advantages",
			"float32; s has ddof 0, and nothing is added to it. "+docFlat).with(divideByStd("normalize_advantages")).
			by(Estimator{
				Scales: []Scale{ScaleGroup, ScaleNone}, CanFilter: true, Clean: cleanNothing,
				Advantage: flatGroups(torchPopulationGRPO),
			}),
	}
}

// openInstruct is Ai2's open-instruct; the names are those of
// advantage_normalization_type.
func openInstruct() []*Estimator {
	const source = "allenai/open-instruct@e6c3044aa6201c8bfa4573c1b03142af599e730d open_instruct/data_loader.py:1472-1484"
	return []*Estimator{
		about("centered", "A = r − μ", source,
			"numpy float64. A single-sample group gets 0; equal rewards are dropped before. Groups of different sizes raise "+
				"ValueError; where mask_truncated_completions leaves a multiple of n rows, it takes blocks of n for groups, across "+
				"prompts. NaN makes its group NaN.").
			by(Estimator{CanFilter: true, Float: Float64, Advantage: refuseReshape(population{eps: 1e-8}.advantages)}),
		about("standard", "A = (r − μ) / (s + 1e-8)", source,
			"numpy float64, s of a population (ddof 0). A single-sample group gets 0; equal rewards are dropped before. Groups of "+
				"different sizes raise ValueError; where mask_truncated_completions leaves a multiple of n rows, it takes blocks of n "+
				"for groups, across prompts. NaN makes its group NaN.").
			by(Estimator{
				Scales: []Scale{ScaleGroup}, CanFilter: true, Float: Float64, Advantage: refuseReshape(population{eps: 1e-8}.advantages),
			}),
	}
}

// tunix is Google's Tunix; the names are those of GRPOConfig.advantage_estimator.
func tunix() []*Estimator {
	const (
		code = "google/tunix@v0.1.7 tunix/rl/algo_core.py:"
		doc  = "numpy float64; the trainer's tensor is that, rounded to float32. NaN counts as 0. Groups of different sizes raise " +
			"ValueError."
	)
	return []*Estimator{
		about("grpo", "A = (r − μ) / (s + 1e-6)", code+"compute_advantages",
			"s has ddof 1. A single-sample group gives NaN. Equal rewards give 0 or float64 rounding error over s + 1e-6. "+doc).
			by(Estimator{
				Scales: []Scale{ScaleGroup}, CanFilter: true, Float: Float64, Clean: cleanNaNToZero,
				Advantage: refuseReshape(withScale(population{eps: 1e-6, ddof1: true}.advantages, ScaleGroup)),
			}),
		about("drgrpo", "A = r − μ", code+"compute_drgrpo_advantages",
			"A single-sample group gets 0. "+doc).
			by(Estimator{
				CanFilter: true, Float: Float64, Clean: cleanNaNToZero,
				Advantage: refuseReshape(withScale(population{}.advantages, ScaleNone)),
			}),
		about("rloo", "A = r − (Σ − r) / (n − 1)", code+"compute_rloo_advantages",
			"A single-sample group gets 0. "+doc).
			by(Estimator{Float: Float64, Clean: cleanNaNToZero, Advantage: refuseReshape(perGroup64(rloo64{bySum: true}.advantages))}),
	}
}
