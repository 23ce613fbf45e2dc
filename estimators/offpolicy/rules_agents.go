package offpolicy

import (
	"math"
	"slices"

	"vantage/estimators"
)

const primeRevision = "PrimeIntellect-ai/prime-rl@559b44772e471d1538537b8805cc77f3824a5e64 src/prime_rl/"

func primeRL() []*Rule {
	const section = "trainer.loss"
	key := func(name string) string { return section + "." + name }
	also := []estimators.Option{
		bound("adv_tau", "1", "a factor of the advantage; it changes no weight here"),
		bound("kl_tau", "0.001", "weight of the d² term, which keeps removed tokens; it changes no weight here"),
	}
	// The mask multiplies the ratio: where that overflows, 0 · ∞ is NaN.
	moved := func(x *row, i int) float32 { return exp(x.Trainer[i]) - exp(x.Sampler[i]) }
	weigh := func(x *row, keep func(i int) bool) {
		x.weigh(func(i int) float32 { return bit(keep(i)) * exp(x.d[i]) })
	}
	return []*Rule{
		{
			Entry: estimators.Entry{
				Name: "default", Key: section + ".type", Value: "default",
				Formula: "A > 0: w = ρ if e^o − e^r ≤ high; else w = ρ if e^o − e^r ≥ −low; else 0",
				Source:  primeRevision + "trainer/rl/loss.py:default_loss_fn",
				Doc: "The default of the trainer. One pass: o is n. The ratio of a kept token has no cap. The ratio is multiplied by " +
					"the mask, so that a removed token whose ratio overflows makes the loss NaN. An advantage of 0 goes with the " +
					"negative ones. The KL term keeps removed tokens.",
				Options: prefixed(section, append([]estimators.Option{
					selector("type", "default"), bound("dppo_mask_low", "0.2", "bound for A ≤ 0"),
					bound("dppo_mask_high", "0.2", "bound for A > 0"),
				}, also...)...),
			},
			Level: "token", Bounds: "−0.2 ≤ e^o − e^r ≤ 0.2 (inclusive)", ChangesWeights: true, Denominator: denominatorStays,
			Needs: Needs{Advantages: true}, OnByDefault: true, Swept: Swept{
				[]string{key("dppo_mask_low"), key("dppo_mask_high")},
				AsDistance, OfMove,
			},
			apply: byRow(func(v estimators.Values) func(x *row) {
				low, high := number(v, key("dppo_mask_low"), 0), number(v, key("dppo_mask_high"), 0)
				return func(x *row) {
					weigh(x, func(i int) bool {
						if x.advantage > 0 {
							return !(moved(x, i) > high)
						}
						return !(moved(x, i) < -low)
					})
				}
			}),
		},
		{
			Entry: estimators.Entry{
				Name: "ipo", Key: section + ".type", Value: "ipo", Formula: "w = ρ if |e^o − e^r| ≤ T, else 0",
				Source: primeRevision + "trainer/rl/loss.py:ipo_loss_fn",
				Doc:    "As default, whatever the sign of the advantage.",
				Options: prefixed(section, append([]estimators.Option{
					selector("type", "ipo"), bound("ipo_threshold", "0.1", "T"),
				}, slices.Clone(also)...)...),
			},
			Level: "token", Bounds: "|e^o − e^r| ≤ 0.1 (inclusive)", ChangesWeights: true, Denominator: denominatorStays,
			Swept: Swept{[]string{key("ipo_threshold")}, AsDistance, OfMove},
			apply: byRow(func(v estimators.Values) func(x *row) {
				most := number(v, key("ipo_threshold"), 0)
				return func(x *row) { weigh(x, func(i int) bool { return !(abs(moved(x, i)) > most) }) }
			}),
		},
		versionLimit(staleness{
			name: "max_off_policy_steps", key: "orchestrator.max_off_policy_steps", byDefault: "8", formula: "version ≥ (step − 1) − T",
			source: primeRevision + "orchestrator/utils.py, orchestrator/train_sink.py",
			doc: "For a rollout in flight, and for one that waits. Nothing is dropped before step T + 1. A rollout of a frozen model has " +
				"no version and stays.",
			keeps: func(step int, v Versions, limit int) bool { return v.First >= step-1-limit },
		}),
	}
}

