package groupfilter

import (
	"vantage/estimators"
	"vantage/estimators/torchsum"
)

// swift drops groups whose weighted rewards do not vary.
func swift() []*Filter {
	const key = "dynamic_num_samples"
	return []*Filter{{
		Entry: estimators.Entry{
			Name: "dynamic_sample", Key: "dynamic_sample", Value: "true", Formula: "std(Σ_k w_k · r_k) > 0",
			Source: "ms-swift wheel ms-swift==4.6.0 swift/rlhf_trainers/grpo_trainer.py:compute_std",
			Doc: "float32, ddof 1; a reward without a score counts as 0. Groups of a fixed size are rows of a matrix, whose std is exactly 0 for " +
				"equal rewards, so they are dropped. With a single group, or dynamic_num_samples, each group is a tensor of its own, whose std is a " +
				"rounding error above 0 for most sizes of equal rewards of 0.1 or 0.7: the trainer keeps those. A group of one row is " +
				"dropped. After max_resample_times (3) the original batch trains, dead groups and all.",
			Options: []estimators.Option{{
				Key: key, Kind: estimators.Switch(), Default: "false", Meaning: "groups differ in size, as multi-turn servers return them: each is a tensor of its own",
			}},
		},
		Fate: Refilled,
		decide: func(v *Verdict, b Batch, o estimators.Values) error {
			swiftDynamicSample(v, b, o.Bool(key))
			return nil
		},
	}}
}

func swiftDynamicSample(v *Verdict, b Batch, dynamic bool) {
	std := torchsum.StdOfRow
	switch {
	case dynamic || b.Groups() == 1:
		std = torchsum.Std
	case b.ragged():
		v.Assumed = "groups differ in size, which rows of a matrix cannot: each is judged as a row of its own (dynamic_num_samples=true judges them otherwise)"
	}
	v.eachGroup(b, b.Rewards, func(v *Verdict, r []float64) (bool, Reason) {
		x := swiftRewards(v, r)
		if len(x) == 1 {
			return false, because("one row")
		}
		if clearlyAbove(x, 0) {
			return true, Reason{}
		}
		s := std(x)
		return s > 0, Reason{"std", float64(s)}
	})
}

// swiftRewards returns r in float32, 0 where there is no score.
func swiftRewards(v *Verdict, r []float64) []float32 {
	x := v.float32s(r)
	for i, y := range r {
		if y != y {
			x[i] = 0
		}
	}
	return x
}
