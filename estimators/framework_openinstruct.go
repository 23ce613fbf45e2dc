package estimators

const openInstruct = "open-instruct"

// openInstructCentered is advantage_normalization_type "centered", the default.
//
// Source: allenai/open-instruct@e6c3044aa6201c8bfa4573c1b03142af599e730d open_instruct/data_loader.py:1472-1484.
func openInstructCentered() *Estimator {
	return &Estimator{
		Framework: openInstruct, Name: "centered", Scales: []Scale{ScaleNone},
		CanFilter: true,
		Float:     Float64,
		Formula:   "A = r − μ",
		Doc: "numpy float64. A group of one gets 0; equal rewards are dropped before. Groups of different sizes are a " +
			"ValueError. NaN makes its group NaN.",
		Source:    "allenai/open-instruct@e6c3044aa6201c8bfa4573c1b03142af599e730d open_instruct/data_loader.py:1472-1484",
		Advantage: openInstructFunction(),
	}
}

// openInstructStandard is advantage_normalization_type "standard".
//
// Source: allenai/open-instruct@e6c3044aa6201c8bfa4573c1b03142af599e730d open_instruct/data_loader.py:1472-1484.
func openInstructStandard() *Estimator {
	return &Estimator{
		Framework: openInstruct, Name: "standard", Scales: []Scale{ScaleGroup},
		CanFilter: true,
		Float:     Float64,
		Formula:   "A = (r − μ) / (s + 1e-8)",
		Doc: "numpy float64, s of a population (ddof 0). A group of one gets 0; equal rewards are dropped before. Groups of " +
			"different sizes are a ValueError. NaN makes its group NaN.",
		Source:    "allenai/open-instruct@e6c3044aa6201c8bfa4573c1b03142af599e730d open_instruct/data_loader.py:1472-1484",
		Advantage: openInstructFunction(),
	}
}

func openInstructFunction() formula {
	return func(dst []float64, b Batch, s Scale) error {
		_ = populationGRPO(false)(dst, b, s) // it refuses nothing
		return raggedReshapeError(b)
	}
}
