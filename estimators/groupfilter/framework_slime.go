package groupfilter

import (
	"math"
	"strconv"
	"strings"

	"vantage/estimators"
	"vantage/estimators/torchsum"
)

const docNonzeroStd = "std is torch's in float64, ddof 1, on all rows of the group; the comparison is strict. The threshold is far above " +
	"rounding, so that groups of equal rewards are dropped, whatever their value. A group of one row has no std and is dropped, and so " +
	"is one with a NaN."

// slime drops groups whose rewards do not vary; the fallback stops when too few groups are left.
func slime() []*Filter {
	const (
		file    = "THUDM/slime@624b824a898ab0ec1fcb4d373004c7f3852bf515 slime/rollout/filter_hub/dynamic_sampling_filters.py:"
		hub     = "slime.rollout.filter_hub.dynamic_sampling_filters."
		limit   = 1e-6
		size    = "rollout_batch_size"
		started = "over_sampling_batch_size"
	)
	groups := estimators.NumberOrNone(1, math.Inf(1))
	return []*Filter{
		{
			Entry: estimators.Entry{
				Name: "check_reward_nonzero_std", Key: "dynamic_sampling_filter_path", Value: hub + "check_reward_nonzero_std", Formula: "std(r) > 1e-6",
				Source: file + "check_reward_nonzero_std",
				Doc:    docNonzeroStd,
			},
			Fate: Refilled, Label: zeroStdLabel,
			decide: func(v *Verdict, b Batch, _ estimators.Values) error {
				v.eachGroup(b, b.Rewards, stdAbove(limit))
				return nil
			},
		},
		{
			Entry: estimators.Entry{
				Name: "check_reward_nonzero_std_with_fallback", Key: "dynamic_sampling_filter_path", Value: hub + "check_reward_nonzero_std_with_fallback",
				Formula: "std(r) > 1e-6, or no group to spare", Source: file + "check_reward_nonzero_std_with_fallback",
				Doc: docNonzeroStd + " But a group is dropped only while more than rollout_batch_size groups remain of those started: the last " +
					"dead groups of a step are trained on. So the verdict depends on the order in which groups arrive, for which the order of " +
					"the log is taken, and without over-sampling nothing is dropped.",
				Options: []estimators.Option{
					{Key: size, Kind: groups, Default: "none", Meaning: "groups of a step that train; none: all groups of the log"},
					{Key: started, Kind: groups, Default: "none", Meaning: "groups started for a step; none: as many as the log has (slime starts rollout_batch_size, so that none can be dropped)"},
				},
			},
			Fate: Refilled, Label: zeroStdLabel,
			decide: func(v *Verdict, b Batch, o estimators.Values) error {
				all := float64(b.Groups())
				switch {
				case o.Text(size) == "none":
					v.Assumed = "rollout_batch_size is not given: all groups of the log train, and none can be spared"
				case o.Text(started) == "none":
					v.Assumed = "over_sampling_batch_size is not given: the groups of the log are taken for those started"
				}
				slimeFallback(v, b, limit, int(o.NumberOr(size, all)), int(o.NumberOr(started, all)))
				return nil
			},
		},
	}
}

// stdAbove is the rule std > limit.
func stdAbove(limit float64) verdictOn {
	return func(_ *Verdict, r []float64) (bool, Reason) {
		if clearlyAbove(r, limit) {
			return true, Reason{}
		}
		std := torchsum.Std64(r)
		switch {
		case std > limit:
			return true, Reason{}
		case len(r) == 1:
			return false, because("one row")
		case std != std:
			return false, because("std NaN")
		}
		return false, Reason{"std", std}
	}
}

// slimeFallback goes through the groups as they arrive until size of them are kept. A dead one is
// dropped only while more than size remain of those started.
func slimeFallback(v *Verdict, b Batch, limit float64, size, started int) {
	ask, remaining, kept := stdAbove(limit), started, 0
	for g := range v.Admitted {
		if kept >= size {
			v.drop(g, because("batch full"))
			continue
		}
		stays, why := ask(v, b.Rewards[b.Offsets[g]:b.Offsets[g+1]])
		if !stays && remaining > size {
			v.drop(g, why)
			remaining--
			continue
		}
		kept++
	}
	v.SamplesOn = kept < size
}

// zeroStdLabel is zero_std_ and the first reward, rounded to one decimal, as Python writes it.
func zeroStdLabel(rewards []float64) string {
	x, _ := strconv.ParseFloat(strconv.FormatFloat(rewards[0], 'f', 1, 64), 64)
	text := strconv.FormatFloat(x, 'f', 1, 64)
	if math.Abs(x) >= 1e16 {
		text = strconv.FormatFloat(x, 'g', -1, 64)
	}
	return "zero_std_" + strings.ToLower(text)
}
