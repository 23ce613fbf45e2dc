package offpolicy

import (
	"math"
	"strings"

	"vantage/estimators"
)

const trlTrainer = "huggingface/trl wheel trl==1.16.0 trl/trainer/grpo_trainer.py:"

func trl() []*Rule {
	const mode, delta = "vllm_importance_sampling_mode", "off_policy_mask_threshold"
	const low, high = "vllm_importance_sampling_clip_min", "vllm_importance_sampling_clip_max"
	highest := boundOrNone(high, "3", "upper bound", "vllm_importance_sampling_cap")
	return []*Rule{
		{
			Entry: estimators.Entry{
				Name: "vllm_importance_sampling", Key: "vllm_importance_sampling_correction", Value: "true",
				Formula: "mask: w in [min, max] else 0; truncate: w clamped to it; w = ρ or seq", Source: trlTrainer +
					"_generate_and_score_completions",
				Doc: "On whenever use_vllm is. Σd has no clamp: a product that overflows is infinite, which a mask removes. A " +
					"token without a sampler's log-prob has d = 0, so ratio 1. sampling/importance_sampling_ratio is logged " +
					"after the clip.",
				Options: []estimators.Option{
					choice(mode, "sequence is the product seq, token ρ", "sequence_mask", "sequence_truncate", "token_mask",
						"token_truncate"),
					boundOrNone(low, "none", "lower bound"), highest,
				},
			},
			Level: "token or sequence", Bounds: "seq ≤ 3 (inclusive)", ChangesWeights: true, Denominator: denominatorStays,
			OnByDefault: true, Swept: Swept{[]string{high}, AsRatio, OfRow},
			apply: trlWeights(mode, low, high, nil),
		},
		{
			Entry: estimators.Entry{
				Name: "off_policy_mask", Key: delta, Formula: "w = 0 if A < 0 and mean(r − n) > δ, else 1", Source: trlTrainer +
					"get_off_policy_mask",
				Doc: "DeepSeek-V3.2's sequence mask. A token without a sampler's log-prob counts as 0 in the mean. The threshold has " +
					"no default; TRL's documentation names 0.5.",
				Options: []estimators.Option{boundOrNone(delta, "none", "δ in nats a token")},
			},
			Level: "row", Bounds: "off; mean(r − n) ≤ 0.5 named (inclusive)", Usual: delta + "=0.5", ChangesWeights: true,
			Denominator: denominatorStays, Swept: Swept{[]string{delta}, AsDistance, OfGap},
			Needs: Needs{Policy: true, Advantages: true},
			apply: byRow(func(v estimators.Values) func(x *row) {
				most := number(v, delta, math.Inf(1))
				return func(x *row) {
					drift := x.mapped(x.difference(x.Sampler, x.policy), nanToNum)
					x.weighAll(bit(x.advantage >= 0 || x.mean(x.sum(x.timesMask(drift, x.mask)), x.mask) <= most))
				}
			}),
		},
		versionLimit(staleness{
			name: "max_staleness", key: "max_staleness", byDefault: "4", formula: "(step − 1) − version ≤ T",
			source: "huggingface/trl wheel trl==1.16.0 trl/experimental/async_grpo/async_grpo_trainer.py",
			doc:    "For AsyncGRPOTrainer: a sample that is too old when it is taken from the queue is dropped, and the next one is taken.",
			keeps:  func(step int, v Versions, limit int) bool { return step-1-v.First <= limit },
		}),
	}
}

// trlWeights are the weights by a mode, with two bounds; then is what follows, or nil.
func trlWeights(mode, low, high string, then func(v estimators.Values) (func(x *row), error)) arithmetic {
	return func(v estimators.Values) (rowRule, func([]*row) error, error) {
		lo, hi := bounds(v, low, high)
		how := v.Text(mode)
		truncates := strings.HasSuffix(how, "truncate")
		if truncates && v.Text(low) == "none" && v.Text(high) == "none" {
			text := "torch.clamp: At least one of 'min' or 'max' must not be None"
			return nil, nil, &estimators.Refusal{Kind: "RuntimeError", Text: text}
		}
		cut := func(w float32) float32 { return orZero(!beyond(w, lo, hi), w) }
		if truncates {
			cut = func(w float32) float32 { return w }
		}
		after := func(*row) {}
		if then != nil {
			var err error
			if after, err = then(v); err != nil {
				return nil, nil, err
			}
		}
		return func(x *row, _ int) {
			d := x.mapped(x.timesMask(x.d, x.mask), nanToNum)
			switch {
			case strings.HasPrefix(how, "token"):
				x.weigh(func(i int) float32 { return cut(exp(d[i])) })
			case strings.HasPrefix(how, "sequence"):
				x.weighAll(cut(exp(x.sum(d))))
			default:
				x.weighAll(cut(exp(x.mean(x.sum(d), x.mask))))
			}
			if truncates {
				x.clip(lo, hi)
			}
			after(x)
		}, nil, nil
	}
}

