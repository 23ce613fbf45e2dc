package estimators

const verifiers = "verifiers"

// verifiersGroup is the advantage of a rubric over its group.
//
// Source: PrimeIntellect-ai/verifiers@a60a606ecc4d309247edf9ff92c3eabca362781f verifiers/legacy/rubrics/rubric.py:Rubric.score_group.
func verifiersGroup() *Estimator {
	return &Estimator{
		Framework: verifiers, Name: "group", Scales: []Scale{ScaleNone},
		CanFilter: true,
		Float:     Float64,
		Formula:   "A = r − Σr/n",
		Doc: "Python floats (float64), summed from left to right. A group of one gets 0; equal rewards 0 or a residue. Groups " +
			"may differ in size. NaN makes its group NaN. A RubricGroup leaves the advantage of its last rubric, whatever the " +
			"summed reward.",
		Source:    "PrimeIntellect-ai/verifiers@a60a606ecc4d309247edf9ff92c3eabca362781f verifiers/legacy/rubrics/rubric.py:Rubric.score_group",
		Advantage: pythonMeanCentred,
	}
}
