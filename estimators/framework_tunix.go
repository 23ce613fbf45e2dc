package estimators

// tunix is Google's Tunix; the names are those of GRPOConfig.advantage_estimator.
func tunix() []*Estimator {
	const (
		code = "google/tunix@v0.1.7 tunix/rl/algo_core.py:"
		doc  = "numpy float64; the trainer's tensor is that, rounded to float32. NaN counts as 0. Groups of different sizes raise " +
			"ValueError."
	)
	asMatrix := func(f formula) formula {
		return refuseRaggedWith(f, "ValueError", "cannot reshape array of size %d into shape (%d)")
	}
	return []*Estimator{
		{
			Entry: Entry{
				Name: "grpo", Formula: "A = (r − μ) / (s + 1e-6)", Source: code + "compute_advantages",
				Doc: "s has ddof 1. A single-sample group gives NaN. Equal rewards give 0 or float64 rounding error over s + 1e-6. " + doc,
			},
			Scales: []Scale{ScaleGroup}, CanFilter: true, Float: Float64, Clean: cleanNaNToZero,
			Advantage: asMatrix(withScale(population{eps: 1e-6, ddof1: true}.advantages, ScaleGroup)),
		},
		{
			Entry: Entry{
				Name: "drgrpo", Formula: "A = r − μ", Source: code + "compute_drgrpo_advantages",
				Doc: "A single-sample group gets 0. " + doc,
			},
			CanFilter: true, Float: Float64, Clean: cleanNaNToZero,
			Advantage: asMatrix(withScale(population{}.advantages, ScaleNone)),
		},
		{
			Entry: Entry{
				Name: "rloo", Formula: "A = r − (Σ − r) / (n − 1)", Source: code + "compute_rloo_advantages",
				Doc: "A single-sample group gets 0. " + doc,
			},
			Float: Float64, Clean: cleanNaNToZero,
			Advantage: asMatrix(rloo64{bySum: true}.advantages),
		},
	}
}
