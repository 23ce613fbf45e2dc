package groupfilter

import (
	"cmp"
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
				Doc: "It reads advantages, not rewards; both ends belong to the range. Advantages are float32: equal rewards " +
					"of 0.1 whose float32 mean is a bit off have advantages that are not 0, so the trainer keeps such a group. Rows " +
					"without a token in the loss do not count; a group without any token stays, and so does one with a NaN.",
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
				Doc: "On by default. Per row, after the batch is full: rows of advantage exactly 0 are not shipped, nothing takes their " +
					"place, and the weight of every other row in the loss grows. Advantages are float32: equal rewards of 0.1 whose " +
					"float32 mean is a bit off are not 0 and are shipped. NaN is shipped.",
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
			Source: "rllm-org/rllm@9beb6e0f676a46d38858991fd79ac5f8e0b16d4c rllm/trainer/buffer.py; " +
				"rllm/trainer/algorithms/{advantage,rl_algo}.py",
			Doc: "float64, in the buffer of the asynchronous trainer. The group's advantages are computed of the group alone, also " +
				"by prpo and reinforce_plus_plus_baseline, which would see the batch. Groups of equal rewards are dropped, " +
				"whatever their value, except by reinforce, whose advantage is the reward: it keeps a group of all 1 and drops " +
				"one of all 0. A NaN keeps its group.",
			Options: []estimators.Option{
				{Key: least, Kind: estimators.Number(0, math.Inf(1)), Default: "2", Meaning: "groups of fewer rows are dropped first"},
				{
					Key: estimator, Kind: estimators.OneOf("grpo", "rloo", "reinforce", "prpo", "reinforce_plus_plus_baseline"), Default: "grpo",
					Meaning: "whose advantages are looked at",
				},
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

const (
	ragenPrefix = "actor_rollout_ref.rollout.rollout_filter_"
	ragenCode   = "mll-lab-nu/RAGEN@20daedc47558e000f7de912b060646bf2e8026bd ragen/trainer/rollout_filter.py"
)

// ragen keeps the groups that carry most of the variance: as its code does, and as its paper says.
func ragen() []*Filter {
	const share, zero, eps = ragenPrefix + "value", ragenPrefix + "include_zero", ragenPrefix + "selection_eps"
	return []*Filter{
		{
			Entry: estimators.Entry{
				Name: "rollout_filter", Key: ragenPrefix + "strategy", Value: "top_p",
				Formula: "the fewest groups whose std add up to rollout_filter_value of all, less 0.01",
				Source:  ragenCode + ":RolloutFilter._select_top_groups",
				Doc: "As the code is by default (top_p, linear, largest, reward_variance, which is the standard deviation): float32, " +
					"ddof 1. Groups are taken from the largest std on until their sum reaches rollout_filter_value · Σ " +
					"std − rollout_filter_selection_eps; of equal ones the first in the batch. With the default of 1 all groups stay, " +
					"those of equal rewards too; with less these are dropped, whatever their value, except a single group of 0.1 or 0.7, " +
					"whose std in torch is a rounding error above 0. One NaN, or a group of one row, and no group stays.",
				Options: []estimators.Option{
					{
						Key: share, Kind: estimators.Number(0, math.Inf(1)), Default: "1",
						Meaning: "the share of the summed std that the kept groups must reach; 1 keeps all",
					},
					{Key: zero, Kind: estimators.Switch(), Default: "true", Meaning: "with a share of 1 keep groups whose std is 0, too"},
					{Key: eps, Kind: estimators.Number(0, math.Inf(1)), Default: "0.01", Meaning: "how much of that sum may be missing"},
				},
			},
			Dropped: Removed,
			decide: func(v *Admission, b Batch, o estimators.Values) error {
				part, slack, withZero := float32(o.Number(share)), float32(o.Number(eps)), o.Bool(zero)
				std := torchsum.StdOfRow
				if b.Groups() == 1 {
					std = torchsum.Std
				}
				v.scores = v.scores[:0]
				for g := range v.Admitted {
					s := std(v.float32s(b.Rewards[b.Offsets[g]:b.Offsets[g+1]]))
					v.drop(g, Reason{"std", float64(s)})
					if withZero || s > 1e-10 {
						v.scores = append(v.scores, s)
					}
				}
				if part >= 1 {
					for g, why := range v.Reasons {
						if withZero || why.Value > 1e-10 {
							v.admit(g)
						}
					}
					return nil
				}
				enough := part*torchsum.Sum(v.scores) - slack
				v.takeLargest(func(sum float64) bool { return float32(sum) >= enough })
				return nil
			},
		},
		{
			Entry: estimators.Entry{
				Name: "top_p", Key: ragenPrefix + "strategy", Value: "top_p",
				Formula: "the fewest groups whose variances add up to rollout_filter_value of all",
				Source:  "arXiv:2604.06268, SNR-aware filtering", NoPublicCode: true,
				Doc: "By the paper: groups are sorted by the variance of their rewards, the largest first, and taken until their sum " +
					"reaches the share; of equal ones the first in the batch. float64, ddof 1; a share that is missed by rounding alone " +
					"counts as reached. Groups of equal rewards and of one row have no variance and are dropped, also at a share of 1; " +
					"groups with a NaN are dropped. The authors' code is rollout_filter.",
				Options: []estimators.Option{estimators.Number(0, 1).Option(share, "0.9",
					"the share of the summed variance that the kept groups must reach")},
			},
			Dropped: Removed,
			decide: func(v *Admission, b Batch, o estimators.Values) error {
				total := 0.0
				for g := range v.Admitted {
					variance := varianceOf(b.Rewards[b.Offsets[g]:b.Offsets[g+1]])
					v.drop(g, Reason{"variance", variance})
					if variance > 0 {
						total += variance
					}
				}
				enough := o.Number(share) * total * shareSlack
				v.takeLargest(func(sum float64) bool { return sum >= enough })
				return nil
			},
		},
	}
}

// shareSlack is what rounding may take from a share.
const shareSlack = 1 - 1e-12

// varianceOf has ddof 1; that of one row is 0, and with a NaN or an infinity it is NaN.
func varianceOf(r []float64) float64 {
	if len(r) == 1 {
		return 0
	}
	if allEqual(r) {
		return 0 * (r[0] - r[0])
	}
	mean, squares := torchsum.SumLeftToRight(r)/float64(len(r)), 0.0
	for _, x := range r {
		squares += float64((x - mean) * (x - mean))
	}
	return squares / float64(len(r)-1)
}

type scored struct {
	score float64
	group int
}

// scoreBuckets is how many values the first 16 bits of a float64 that is not negative have: scores of one
// bucket are within a sixteenth of each other, and a larger score is never in a lower bucket.
const scoreBuckets = 1 << 15

func bucketOf(score float64) int { return int(math.Float64bits(score) >> 48) }

// takeLargest admits groups of a score above 0, the largest first and of equal ones the first, until
// their sum is enough; none if it never is. All groups are dropped before, with the score as the value of the
// reason. Only the bucket in which the sum becomes enough is sorted.
func (v *Admission) takeLargest(enough func(sum float64) bool) {
	v.sums = slices.Grow(v.sums[:0], scoreBuckets)[:scoreBuckets]
	clear(v.sums)
	for _, why := range v.Reasons {
		if why.Value > 0 {
			v.sums[bucketOf(why.Value)] += why.Value
		}
	}
	sum, last := 0.0, scoreBuckets-1
	for last > 0 && !enough(sum+v.sums[last]) {
		sum += v.sums[last]
		last--
	}
	if !enough(sum + v.sums[last]) {
		return
	}
	v.order = v.order[:0]
	for g, why := range v.Reasons {
		switch bucket := bucketOf(why.Value); {
		case !(why.Value > 0) || bucket < last:
		case bucket > last:
			v.admit(g)
		default:
			v.order = append(v.order, scored{why.Value, g})
		}
	}
	slices.SortFunc(v.order, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), a.group-b.group)
	})
	for _, s := range v.order {
		if enough(sum) {
			return
		}
		sum += s.score
		v.admit(s.group)
	}
}
