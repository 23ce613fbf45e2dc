package lossweight

import "vantage/estimators"

const easyMicro = "worker.actor.micro_batch_size_per_device_for_update"

// easyR1Upstream is hiyouga's EasyR1. It multiplies the loss of a micro-batch by the share of the
// step's tokens that are in it.
func easyR1Upstream() []*Loss {
	list := []*Loss{
		{
			Entry: estimators.Entry{
				Name: "token", Formula: "l / T",
				Doc: "Each token weighs the same, so a row weighs by its length. Micro-batches and ranks make no difference.",
			},
			NeedsLengths: true,
			weigh: func(dst []float64, b Batch, _ estimators.Values) error {
				b.setAll(dst, perToken(b.tokens(0, len(dst))+1e-8))
				return nil
			},
		},
		{
			Entry: estimators.Entry{
				Name: "seq", Formula: "1 / N",
				Doc: "Each row of a micro-batch weighs the same; empty rows count in N. A micro-batch weighs by its tokens, so with micro-batches " +
					"long rows weigh more: t / (m · T), m rows and t tokens of the row's micro-batch. Which rows share one is not in the log, and the order of the log is taken.",
				Options: []estimators.Option{{
					Key: easyMicro, Kind: estimators.OrNone(estimators.Count(1)), Default: "none",
					Meaning: "rows of a micro-batch; none: all rows of the step",
				}},
			},
			weigh: weighEasySeq,
		},
	}
	for _, l := range list {
		l.Key, l.Value = "worker.actor.loss_avg_mode", l.Name
		l.Source = "hiyouga/EasyR1@b44b311b669bf1fd1aa2fc36f2251482ba33cb16 verl/trainer/core_algos.py:average_loss, verl/workers/actor/dp_actor.py:update_policy"
	}
	return list
}

func weighEasySeq(dst []float64, b Batch, v estimators.Values) error {
	size := int(v.Number(easyMicro))
	if size == 0 {
		b.setAll(dst, perRow(float32(len(dst))))
		return nil
	}
	if b.Lengths == nil {
		return &estimators.Refusal{Kind: estimators.KindMissing, Text: "response lengths"}
	}
	total := b.tokens(0, len(dst))
	for lo, hi := range microBatches(len(dst), size) {
		tokens := b.tokens(lo, hi)
		w := perRow(float32(hi - lo))
		for i := lo; i < hi; i++ {
			dst[i] = float64(w.of(float32(b.length(i))) * tokens / total)
		}
	}
	return nil
}
