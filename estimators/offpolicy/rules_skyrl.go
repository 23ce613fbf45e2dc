package offpolicy

import (
	"math"

	"vantage/estimators"
)

const skyrlUtils = "NovaSky-AI/SkyRL wheel skyrl==0.4.0 skyrl/backends/skyrl_train/utils/"

func skyRL() []*Rule {
	const section, loss = "trainer.algorithm.off_policy_correction", "trainer.algorithm"
	key := func(name string) string { return loss + "." + name }
	return []*Rule{
		{
			Entry: estimators.Entry{
				Name: "off_policy_correction", Key: section,
				Formula: "in turn: any ρ of the row, each ρ, min(ρ or seq, cap) as weight, geo or seq of the row",
				Source:  skyrlUtils + "off_policy_correction_utils.py:compute_off_policy_correction",
				Doc: "Four steps, each on the mask that the one before left: the outlier bounds reject a row if any token is beyond, the " +
					"token bounds (both must be set) tokens, the weight is capped, the sequence mask rejects rows. Log ratios are " +
					"clamped to ±20. The advantages are scaled by the count of before. All are off by default. NaN fails the token " +
					"bounds alone.",
				Options: prefixed(section,
					choice("tis_ratio_type", "the weight: ρ or seq", "none", "token", "sequence"),
					bound("token_tis_ratio_clip_high", "2", "cap of ρ"), bound("sequence_tis_ratio_clip_high", "5", "cap of seq"),
					choice("sequence_mask_metric", "what rejects rows", "none", "geometric", "product"),
					bound("geo_mask_low", "0.99", "least geo"), bound("geo_mask_high", "1.01", "largest geo"),
					bound("product_mask_low", "0.5", "least seq"), bound("product_mask_high", "2", "largest seq"),
					boundOrNone("outlier_token_is_threshold_low", "none", "least ρ of any token; 1e-4 is suggested"),
					boundOrNone("outlier_token_is_threshold_high", "none", "largest ρ of any token; 100 is suggested"),
					boundOrNone("token_mask_is_threshold_low", "none", "least ρ of a token that stays"),
					boundOrNone("token_mask_is_threshold_high", "none", "largest ρ of a token that stays"),
				),
			},
			Level: "token, sequence or geometric", Bounds: "off; 0.99 ≤ geo ≤ 1.01, 0.5 ≤ seq ≤ 2 (inclusive)",
			Usual:          "tis_ratio_type=token",
			ChangesWeights: true, ChangesMask: true, Denominator: denominatorOriginal,
			Swept: Swept{[]string{section + ".token_tis_ratio_clip_high"}, AsRatio, OfToken},
			apply: byRow(func(v estimators.Values) func(x *row) { return skyrlCorrection(section, v) }),
		},
		skyrlDPPO(loss),
		{
			Entry: estimators.Entry{
				Name: "rollout_is", Key: loss + ".policy_loss_type", Value: "rollout_is",
				Formula: "w = e^(n − r) if 1 − low < w < 1 + high, else 0",
				Source:  skyrlUtils + "ppo_utils.py:rollout_is_policy_loss", Doc: "The bounds are strict. n − r is clamped to ±20.",
				Options: prefixed(loss,
					selector("policy_loss_type", "rollout_is"), bound("eps_clip_low", "0.2", "low"), bound("eps_clip_high", "0.2", "high"),
				),
			},
			Level: "token", Bounds: "0.8 < e^(n − r) < 1.2 (exclusive)", ChangesWeights: true, Denominator: denominatorStays,
			Needs: Needs{Policy: true}, Swept: Swept{[]string{key("eps_clip_low"), key("eps_clip_high")}, AsDistance, OfToken},
			apply: byRow(func(v estimators.Values) func(x *row) {
				low, high := float32(1-v.Number(key("eps_clip_low"))), float32(1+v.Number(key("eps_clip_high")))
				return func(x *row) {
					x.weigh(func(i int) float32 {
						w := safeExp(x.policy[i] - x.Sampler[i])
						return orZero(w > low && w < high, w)
					})
				}
			}),
		},
		{
			Entry: estimators.Entry{
				Name: "cispo", Key: loss + ".cispo.cispo_anchor", Value: "rollout", Formula: "w = e^(n − r) clamped to [1 − low, 1 + high]",
				Source: skyrlUtils + "ppo_utils.py:compute_policy_loss_cispo",
				Doc: "With policy_loss_type cispo and the anchor rollout; the trainer's default anchor, old, compares with o and " +
					"corrects for no sampler. n − r is clamped to ±20.",
				Options: prefixed(loss,
					selector("policy_loss_type", "cispo"), choice("cispo.cispo_anchor", "old, the trainer's default, compares n with o",
						"rollout", "old"),
					bound("cispo.cispo_eps_clip_low", "0", "low"), bound("cispo.cispo_eps_clip_high", "5", "high"),
				),
			},
			Level: "token", Bounds: "1 ≤ w ≤ 6", ChangesWeights: true, Denominator: denominatorStays, Needs: Needs{Policy: true},
			Swept: Swept{[]string{key("cispo.cispo_eps_clip_high")}, AsDistance, OfToken},
			apply: byRow(func(v estimators.Values) func(x *row) {
				low, high := float32(1-v.Number(key("cispo.cispo_eps_clip_low"))), float32(1+v.Number(key("cispo.cispo_eps_clip_high")))
				ofTrainer := v.Text(key("cispo.cispo_anchor")) == "old"
				return func(x *row) {
					anchor := x.Sampler
					if ofTrainer {
						anchor = x.Trainer
					}
					x.weigh(func(i int) float32 { return safeExp(x.policy[i] - anchor[i]) })
					x.clip(low, high)
				}
			}),
		},
	}
}

