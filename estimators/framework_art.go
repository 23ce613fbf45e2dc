package estimators

// art is OpenPipe's ART; the names are those of its backends, which differ in arithmetic.
func art() []*Estimator {
	const (
		code    = "OpenPipe/ART@v0.5.23 art/"
		docFlat = "A group of one, and one whose rewards are all within 1e-12 of the first, gets 0. Rows of advantage exactly 0 are " +
			"left out of training (drop_zero_advantage_trajectories, true by default). Groups may differ in size. NaN makes its " +
			"group NaN."
	)
	return []*Estimator{
		{
			Name: "local", Scales: []Scale{ScaleGroup, ScaleNone},
			CanFilter: true,
			Float:     Float64,
			Formula:   "A = (r − μ) / (s + 1e-6); none: r − μ",
			Doc:       "Python floats (float64), summed from left to right; s has ddof 0. " + docFlat,
			Source:    code + "preprocessing/tokenize.py:tokenize_trajectory_groups, art/utils/grpo.py:rewards_have_zero_variance",
			Options:   []Option{divideByStd("scale_rewards")},
			Advantage: flatGroups(pythonGRPO),
		},
		{
			Name: "tinker_native", Scales: []Scale{ScaleGroup, ScaleNone},
			CanFilter: true,
			Float:     Float32,
			Formula:   "A = (r − μ) / s, 0 if s ≤ 1e-8; none: r − μ",
			Doc:       "float32; s has ddof 0, and nothing is added to it. " + docFlat,
			Source:    code + "tinker_native/data.py:compute_advantages",
			Clean:     cleanNothing,
			Options:   []Option{divideByStd("normalize_advantages")},
			Advantage: flatGroups(torchPopulationGRPO),
		},
	}
}
