package groupfilter

import "vantage/estimators"

// miles is slime's rule with a smaller threshold.
func miles() []*Filter {
	return []*Filter{{
		Entry: estimators.Entry{
			Name: "check_reward_nonzero_std", Key: "dynamic_sampling_filter_path",
			Value: "miles.rollout.filter_hub.dynamic_sampling_filters.check_reward_nonzero_std", Formula: "std(r) > 1e-8",
			Source: "radixark/miles@31f1ca961a94cb860cec3b2dea34ec332bfa8f76 miles/rollout/filter_hub/dynamic_sampling_filters.py:check_reward_nonzero_std",
			Doc:    docNonzeroStd + " Every row of a rollout of several outputs counts.",
		},
		Fate: Refilled, Label: zeroStdLabel,
		decide: func(v *Verdict, b Batch, _ estimators.Values) error {
			v.eachGroup(b, b.Rewards, stdAbove(1e-8))
			return nil
		},
	}}
}
