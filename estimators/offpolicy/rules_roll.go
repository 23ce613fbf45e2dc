package offpolicy

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"vantage/estimators"
)

func roll() []*Rule {
	const section = "train_infer_correction"
	return []*Rule{{
		Entry: estimators.Entry{
			Name: "train_infer_correction", Key: section,
			Formula: "w = x clamped to [0, upper_bound]; each filter: x in [ratio_low, ratio_high], e^o − e^r in [diff_low, diff_high]",
			Source: "alibaba/ROLL@8eb27cc2dc34c4d1310b169d9b86d339004d811a " +
				"roll/utils/train_infer_corrections.py:compute_train_infer_correction, roll/configs/base_config.py",
			Doc: "x is ρ, geo, seq, or the geometric mean of a segment, a run of tokens with mask 1: a turn. All filters must pass. The " +
				"difference of a sequence is a sum. The mask changes after the advantages; the RLVR pipeline does so only with " +
				"enable_old_logprobs_recompute. Both are off by default: an empty object is on, with its defaults.",
			Options: prefixed(section,
				object("is_weight", "{}", `JSON: {"enabled": true, "weight_type": "token", "upper_bound": 1.2}`,
					"the weight; off without enabled"),
				object("filters", "[]", `JSON: [{"agg_type": "token", "ratio_low": 0.8, "ratio_high": 1.2, "diff_enabled": true, `+
					`"diff_low": -0.2, "diff_high": 0.2}]`, "the filters"),
			),
		},
		Level: "token, segment, sequence or geometric", Bounds: "off; 0.8 ≤ ρ ≤ 1.2, w ≤ 1.2 (inclusive)",
		Usual:          `filters=[{"ratio_low": 0.8, "ratio_high": 1.2}]`,
		ChangesWeights: true, ChangesMask: true, Denominator: denominatorShrinks, Swept: Swept{[]string{section + ".filters"}, AsRatio, OfToken},
		apply: rollArithmetic(section),
	}}
}

// rollWeight and rollFilter are ROLL's objects, with its defaults.
type rollWeight struct {
	Enabled bool     `json:"enabled"`
	Type    string   `json:"weight_type"`
	Upper   *float64 `json:"upper_bound"`
	Detach  bool     `json:"detach"`
}

type rollFilter struct {
	Enabled      bool    `json:"enabled"`
	Level        string  `json:"agg_type"`
	RatioEnabled bool    `json:"ratio_enabled"`
	RatioLow     float64 `json:"ratio_low"`
	RatioHigh    float64 `json:"ratio_high"`
	DiffEnabled  bool    `json:"diff_enabled"`
	DiffLow      float64 `json:"diff_low"`
	DiffHigh     float64 `json:"diff_high"`
}

func rollArithmetic(section string) arithmetic {
	return func(v estimators.Values) (rowRule, func([]*row) error, error) {
		usual := 1.2
		weight := rollWeight{Type: "token", Upper: &usual}
		if err := strictJSON(section+".is_weight", v.Text(section+".is_weight"), &weight); err != nil {
			return nil, nil, err
		}
		var raw []json.RawMessage
		if err := strictJSON(section+".filters", v.Text(section+".filters"), &raw); err != nil {
			return nil, nil, err
		}
		filters := make([]rollFilter, len(raw))
		levels := []string{weight.Type}
		for i := range raw {
			filters[i] = rollFilter{
				Enabled: true, Level: "token", RatioEnabled: true, RatioLow: 0.8, RatioHigh: 1.2, DiffLow: -0.2, DiffHigh: 0.2,
			}
			if err := strictJSON(section+".filters", string(raw[i]), &filters[i]); err != nil {
				return nil, nil, err
			}
			levels = append(levels, filters[i].Level)
		}
		for _, level := range levels {
			if known := []string{"token", "segment", "geometric", "sequence"}; !slices.Contains(known, level) {
				return nil, nil, valueError(fmt.Sprintf("%s has no level %q: choose %s", section, level, estimators.Alternatives(known)))
			}
		}
		return func(x *row, _ int) { rollRow(x, weight, filters) }, nil, nil
	}
}

// strictJSON reads an object of an option, and refuses keys that it does not have.
func strictJSON(key, text string, into any) error {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return valueError(key + ": " + strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}

func rollRow(x *row, weight rollWeight, filters []rollFilter) {
	moved := x.difference(x.mapped(x.Trainer, exp), x.mapped(x.Sampler, exp))
	x.weigh(func(int) float32 { return 1 })
	if weight.Enabled {
		most := math.Inf(1)
		if weight.Upper != nil {
			most = *weight.Upper
		}
		ratios := x.mapped(x.rollLevel(x.d, weight.Type), exp)
		x.weigh(func(i int) float32 { return ratios[i] })
		x.ofRow = weight.Type == "sequence" || weight.Type == "geometric"
		x.clip(0, float32(most))
	}
	for _, f := range filters {
		if !f.Enabled {
			continue
		}
		if f.RatioEnabled {
			ratios := x.mapped(x.rollLevel(x.d, f.Level), exp)
			x.reject(func(i int) bool { return !within(ratios[i], float32(f.RatioLow), float32(f.RatioHigh)) })
		}
		if f.DiffEnabled {
			differences := x.rollLevel(moved, f.Level)
			x.reject(func(i int) bool { return !within(differences[i], float32(f.DiffLow), float32(f.DiffHigh)) })
		}
	}
}

// rollLevel is a value of each token, or its sum or mean over the row or the segment on each.
func (x *row) rollLevel(values []float32, level string) []float32 {
	if level == "token" {
		return values
	}
	if level == "segment" {
		return x.bySegment(values)
	}
	total := x.sum(x.timesMask(values, x.mask))
	if level == "geometric" {
		total = x.meanWithEps(total, x.mask)
	}
	return x.mapped(values, func(float32) float32 { return total })
}

// bySegment is the mean over each run of tokens with mask 1, on each of its tokens, and 0 elsewhere.
func (x *row) bySegment(values []float32) []float32 {
	out := x.floats(len(values))
	clear(out)
	for from := 0; from < len(values); {
		to := from
		for to < len(values) && x.mask[to] {
			to++
		}
		if to > from {
			total := x.meanOf(values, from, to)
			for i := from; i < to; i++ {
				out[i] = total
			}
		}
		from = max(to, from+1)
	}
	return out
}
