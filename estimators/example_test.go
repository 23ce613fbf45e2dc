package estimators_test

import (
	"fmt"

	"vantage/estimators"
)

// The example of the guide to compute_new_adv, under keep_pos_ratio 0.7 and
// keep_neg_ratio 0.5: of two positive samples ⌊1.4⌋ = 1 is kept, the best; of two
// negative ones 1, the worst; the zero always. The new mean of the kept 0.1, 0.9
// and 1.7 is missed by a bit of float32: 0.9 gets −7e-08 and not 0.
func Example() {
	grpo, err := estimators.Find("easyr1", "grpo")
	if err != nil {
		fmt.Println(err)
		return
	}
	rewards := []float64{0.1, 0.5, 0.9, 1.3, 1.7}
	grpo.CleanInto(rewards, rewards)
	batch := estimators.Batch{Rewards: rewards, Offsets: []int{0, 5}}

	var r estimators.Result
	err = estimators.Process(&r, grpo, batch, estimators.ScaleGroup, 0.7, 0.5, true)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("original  %+.4f\n", r.Original)
	fmt.Printf("kept      %v\n", r.Kept)
	fmt.Printf("processed %+.4g\n", r.Processed)
	// Output:
	// original  [-1.2649 -0.6325 +0.0000 +0.6325 +1.2649]
	// kept      [true false true false true]
	// processed [-1 +0 -7.451e-08 +0 +1]
}
