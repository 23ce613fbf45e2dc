package estimators

// miles is radixark's miles, a fork of slime that counts a rollout of several samples once.
func miles() []*Estimator {
	const source = "radixark/miles@31f1ca961a94cb860cec3b2dea34ec332bfa8f76 " +
		"miles/ray/rollout/train_data_conversion.py:_post_process_rewards"
	const doc = "The samples of a rollout count once in μ and s, and must share one reward: else it is a ValueError, for NaN " +
		"too. Groups may differ in size."
	byStd := withoutStd("disable-grpo-std-normalization")
	entry := func(name string) *Estimator {
		return &Estimator{
			Entry: Entry{
				Name: name, Formula: "A = (r − μ) / (s + 1e-6) if s > 0, else r − μ; none: r − μ", Source: source,
				Doc:     "s has ddof 1. A single rollout gets 0. " + doc,
				Options: []Option{byStd},
			},
			Scales: []Scale{ScaleGroup, ScaleNone}, CanFilter: true, Clean: cleanNothing, Outputs: ByRollout,
			Advantage: oncePerRollout,
		}
	}
	return []*Estimator{
		entry("grpo"),
		entry("gspo"),
		{
			Entry: Entry{
				Name: "reinforce_plus_plus_baseline", Formula: "A = r − μ", Source: source,
				Doc: "Before --normalize-advantages, which whitens over tokens. A single rollout gets 0. " + doc,
			},
			CanFilter: true, Clean: cleanNothing, Outputs: ByRollout,
			Advantage: oncePerRollout,
		},
		notComputable("ppo", formulaGAE, "radixark/miles@31f1ca961a94cb860cec3b2dea34ec332bfa8f76 "+
			"miles/backends/megatron_utils/loss.py:compute_advantages_and_returns", criticNeeded),
	}
}
