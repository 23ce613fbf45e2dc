package lossweight

import "vantage/estimators"

// nemoRL is NeMo-RL's clipped policy gradient.
func nemoRL() []*Loss {
	list := []*Loss{
		{
			Entry: estimators.Entry{
				Name: "token_level", Value: "true", Formula: "l / T",
				Doc: "Each token weighs the same, so a row weighs by its length. Masked rows have no weight and do not count. Micro-batches and ranks make no difference.",
			},
			NeedsLengths: true,
			weigh: func(dst []float64, b Batch, _ estimators.Values) error {
				b.setAll(dst, perToken(b.tokens(0, len(dst))+1e-8))
				return nil
			},
		},
		{
			Entry: estimators.Entry{
				Name: "sequence_level", Value: "false", Formula: "1 / M, M rows that are not masked",
				Doc: "Each row weighs the same. A row without a token has no weight but counts in M; a masked row does not count. Micro-batches and ranks make no difference.",
			},
			weigh: func(dst []float64, b Batch, _ estimators.Values) error {
				b.setAll(dst, perRow(float32(len(dst)-b.masked())+1e-8))
				return nil
			},
		},
	}
	for _, l := range list {
		l.Key = "loss_fn.token_level_loss"
		l.Source = "NVIDIA-NeMo/RL@7ea279abfbeb698b092856d0dab61e7cf39bc909 nemo_rl/algorithms/loss/loss_functions.py:ClippedPGLossFn, nemo_rl/algorithms/utils.py:masked_mean"
	}
	return list
}

// masked counts the masked rows.
func (b Batch) masked() int {
	n := 0
	for _, masked := range b.Masked {
		if masked {
			n++
		}
	}
	return n
}
