package lossweight

import "vantage/estimators"

const (
	openRLHFDynamic = "train.dynamic_batch_enable"
	openRLHFMicro   = "train.micro_batch_size"
)

// openRLHF is OpenRLHF with Ray.
func openRLHF() []*Loss {
	const local = "With train.dynamic_batch_enable the average is over the optimizer step. Without, it is over each micro-batch of " +
		"train.micro_batch_size rows, and each micro-batch weighs the same: which rows share one is not in the log, and the order of the log is taken. One without a token makes the loss NaN."
	list := []*Loss{
		{
			Entry: estimators.Entry{
				Name: "token-mean", Formula: "l / T",
				Doc: local,
			},
			NeedsLengths: true,
			weigh: func(dst []float64, b Batch, v estimators.Values) error {
				return weighOpenRLHF(dst, b, v, func(lo, hi int) weight { return perToken(b.tokens(lo, hi)) })
			},
		},
		{
			Entry: estimators.Entry{
				Name: "seq-mean-token-mean", Formula: "1 / N, N rows with a token",
				Doc: "Each row weighs the same; rows without a token do not count. " + local,
			},
			weigh: func(dst []float64, b Batch, v estimators.Values) error {
				return weighOpenRLHF(dst, b, v, func(lo, hi int) weight { return perRow(b.rowsWithTokens(lo, hi)) })
			},
		},
	}
	for _, l := range list {
		l.Key, l.Value = "actor.loss_agg_mode", l.Name
		l.Source = "OpenRLHF/OpenRLHF wheel openrlhf==0.11.2 openrlhf/models/loss.py:aggregate_loss"
		l.Options = []estimators.Option{
			{Key: openRLHFDynamic, Kind: estimators.Switch(), Default: "false", Meaning: "average over the optimizer step"},
			{
				Key: openRLHFMicro, Kind: estimators.OrNone(estimators.Count(1)), Default: "none",
				Meaning: "rows of a micro-batch, for the average without dynamic batches; none: all rows of the step",
			},
		}
	}
	return list
}

// weighOpenRLHF averages over the step or over micro-batches, and then over these.
func weighOpenRLHF(dst []float64, b Batch, v estimators.Values, within func(lo, hi int) weight) error {
	rows := len(dst)
	size := int(v.Number(openRLHFMicro))
	if v.Bool(openRLHFDynamic) || size == 0 {
		size = rows
	}
	for lo, hi := range microBatches(rows, size) {
		w := within(lo, hi)
		if w.total == 0 {
			return ErrNaN
		}
		b.set(dst, lo, hi, w.dividedBy(float32(rows)/float32(size), 1))
	}
	return nil
}
