package estimators

// openInstruct is Ai2's open-instruct; the names are those of
// advantage_normalization_type.
func openInstruct() []*Estimator {
	const source = "allenai/open-instruct@e6c3044aa6201c8bfa4573c1b03142af599e730d open_instruct/data_loader.py:1472-1484"
	return []*Estimator{
		{
			Entry: Entry{
				Name: "centered", Formula: "A = r − μ", Source: source,
				Doc: "numpy float64. A single-sample group gets 0; equal rewards are dropped before. Groups of different sizes raise " +
					"ValueError. NaN makes its group NaN.",
			},
			CanFilter: true, Float: Float64,
			Advantage: openInstructFormula(),
		},
		{
			Entry: Entry{
				Name: "standard", Formula: "A = (r − μ) / (s + 1e-8)", Source: source,
				Doc: "numpy float64, s of a population (ddof 0). A single-sample group gets 0; equal rewards are dropped before. Groups of different sizes raise " +
					"ValueError. NaN makes its group NaN.",
			},
			Scales: []Scale{ScaleGroup}, CanFilter: true, Float: Float64,
			Advantage: openInstructFormula(),
		},
	}
}

func openInstructFormula() formula {
	return refuseRaggedWith(population{eps: 1e-8}.advantages, "ValueError", "cannot reshape array of size %d into shape (%d)")
}
