package estimators

const tinker = "tinker"

// tinkerCentered is the only estimator of the cookbook.
//
// Source: thinking-machines-lab/tinker-cookbook@9dfcc3a2cf44432d621a01005073dc6d76a1e87a tinker_cookbook/rl/data_processing.py:compute_advantages.
func tinkerCentered() *Estimator {
	return &Estimator{
		Framework: tinker, Name: "centered", Scales: []Scale{ScaleNone},
		CanFilter: true,
		Float:     Float32,
		Formula:   "A = r − μ",
		Doc: "float32; no standard deviation, no eps. A group of one gets 0. Equal rewards give 0 or a float32 residue of it. " +
			"Groups may differ in size. NaN makes its group NaN.",
		Source:    "thinking-machines-lab/tinker-cookbook@9dfcc3a2cf44432d621a01005073dc6d76a1e87a tinker_cookbook/rl/data_processing.py:compute_advantages",
		Advantage: groupwise{}.formula(),
	}
}
