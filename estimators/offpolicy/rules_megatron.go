package offpolicy

import (
	"math"

	"vantage/estimators"
)

const nemoRevision = "NVIDIA-NeMo/RL@7ea279abfbeb698b092856d0dab61e7cf39bc909 nemo_rl/algorithms/"

func nemoRL() []*Rule {
	const section, threshold = "loss_fn", "grpo.seq_logprob_error_threshold"
	return []*Rule{
		{
			Entry: estimators.Entry{
				Name: "importance_sampling", Key: section + ".use_importance_sampling_correction", Value: "true",
				Formula: "tis: w clamped to [min or 0, max]; icepop: w in [min, max] else 0; seq-mask-tis: w = ρ if geo in [min, " +
					"max] else 0",
				Source: nemoRevision + "loss/loss_functions.py:ClippedPGLossFn",
				Doc: "w is ρ, or seq with sequence_level_importance_ratios. A weight that is NaN or infinite becomes 0 before " +
					"the bounds. seq-mask-tis takes d for 0 where it is not finite. Without a ratio the weight is not bounded. Off by " +
					"default; asynchronous GRPO asks for it. Reference bounds: icepop 0.5 to 5, seq-mask-tis 0.999 to 1.002.",
				Options: prefixed(section,
					toggle("sequence_level_importance_ratios", false, "seq in place of ρ"),
					choice("truncated_importance_sampling_type", "what bounds the weight", "none", "tis", "icepop", "seq-mask-tis"),
					boundOrNone("truncated_importance_sampling_ratio", "none", "max; none leaves the weight as it is"),
					boundOrNone("truncated_importance_sampling_ratio_min", "none", "min"),
				),
			},
			Level: "token, sequence or geometric", Bounds: "none: w = ρ",
			Usual: "truncated_importance_sampling_type=icepop\ntruncated_importance_sampling_ratio=5\n" +
				"truncated_importance_sampling_ratio_min=0.5",
			ChangesWeights: true, Denominator: denominatorStays,
			Swept: Swept{
				[]string{section + ".truncated_importance_sampling_ratio_min", section + ".truncated_importance_sampling_ratio"},
				AsRatio, OfToken,
			},
			apply: nemoWeights(section),
		},
		{
			Entry: estimators.Entry{
				Name: "seq_logprob_error", Key: threshold, Formula: "the row stays if mean e^|d| ≤ T",
				Source: nemoRevision + "grpo.py:compute_and_apply_seq_logprob_error_masking",
				Doc: "sample_mask becomes 0, after the rewards and before the step. A row whose mean is NaN is dropped. Off by default: " +
					"then it logs metrics alone.",
				Options: []estimators.Option{boundOrNone(threshold, "none", "T, a factor of probabilities")},
			},
			Level: "row", Bounds: "off", Usual: "seq_logprob_error_threshold=1.5", ChangesMask: true, Denominator: denominatorShrinks,
			Swept: Swept{[]string{threshold}, AsRatio, OfError},
			apply: byRow(func(v estimators.Values) func(x *row) {
				most, off := number(v, threshold, 0), v.Text(threshold) == "none"
				return func(x *row) {
					factors := x.mapped(x.d, func(d float32) float32 { return exp(abs(d)) })
					x.rejectAll(!off && !(x.sum(x.timesMask(factors, x.mask))/x.count(x.mask) <= most))
				}
			}),
		},
		versionLimit(staleness{
			name: "max_trajectory_age", key: "grpo.async_grpo.max_trajectory_age_steps", byDefault: "1",
			formula: "version ≥ max(0, step − T)",
			source:  nemoRevision + "async_utils/replay_buffer.py", doc: "For asynchronous GRPO: older trajectories leave the " +
				"replay buffer.",
			keeps: func(step int, v Versions, limit int) bool { return v.First >= max(0, step-limit) },
		}),
	}
}

func nemoWeights(section string) arithmetic {
	key := func(name string) string { return section + "." + name }
	return func(v estimators.Values) (rowRule, func([]*row) error, error) {
		sequence, how := v.Bool(key("sequence_level_importance_ratios")), v.Text(key("truncated_importance_sampling_type"))
		const ratio, least = "truncated_importance_sampling_ratio", "truncated_importance_sampling_ratio_min"
		bounded := v.Text(key(ratio)) != "none"
		low, high := number(v, key(least), 0), number(v, key(ratio), 0)
		switch {
		case bounded && how == "none":
			return nil, nil, valueError("Invalid truncated importance sampling type: None")
		case bounded && how != "tis" && v.Text(key(least)) == "none":
			return nil, nil, &estimators.Refusal{Kind: "TypeError", Text: "'>=' not supported between instances of 'Tensor' and 'NoneType'"}
		}
		return func(x *row, _ int) {
			if sequence {
				x.weighAll(finiteOr(exp(x.sum(x.timesMask(x.d, x.mask))), 0))
			} else {
				x.weigh(func(i int) float32 { return finiteOr(exp(x.d[i]), 0) })
			}
			if !bounded {
				return
			}
			logs := x.mapped(x.d, func(d float32) float32 { return finiteOr(d, 0) })
			kept := bit(within(exp(x.meanWithEps(x.sum(x.timesMask(logs, x.mask)), x.mask)), low, high))
			switch how {
			case "tis":
				x.clip(low, high)
			case "icepop":
				x.cut(low, high)
			default:
				x.weigh(func(i int) float32 { return x.weights[i] * kept })
			}
		}, nil, nil
	}
}

