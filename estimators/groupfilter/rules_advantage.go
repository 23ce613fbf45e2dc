package groupfilter

import (
	"math"
	"slices"

	"vantage/estimators"
	"vantage/estimators/torchsum"
)

const primeCode = "PrimeIntellect-ai/prime-rl@559b44772e471d1538537b8805cc77f3824a5e64 src/prime_rl/orchestrator/"

// primeRL has a gate for groups, and ships no rows of advantage 0.
func primeRL() []*Filter {
	const low, high = "reject_min", "reject_max"
	return []*Filter{
		{
			Entry: estimators.Entry{
				Name: "advantage_range", Key: "[orchestrator.train.source.curriculum.gates.NAME], of type advantage_range",
				Formula: "some advantage outside [reject_min, reject_max]",
				Source:  primeCode + "curriculum/gates/adv.py:AdvRangeGate.admit",
				Doc: "It reads advantages, not rewards; both ends belong to the range. Advantages are float32: equal rewards of 0.1 whose " +
					"float32 mean is a bit off have advantages that are not 0, so the trainer keeps such a group. Rows without a token in " +
					"the loss do not count; a group without any token stays, and so does one with a NaN.",
				Options: []estimators.Option{
					{Key: low, Kind: anyNumber(), Default: "0", Meaning: "the range starts here"},
					{Key: high, Kind: anyNumber(), Default: "0", Meaning: "the range ends here"},
				},
			},
			Dropped: Refilled, NeedsAdvantages: true,
			decide: func(v *Admission, b Batch, o estimators.Values) error {
				from, to := o.Number(low), o.Number(high)
				if from > to {
					return &estimators.Refusal{Kind: "ValueError", Text: "reject_min must be less than or equal to reject_max"}
				}
				for g := range v.Admitted {
					tokens, outside := false, false
					for i := b.Offsets[g]; i < b.Offsets[g+1] && !outside; i++ {
						if b.live(i) {
							tokens, outside = true, !(from <= b.Advantages[i] && b.Advantages[i] <= to)
						}
					}
					if tokens && !outside {
						v.drop(g, because("every advantage within the range"))
					}
				}
				return nil
			},
		},
		{
			Entry: estimators.Entry{
				Name: "filter_zero_advantages", Key: "orchestrator.train.filter_zero_advantages", Value: "true",
				Formula: "rows with A ≠ 0", Source: primeCode + "train_sink.py:_prune_zero_advantages",
				Doc: "On by default. Per row, after the batch is full: rows of advantage exactly 0 are not shipped, nothing takes their place, and the weight of " +
					"every other row in the loss grows. Advantages are float32: equal rewards of 0.1 whose float32 mean is a bit off " +
					"are not 0 and are shipped. NaN is shipped.",
			},
			Dropped: Removed, NeedsAdvantages: true,
			decide: func(v *Admission, b Batch, _ estimators.Values) error {
				kept := v.rows(b)
				for i, a := range b.Advantages {
					kept[i] = a != 0
				}
				v.dropEmpty(b, because("every advantage 0"))
				return nil
			},
		},
	}
}

// rLLM drops groups whose advantages, of the group alone, are all 0.
func rLLM() []*Filter {
	const (
		least     = "rllm.rejection_sample.min_trajs_per_group"
		estimator = "rllm.algorithm.adv_estimator"
		byStd     = "rllm.algorithm.norm_adv_by_std_in_grpo"
	)
	return []*Filter{{
		Entry: estimators.Entry{
			Name: "filter_uniform_groups", Key: "rllm.rejection_sample.filter_uniform_groups", Value: "true",
			Formula: "some |A| > 1e-8, A of this group alone, and at least min_trajs_per_group rows",
			Source:  "rllm-org/rllm@9beb6e0f676a46d38858991fd79ac5f8e0b16d4c rllm/trainer/buffer.py; rllm/trainer/algorithms/{advantage,rl_algo}.py",
			Doc: "float64, in the buffer of the asynchronous trainer. The group's advantages are computed of the group alone, also by prpo and " +
				"reinforce_plus_plus_baseline, which would see the batch. Groups of equal rewards are dropped, whatever their " +
				"value, except by reinforce, whose advantage is the reward: it keeps a group of all 1 and drops one of all 0. A NaN keeps " +
				"its group.",
			Options: []estimators.Option{
				{Key: least, Kind: estimators.Number(0, math.Inf(1)), Default: "2", Meaning: "groups of fewer rows are dropped first"},
				{Key: estimator, Kind: estimators.OneOf("grpo", "rloo", "reinforce", "prpo", "reinforce_plus_plus_baseline"), Default: "grpo", Meaning: "whose advantages are looked at"},
				{Key: byStd, Kind: estimators.Switch(), Default: "true", Meaning: "grpo divides by the standard deviation"},
			},
		},
		Dropped: Refilled,
		decide: func(v *Admission, b Batch, o estimators.Values) error {
			rows, of, byStd := o.Number(least), o.Text(estimator), o.Bool(byStd)
			v.eachGroup(b, b.Rewards, func(v *Admission, r []float64) (bool, Reason) {
				if float64(len(r)) < rows {
					return false, Reason{"too few rows:", float64(len(r))}
				}
				varies := func(a float64) bool { return !(math.Abs(a) <= 1e-8) }
				return slices.ContainsFunc(rLLMAdvantages(v, r, of, byStd), varies), because("every advantage 0")
			})
			return nil
		},
	}}
}

// rLLMAdvantages returns the advantages of a group alone, in the memory of v.
func rLLMAdvantages(v *Admission, r []float64, estimator string, byStd bool) []float64 {
	n, a := float64(len(r)), v.x[:len(r)]
	copy(a, r)
	each := func(f func(x float64) float64) {
		for i, x := range a {
			a[i] = f(x)
		}
	}
	switch {
	case estimator == "reinforce":
	case estimator == "rloo" && n > 1:
		mean := torchsum.MeanNumpy(r)
		each(func(x float64) float64 { return (x - mean) * (n / (n - 1)) })
	case estimator == "grpo" && n == 1:
		if byStd {
			each(func(x float64) float64 { return x * (1 / (1 + 1e-6)) })
		}
	case estimator == "reinforce_plus_plus_baseline" && n == 1:
		a[0] = 0
	case estimator == "reinforce_plus_plus_baseline":
		mean := torchsum.MeanNumpy(r)
		each(func(x float64) float64 { return x - mean })
		std := v.numpyStd(a)
		each(func(x float64) float64 { return x / (std + 1e-6) })
	case estimator != "rloo":
		mean, std := torchsum.MeanNumpy(r), v.numpyStd(r)
		each(func(x float64) float64 { return x - mean })
		if byStd || estimator == "prpo" {
			each(func(x float64) float64 { return x / (std + 1e-6) })
		}
	}
	return a
}
