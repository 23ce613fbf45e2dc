package estimators

import (
	"fmt"

	"vantage/estimators/torchsum"
)

// passK gives an advantage to the best response of a group only: its lead over
// the second best, r₁ − r₂, in standard deviations s + 1e-6 (ddof 1) unless
// centre. All others get 0, and so does the best if it has an equal. NaN ranks
// above every number and gives NaN. Groups of one are left NaN.
//
// It is that of Walder and Karkhanis, "Pass@K Policy Optimization",
// arXiv:2505.15201, as verl cites arXiv:2503.19595 for it.
func passK(centre bool) formula {
	return perGroup(func(dst, r []float32) {
		clear(dst)
		if len(r) < 2 {
			fillNaN32(dst)
			return
		}
		best, second := topTwo(r)
		lead := r[best] - r[second]
		if !centre {
			lead /= torchsum.Std(r) + 1e-6
		}
		dst[best] = lead
	})
}

func fillNaN32(dst []float32) {
	for i := range dst {
		dst[i] = nan32()
	}
}

// passKError is verl's ValueError for the first group of one. The trainer names
// the group's uid; here it is the group's number.
func passKError(b Batch) error {
	var singles []int
	for g := range b.Groups() {
		if b.Offsets[g+1]-b.Offsets[g] == 1 {
			singles = append(singles, g)
		}
	}
	if singles == nil {
		return nil
	}
	text := fmt.Sprintf("Pass@k requires at least 2 samples per group. Got 1 for group uid-%04d.", singles[0])
	return &Refusal{Kind: "ValueError", Text: text, Groups: singles}
}