func unsloth() []*Rule {
	const mode, low, high = "vllm_importance_sampling_mode", "vllm_importance_sampling_clip_min", "vllm_importance_sampling_clip_max"
	modes := choice(mode, "geometric is geo, sequence the product seq, token ρ",
		"sequence_mask", "sequence_truncate", "token_mask", "token_truncate", "geometric_mask", "geometric_truncate")
	modes.Aliases = []string{"mode", "UNSLOTH_GRPO_VLLM_IS_MODE"}
	rejecting := rejectionOptions("UNSLOTH_GRPO_ROLLOUT_RS")
	rejecting[1].Aliases = []string{"UNSLOTH_GRPO_ROLLOUT_RS_THRESHOLD"}
	return []*Rule{{
		Entry: estimators.Entry{
			Name: "vllm_importance_sampling", Key: "vllm_importance_sampling_correction", Value: "true",
			Formula: "as TRL's, w = ρ, seq or geo; rollout_rs: lo ≤ k(d) ≤ hi as verl's",
			Source: "unslothai/unsloth-zoo wheel unsloth_zoo==2026.10.9 unsloth_zoo/rl_replacements.py:grpo_compute_loss, " +
				"grpo_parse_rollout_rs",
			Doc: "UNSLOTH_GRPO_VLLM_IS_MODE adds the geometric modes to TRL's, UNSLOTH_GRPO_VLLM_IS_CLIP sets both bounds. A " +
				"token without a sampler's log-prob has d = 0. rollout_rs (environment UNSLOTH_GRPO_ROLLOUT_RS) clamps d to ±20; a " +
				"rejected token leaves the KL term too.",
			Options: append([]estimators.Option{
				modes, boundOrNone(low, "none", "lower bound", "clip_min"), boundOrNone(high, "3", "upper bound", "clip_max"),
			}, rejecting...),
		},
		Level: "token, sequence or geometric", Bounds: "seq ≤ 3 (inclusive)", ChangesWeights: true, ChangesMask: true,
		Denominator: denominatorOriginal, OnByDefault: true, Swept: Swept{[]string{high}, AsRatio, OfRow},
		apply: trlWeights(mode, low, high, func(v estimators.Values) (func(x *row), error) {
			if v.Text("rollout_rs") == "none" {
				return func(*row) {}, nil
			}
			tests, err := criteriaOf(v.Text("rollout_rs"), v.Text("rollout_rs_threshold"))
			return func(x *row) {
				safe := x.mapped(x.timesMask(x.d, x.mask), func(d float32) float32 { return clamp(nanToNum(d), -safety, safety) })
				x.rejectBy(tests, safe, func(d float32) float32 { return float32(math.Expm1(float64(d))) - d })
				x.weigh(func(i int) float32 { return orZero(x.left[i], x.weights[i]) })
			}, err
		}),
	}}
}

const swiftTrainer = "modelscope/ms-swift wheel ms-swift==4.6.0 swift/rlhf_trainers/grpo_trainer.py:"

func swift() []*Rule {
	const mode, threshold, delta = "rollout_importance_sampling_mode", "rollout_importance_sampling_threshold",
		"off_policy_sequence_mask_delta"
	return []*Rule{
		{
			Entry: estimators.Entry{
				Name: "rollout_importance_sampling", Key: mode, Formula: "mask: w = ρ if x ≤ T else 0; truncate: w = min(x, T); " +
					"x = ρ or geo",
				Source: swiftTrainer + "_apply_rollout_importance_sampling",
				Doc: "What it calls sequence is the geometric mean, so that T = 2 hardly ever removes a row. There is no lower bound. d " +
					"is clamped to ±20. sequence_mask keeps each token's own ρ. The weight multiplies the KL term too.",
				Options: []estimators.Option{
					choice(mode, "the statistic and what happens above T", "none", "token_truncate", "token_mask", "sequence_truncate",
						"sequence_mask"),
					bound(threshold, "2", "T"),
				},
			},
			Level: "token or geometric", Bounds: "off; x ≤ 2 (inclusive)", Usual: mode + "=token_truncate", ChangesWeights: true,
			Denominator: denominatorStays, Swept: Swept{[]string{threshold}, AsRatio, OfToken},
			apply: byRow(func(v estimators.Values) func(x *row) {
				return swiftWeights(v.Text(mode), number(v, threshold, 0))
			}),
		},
		{
			Entry: estimators.Entry{
				Name: "off_policy_sequence_mask", Key: delta, Formula: "the row is rejected if A < 0 and mean(r − n) > δ",
				Source: swiftTrainer + "_compute_off_policy_sequence_mask",
				Doc: "DeepSeek-V3.2's sequence mask; o in place of r where the sampler's log-probs are not there. Unlike TRL's it leaves " +
					"the mask, so the denominator too. A row whose mean is NaN stays.",
				Options: []estimators.Option{boundOrNone(delta, "none", "δ in nats a token")},
			},
			Level: "row", Bounds: "off", Usual: delta + "=0.5", ChangesMask: true, Denominator: denominatorShrinks,
			Needs: Needs{Policy: true, Advantages: true}, Swept: Swept{[]string{delta}, AsDistance, OfGap},
			apply: byRow(func(v estimators.Values) func(x *row) {
				most := number(v, delta, math.Inf(1))
				return func(x *row) {
					drift := x.mean(x.sum(x.timesMask(x.difference(x.Sampler, x.policy), x.mask)), x.mask)
					out := x.advantage < 0 && drift > most
					x.rejectAll(out)
					x.weighAll(bit(!out))
				}
			}),
		},
	}
}

