package groupfilter

import "vantage/estimators"

// tinker removes groups of equal rewards.
func tinker() []*Filter {
	return []*Filter{{
		Name:   "remove_constant_reward_groups",
		Enable: "remove_constant_reward_groups=True",
		Rule:   "not all rewards equal",
		Doc: "Compared by ==, no standard deviation: groups of equal rewards are dropped, whatever their value, and a difference in the " +
			"last bit keeps a group. A group of one row is dropped; one with a NaN stays. If no group varies the first one " +
			"is kept, so that a batch is never empty. Nothing takes the place of what is dropped.",
		Source: "tinker-cookbook wheel tinker-cookbook==0.6.1 tinker_cookbook/rl/data_processing.py:remove_constant_reward_groups",
		Fate:   Removed,
		decide: func(v *Verdict, b Batch, _ estimators.Values) error {
			tinkerRemoveConstant(v, b)
			return nil
		},
	}}
}

func tinkerRemoveConstant(v *Verdict, b Batch) {
	v.eachGroup(b, b.Rewards, func(_ *Verdict, r []float64) (bool, Reason) { return !allEqual(r), because("equal rewards") })
	if len(v.Admitted) > 0 && v.admitted() == 0 {
		v.Admitted[0], v.Reasons[0] = true, Reason{}
		v.Note = "all rewards are equal within their groups: the first group is kept, so that the batch is not empty"
	}
}
