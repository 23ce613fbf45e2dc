package groupfilter

import (
	"math"

	"vantage/estimators"
)

// easyR1Upstream keeps groups of a middling mean.
func easyR1Upstream() []*Filter {
	const key, low, high = "algorithm.filter_key", "algorithm.filter_low", "algorithm.filter_high"
	number := estimators.Number(math.Inf(-1), math.Inf(1))
	return []*Filter{{
		Entry: estimators.Entry{
			Name: "online_filtering", Key: "algorithm.online_filtering", Value: "true",
			Formula: "filter_low < mean(filter_key) < filter_high",
			Source:  "hiyouga/EasyR1@b44b311b669bf1fd1aa2fc36f2251482ba33cb16 verl/trainer/ray_trainer.py:_make_batch_data",
			Doc: "The mean is np.mean in float64; both comparisons are strict. Nothing looks at the spread: a group of equal " +
				"rewards of 0.5 stays although it has no signal, and with rewards outside 0 to 1 the default range drops useful " +
				"groups. A group of one row is treated like any other; one with a NaN is dropped. If no group is left the trainer " +
				"stops with a RuntimeError.",
			Options: []estimators.Option{
				{Key: key, Kind: estimators.Name("overall or the name of a column"), Default: "overall", Meaning: "what the mean is taken of: overall is the reward, another name a column of the log"},
				{Key: low, Kind: number, Default: "0.01", Meaning: "groups whose mean is this or less are dropped"},
				{Key: high, Kind: number, Default: "0.99", Meaning: "groups whose mean is this or more are dropped"},
			},
		},
		Fate: Refilled, columns: func(o estimators.Values) []string { return []string{o.Text(key)} },
		decide: func(v *Verdict, b Batch, o estimators.Values) error {
			return easyR1OnlineFiltering(v, b, o.Text(key), o.Number(low), o.Number(high))
		},
	}}
}

func easyR1OnlineFiltering(v *Verdict, b Batch, key string, low, high float64) error {
	values := b.Rewards
	if key != "overall" {
		if values = b.column(key); values == nil {
			return missing("column " + key + ", which algorithm.filter_key names")
		}
	}
	v.eachGroup(b, values, func(_ *Verdict, r []float64) (bool, Reason) { return insideOpen(numpyMean(r), low, high) })
	if v.admitted() == 0 {
		return &estimators.Refusal{Kind: "RuntimeError", Text: "No sample is kept after filtering. Please check your data."}
	}
	return nil
}