func skyrlCorrection(section string, v estimators.Values) func(x *row) {
	key := func(name string) string { return section + "." + name }
	weight, metric := v.Text(key("tis_ratio_type")), v.Text(key("sequence_mask_metric"))
	outlierLow, outlierHigh := bounds(v, key("outlier_token_is_threshold_low"), key("outlier_token_is_threshold_high"))
	tokenLow, tokenHigh := bounds(v, key("token_mask_is_threshold_low"), key("token_mask_is_threshold_high"))
	masksTokens := v.Optional(key("token_mask_is_threshold_low")) != nil && v.Optional(key("token_mask_is_threshold_high")) != nil
	tokenCap, sequenceCap := number(v, key("token_tis_ratio_clip_high"), 0), number(v, key("sequence_tis_ratio_clip_high"), 0)
	prefix := map[string]string{"geometric": "geo", "product": "product"}[metric]
	return func(x *row) {
		ratios := x.mapped(x.d, safeExp)
		outlier := false
		for i, m := range x.mask {
			outlier = outlier || m && beyond(ratios[i], outlierLow, outlierHigh)
		}
		x.rejectAll(outlier)
		if masksTokens {
			x.reject(func(i int) bool { return !within(ratios[i], tokenLow, tokenHigh) })
		}
		total := x.sum(x.timesMask(x.d, x.left))
		switch weight {
		case "token":
			x.weigh(func(i int) float32 { return ratios[i] })
			x.clip(float32(math.Inf(-1)), tokenCap)
		case "sequence":
			x.weighAll(safeExp(total))
			x.clip(float32(math.Inf(-1)), sequenceCap)
		}
		if metric == "none" {
			return
		}
		if metric == "geometric" {
			total = x.mean(total, x.left)
		}
		low, high := bounds(v, key(prefix+"_mask_low"), key(prefix+"_mask_high"))
		x.rejectAll(beyond(safeExp(total), low, high))
	}
}

func skyrlDPPO(section string) *Rule {
	key := func(name string) string { return section + "." + name }
	return &Rule{
		Entry: estimators.Entry{
			Name: "dppo", Key: section + ".policy_loss_type", Value: "dppo",
			Formula: "A > 0: w = 0 if e^n rose by more than high; A < 0: w = 0 if it fell by more than low",
			Source:  skyrlUtils + "ppo_utils.py:dppo_policy_loss",
			Doc: "w = e^(n − r) for the rest, n − r clamped to ±20, without a cap. binary_kl bounds the divergence of the two " +
				"probabilities in place of their difference. An advantage of 0 removes nothing. 0.05 is suggested for binary_kl.",
			Options: prefixed(section,
				selector("policy_loss_type", "dppo"), choice("dppo.dppo_type", "the divergence", "binary_tv", "binary_kl"),
				bound("dppo.delta_low", "0.2", "bound for A < 0"), bound("dppo.delta_high", "0.2", "bound for A > 0"),
			),
		},
		Level: "token", Bounds: "|e^n − e^r| ≤ 0.2 (inclusive)", ChangesWeights: true, Denominator: denominatorStays,
		Needs: Needs{Policy: true, Advantages: true}, Swept: Swept{[]string{key("dppo.delta_low"), key("dppo.delta_high")}, AsDistance, OfMove},
		apply: byRow(func(v estimators.Values) func(x *row) {
			low, high := number(v, key("dppo.delta_low"), 0), number(v, key("dppo.delta_high"), 0)
			ofKL := v.Text(key("dppo.dppo_type")) == "binary_kl"
			return func(x *row) {
				x.weigh(func(i int) float32 {
					moved := exp(x.policy[i]) - exp(x.Sampler[i])
					far := abs(moved)
					if ofKL {
						far = binaryKL(x.Sampler[i], x.policy[i], 1e-8)
					}
					rose := x.advantage > 0 && moved > 0 && far > high
					fell := x.advantage < 0 && moved < 0 && far > low
					return safeExp(x.policy[i]-x.Sampler[i]) * bit(!rose && !fell)
				})
			}
		}),
	}
}