func swiftWeights(mode string, most float32) func(x *row) {
	return func(x *row) {
		ratios := x.mapped(x.d, safeExp)
		logs := x.mapped(ratios, func(w float32) float32 { return log(max(w, 1e-10)) })
		geometric := func() float32 { return exp(x.mean(x.sum(x.timesMask(logs, x.mask)), x.mask)) }
		switch mode {
		case "token_truncate":
			x.weigh(func(i int) float32 { return ratios[i] })
			x.clip(float32(math.Inf(-1)), most)
		case "token_mask":
			x.weigh(func(i int) float32 { return orZero(ratios[i] <= most, ratios[i]) })
		case "sequence_truncate":
			x.weighAll(geometric())
			x.clip(float32(math.Inf(-1)), most)
		case "sequence_mask":
			keep := bit(geometric() <= most)
			x.weigh(func(i int) float32 { return ratios[i] * keep })
		}
	}
}

func openRLHF() []*Rule {
	const section = "algo.advantage"
	return []*Rule{{
		Entry: estimators.Entry{
			Name: "is_correction", Key: section + ".is_correction_level",
			Formula: "mask: w = ρ if x in [low, high] else 0; clip: w = ρ clamped to it",
			Source:  "OpenRLHF/OpenRLHF wheel openrlhf==0.11.2 openrlhf/models/loss.py:PolicyLoss, openrlhf/cli/train_ppo_ray.py",
			Doc: "x is ρ or a divergence of the token, or of the row: geo, or the mean divergence. One threshold is [0, HIGH]. In " +
				"float32 the binary KL is slightly negative where both sides agree, and [0, HIGH] drops those tokens: 33 % of them at " +
				"differences of 1e-4, 6 % at 1e-3. A row without tokens has NaN statistics. For the loss ppo alone. The engine is asked " +
				"for log-probs only when it is on.",
			Options: prefixed(section,
				choice("is_correction_level", "whose statistic is gated", "off", "token", "seq"),
				choice("is_correction_mode", "what happens out of bounds", "mask", "clip"),
				choice("is_correction_gating", "the statistic", "ratio", "binary_kl", "tv"),
				interval("is_correction_threshold", "0.5 5", "bounds of the statistic"),
			),
		},
		Level: "token or geometric", Bounds: "off; 0.5 ≤ ρ ≤ 5 (inclusive)", Usual: "is_correction_level=token", ChangesWeights: true,
		Denominator: denominatorStays, Swept: Swept{[]string{section + ".is_correction_threshold"}, AsRatio, OfToken},
		apply: openRLHFGate(section),
	}}
}

func openRLHFGate(section string) arithmetic {
	return func(v estimators.Values) (rowRule, func([]*row) error, error) {
		told := func(name string) string { return v.Text(section + ".is_correction_" + name) }
		level, mode, gating := told("level"), told("mode"), told("gating")
		lo, hi := v.Interval(section + ".is_correction_threshold")
		low, high := float32(lo), float32(hi)
		switch ofRow := level == "seq"; {
		case mode == "clip" && (ofRow || gating != "ratio"):
			return nil, nil, valueError("is_correction_mode=clip requires is_correction_level=token and is_correction_gating=ratio")
		case gating != "ratio" && level != "off" && lo > 0:
			return nil, nil, valueError("is_correction_gating=" + gating + " takes an upper bound only (a single delta)")
		}
		return func(x *row, _ int) {
			if level == "off" {
				return
			}
			ratios := x.mapped(x.d, exp)
			statistic := x.d
			if gating != "ratio" {
				statistic = openRLHFDivergence(x, gating)
			}
			if level == "seq" {
				ofRow := x.sum(x.timesMask(statistic, x.mask)) / x.count(x.mask)
				statistic = x.mapped(statistic, func(float32) float32 { return ofRow })
			}
			if gating == "ratio" {
				statistic = x.mapped(statistic, exp)
			}
			x.weigh(func(i int) float32 { return orZero(mode == "clip" || within(statistic[i], low, high), ratios[i]) })
			if mode == "clip" {
				x.clip(low, high)
			}
		}, nil, nil
	}
}

// openRLHFDivergence is the binary KL or the total variation of each token's two probabilities.
func openRLHFDivergence(x *row, gating string) []float32 {
	out := x.floats(len(x.d))
	for i := range out {
		p, q := clamp(exp(x.Sampler[i]), 1e-6, 1-1e-6), clamp(exp(x.Trainer[i]), 1e-6, 1-1e-6)
		if gating == "tv" {
			out[i] = abs(p - q)
			continue
		}
		taken := float32(p * log(p/q))
		out[i] = taken + float32((1-p)*log((1-p)/(1-q)))
	}
	return out
}
