package groupfilter

import (
	"math"

	"vantage/estimators"
)

const primeCode = "PrimeIntellect-ai/prime-rl@559b44772e471d1538537b8805cc77f3824a5e64 src/prime_rl/orchestrator/"

// primeRL has a gate for groups, and ships no rows of advantage 0.
func primeRL() []*Filter {
	const low, high = "reject_min", "reject_max"
	number := estimators.Number(math.Inf(-1), math.Inf(1))
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
					{Key: low, Kind: number, Default: "0", Meaning: "the range starts here"},
					{Key: high, Kind: number, Default: "0", Meaning: "the range ends here"},
				},
			},
			Fate: Refilled, NeedsAdvantages: true,
			decide: func(v *Verdict, b Batch, o estimators.Values) error {
				if o.Number(low) > o.Number(high) {
					return &estimators.Refusal{Kind: "ValueError", Text: "reject_min must be less than or equal to reject_max"}
				}
				primeAdvantageRange(v, b, o.Number(low), o.Number(high))
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
			Fate: Removed, NeedsAdvantages: true,
			decide: func(v *Verdict, b Batch, _ estimators.Values) error {
				primeZeroAdvantages(v, b)
				return nil
			},
		},
	}
}

func primeAdvantageRange(v *Verdict, b Batch, low, high float64) {
	for g := range v.Admitted {
		tokens, outside := false, false
		for i := b.Offsets[g]; i < b.Offsets[g+1] && !outside; i++ {
			if b.live(i) {
				tokens, outside = true, !(low <= b.Advantages[i] && b.Advantages[i] <= high)
			}
		}
		if tokens && !outside {
			v.drop(g, because("every advantage within the range"))
		}
	}
}

func primeZeroAdvantages(v *Verdict, b Batch) {
	kept := v.rows(b)
	for i, a := range b.Advantages {
		kept[i] = a != 0
	}
	v.dropEmpty(b, because("every advantage 0"))
}
