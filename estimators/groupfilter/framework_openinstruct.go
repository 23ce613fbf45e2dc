package groupfilter

import (
	"math"

	"vantage/estimators"
)

// openInstruct drops groups without spread, and retires prompts that are solved.
func openInstruct() []*Filter {
	const drop, rate, best = "filter_zero_std_samples", "no_resampling_pass_rate", "max_possible_score"
	return []*Filter{{
		Entry: estimators.Entry{
			Name: "filter_zero_std_samples", Key: "filter_zero_std_samples, on by default", Formula: "std(r) ≠ 0",
			Source: "allenai/open-instruct@e6c3044aa6201c8bfa4573c1b03142af599e730d open_instruct/data_loader.py:process_group",
			Doc: "std is np.std in float64, compared with exactly 0, and np.std of equal scores is not always 0: three of 0.1 have " +
				"1.4e-17, so the trainer keeps such a group, while equal scores of 0, 0.5 or 10 are dropped. A group of one row is " +
				"dropped; one with a NaN stays. With no_resampling_pass_rate a prompt whose mean reaches that share of the best possible score is " +
				"never drawn again, whether its group trains or not.",
			Options: []estimators.Option{
				{Key: drop, Kind: estimators.Switch(), Default: "true", Meaning: "drop groups without spread"},
				{Key: rate, Kind: estimators.NumberOrNone(math.Inf(-1), math.Inf(1)), Default: "none", Meaning: "prompts solved at this rate or more are never drawn again"},
				{Key: best, Kind: estimators.Number(math.Inf(-1), math.Inf(1)), Default: "10", Meaning: "the best score: verification_reward, plus r1_style_format_reward where that is added"},
			},
		},
		Fate: Refilled,
		decide: func(v *Verdict, b Batch, o estimators.Values) error {
			openInstructFilter(v, b, o.Bool(drop), o.NumberOr(rate, math.NaN()), o.Number(best))
			return nil
		},
	}}
}

func openInstructFilter(v *Verdict, b Batch, drop bool, rate, best float64) {
	if rate == rate {
		for g, excluded := 0, v.retire(b); g < len(excluded); g++ {
			excluded[g] = numpyMean(b.Rewards[b.Offsets[g]:b.Offsets[g+1]])/best >= rate
		}
	}
	if drop {
		v.eachGroup(b, b.Rewards, func(v *Verdict, r []float64) (bool, Reason) {
			return clearlyAbove(r, 0) || v.numpyStd(r) != 0, Reason{"std", 0}
		})
	}
}