const slimeRevision = "THUDM/slime@624b824a898ab0ec1fcb4d373004c7f3852bf515 "

func slime() []*Rule {
	return megatronRules(slimeRevision+"slime/backends/megatron_utils/loss.py:",
		slimeRevision+"examples/train_infer_mismatch_helper/mis.py:compute_mis_weights, mis.yaml",
		slimeRevision+"slime/utils/ppo_utils.py:compute_opsm_mask")
}

const milesRevision = "radixark/miles@31f1ca961a94cb860cec3b2dea34ec332bfa8f76 "

func miles() []*Rule {
	rules := megatronRules(milesRevision+"miles/backends/training_utils/loss_hub/corrections.py:",
		milesRevision+"examples/train_infer_mismatch_helper/mis.py:compute_mis_weights", milesRevision+
			"miles/utils/ppo_utils.py:compute_opsm_mask")
	return append(rules, versionLimit(staleness{
		name: "max_weight_staleness", key: "max_weight_staleness", byDefault: "none", formula: "(step − 1) − version ≤ T",
		source: milesRevision + "miles/rollout",
		doc: "For fully asynchronous rollouts: the oldest version of a group decides, and the whole group is dropped or tried " +
			"again. Here each row decides for itself.",
		keeps: func(step int, v Versions, limit int) bool { return step-1-min(v.First, v.Last) <= limit },
	}))
}

// megatronRules are what slime and miles share.
func megatronRules(tis, mis, opsm string) []*Rule {
	const low, high, delta = "tis_clip_low", "tis_clip", "opsm_delta"
	limits := func(function string) []estimators.Option {
		return []estimators.Option{selector("function", function), bound(high, "2", "upper bound"), bound(low, "0", "lower bound")}
	}
	token := func(bound func(x *row, low, high float32)) arithmetic {
		return byRow(func(v estimators.Values) func(x *row) {
			lo, hi := number(v, low, 0), number(v, high, 0)
			return func(x *row) {
				x.weigh(func(i int) float32 { return exp(x.d[i]) })
				bound(x, lo, hi)
			}
		})
	}
	return []*Rule{
		{
			Entry: estimators.Entry{
				Name: "tis", Key: "use_tis", Value: "true", Formula: "w = ρ clamped to [low, high]", Source: tis + "vanilla_tis_function",
				Doc: "d has no clamp of its own. tis and tis_abs are logged before the clip. Off by default.", Options: limits("tis"),
			},
			Level: "token", Bounds: "ρ ≤ 2", ChangesWeights: true, Denominator: denominatorStays, apply: token((*row).clip),
			Swept: Swept{[]string{high}, AsRatio, OfToken},
		},
		{
			Entry: estimators.Entry{
				Name: "icepop", Key: "custom_tis_function_path=…icepop_function, with use_tis", Formula: "w = ρ in [low, high], else 0",
				Source:  tis + "icepop_function",
				Doc:     "The bounds are those of tis, so at the defaults nothing below 2 is removed. NaN is removed.",
				Options: limits("icepop"),
			},
			Level: "token", Bounds: "0 ≤ ρ ≤ 2 (inclusive)", ChangesWeights: true, Denominator: denominatorStays,
			Swept: Swept{[]string{high}, AsRatio, OfToken}, apply: token((*row).cut),
		},
		misRule(mis),
		{
			Entry: estimators.Entry{
				Name: "opsm", Key: "use_opsm", Value: "true", Formula: "w = 0 if A < 0 and mean(b − n) > δ, else 1", Source: opsm,
				Doc: "The base b is the trainer's own o, unless use_rollout_logprobs makes it the sampler's r. With o as the base no row " +
					"falls at the first update of a batch, where n = o. opsm_clipfrac is a sum over samples. Off by default.",
				Options: []estimators.Option{
					bound(delta, "0.0001", "δ in nats a token"),
					choice("old_log_probs", "the base b", "old", "rollout"),
					toggle("use_rollout_logprobs", false, "true makes the base the sampler's, as old_log_probs=rollout"),
				},
			},
			Level: "row", Bounds: "mean(b − n) ≤ 1e-4 (inclusive)", ChangesWeights: true, Denominator: denominatorStays,
			Needs: Needs{Policy: true, Advantages: true}, Swept: Swept{[]string{delta}, AsDistance, OfGap},
			apply: byRow(func(v estimators.Values) func(x *row) {
				most := number(v, delta, 0)
				ofSampler := v.Text("old_log_probs") == "rollout" || v.Bool("use_rollout_logprobs")
				return func(x *row) {
					base := x.Trainer
					if ofSampler {
						base = x.Sampler
					}
					drift := x.sum(x.timesMask(x.difference(base, x.policy), x.mask)) / x.count(x.mask)
					x.weighAll(bit(!(x.advantage < 0 && drift > most)))
				}
			}),
		},
	}
}

