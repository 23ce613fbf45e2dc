package groupfilter

import "vantage/estimators"

// tinker removes groups of equal rewards.
func tinker() []*Filter {
	return []*Filter{{
		Entry: estimators.Entry{
			Name: "remove_constant_reward_groups", Key: "remove_constant_reward_groups", Value: "True",
			Formula: "not all rewards equal",
			Source:  "tinker-cookbook wheel tinker-cookbook==0.6.1 tinker_cookbook/rl/data_processing.py:remove_constant_reward_groups",
			Doc: "Compared by ==, no standard deviation: groups of equal rewards are dropped, whatever their value, and a difference in the " +
				"last bit keeps a group. A group of one row is dropped; one with a NaN stays. If no group varies the first one " +
				"is kept, so that a batch is never empty. Nothing takes the place of what is dropped.",
		},
		Fate: Removed,
		decide: func(v *Verdict, b Batch, _ estimators.Values) error {
			tinkerRemoveConstant(v, b)
			return nil
		},
	}}
}

func tinkerRemoveConstant(v *Verdict, b Batch) {
	v.eachGroup(b, b.Rewards, func(_ *Verdict, r []float64) (bool, Reason) { return !allEqual(r), because("equal rewards") })
	if len(v.Admitted) > 0 && v.admitted() == 0 {
		v.admit(0)
		v.Note = "all rewards are equal within their groups: the first group is kept, so that the batch is not empty"
	}
}
