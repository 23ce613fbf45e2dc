package estimators

// tinker is the Tinker cookbook.
func tinker() []*Estimator {
	return []*Estimator{{
		Entry: Entry{
			Name: "centered", Formula: "A = r − μ",
			Source: "thinking-machines-lab/tinker-cookbook@9dfcc3a2cf44432d621a01005073dc6d76a1e87a tinker_cookbook/rl/data_processing.py:compute_advantages",
			Doc: "float32; no standard deviation, no eps. A single-sample group gets 0. Equal rewards give 0 or float32 rounding error. " +
				"Groups may differ in size. NaN makes its group NaN.",
		},
		CanFilter: true,
		Advantage: groupwise{}.advantages,
	}}
}