// misRule is the example that most people run: weights, then rejection, then a veto.
func misRule(source string) *Rule {
	level := func(key string) estimators.Option {
		return choice(key, "ρ of the token, seq or geo of its row", "token", "sequence", "geometric")
	}
	return &Rule{
		Entry: estimators.Entry{
			Name: "mis", Key: "custom_tis_function_path=…mis.compute_mis_weights_with_cp, with use_tis",
			Formula: "w = x truncated, clipped or masked; then x in [lo, hi], and every ρ ≥ veto, else rejected", Source: source,
			Doc: "The defaults are those of mis.yaml. Σd and mean d are clamped to ±20. truncate has no lower bound. Bounds of the " +
				"rejection that are not given are those of the weights; without a lower one it is 1/upper. The mean of " +
				"tis_batch_normalize is over all tokens, or rows, of one call: of a micro-batch, where the trainer makes several.",
			Options: []estimators.Option{
				level("tis_level"), choice("tis_mode", "what happens out of bounds", "truncate", "clip", "mask"),
				boundOrNone("tis_lower_bound", "0.5", "none is 1/upper"), bound("tis_upper_bound", "2", "upper bound"),
				toggle("use_rs", true, "reject, too"), level("rs_level"),
				boundOrNone("rs_lower_bound", "none", "none is that of the weights"),
				boundOrNone("rs_upper_bound", "none", "none is that of the weights"),
				boundOrNone("rs_veto_threshold", "0.0001", "a row with a smaller ρ is rejected; heeded with use_rs alone"),
				toggle("tis_batch_normalize", true, "divide by the mean weight, of tokens or rows"),
			},
		},
		Level: "token, sequence or geometric", Bounds: "ρ ≤ 2; 0.5 ≤ ρ ≤ 2; veto 1e-4 (inclusive)", ChangesWeights: true, ChangesMask: true,
		Denominator: denominatorOriginal, Swept: Swept{[]string{"tis_lower_bound", "tis_upper_bound"}, AsRatio, OfToken},
		apply: misArithmetic,
	}
}

func misArithmetic(v estimators.Values) (rowRule, func([]*row) error, error) {
	level, mode, rejectLevel := v.Text("tis_level"), v.Text("tis_mode"), v.Text("rs_level")
	upper := v.Number("tis_upper_bound")
	lower := v.NumberOr("tis_lower_bound", 1/upper)
	rejectLower, rejectUpper := v.NumberOr("rs_lower_bound", lower), v.NumberOr("rs_upper_bound", upper)
	rejects, normalizes := v.Bool("use_rs"), v.Bool("tis_batch_normalize")
	veto := log(number(v, "rs_veto_threshold", 0)) // of 0: −Inf, which no d is below
	switch {
	case mode != "truncate" && !(lower < upper), rejects && !(rejectLower < rejectUpper):
		return nil, nil, &estimators.Refusal{Kind: "AssertionError", Text: "assert lower_bound < upper_bound"}
	case normalizes && level == "geometric":
		return nil, nil, valueError("Unsupported tis_level: geometric")
	}
	each := func(x *row, _ int) {
		ratios := x.mapped(x.atLevel(level), safeExp)
		x.weigh(func(i int) float32 { return ratios[i] })
		x.ofRow = level != "token"
		low, high := float32(lower), float32(upper)
		switch mode {
		case "truncate":
			x.clip(0, high)
		case "clip":
			x.clip(low, high)
		default:
			x.reject(func(i int) bool { return !within(ratios[i], low, high) })
		}
		if !rejects {
			return
		}
		ratios = x.mapped(x.atLevel(rejectLevel), safeExp)
		x.reject(func(i int) bool { return !within(ratios[i], float32(rejectLower), float32(rejectUpper)) })
		catastrophic := false
		for i, m := range x.mask {
			catastrophic = catastrophic || m && x.d[i] < veto
		}
		x.rejectAll(catastrophic)
	}
	if !normalizes {
		return each, nil, nil
	}
	settle := func(rows []*row) error {
		if len(rows) > 0 {
			divideByMean(rows, misMean(rows, level))
		}
		return nil
	}
	return each, settle, nil
}

