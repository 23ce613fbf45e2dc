package estimators_test

import (
	"errors"
	"fmt"
	"strings"

	"vantage/estimators"
)

// The example of the guide to compute_new_adv, under keep_pos_ratio 0.7 and
// keep_neg_ratio 0.5: of two positive samples ⌊1.4⌋ = 1 is kept, the best; of two
// negative ones 1, the worst; the zero always. Float32 misses the mean of the kept 0.1,
// 0.9 and 1.7 by a bit: 0.9 gets −7e-08 and not 0.
func Example() {
	grpo, err := estimators.Find("easyr1", "grpo")
	if err != nil {
		fmt.Println(err)
		return
	}
	rewards := []float64{0.1, 0.5, 0.9, 1.3, 1.7}
	grpo.CleanInto(rewards, rewards)
	batch := estimators.Batch{Rewards: rewards, Offsets: []int{0, 5}}

	r := estimators.Result{Unfiltered: make([]float64, len(rewards))}
	refused := grpo.Compute(r.Unfiltered, batch, estimators.ScaleGroup)
	if err := errors.Join(r.Filter(grpo, batch, estimators.ScaleGroup, 0.7, 0.5, true), refused); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("original  %+.4f\n", r.Unfiltered)
	fmt.Printf("kept      %v\n", r.Kept)
	fmt.Printf("processed %+.4g\n", r.Processed)
	// Output:
	// original  [-1.2649 -0.6325 +0.0000 +0.6325 +1.2649]
	// kept      [true false true false true]
	// processed [-1 +0 -7.451e-08 +0 +1]
}

// From rewards to advantages: two groups of four responses under verl's GRPO. All rewards
// of the second are equal: no advantage.
func ExampleFind() {
	grpo, err := estimators.Find("verl", "grpo")
	if err != nil {
		fmt.Println(err)
		return
	}
	logged := []float64{1, 0, 0, 1, 0.5, 0.5, 0.5, 0.5}
	batch := estimators.Batch{Rewards: make([]float64, len(logged)), Offsets: []int{0, 4, 8}}
	grpo.CleanInto(batch.Rewards, logged) // NaN, None and rounding as in the trainer

	advantages := make([]float64, len(logged))
	if err := grpo.Advantage(advantages, batch, estimators.ScaleGroup); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%+.4f\n", advantages[:4])
	fmt.Printf("%+.4f\n", advantages[4:])
	// Output:
	// [+0.8660 -0.8660 -0.8660 +0.8660]
	// [+0.0000 +0.0000 +0.0000 +0.0000]
}

// The same rewards under every estimator of a framework that needs only rewards.
func ExampleAll() {
	batch := estimators.Batch{Rewards: []float64{1, 0, 0, 0}, Offsets: []int{0, 4}}
	for _, e := range estimators.All() {
		if e.Framework != "twinkle" || !e.Computable() || e.MissingIn(batch) != "" {
			continue
		}
		for _, scale := range e.Scales {
			advantages := make([]float64, 4)
			err := e.Advantage(advantages, batch, scale)
			fmt.Printf("%-5s %-6s %+.3f %v\n", e.Name, scale, advantages, err)
		}
	}
	// Output:
	// grpo  group  [+1.500 -0.500 -0.500 -0.500] <nil>
	// grpo  batch  [+1.500 -0.500 -0.500 -0.500] <nil>
	// grpo  none   [+0.750 -0.250 -0.250 -0.250] <nil>
	// rloo  group  [+2.000 -0.667 -0.667 -0.667] <nil>
	// rloo  batch  [+2.000 -0.667 -0.667 -0.667] <nil>
	// rloo  none   [+1.000 -0.333 -0.333 -0.333] <nil>
}

// Of three positive samples keep_pos_ratio 0.5 keeps int(3·0.5) = 1, the best; of three
// negative ones keep_neg_ratio 0 keeps none; zeros stay.
func ExampleKeep() {
	unfiltered := []float64{1.5, 0.5, 0.2, 0, -0.3, -0.7, -1.2}
	kept, processed := make([]bool, len(unfiltered)), make([]float64, len(unfiltered))
	estimators.Keep(kept, processed, unfiltered, []int{0, len(unfiltered)}, 0.5, 0)
	fmt.Println(kept, processed)
	// Output: [true false false true false false false] [1.5 0 0 0 0 0 0]
}

// The error of a refused configuration is the trainer's.
func ExampleCheckConfig() {
	_, err := estimators.CheckConfig("rloo", 0.5, 1, false)
	text, _, _ := strings.Cut(err.Error(), ". ")
	fmt.Println(text)
	// Output: ValueError: keep_neg_ratio and keep_pos_ratio are currently only supported for grpo algorithm
}
