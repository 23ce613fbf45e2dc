package lossweight

import (
	"math"

	"vantage/estimators"
)

const (
	tunixNorm  = "norm"
	tunixWidth = "max_tokens_to_generate"
)

// tunix is Tunix.
func tunix() []*Loss {
	const within = "This is within a micro-batch; all rows of the step are taken as one."
	norm := estimators.Option{
		Key: tunixNorm, Kind: estimators.OrNone(estimators.Number(math.SmallestNonzeroFloat64, math.Inf(1))), Default: "none",
		Meaning: "not in the configuration: the argument norm of aggregate_loss, which the learners do not give",
		Refusal: "Invalid 'norm' value: %s. Must be a positive number.",
	}
	list := []*Loss{
		{
			Entry: estimators.Entry{
				Name: "sequence-mean-token-mean", Formula: "1 / M, M rows with a token",
				Doc: "Each row weighs the same; rows without a token do not count. The default of GRPOConfig. " + within,
			},
			weigh: func(dst []float64, b Batch, _ estimators.Values) error {
				b.setAll(dst, perRow(b.tunixRows(dst)))
				return nil
			},
		},
		{
			Entry: estimators.Entry{
				Name: "token-mean", Formula: "l / T",
				Doc: "Each token weighs the same, so a row weighs by its length. The default of DAPOConfig. " + within,
			},
			NeedsLengths: true,
			weigh: func(dst []float64, b Batch, _ estimators.Values) error {
				b.setAll(dst, perToken(max(b.tokens(0, len(dst)), 1)))
				return nil
			},
		},
		{
			Entry: estimators.Entry{
				Name: "sequence-mean-token-scale", Formula: "l / L / M, L width of the padded responses",
				Doc: "A row weighs by its length, whatever the lengths of the others. The default of DrGRPOConfig. " + within,
				Options: []estimators.Option{norm, {
					Key: tunixWidth, Kind: estimators.OrNone(estimators.Count(1)), Default: "none",
					Meaning: "L in tokens; none: that of the longest response",
				}},
			},
			NeedsLengths: true,
			weigh: func(dst []float64, b Batch, v estimators.Values) error {
				scale := float32(v.Number(tunixNorm))
				if scale == 0 {
					scale = b.width(v.Number(tunixWidth))
				}
				b.setAll(dst, perToken(max(scale, 1e-6)).dividedBy(b.tunixRows(dst), 1))
				return nil
			},
		},
		{
			Entry: estimators.Entry{
				Name: "seq-mean-token-sum", Formula: "l / M, M rows with a token",
				Doc: within,
			},
			NeedsLengths: true,
			weigh: func(dst []float64, b Batch, _ estimators.Values) error {
				b.setAll(dst, perToken(b.tunixRows(dst)))
				return nil
			},
		},
		{
			Entry: estimators.Entry{
				Name: "sequence-mean-token-sum-norm", Formula: "l / M, M rows with a token",
				Doc:     "As seq-mean-token-sum, unless norm is given, by which it is divided then. " + within,
				Options: []estimators.Option{norm},
			},
			NeedsLengths: true,
			weigh: func(dst []float64, b Batch, v estimators.Values) error {
				scale := float32(v.Number(tunixNorm))
				if scale == 0 {
					scale = b.tunixRows(dst)
				}
				b.setAll(dst, perToken(max(scale, 1e-6)))
				return nil
			},
		},
	}
	for _, l := range list {
		l.Key, l.Value = "loss_agg_mode", l.Name
		l.Source = "google/tunix wheel google-tunix==0.1.7 tunix/rl/common.py:aggregate_loss"
	}
	return list
}

// tunixRows counts the rows with a token, at least 1.
func (b Batch) tunixRows(dst []float64) float32 { return max(b.rowsWithTokens(0, len(dst)), 1) }