// atLevel is d of each token, or its sum or mean over the row on each.
func (x *row) atLevel(level string) []float32 {
	total := x.sum(x.timesMask(x.d, x.mask))
	switch level {
	case "token":
		return x.d
	case "geometric":
		total = x.mean(total, x.mask)
	}
	return x.mapped(x.d, func(float32) float32 { return total })
}

// misMean is the mean weight over all tokens, or over all rows, those without a token too.
func misMean(rows []*row, level string) float32 {
	var total, tokens float32
	for _, x := range rows {
		ofRow := x.sum(x.timesMask(x.weights, x.mask))
		if level == "token" {
			total, tokens = total+ofRow, tokens+x.count(x.mask)
			continue
		}
		total, tokens = total+x.mean(ofRow, x.mask), tokens+1
	}
	return total / max(tokens, 1)
}

func areal() []*Rule {
	const section = "actor.rejection_sampling"
	return []*Rule{{
		Entry: estimators.Entry{
			Name: "rejection_sampling", Key: section,
			Formula: "mask: x in [lower, upper], else rejected; clamp: w clamped to it; x = e^d, or k1, k2, k3 of it",
			Source: "inclusionAI/AReaL wheel areal==1.0.4 areal/utils/functional/functional.py:apply_rejection_sampling, " +
				"areal/api/cli_args.py:RejectionSamplingConfig",
			Doc: "For use_decoupled_loss alone. For a row x is e^agg(d), or the sum, mean or largest divergence; k1 is d and k3 is " +
				"e^(−d) − 1 + d, the other direction than elsewhere. With the metric ratio the weight of a row is geo on every token, " +
				"with any agg. A ratio of NaN or infinity counts as 1. The loss divides by the number of tokens before. Off by default.",
			Options: prefixed(section,
				choice("level", "the level of the bound", "token", "sequence"),
				choice("action", "what happens out of bounds", "mask", "clamp"),
				choice("metric", "x", "ratio", "kl_k1", "kl_k2", "kl_k3"), choice("agg", "of a row", "mean", "sum", "max"),
				bound("upper", "5", "upper bound"), boundOrNone("lower", "none", "lower bound"),
			),
		},
		Level: "token, sequence or geometric", Bounds: "ρ ≤ 5 (inclusive)", ChangesWeights: true, ChangesMask: true,
		Denominator: denominatorOriginal, Swept: Swept{[]string{section + ".upper"}, AsRatio, OfToken},
		apply: byRow(func(v estimators.Values) func(x *row) { return arealRow(section, v) }),
	}}
}

func arealRow(section string, v estimators.Values) func(x *row) {
	key := func(name string) string { return section + "." + name }
	ofRow, masks := v.Text(key("level")) == "sequence", v.Text(key("action")) == "mask"
	metric, agg := v.Text(key("metric")), v.Text(key("agg"))
	low, high := bounds(v, key("lower"), key("upper"))
	least := number(v, key("lower"), 0)
	divergence := map[string]func(float32) float32{
		"kl_k1": func(d float32) float32 { return d }, "kl_k2": k2, "kl_k3": func(d float32) float32 { return k3(-d) },
	}[metric]
	return func(x *row) {
		d := x.mapped(x.d, func(d float32) float32 { return finiteOr(d, 0) })
		x.weigh(func(i int) float32 { return exp(d[i]) })
		statistic, ratio := d, metric == "ratio"
		if !ratio {
			statistic = x.mapped(x.d, divergence)
		}
		if ofRow && ratio {
			x.weighAll(exp(x.mean(x.sum(x.onMask(d, x.mask)), x.mask)))
		}
		if ofRow {
			total := x.aggregated(statistic, agg)
			statistic = x.mapped(statistic, func(float32) float32 { return total })
		}
		if ratio {
			statistic = x.mapped(statistic, exp)
		}
		out := func(i int) bool { return !within(statistic[i], low, high) }
		if masks {
			x.reject(out)
		}
		switch isOut := len(x.d) > 0 && out(0); { // of a row, all of its tokens
		case masks:
			x.weigh(func(i int) float32 { return orZero(x.left[i], x.weights[i]) })
		case !ofRow || isOut:
			x.clip(least, high)
		}
	}
}

// aggregated is the sum, mean or largest of what is on the mask.
func (x *row) aggregated(values []float32, how string) float32 {
	total := x.sum(x.onMask(values, x.mask))
	switch how {
	case "mean":
		return x.mean(total, x.mask)
	case "max":
		if most := largest(values, x.mask); !math.IsInf(float64(most), -1) || x.count(x.mask) > 0 {
			return most
		}
		return 0
	}
	return total
}
