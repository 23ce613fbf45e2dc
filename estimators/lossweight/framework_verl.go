package lossweight

import "vantage/estimators"

const (
	verlScaleFactor = "actor_rollout_ref.actor.loss_scale_factor"
	verlWidth       = "data.max_response_length"
	verlGlobal      = "global_batch_info"
)

// verl is verl since it hands the totals of the mini-batch to each micro-batch.
func verl() []*Loss {
	const counted = "N counts every row of the mini-batch, empty and masked ones too. "
	const anyMicroBatch = "Micro-batches and ranks make no difference. A step of several mini-batches " +
		"(ppo_mini_batch_size below train_batch_size) has these weights within each of them."
	global := estimators.Option{
		Key: verlGlobal, Kind: estimators.Switch(), Default: "true",
		Meaning: "not in the configuration: whether the trainer hands in the totals of the mini-batch; if not, rows without a token do not count in N",
	}
	list := []*Loss{
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
				Name: "token-sum", Formula: "l",
				Doc: "Nothing is averaged: the gradient grows with the number of tokens. " + anyMicroBatch,
			},
			NeedsLengths: true,
			weigh: func(dst []float64, b Batch, _ estimators.Values) error {
				b.setAll(dst, perToken(1))
				return nil
			},
		},
		{
			Entry: estimators.Entry{
				Name: "seq-mean-token-sum", Formula: "l / N",
				Doc:     counted + anyMicroBatch,
				Options: []estimators.Option{global},
			},
			NeedsLengths: true,
			weigh: func(dst []float64, b Batch, v estimators.Values) error {
				b.setAll(dst, perToken(verlRows(dst, b, v)))
				return nil
			},
		},
		{
			Entry: estimators.Entry{
				Name: "seq-mean-token-mean", Formula: "1 / N",
				Doc: "Each row weighs the same, so a token of a long row weighs less. An empty row has no weight. " +
					counted + anyMicroBatch,
				Options: []estimators.Option{global},
			},
			weigh: func(dst []float64, b Batch, v estimators.Values) error {
				b.setAll(dst, perRow(verlRows(dst, b, v)))
				return nil
			},
		},
		{
			Entry: estimators.Entry{
				Name: "seq-mean-token-sum-norm", Formula: "l / N / S",
				Doc: "S is loss_scale_factor or, without it, the width of the padded responses, which is that of " +
					"the micro-batch: give the factor or the width, else the longest response of the step is taken. " + counted + anyMicroBatch,
				Options: []estimators.Option{
					{
						Key: verlScaleFactor, Kind: estimators.OrNone(estimators.Count(1)), Default: "none",
						Meaning: "what a sum of tokens is divided by; none: the width of the padded responses",
					},
					{
						Key: verlWidth, Kind: estimators.OrNone(estimators.Count(1)), Default: "none",
						Meaning: "width of the padded responses in tokens; none: that of the longest response",
					},
					global,
				},
			},
			NeedsLengths: true,
			weigh:        weighVerlNorm,
		},
	}
	for _, l := range list {
		l.Key, l.Value = "actor_rollout_ref.actor.loss_agg_mode", l.Name
		l.Source = "verl-project/verl wheel verl==0.9.1 verl/trainer/ppo/core_algos.py:agg_loss, verl/workers/utils/losses.py"
	}
	return list
}

func verlRows(dst []float64, b Batch, v estimators.Values) float32 {
	if v.Bool(verlGlobal) {
		return float32(len(dst))
	}
	return b.rowsWithTokens(0, len(dst))
}

func weighVerlNorm(dst []float64, b Batch, v estimators.Values) error {
	scale := float32(v.Number(verlScaleFactor))
	if scale == 0 {
		scale = b.width(v.Number(verlWidth))
	}
	b.setAll(dst, perToken(verlRows(dst, b, v)).dividedBy(scale, 1))
	return nil
}

// width is the width of the padded responses: as given or, if 0, of the longest one.
func (b Batch) width(given float64) float32 {
	if given > 0 {
		return float32(given)
	}
	return b.longest()
}
