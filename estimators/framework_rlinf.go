package estimators

// rlinf is RLinf; the names are those of algorithm.adv_type.
func rlinf() []*Estimator {
	const code = "RLinf/RLinf@v0.3.0 rlinf/algorithms/advantages.py:"
	return []*Estimator{
		{
			Entry: Entry{
				Name: "grpo", Formula: "A = (r − μ) / (s + 1e-6)", Source: code + "compute_grpo_advantages",
				Doc: "s has ddof 1. A single-sample group gives NaN. Equal rewards give 0 or float32 rounding error over s + 1e-6. Groups of different sizes raise " +
					"RuntimeError. NaN makes its group NaN.",
			},
			Scales: []Scale{ScaleGroup}, CanFilter: true,
			Advantage: refuseRagged(grpo(1e-6).advantages),
		},
		// grpo_dynamic with algorithm.advantage_mode turn, the default.
		configurable(Estimator{
			Entry: Entry{
				Name: "grpo_dynamic", Formula: "A = (r − μ) / (s + 1e-6), over the rows of a question",
				Source: code + "compute_grpo_dynamic_advantages",
				Doc: "Rows are turns, rollouts trajectories. s has ddof 1. A single row or trajectory is NaN. Groups may differ in the " +
					"number of rows. NaN makes its group NaN.",
			},
			Scales: []Scale{ScaleGroup}, CanFilter: true, Outputs: ByRollout,
		}, func(v Values) formula {
			if v.Text("algorithm.advantage_mode") == "turn" {
				return groupwise{eps: 1e-6}.advantages
			}
			return rolloutMeans(grpo(1e-6).advantages)
		}, Option{
			Key: "algorithm.advantage_mode", Kind: OneOf("turn", "trajectory"), Default: "turn",
			Refusal: "Invalid advantage_mode: %s. Must be 'trajectory' or 'turn'",
			Meaning: "turn: mean and standard deviation over all rows of a question; trajectory: over the mean rewards of its " +
				"trajectories",
		}),
		tokenWhitened(Estimator{
			Entry: Entry{
				Name: "reinpp", Formula: "A = (r − m) / √max(v, 1e-8), m and v over response tokens",
				Source: code + "compute_reinpp_advantages",
				Doc: docWhitenedRewards + "ddof 0. The framework places the reward by the mask of another row where masks begin at " +
					"different positions; here every token of a sample has its reward. NaN makes all NaN.",
			},
			Advantage: flooredWhiten().after(rewardItself),
		}),
		notComputable("gae", formulaGAE, code+"compute_gae_advantages_and_returns", criticNeeded),
	}
}
