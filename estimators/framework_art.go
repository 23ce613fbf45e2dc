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
			Entry: Entry{
				Name: "local", Formula: "A = (r − μ) / (s + 1e-6); none: r − μ",
				Source:  code + "preprocessing/tokenize.py:tokenize_trajectory_groups, art/utils/grpo.py:rewards_have_zero_variance",
				Doc:     "Python floats (float64), summed from left to right; s has ddof 0. " + docFlat,
				Options: []Option{divideByStd("scale_rewards")},
			},
			Scales: []Scale{ScaleGroup, ScaleNone}, CanFilter: true, Float: Float64,
			Advantage: flatGroups(pythonGRPO),
		},
		{
			Entry: Entry{
				Name: "tinker_native", Formula: "A = (r − μ) / s, 0 if s ≤ 1e-8; none: r − μ",
				Source:  code + "tinker_native/data.py:compute_advantages",
				Doc:     "float32; s has ddof 0, and nothing is added to it. " + docFlat,
				Options: []Option{divideByStd("normalize_advantages")},
			},
			Scales: []Scale{ScaleGroup, ScaleNone}, CanFilter: true, Clean: cleanNothing,
			Advantage: flatGroups(torchPopulationGRPO),
		},
	}
}
