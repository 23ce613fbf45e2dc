package estimators

import (
	"math"

	"vantage/estimators/torchsum"
)

// Cleaning is what a trainer does to the logged rewards before any estimator.
// Estimators of one Cleaning and one [Float] see the same rewards.
type Cleaning int

const (
	cleanRound Cleaning = iota // only the rounding to Float

	// cleanNaNToNum is what EasyR1's trainer does to its reward tensor, if and only if
	// some reward of the batch is NaN: torch.nan_to_num(x, nan=0.0), which also turns
	// infinities into ±3.4028235e38. Without a NaN the infinities stay. A missing
	// reward is a NaN.
	//
	// Source: Coobiw/EasyR1-Brian@c414ee81ef06 verl/trainer/ray_trainer.py:800-805.
	cleanNaNToNum

	// cleanNaNToZero is ms-swift's nansum over the reward functions: a reward without a
	// score is 0.
	cleanNaNToZero

	// cleanNothing leaves even the rounding to the estimator, which compares rewards before it.
	cleanNothing
)

// CleanInto writes to dst the rewards as the trainer's estimator sees them. A missing
// reward stays missing unless Clean gives it a value. If all rewards of the batch are
// finite, each is cleaned on its own, so that parts of the batch may be cleaned
// separately. len(dst) == len(rewards); they may be the same slice.
func (e *Estimator) CleanInto(dst, rewards []float64) {
	dst = dst[:len(rewards)]
	if e.Float == Float64 && e.Clean == cleanRound || e.Clean == cleanNothing {
		copy(dst, rewards)
		return
	}
	hasNaN := false
	for i, r := range rewards {
		switch {
		case math.IsNaN(r):
			hasNaN, dst[i] = true, r // float32 would lose the payload that marks a missing reward
		case e.Float == Float64:
			dst[i] = r
		default:
			dst[i] = float64(float32(r))
		}
	}
	if !hasNaN || e.Clean == cleanRound {
		return
	}
	for i, r := range dst {
		switch {
		case math.IsNaN(r):
			dst[i] = 0
		case e.Clean == cleanNaNToNum:
			dst[i] = min(max(r, -math.MaxFloat32), math.MaxFloat32)
		}
	}
}

// WeightedRewards writes to dst the rewards of several reward functions, Σ_k w_k·r_k, as TRL's and
// ms-swift's nansum adds them: float32, in PyTorch's order. A component that is NaN counts as 0; where
// all are the reward is missing. Without weights all are 1.
func WeightedRewards(dst []float64, components [][]float64, weights []float64) {
	terms := make([]float32, len(components))
	for i := range dst {
		scored := false
		for k, c := range components {
			terms[k] = 0
			if x := c[i]; x == x {
				terms[k] = float32(x) * weight(weights, k)
				scored = true
			}
		}
		dst[i] = MissingReward()
		if scored {
			dst[i] = float64(torchsum.Sum(terms))
		}
	}
}
