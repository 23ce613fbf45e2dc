package estimators

// verl202601 is verl as of January 2026, where it differs from [verl].
func verl202601() []*Estimator {
	return countingOutputs([]*Estimator{{
		Entry: Entry{
			Name: "grpo_vectorized", Formula: "A = (r − μ) / (s + 1e-6), s ≥ 1e-3; none: r − μ",
			Source: "volcengine/verl@b178a3cd56f58b2d502255daba591e92833930a7 verl/trainer/ppo/core_algos.py:compute_grpo_vectorized_outcome_advantage",
			Doc: "s² = max((Σr² − (Σr)²/n)/(n − 1), 1e-6), float32 from left to right. A single-sample group has μ 0 and s 1. Equal " +
				"rewards give nearly 0. Groups may differ in size. NaN makes its group NaN.",
		},
		Scales: []Scale{ScaleGroup, ScaleNone}, CanFilter: true,
		Advantage: indexAddGRPO(true),
	}})
}
