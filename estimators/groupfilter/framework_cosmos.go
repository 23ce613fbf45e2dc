package groupfilter

import (
	"slices"
	"strings"

	"vantage/estimators"
)

// cosmosRL drops groups of one distinct reward.
func cosmosRL() []*Filter {
	const key = "train.train_policy.filter_reward_metric"
	return []*Filter{{
		Entry: estimators.Entry{
			Name: "dynamic_sampling", Key: "train.train_policy.variant", Value: "dapo",
			Formula: "more than one distinct filter reward",
			Source:  "cosmos-rl wheel cosmos-rl==0.4.7 cosmos_rl/reward/local_calculator.py",
			Doc: "Compared exactly, in float64, no standard deviation: groups of equal rewards are dropped, whatever their value, and a " +
				"difference in the last bit keeps a group. The filter reward is the sum of the functions of filter_reward_metric, the total " +
				"reward if none is named. A group of one row is dropped. A NaN counts as a value of its own here; in the trainer that depends on " +
				"which object it is.",
			Options: []estimators.Option{{
				Key: key, Kind: estimators.Name("none or the names of columns, with commas"), Default: "none", Meaning: "the reward functions that must vary; none: the total reward",
			}},
		},
		Fate: Refilled, columns: func(o estimators.Values) []string { return strings.Split(o.Text(key), ",") },
		decide: func(v *Verdict, b Batch, o estimators.Values) error { return cosmosDynamicSampling(v, b, o.Text(key)) },
	}}
}

func cosmosDynamicSampling(v *Verdict, b Batch, metric string) error {
	values := b.Rewards
	if metric != "none" {
		values = make([]float64, len(b.Rewards))
		for name := range strings.SplitSeq(metric, ",") {
			column := b.column(strings.TrimSpace(name))
			if column == nil {
				return missing("column " + name + ", which train.train_policy.filter_reward_metric names")
			}
			for i, x := range column {
				values[i] += x
			}
		}
	}
	v.eachGroup(b, values, func(_ *Verdict, r []float64) (bool, Reason) {
		return len(r) > 1 && slices.ContainsFunc(r[1:], func(x float64) bool { return x != r[0] }), because("equal rewards")
	})
	return nil
}
