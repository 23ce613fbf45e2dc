package offpolicy

import (
	"fmt"
	"math"
	"strings"

	"vantage/estimators"
)

const (
	verlCorrection = "algorithm.rollout_correction"
	verlHelper     = "verl-project/verl wheel verl==0.9.1 verl/trainer/ppo/rollout_corr_helper.py:"
	verlLosses     = "verl-project/verl wheel verl==0.9.1 verl/trainer/ppo/core_algos.py:"
)

func verl() []*Rule {
	weight := func() []estimators.Option {
		return []estimators.Option{
			choice("rollout_is", "ρ of the token, or seq of its row; the YAML has null, the dataclass sequence", "sequence", "token",
				"none"),
			text("rollout_is_threshold", "2", "HIGH, or LOW_HIGH", "HIGH caps the weight; LOW_HIGH is IcePop: 0 outside"),
			toggle("rollout_is_batch_normalize", false, "divide by the mean over the tokens, or rows, after the cut"),
		}
	}
	rejecting := append(weight(), rejectionOptions()...)
	rejecting[0].Default = "none"
	return []*Rule{
		{
			Entry: estimators.Entry{
				Name: "rollout_is", Key: verlCorrection + ".rollout_is", Formula: "w = min(ρ, T), or ρ in [lo, hi] else 0",
				Source: verlHelper + "compute_rollout_correction_weights",
				Doc: "d, or Σd of the row, is clamped to ±20. A number has no lower bound. IcePop raises ZeroDivisionError where no " +
					"weight of the batch is left, because its ESS divides by it. NaN stays NaN under a cap and becomes 0 under IcePop.",
				Options: prefixed(verlCorrection, weight()...),
			},
			Level: "token or sequence", Bounds: "seq ≤ 2 (inclusive)", ChangesWeights: true, Denominator: denominatorStays,
			Swept: Swept{[]string{verlCorrection + ".rollout_is_threshold"}, AsRatio, OfRow},
			apply: verlArithmetic(false),
		},
		{
			Entry: estimators.Entry{
				Name: "rollout_rs", Key: verlCorrection + ".rollout_rs", Formula: "lo ≤ k(d) ≤ hi, k = −d, d²/2 or e^d − 1 − d",
				Source: verlHelper + "compute_rollout_rejection_mask, verl/trainer/ppo/v1/trainer_base.py, verl/trainer/ppo/ray_trainer.py",
				Doc: "k of a token, or the sum, mean or largest of its row. d is clamped to ±20. k1 is −d between log lo and log hi, so " +
					"that seq_sum_k1 bounds 1/seq and seq_mean_k1 bounds 1/geo; HIGH alone has lo = 1/HIGH. k2 and k3 have no lower " +
					"bound. All tests of a list must pass. NaN fails. The mask changes before the advantages, but GRPO counts the row's " +
					"reward in its group.",
				Options: prefixed(verlCorrection, rejecting...),
			},
			Level: "token, sequence or geometric", Bounds: "off; presets: 0.999 ≤ 1/geo ≤ 1.001 (inclusive)",
			Usual:       "rollout_rs=seq_mean_k1\nrollout_rs_threshold=0.999_1.001",
			ChangesMask: true, ChangesWeights: true, BeforeAdvantages: true, Denominator: denominatorShrinks,
			Swept: Swept{[]string{verlCorrection + ".rollout_rs_threshold"}, AsRatio, OfGeometric},
			apply: verlArithmetic(true),
		},
		verlDPPO("dppo_tv", "A > 0: e^n − e^b ≤ high; else e^n − e^b ≥ −low", OfMove, func(n, b float32) (moved, up, down float32) {
			moved = exp(n) - exp(b)
			return moved, moved, -moved
		}),
		verlDPPO("dppo_kl", "A > 0: KL ≤ high or e^n ≤ e^b; else KL ≤ low or e^n ≥ e^b", OfDivergence, func(n, b float32) (
			moved, up, down float32,
		) {
			kl := binaryKL(b, n, 1e-8)
			return exp(n) - exp(b), kl, kl
		}),
		versionLimit(staleness{
			name: "max_off_policy_threshold", key: "sampler.max_off_policy_threshold", byDefault: "8",
			formula: "step − version ≤ T", source: "verl-project/verl wheel verl==0.9.1 " +
				"verl/trainer/ppo/v1/replay_buffer.py:_stale_terminal_keys",
			doc: "For the asynchronous trainers, with max_off_policy_strategy drop; wait delays the step and drops nothing. The trainer " +
				"counts from the step at which the prompt was sent, version + 1 here: a span of 1 is on policy. Whole prompts fall.",
			keeps: func(step int, v Versions, limit int) bool { return step-v.First <= limit },
		}),
	}
}

// verlArithmetic weighs, and rejects if the rule does.
func verlArithmetic(rejects bool) arithmetic {
	key := func(name string) string { return verlCorrection + "." + name }
	return func(v estimators.Values) (rowRule, func([]*row) error, error) {
		level, normalize := v.Text(key("rollout_is")), v.Bool(key("rollout_is_batch_normalize"))
		low, high, err := verlThreshold(v.Text(key("rollout_is_threshold")))
		var tests []criterion
		if rejects && err == nil && v.Text(key("rollout_rs")) != "none" {
			tests, err = criteriaOf(v.Text(key("rollout_rs")), v.Text(key("rollout_rs_threshold")))
		}
		each := func(x *row, _ int) {
			switch level {
			case "token":
				x.weigh(func(i int) float32 { return safeExp(x.d[i]) })
			case "sequence":
				x.weighAll(safeExp(x.sum(x.onMask(x.d, x.mask))))
			}
			switch {
			case low == 0:
				x.clip(float32(math.Inf(-1)), high)
			case level != "none":
				x.cut(low, high)
			}
			x.rejectBy(tests, x.mapped(x.d, func(d float32) float32 { return clamp(d, -safety, safety) }), k3)
		}
		settle := func(rows []*row) error {
			if err := verlRefuses(rows, level != "none", tests != nil); err != nil || level == "none" || !normalize {
				return err
			}
			divideByMean(rows, verlMean(rows, level))
			return nil
		}
		return each, settle, err
	}
}

