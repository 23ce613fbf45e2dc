package estimators

// cosmosRL is NVIDIA's cosmos-rl.
func cosmosRL() []*Estimator {
	unbiased := withoutStd("train.train_policy.unbiased_advantage")
	unbiased.Meaning += "; the trainer's help says the opposite of what it does"
	return []*Estimator{{
		Entry: Entry{
			Name: "grpo", Formula: "A = (r − μ) / (s + 1e-6); none: r − μ",
			Source: "nvidia-cosmos/cosmos-rl@v0.4.7 cosmos_rl/dispatcher/algo/grpo.py:GRPO.compute_advantage",
			Doc: "numpy float32 throughout, s with ddof 0. A single-sample group gets 0. Equal rewards give 0 or float32 rounding error over s " +
				"+ 1e-6. Groups may differ in size. NaN makes its group NaN.",
			Options: []Option{unbiased},
		},
		Scales: []Scale{ScaleGroup, ScaleNone}, CanFilter: true,
		Advantage: numpy32{eps: 1e-6}.advantages,
	}}
}
