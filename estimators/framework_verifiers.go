package estimators

// verifiers is the library of environments by Prime Intellect; the advantage is that of
// a rubric over its group.
func verifiers() []*Estimator {
	return []*Estimator{{
		Entry: Entry{
			Name: "group", Formula: "A = r − Σr/n",
			Source: "PrimeIntellect-ai/verifiers@a60a606ecc4d309247edf9ff92c3eabca362781f verifiers/legacy/rubrics/rubric.py:Rubric.score_group",
			Doc: "Python floats (float64), summed from left to right. A single-sample group gets 0; equal rewards 0 or a residue. Groups " +
				"may differ in size. NaN makes its group NaN. A RubricGroup leaves the advantage of its last rubric, whatever the " +
				"summed reward.",
		},
		CanFilter: true, Float: Float64,
		Advantage: centredByPythonSum,
	}}
}
