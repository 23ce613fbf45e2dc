package groupfilter

import (
	"fmt"
	"slices"

	"vantage/estimators"
)

// verl drops groups whose metric does not vary.
func verl() []*Filter {
	return []*Filter{{
		Entry: estimators.Entry{
			Name: "filter_groups", Key: "algorithm.filter_groups.enable", Value: "true",
			Formula: "std(metric) ≠ 0, or one row",
			Source:  "verl wheel verl==0.9.1 verl/trainer/ppo/v1/replay_buffer.py:_dapo_filtered_keys",
			Doc: "std is np.std in float64, compared with exactly 0. The metric reward is float32, so groups of equal rewards " +
				"are dropped. Another metric stays float64, and np.std of equal values is not always 0: three of acc = 0.1 have " +
				"1.4e-17, so the trainer keeps such a group, while equal values of 0, 0.5 or 1 are dropped. A group of one row stays, " +
				"and one with a NaN. Every row of a prompt counts, also several outputs of one rollout.",
			Options: []estimators.Option{{
				Key: "algorithm.filter_groups.metric", Kind: estimators.Name("reward or the name of a column"), Default: "reward",
				Meaning: "what must vary: reward, before KL, or a key of reward_extra_info such as acc, seq_final_reward",
			}},
		},
		Fate:    Refilled,
		columns: func(o estimators.Values) []string { return []string{o.Text("algorithm.filter_groups.metric")} },
		decide: func(v *Verdict, b Batch, o estimators.Values) error {
			return verlFilterGroups(v, b, o.Text("algorithm.filter_groups.metric"))
		},
	}}
}

func verlFilterGroups(v *Verdict, b Batch, metric string) error {
	if metric == "reward" {
		v.eachGroup(b, b.Rewards, func(v *Verdict, r []float64) (bool, Reason) { return verlVaries(v, v.rounded(r)) })
		return nil
	}
	values := b.column(metric)
	if values == nil {
		return missing("column " + metric + ", which algorithm.filter_groups.metric names")
	}
	v.eachGroup(b, values, verlVaries)
	if groups := groupsWithMissing(b, values); groups != nil {
		return &estimators.Refusal{
			Kind: "RuntimeError", Text: fmt.Sprintf("Finished groups are missing DAPO metric '%s'", metric), Groups: groups,
		}
	}
	return nil
}

func verlVaries(v *Verdict, r []float64) (bool, Reason) {
	return len(r) == 1 || clearlyAbove(r, 0) || v.numpyStd(r) != 0, Reason{"std", 0}
}

// groupsWithMissing lists the groups with a row that has no value.
func groupsWithMissing(b Batch, values []float64) []int {
	var groups []int
	for g := range b.Groups() {
		if slices.ContainsFunc(values[b.Offsets[g]:b.Offsets[g+1]], estimators.IsMissing) {
			groups = append(groups, g)
		}
	}
	return groups
}
