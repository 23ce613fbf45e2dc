package analysis

import "testing"

// Groups of eight 10.1, of zeros, and of unequal rewards. TRL's float32 standard deviation of the
// first is 1e-6, that of torch.std over rows exactly 0; under scale batch the batch decides for all.
func TestFracRewardZeroStdIsThatOfTheTrainer(t *testing.T) {
	constant := []float64{10.1, 10.1, 10.1, 10.1, 10.1, 10.1, 10.1, 10.1}
	snap := snapshotOf(constant, make([]float64, 8), []float64{1, 0, 0, 0, 0, 0, 0, 0})
	for _, c := range []struct {
		framework, scale string
		want             float64
	}{
		{"easyr1", "group", 2.0 / 3},
		{"trl", "group", 1.0 / 3},
		{"trl", "none", 1.0 / 3},
		{"trl", "batch", 0},
		{"trl-1.5", "group", 2.0 / 3},
		{"trl-1.5", "batch", 0},
		{"ms-swift", "group", 2.0 / 3},
		{"ms-swift", "batch", 2.0 / 3},
	} {
		a := analyze(t, snap, settingsWith(t, "framework", c.framework, "estimator", "grpo", "scale", c.scale))
		if got := a.Metric("frac_reward_zero_std"); got != c.want {
			t.Errorf("%s, scale %s: %v, want %v", c.framework, c.scale, got, c.want)
		}
		if some := a.Subset([]int{0, 1, 2}); some.Metric("frac_reward_zero_std") != c.want {
			t.Errorf("%s, scale %s: a subset of all groups has %v", c.framework, c.scale, some.Metric("frac_reward_zero_std"))
		}
	}
}