// verlThreshold reads rollout_is_threshold; low is 0 without a lower bound, which the trainer does not take for one.
func verlThreshold(spec string) (low, high float32, err error) {
	lo, hi, ok := lowHigh(spec, func(float64) float64 { return 0 })
	switch {
	case !ok:
		return 0, 0, valueError(fmt.Sprintf("Invalid rollout_is_threshold '%s'.", spec))
	case hi <= 0:
		return 0, 0, valueError(fmt.Sprintf("rollout_is_threshold upper bound must be positive, got %v.", hi))
	case strings.Contains(spec, "_") && lo <= 0:
		return 0, 0, valueError(fmt.Sprintf("rollout_is_threshold lower bound must be positive, got %v.", lo))
	case lo > hi:
		return 0, 0, valueError("rollout_is_threshold lower bound must be <= upper bound.")
	}
	return float32(lo), float32(hi), nil
}

// verlRefuses is what the trainer's metrics raise: nothing to average, or no weight left to divide by.
func verlRefuses(rows []*row, weighs, rejects bool) error {
	tokens, weight := 0, false
	for _, x := range rows {
		for i, m := range x.mask {
			if m {
				tokens++
				weight = weight || weighs && x.weights[i] != 0
			}
		}
	}
	switch {
	case tokens == 0 && (weighs || rejects):
		return valueError("response_mask must contain at least one valid token (1).")
	case weighs && !weight:
		return &estimators.Refusal{Kind: "ZeroDivisionError", Text: "float division by zero"}
	}
	return nil
}

// verlMean is the mean weight over all tokens, or that of the rows that have a token.
func verlMean(rows []*row, level string) float32 {
	var weights []float32
	var n float32
	for _, x := range rows {
		on := x.onMask(x.weights, x.mask)
		switch tokens := x.count(x.mask); {
		case level == "token":
			weights, n = append(weights, x.timed(on)...), n+tokens
		case tokens > 0:
			weights, n = append(weights, x.meanWithEps(x.sum(on), x.mask)), n+1
		default:
			weights = append(weights, 0)
		}
	}
	if level == "token" {
		return sum(weights) / (n + 1e-8)
	}
	return sum(weights) / max(n, 1e-8)
}

// divideByMean divides all weights, unless the mean is too small to.
func divideByMean(rows []*row, by float32) {
	if !(by > 1e-8) {
		return
	}
	for _, x := range rows {
		x.divided = by
		for i := range x.weights {
			x.weights[i] /= by
		}
	}
}

// verlDPPO is one of the two divergences. divergence returns how far the probability moved, and what is bounded where it
// may not rise and where it may not fall.
func verlDPPO(name, formula string, of Measure, divergence func(n, b float32) (moved, up, down float32)) *Rule {
	const section = "actor_rollout_ref.actor"
	key := func(name string) string { return section + "." + name }
	return &Rule{
		Entry: estimators.Entry{
			Name: name, Key: section + ".policy_loss.loss_mode", Value: name, Formula: formula, Source: verlLosses +
				"compute_policy_loss_" + name,
			Doc: "The base b is the sampler's r, as in bypass mode, where old log-probs are the sampler's: without it the trainer " +
				"compares with its own o. w = min(e^(n − b), clip_ratio_c), the difference clamped to ±20; a removed token has weight 0. " +
				"An advantage of 0 goes with the negative ones. clip_ratio_c is 3 by the configuration; the 20 in the code does not apply.",
			Options: prefixed(section,
				selector("policy_loss.loss_mode", name),
				bound("clip_ratio", "0.2", "the bound where the next two are none"),
				boundOrNone("clip_ratio_low", "0.2", "bound for A ≤ 0"),
				boundOrNone("clip_ratio_high", "0.2", "bound for A > 0"),
				bound("clip_ratio_c", "3", "the largest weight"),
			),
		},
		Level: "token", Bounds: "0.2 (inclusive)", ChangesWeights: true, Denominator: denominatorStays,
		Swept: Swept{[]string{key("clip_ratio_low"), key("clip_ratio_high")}, AsDistance, of},
		Needs: Needs{Policy: true, Advantages: true},
		apply: byRow(func(v estimators.Values) func(x *row) {
			both := v.Number(key("clip_ratio"))
			low, high := number(v, key("clip_ratio_low"), both), number(v, key("clip_ratio_high"), both)
			most := number(v, key("clip_ratio_c"), 0)
			return func(x *row) {
				x.weigh(func(i int) float32 { return safeExp(x.policy[i] - x.Sampler[i]) })
				x.clip(float32(math.Inf(-1)), most)
				x.weigh(func(i int) float32 {
					n, b := x.policy[i], x.Sampler[i]
					moved, up, down := divergence(n, b)
					keep := down <= low || name == "dppo_kl" && moved >= 0
					if x.advantage > 0 {
						keep = up <= high || name == "dppo_kl" && moved <= 0
					}
					return x.weights[i] * bit(keep)
				})
			}
		}),
	}
}
