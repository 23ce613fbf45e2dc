package estimators

import (
	"math"
	"testing"
)

// NeMo-RL cuts advantages after it divided by the std: 1 of 8 rewards gives 7/8 over √(1/8), less 1e-6, which is 2.4748667, and −0.3535524.
// _clip_grpo_advantages in nemo_rl/algorithms/grpo.py clamps to either bound that is given.
func TestNeMoClipsAdvantages(t *testing.T) {
	for options, want := range map[Options][2]float64{
		"": {2.4748667, -0.3535524}, "grpo.advantage_clip_high=2": {2, -0.3535524},
		"grpo.advantage_clip_low=-0.25": {2.4748667, -0.25}, "grpo.advantage_clip_high=2\ngrpo.advantage_clip_low=-0.25": {2, -0.25},
	} {
		e, err := find(t, "nemo-rl", "grpo_no_leave_one_out").With(options)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]float64, 8)
		if err := e.Compute(got, Batch{Rewards: []float64{1, 0, 0, 0, 0, 0, 0, 0}, Offsets: []int{0, 8}}, ScaleGroup); err != nil {
			t.Fatal(err)
		}
		if math.Abs(got[0]-want[0]) > 1e-5 || math.Abs(got[1]-want[1]) > 1e-5 {
			t.Errorf("%q gives %v, want %v", options, got[:2], want)
		}
	}
}
