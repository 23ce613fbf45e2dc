package estimators

// slime is THUDM's slime.
func slime() []*Estimator {
	const (
		code    = "THUDM/slime@624b824a898ab0ec1fcb4d373004c7f3852bf515 slime/"
		rewards = code + "ray/rollout.py:_post_process_rewards"
		loss    = code + "backends/megatron_utils/loss.py:compute_advantages_and_returns"
		docStd  = "ddof 1; v = E[x²] − E[x]²: the framework, in float32, gives NaN for a batch of equal " +
			"rewards or with a large offset; here it does not. "
	)
	return []*Estimator{
		// gspo and cispo as well; --disable-grpo-std-normalization is scale "none".
		{
			Entry: Entry{
				Name: "grpo", Formula: "a = r − μ; A = a / (s_a + 1e-6); none: a", Source: rewards,
				Doc: "s has ddof 1 and is that of the centred rewards. Single-sample groups get 0. Equal rewards give 0 or rounding error over s + " +
					"1e-6 (eight of 10.1: +0.95). If groups differ in size, the whole batch is one group. NaN makes its group NaN.",
				Options: []Option{withoutStd("disable-grpo-std-normalization")},
			},
			Scales: []Scale{ScaleGroup, ScaleNone}, DependsOnBatch: true, CanFilter: true,
			Advantage: slimeGRPO,
		},
		// With --normalize-advantages, which it requires.
		discounted(*tokenWhitened(Estimator{
			Entry: Entry{
				Name: "reinforce_plus_plus", Formula: "A = (r − m) / √(v + 1e-8), m and v over response tokens", Source: loss,
				Doc: docWhitenedRewards + docStd + "NaN makes all NaN.",
			},
		}), "gamma", slimeWhitening(), rewardItself),
		tokenWhitened(Estimator{
			Entry: Entry{
				Name:    "reinforce_plus_plus_baseline",
				Formula: "a = r − μ; A = (a − m) / √(v + 1e-8), m and v over response tokens", Source: loss,
				Doc: docWhitenedCentred + docStd + "If groups differ in size, the whole batch is one group. NaN " +
					"makes all NaN.",
			},
			Advantage: slimeWhitening().after(raggedAsOneGroup(withScale(grpo(0).advantages, ScaleNone))),
		}),
		notComputable("ppo", formulaGAE, loss, criticNeeded),
		// --use-opd, with any estimator.
		notComputable("opd", "A_t = A − opd_kl_coef·(log π − log π_T)",
			"THUDM/slime@00c2d6db0f23a4900be6e80a8eb81eebf9e1ebff slime/backends/megatron_utils/loss.py:apply_opd_kl_to_advantages",
			"It subtracts the KL to a teacher from every token's advantage. "+teacherNeeded),
	}
}

// slimeGRPO does not divide where all groups have one sample, which would be NaN: the
// command line turns the division off.
func slimeGRPO(dst []float64, b Batch, s Scale) error {
	if largestGroup(b.Offsets) == 1 {
		s = ScaleNone
	}
	return slimeNorm()(dst, b, s)
}

func slimeNorm() formula {
	return raggedAsOneGroup(centredStd{eps: 1e-6, asMatrix: true}.advantages)
}

func slimeWhitening() whitening { return whitening{eps: 1e-8, fromMoments: true} }
