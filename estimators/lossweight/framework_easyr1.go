package lossweight

import "vantage/estimators"

// easyR1 is EasyR1-Brian, which gives the samples that its filter drops a loss mask of 0.
func easyR1() []*Loss {
	const within = "A dropped sample has no token. Each micro-batch weighs the same; which rows share one is not in the log, and the order of the log is taken."
	list := []*Loss{
		{
			Entry: estimators.Entry{
				Name: "token-mean", Formula: "l / T",
				Doc: "Each token weighs the same. T counts kept samples alone: the weight of every other row grows as more are dropped. " + within,
			},
			NeedsLengths: true,
			weigh:        inEasyMicroBatches(func(b Batch, lo, hi int) weight { return perToken(b.tokens(lo, hi) + 1e-8) }),
		},
		{
			Entry: estimators.Entry{
				Name: "seq-mean-token-sum", Formula: "l / N",
				Doc: "N counts dropped samples too. " + within,
			},
			NeedsLengths: true,
			weigh:        inEasyMicroBatches(func(_ Batch, lo, hi int) weight { return perToken(float32(hi - lo)) }),
		},
		{
			Entry: estimators.Entry{
				Name: "seq-mean-token-mean", Formula: "1 / N",
				Doc: "Each row weighs the same. A dropped sample makes the loss NaN, since its mean is 0 / 0. " + within,
			},
			weigh: weighEasyMeans,
		},
		{
			Entry: estimators.Entry{
				Name: "seq-mean-token-sum-norm", Formula: "l / L, L width of the padded responses",
				Doc: "It is not divided by the number of rows: the gradient grows with the micro-batch. " + within,
				Options: []estimators.Option{{
					Key: verlWidth, Kind: estimators.OrNone(estimators.Count(1)), Default: "none",
					Meaning: "L in tokens; none: that of the longest response",
				}},
			},
			NeedsLengths: true,
			weigh: func(dst []float64, b Batch, v estimators.Values) error {
				width := b.width(v.Number(verlWidth))
				return inEasyMicroBatches(func(Batch, int, int) weight { return perToken(width) })(dst, b, v)
			},
		},
	}
	for _, l := range list {
		l.Key, l.Value = "worker.actor.loss_agg_mode", l.Name
		l.MasksDropped = true
		l.Source = "Coobiw/EasyR1-Brian@c414ee81ef06f8e6510bcbcbd939a89c118cff32 verl/trainer/core_algos.py:agg_loss, verl/workers/actor/dp_actor.py:update_policy"
		l.Options = append(l.Options, estimators.Option{
			Key: easyMicro, Kind: estimators.OrNone(estimators.Count(1)), Default: "none",
			Meaning: "rows of a micro-batch; none: all rows of the step",
		})
	}
	return list
}

// inEasyMicroBatches returns the weights of a loss that is averaged within rows lo to hi of a
// micro-batch, then over micro-batches.
func inEasyMicroBatches(within func(b Batch, lo, hi int) weight) func([]float64, Batch, estimators.Values) error {
	return func(dst []float64, b Batch, v estimators.Values) error {
		size := int(v.Number(easyMicro))
		accumulation := float32(1)
		if size > 0 {
			accumulation = float32(max(len(dst)/size, 1))
		}
		for lo, hi := range microBatches(len(dst), size) {
			b.set(dst, lo, hi, within(b, lo, hi).dividedBy(accumulation, 1))
		}
		return nil
	}
}

func weighEasyMeans(dst []float64, b Batch, v estimators.Values) error {
	if int(b.rowsWithTokens(0, len(dst))) < len(dst) {
		return ErrNaN
	}
	return inEasyMicroBatches(func(_ Batch, lo, hi int) weight { return perRow(float32(hi - lo)) })(dst, b, v)
}
