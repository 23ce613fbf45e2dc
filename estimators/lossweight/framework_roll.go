package lossweight

import "vantage/estimators"

const (
	rollWidth = "response_length"
	rollValid = "global_valid_samples"
)

// roll is ROLL.
func roll() []*Loss {
	const anyMicroBatch = "Micro-batches and ranks make no difference. N counts the rows that have a token."
	valid := estimators.Option{
		Key: rollValid, Kind: estimators.Switch(), Default: "true",
		Meaning: "not in the configuration: whether the worker hands in the number of rows with a token; if not, N counts all rows",
	}
	list := []*Loss{
		{
			Entry: estimators.Entry{
				Name: "seq-mean-token-mean", Formula: "1 / N",
				Doc:     "Each row weighs the same, so a token of a long row weighs less. " + anyMicroBatch,
				Options: []estimators.Option{valid},
			},
			weigh: func(dst []float64, b Batch, v estimators.Values) error {
				b.setAll(dst, perRow(rollRows(dst, b, v)))
				return nil
			},
		},
		{
			Entry: estimators.Entry{
				Name: "token-mean", Formula: "l / T",
				Doc: "Each token weighs the same, so a row weighs by its length. " + anyMicroBatch,
			},
			NeedsLengths: true,
			weigh: func(dst []float64, b Batch, _ estimators.Values) error {
				b.setAll(dst, perToken(b.tokens(0, len(dst))))
				return nil
			},
		},
		{
			Entry: estimators.Entry{
				Name: "seq-mean-token-sum", Formula: "l / N",
				Doc:     anyMicroBatch,
				Options: []estimators.Option{valid},
			},
			NeedsLengths: true,
			weigh: func(dst []float64, b Batch, v estimators.Values) error {
				b.setAll(dst, perToken(rollRows(dst, b, v)))
				return nil
			},
		},
		{
			Entry: estimators.Entry{
				Name: "seq-mean-token-sum-norm", Formula: "l / L, L width of the padded responses",
				Doc: "It is not divided by the number of rows: the gradient grows with the batch.",
				Options: []estimators.Option{{
					Key: rollWidth, Kind: estimators.OrNone(estimators.Count(1)), Default: "none",
					Meaning: "L in tokens; none: that of the longest response",
				}},
			},
			NeedsLengths: true,
			weigh: func(dst []float64, b Batch, v estimators.Values) error {
				b.setAll(dst, perToken(b.width(v.Number(rollWidth))))
				return nil
			},
		},
	}
	for _, l := range list {
		l.Key, l.Value = "loss_agg_mode", l.Name
		l.Source = "alibaba/ROLL@8eb27cc2dc34c4d1310b169d9b86d339004d811a roll/utils/functionals.py:agg_loss"
	}
	return list
}

func rollRows(dst []float64, b Batch, v estimators.Values) float32 {
	if v.Bool(rollValid) {
		return b.rowsWithTokens(0, len(dst))
	}
	return float32(len(dst))
}
