package groupfilter

import (
	"slices"

	"vantage/estimators"
)

// openRLHF keeps groups whose mean score lies inside a range.
func openRLHF() []*Filter {
	const bounds = "algo.dynamic_filtering_range"
	return []*Filter{{
		Entry: estimators.Entry{
			Name: "dynamic_filtering", Key: "algo.dynamic_filtering_enable", Value: "true",
			Formula: "LOW < mean(scores) < HIGH",
			Source:  "openrlhf wheel openrlhf==0.11.2 openrlhf/trainer/ppo_utils/samples_generator.py:_generate_vllm",
			Doc: "The mean adds float32 scores from left to right in float64; both comparisons are strict, and there is no " +
				"standard deviation: a mixed group whose mean is exactly LOW or HIGH goes, equal scores of 0.5 stay although they have " +
				"no signal, and with scores outside 0 to 1 the default range drops useful groups. It reads scores, not " +
				"rewards, so no shaping by length; a group with a row without a score stays, one with a NaN is dropped.",
			Options: []estimators.Option{{
				Key: bounds, Kind: estimators.Interval(), Default: "0 1", Meaning: "LOW and HIGH; groups whose mean score is LOW, HIGH or beyond are dropped",
			}},
		},
		Fate: Refilled, SeesRaw: true, columns: func(estimators.Values) []string { return []string{"scores"} },
		decide: func(v *Verdict, b Batch, o estimators.Values) error {
			low, high := o.Interval(bounds)
			openRLHFDynamicFiltering(v, b, low, high)
			return nil
		},
	}}
}

func openRLHFDynamicFiltering(v *Verdict, b Batch, low, high float64) {
	values := b.column("scores")
	if values == nil {
		values = b.raw()
		v.Assumed = "the log has no column scores: the rewards, before shaping by length, stand for them"
	}
	v.eachGroup(b, values, func(_ *Verdict, r []float64) (bool, Reason) {
		if slices.ContainsFunc(r, estimators.IsMissing) {
			return true, Reason{}
		}
		sum := 0.0
		for _, x := range r {
			sum += float64(float32(x))
		}
		return insideOpen(sum/float64(len(r)), low, high)
	})
}
