package estimators

// openRLHFClip is the default of reward.clip_range, ±10. It clips after baseline and
// standard deviation.
const openRLHFClip = 10

// openRLHF is OpenRLHF.
func openRLHF() []*Estimator {
	const source = "OpenRLHF/OpenRLHF@3c3be6234e0cb353e76bb8019947db9dfe99fca7 " +
		"openrlhf/trainer/ppo_utils/experience_maker.py:compute_advantages_and_returns"
	clip10 := func(f formula) formula { return clipped(f, -openRLHFClip, openRLHFClip) }
	return []*Estimator{
		// GRPO.
		{
			Name: "group_norm", Scales: []Scale{ScaleGroup},
			CanFilter: true,
			Float:     Float32,
			Formula:   "A = clip((r − μ) / (s + 1e-9), ±10)",
			Doc: "s has ddof 1. A group of one is NaN (the command line forbids it). Equal rewards often do not give 0 (eight of " +
				"0.7: 10, cut from 59.6). Then cut to ±10. kl_coef is 0 here. Groups of different sizes are a RuntimeError. NaN " +
				"makes its group NaN.",
			Source:    source,
			Advantage: refuseRagged(clip10(grpo(1e-9).advantages)),
		},
		{
			Name: "dr_grpo", Scales: []Scale{ScaleNone},
			CanFilter: true,
			Float:     Float32,
			Formula:   "A = clip(r − μ, ±10)",
			Doc: "No scale, no eps. A group of one gets 0 (the command line forbids it). Then cut to ±10. kl_coef is 0 here. " +
				"Groups of different sizes are a RuntimeError. NaN makes its group NaN.",
			Source:    source,
			Advantage: refuseRagged(clip10(grpo(0).advantages)),
		},
		{
			Name: "rloo", Scales: []Scale{ScaleNone},
			Float:   Float32,
			Formula: "A = clip(r − (Σr − r) / (n − 1), ±10)",
			Doc: "No scale, no eps. A group of one is NaN (the command line forbids it). Then cut to ±10. kl_coef is 0 here. " +
				"Groups of different sizes are a RuntimeError. NaN makes its group NaN.",
			Source:    source,
			Advantage: refuseRagged(clip10(rloo(0).advantages)),
		},
		tokenWhitened(Estimator{
			Name:    "reinforce",
			Formula: "A = (r − m) / √max(v, 1e-8), m and v over response tokens",
			Doc: "r is cut to ±10 first. " + docWhitenedRewards +
				"ddof 0. kl_coef is 0 here. NaN makes all NaN.",
			Source:    source,
			Advantage: flooredWhiten().after(clip10(rewardItself)),
		}),
		// REINFORCE++-baseline.
		tokenWhitened(Estimator{
			Name:    "reinforce_baseline",
			Formula: "a = clip(r − μ, ±10); A = (a − m) / √max(v, 1e-8), m and v over response tokens",
			Doc: docWhitenedCentred + "ddof 0. kl_coef is 0 here. Groups of different sizes are a RuntimeError. NaN makes all " +
				"NaN.",
			Source:    source,
			Advantage: flooredWhiten().after(refuseRagged(clip10(withScale(grpo(0).advantages, ScaleNone)))),
		}),
		notComputable("gae", formulaGAE, source, criticNeeded),
		notComputable("kl_in_reward", "r − kl_coef·KL per token, then the estimator", source,
			"By default (kl.init_coef 0.01, no KL loss) every token carries −kl_coef·KL. A log would have to hold the KL per "+
				"token."),
	}
}