func openInstruct() []*Rule {
	const revision = "allenai/open-instruct@e6c3044aa6201c8bfa4573c1b03142af599e730d open_instruct/"
	return []*Rule{
		{
			Entry: estimators.Entry{
				Name: "rho", Key: "use_rho_correction", Value: "true", Formula: "w = ρ or geo, clamped, if it is within the mask's " +
					"bounds, else 0",
				Source: revision + "grpo_utils.py:compute_rho_correction, mask_logprobs",
				Doc: "On by default. d is clamped to ±10. A bound of 0 is off. With rho_mask_sequence_level the weight becomes geo, too. " +
					"rho_mask_tv_divergence compares the row's mean |ρ − 1| with the mask's bounds, and removes the tokens alone in " +
					"which d has the sign of A. A log-prob that is NaN becomes 1, so that ρ is e^(o − 1) where the engine could not score.",
				Options: []estimators.Option{
					toggle("use_rho_correction", true, "false makes all weights 1"),
					bound("rho_clamp_lower_bound", "0", "least weight; 0 is none"),
					bound("rho_clamp_upper_bound", "2", "largest weight; 0 is none"),
					bound("rho_mask_lower_bound", "0", "below it a token is removed; 0 is none"),
					bound("rho_mask_upper_bound", "0", "above it a token is removed; 0 is none"),
					toggle("rho_mask_sequence_level", false, "geo in place of ρ"),
					toggle("rho_mask_tv_divergence", false, "the mask's bounds are of the mean |ρ − 1|"),
				},
			},
			Level: "token or geometric", Bounds: "ρ ≤ 2", ChangesWeights: true, Denominator: denominatorStays,
			Needs: Needs{Advantages: true}, OnByDefault: true, Swept: Swept{[]string{"rho_clamp_upper_bound"}, AsRatio, OfToken},
			apply: byRow(rhoCorrection),
		},
		versionLimit(staleness{
			name: "max_result_age", key: "max_result_age_steps", byDefault: "none", formula: "step − version ≤ T",
			source: revision + "data_loader.py:result_is_stale",
			doc:    "A result that is too old is dropped with its group.",
			keeps:  func(step int, v Versions, limit int) bool { return step-v.First <= limit },
		}),
	}
}

func rhoCorrection(v estimators.Values) func(x *row) {
	limit := func(key string, off float64) float32 {
		if b := v.Number(key); b > 0 {
			return float32(b)
		}
		return float32(off)
	}
	leastWeight, mostWeight := limit("rho_clamp_lower_bound", math.Inf(-1)), limit("rho_clamp_upper_bound", math.Inf(1))
	least, most := limit("rho_mask_lower_bound", math.Inf(-1)), limit("rho_mask_upper_bound", math.Inf(1))
	ofRow, byVariation := v.Bool("rho_mask_sequence_level"), v.Bool("rho_mask_tv_divergence")
	return func(x *row) {
		if !v.Bool("use_rho_correction") {
			x.weighAll(1)
			return
		}
		scored := func(p float32) float32 {
			if p != p {
				return 1
			}
			return nanToNum(p)
		}
		d := x.difference(x.mapped(x.Trainer, scored), x.mapped(x.Sampler, scored))
		d = x.onMask(x.mapped(d, func(d float32) float32 { return clamp(d, -10, 10) }), x.mask)
		ratios := x.mapped(d, exp)
		weights := ratios
		if ofRow {
			geometric := exp(x.mean(x.sum(d), x.mask))
			weights = x.mapped(d, func(float32) float32 { return geometric })
		}
		removed := func(i int) bool { return beyond(weights[i], least, most) }
		if byVariation {
			far := x.mapped(ratios, func(w float32) float32 { return abs(w - 1) })
			out := beyond(x.mean(x.sum(x.onMask(far, x.mask)), x.mask), least, most)
			removed = func(i int) bool { return out && d[i]*x.advantage > 0 }
		}
		x.weigh(func(i int) float32 { return weights[i] })
		x.ofRow = ofRow
		x.clip(leastWeight, mostWeight)
		x.weigh(func(i int) float32 { return orZero(!removed(i), x.weights[i]) })
	}
}
