package groupfilter

import (
	"math"

	"vantage/estimators"
	"vantage/estimators/torchsum"
)

// trinity skips groups whose standard deviation is at most a threshold.
func trinity() []*Filter {
	const key = "algorithm.advantage_fn_args.std_threshold"
	return []*Filter{{
		Entry: estimators.Entry{
			Name: "std_threshold", Key: key + ", a number", Formula: "std(r) > std_threshold, and several rows",
			Source: "trinity-rft wheel trinity-rft==0.6.0 trinity/algorithm/advantage_fn/grpo_advantage.py:GRPOGroupedAdvantage.calculate_group_advantage",
			Doc: "float32, ddof 1; a standard deviation that equals the threshold is dropped. With a threshold of 0 most groups of equal rewards " +
				"of 0.1 or 0.7 stay, since their std in torch is a rounding error above 0; a threshold of 1e-6 drops them. A group of one row is " +
				"dropped, one with a NaN stays. With std_cal_level: batch the advantages still use the std of all rows, of dropped groups " +
				"too. duplicate_experiences then copies random groups, which is not in a log.",
			Options: []estimators.Option{{
				Key: key, Kind: estimators.NumberOrNone(math.Inf(-1), math.Inf(1)), Default: "none", Meaning: "groups with this standard deviation or less are dropped; none: nothing is",
			}},
		},
		Fate: Removed,
		decide: func(v *Verdict, b Batch, o estimators.Values) error {
			if o.Text(key) == "none" {
				v.Note = "std_threshold is none, trinity's default: nothing is dropped"
				return nil
			}
			v.eachGroup(b, b.Rewards, trinityAbove(float32(o.Number(key))))
			return nil
		},
	}}
}

func trinityAbove(threshold float32) verdictOn {
	return func(v *Verdict, r []float64) (bool, Reason) {
		if len(r) == 1 {
			return false, because("one row")
		}
		x := v.float32s(r)
		if clearlyAbove(x, float64(max(0, threshold))) {
			return true, Reason{}
		}
		std := torchsum.Std(x)
		return !(std <= threshold), Reason{"std", float64(std)}
	}
}
