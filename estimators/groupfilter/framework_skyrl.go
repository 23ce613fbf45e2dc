package groupfilter

import (
	"fmt"
	"math"

	"vantage/estimators"
)

const (
	skyCode   = "skyrl wheel skyrl==0.4.0 skyrl/train/utils/trainer_utils.py:"
	skySize   = "generator.n_samples_per_prompt"
	skyBatch  = "trainer.train_batch_size"
	skyRatio  = "trainer.algorithm.dynamic_sampling.min_replace_ratio"
	skyTol    = "trainer.algorithm.zero_variance_filter_tol"
	docSkyStd = "std is np.std in float64, compared with exactly 0, and np.std of equal rewards is not always 0: three of 0.1 have " +
		"1.4e-17, so the trainer keeps such a group, while equal rewards of 0, 0.5 or 1 are dropped. A group with a NaN is " +
		"dropped. With generator.n_samples_per_prompt = 1 every group stays, whatever its own size. "
)

// skyRL has a mask of groups without variance, and two ways of dynamic sampling.
func skyRL() []*Filter {
	size := estimators.Option{
		Key: skySize, Kind: estimators.NumberOrNone(1, math.Inf(1)), Default: "none",
		Meaning: "rows generated per prompt; none: as the groups of the log",
	}
	return []*Filter{
		{
			Entry: estimators.Entry{
				Name: "zero_variance_filter", Key: "trainer.algorithm.zero_variance_filter", Value: "true",
				Formula: "max(r) − min(r) > zero_variance_filter_tol", Source: skyCode + "zero_variance_filter",
				Doc: "float64; a spread that equals the tolerance is dropped. It is a range, no standard deviation, so groups of equal rewards are " +
					"dropped, whatever their value. Only rows with a token in the loss count; groups with one or none of them stay. A NaN as " +
					"the first such row keeps the group, a later one is passed over. Dropped rows stay in the batch with a loss mask of 0 " +
					"and still count where the loss counts sequences or prompts.",
				Options: []estimators.Option{{
					Key: skyTol, Kind: estimators.Number(0, math.Inf(1)), Default: "1e-06", Meaning: "groups whose rewards spread by this or less are dropped",
				}},
			},
			Fate: Masked,
			decide: func(v *Verdict, b Batch, o estimators.Values) error {
				skyZeroVariance(v, b, o.Number(skyTol))
				return nil
			},
		},
		{
			Entry: estimators.Entry{
				Name: "dynamic_sampling_filter", Key: "trainer.algorithm.dynamic_sampling.type", Value: "filter",
				Formula: "std(r) > 0", Source: skyCode + "handle_filter_sampling",
				Doc: docSkyStd + "With fewer than train_batch_size groups nothing trains yet and sampling goes on; with more the batch is cut " +
					"to train_batch_size · n_samples_per_prompt rows, which can cut a ragged group in two.",
				Options: []estimators.Option{size, {
					Key: skyBatch, Kind: estimators.NumberOrNone(1, math.Inf(1)), Default: "none", Meaning: "groups that train in a step; none: as many as stay",
				}},
			},
			Fate: Refilled,
			decide: func(v *Verdict, b Batch, o estimators.Values) error {
				skyFilter(v, b, int(o.NumberOr(skySize, 0)), int(o.NumberOr(skyBatch, 0)))
				return nil
			},
		},
		{
			Entry: estimators.Entry{
				Name: "dynamic_sampling_replace", Key: "trainer.algorithm.dynamic_sampling.type", Value: "replace",
				Formula: "std(r) > 0; the others are overwritten by good groups, or the batch is refused",
				Source:  skyCode + "handle_replace_sampling",
				Doc: docSkyStd + "If more than min_replace_ratio of the groups are good, copies of random good groups take the places of the " +
					"others; which ones is not in a log, and vantage leaves the places empty. Else the whole batch is refused and sampled again.",
				Options: []estimators.Option{size, {
					Key: skyRatio, Kind: estimators.Number(math.Inf(-1), math.Inf(1)), Default: "0.3", Meaning: "the share of good groups must be more than this",
				}},
			},
			Fate: Removed,
			decide: func(v *Verdict, b Batch, o estimators.Values) error {
				skyReplace(v, b, int(o.NumberOr(skySize, 0)), o.Number(skyRatio))
				return nil
			},
		},
	}
}

func skyZeroVariance(v *Verdict, b Batch, tol float64) {
	for g := range v.Admitted {
		if spread, live := skySpread(b, b.Offsets[g], b.Offsets[g+1], tol); live > 1 && spread <= tol {
			v.drop(g, Reason{"spread", spread})
		}
	}
}

// skySpread returns max − min of the rows [lo, hi) that have a token in the loss, as Python finds them, and
// how many there are. It stops where the spread is known to be more than enough.
func skySpread(b Batch, lo, hi int, enough float64) (spread float64, live int) {
	first, least, most := 0.0, 0.0, 0.0
	for i := lo; i < hi; i++ {
		if !b.live(i) {
			continue
		}
		x := b.Rewards[i]
		if live++; live == 1 {
			first, least, most = x, x, x
		}
		if d := math.Abs(x - first); d > enough {
			return d, live
		}
		if x < least {
			least = x
		}
		if x > most {
			most = x
		}
	}
	return most - least, live
}

// skyDropFlat drops the groups that do not vary; n is generator.n_samples_per_prompt, 0 if unknown.
func skyDropFlat(v *Verdict, b Batch, n int) {
	if n == 1 {
		return
	}
	v.eachGroup(b, b.Rewards, func(v *Verdict, r []float64) (bool, Reason) {
		if clearlyAbove(r, 0) {
			return true, Reason{}
		}
		std := v.numpyStd(r)
		if std != std {
			return false, because("std NaN")
		}
		return std > 0 || n == 0 && len(r) == 1, Reason{"std", std}
	})
}

func skyFilter(v *Verdict, b Batch, n, batch int) {
	skyDropFlat(v, b, n)
	if batch == 0 {
		return
	}
	good := v.admitted()
	v.rows(b)
	if v.SamplesOn = good < batch; v.SamplesOn {
		v.Note = fmt.Sprintf("%d groups are fewer than %s = %d: nothing trains yet, and sampling goes on", good, skyBatch, batch)
		return
	}
	if n == 0 {
		n = b.Offsets[1] - b.Offsets[0]
	}
	v.cut(b, batch*n, because("beyond train_batch_size"))
}

func skyReplace(v *Verdict, b Batch, n int, ratio float64) {
	skyDropFlat(v, b, n)
	good, all := v.admitted(), b.Groups()
	switch {
	case float64(good) <= float64(all)*ratio:
		v.SamplesOn = true
		v.Note = fmt.Sprintf("%d of %d groups are good, not more than %s = %v: the batch is refused and another one sampled", good, all, skyRatio, ratio)
		v.dropAll(because("batch refused"))
	case good < all:
		v.Note = fmt.Sprintf("copies of random good groups take the places of the %d others; they are not counted here", all-good)
	}
}
