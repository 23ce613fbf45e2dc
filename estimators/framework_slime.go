package estimators

const slime = "slime"

// slimeGRPO is GRPO (gspo and cispo as well); --disable-grpo-std-normalization is
// scale "none".
//
// Source: THUDM/slime@624b824a898ab0ec1fcb4d373004c7f3852bf515 slime/ray/rollout.py:_post_process_rewards.
func slimeGRPO() *Estimator {
	return &Estimator{
		Framework: slime, Name: "grpo", Scales: []Scale{ScaleGroup, ScaleNone},
		DependsOnBatch: true,
		CanFilter:      true,
		Float:          Float32,
		Formula:        "a = r − μ; A = a / (s_a + 1e-6); none: a",
		Doc: "s has ddof 1 and is that of the centred rewards. Groups of one get 0. Equal rewards give 0 or a residue over s + " +
			"1e-6 (eight of 10.1: +0.95). If groups differ in size, the whole batch is one group. NaN makes its group NaN.",
		Source:    "THUDM/slime@624b824a898ab0ec1fcb4d373004c7f3852bf515 slime/ray/rollout.py:_post_process_rewards",
		Advantage: slimeFunction(),
	}
}

// slimeReinforcePlusPlus is REINFORCE++ with --normalize-advantages, which it
// demands.
//
// Source: THUDM/slime@624b824a898ab0ec1fcb4d373004c7f3852bf515 slime/backends/megatron_utils/loss.py:compute_advantages_and_returns.
func slimeReinforcePlusPlus() *Estimator {
	return &Estimator{
		Framework: slime, Name: "reinforce_plus_plus", Scales: []Scale{ScaleNone},
		DependsOnBatch: true,
		Float:          Float32,
		Tolerance:      1e-4,
		Formula:        "A = (r − m) / √(v + 1e-8), m and v over response tokens",
		Doc: "All tokens of a sample have one value at gamma 1; group ids are not used. Summed in float64 here: agrees to " +
			"1e-4, not to the bit. ddof 1; v = E[x²] − E[x]²: the framework, in float32, gives NaN for a batch of equal " +
			"rewards or with a large offset; here it does not. NaN makes all NaN.",
		Source:    "THUDM/slime@624b824a898ab0ec1fcb4d373004c7f3852bf515 slime/backends/megatron_utils/loss.py:compute_advantages_and_returns",
		Needs:     Needs{Lengths: true},
		Advantage: slimeWhitening().after(nil),
	}
}

// slimeReinforceBaseline is REINFORCE++ on rewards centred by group.
//
// Source: THUDM/slime@624b824a898ab0ec1fcb4d373004c7f3852bf515 slime/backends/megatron_utils/loss.py:compute_advantages_and_returns.
func slimeReinforceBaseline() *Estimator {
	return &Estimator{
		Framework: slime, Name: "reinforce_plus_plus_baseline", Scales: []Scale{ScaleNone},
		DependsOnBatch: true,
		Float:          Float32,
		Tolerance:      1e-4,
		Formula:        "a = r − μ; A = (a − m) / √(v + 1e-8), m and v over response tokens",
		Doc: "All tokens of a sample have one value at gamma 1; the group counts in μ only. Summed in float64 here: agrees to " +
			"1e-4, not to the bit. ddof 1; v = E[x²] − E[x]²: the framework, in float32, gives NaN for a batch of equal " +
			"rewards or with a large offset; here it does not. If groups differ in size, the whole batch is one group. NaN " +
			"makes all NaN.",
		Source:    "THUDM/slime@624b824a898ab0ec1fcb4d373004c7f3852bf515 slime/backends/megatron_utils/loss.py:compute_advantages_and_returns",
		Needs:     Needs{Lengths: true},
		Advantage: slimeWhitening().after(raggedAsOneGroup(grpo(0).unscaled())),
	}
}

// slimeFunction turns the division off where all groups have one sample, as the
// command line does: without that they would be NaN.
func slimeFunction() formula {
	f := raggedAsOneGroup(slimeNorm().advantages)
	return func(dst []float64, b Batch, s Scale) error {
		if largestGroup(b.Offsets) == 1 {
			s = ScaleNone
		}
		return f(dst, b, s)
	}
}

func slimeNorm() centredStd { return centredStd{eps: 1e-6, asMatrix: true} }

func slimeWhitening() whitening { return whitening{eps: 1e-8, fromMoments: true} }
