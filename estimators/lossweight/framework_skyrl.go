package lossweight

import "vantage/estimators"

const (
	skyMaxLength = "trainer.algorithm.max_seq_len"
	skyMicro     = "trainer.micro_train_batch_size_per_gpu"
)

// skyRL is SkyRL, which scales the advantage of each token and then adds: the weight of a row is the
// factor times its tokens, in exact arithmetic.
func skyRL() []*Loss {
	const minibatch = "A step of several mini-batches has these weights within each of them. Rows without a token and masked rows count in N."
	list := []*Loss{
		{
			Entry: estimators.Entry{
				Name: "token_mean", Formula: "l / T",
				Doc: "Each token weighs the same, so a row weighs by its length. " + minibatch,
			},
			NeedsLengths: true,
			weigh: func(dst []float64, b Batch, _ estimators.Values) error {
				b.scaleTokens(dst, 0, len(dst), max(b.tokens(0, len(dst)), 1), 1)
				return nil
			},
		},
		{
			Entry: estimators.Entry{
				Name: "sequence_mean", Formula: "1 / N",
				Doc: "Each row weighs the same. " + minibatch,
			},
			weigh: func(dst []float64, b Batch, _ estimators.Values) error {
				for i := range dst {
					b.scaleTokens(dst, i, i+1, float32(len(dst))*max(float32(b.length(i)), 1), 1)
				}
				return nil
			},
		},
		{
			Entry: estimators.Entry{
				Name: "seq_mean_token_sum_norm", Formula: "l / (N · max_seq_len)",
				Doc: "A row weighs by its length, whatever the lengths of the others. max_seq_len has no default: the trainer refuses to start without. " + minibatch,
				Options: []estimators.Option{{
					Key: skyMaxLength, Kind: estimators.OrNone(estimators.Count(1)), Default: "none",
					Meaning: "what a sum of tokens is divided by",
				}},
			},
			NeedsLengths: true,
			weigh:        weighSkyNorm,
		},
		{
			Entry: estimators.Entry{
				Name: "prompt_mean", Formula: "l / (P · t), t tokens of the prompt's rows, P prompts",
				Doc: "Each prompt weighs the same, so a token of a prompt with long responses weighs less. Prompts without a token count in P. " + minibatch,
			},
			NeedsLengths: true,
			weigh: func(dst []float64, b Batch, _ estimators.Values) error {
				prompts := float32(len(b.Offsets) - 1)
				for g := range len(b.Offsets) - 1 {
					lo, hi := b.Offsets[g], b.Offsets[g+1]
					b.scaleTokens(dst, lo, hi, prompts*max(b.tokens(lo, hi), 1), 1)
				}
				return nil
			},
		},
		{
			Entry: estimators.Entry{
				Name: "token_mean_legacy", Formula: "l / t / M, t tokens of the row's micro-batch, M micro-batches",
				Doc: "Each micro-batch weighs the same, so a token in a micro-batch of short rows weighs more. Rows after the last whole micro-batch have no weight. " + minibatch,
				Options: []estimators.Option{{
					Key: skyMicro, Kind: estimators.OrNone(estimators.Count(1)), Default: "none",
					Meaning: "rows of a micro-batch; none: all rows of the step",
				}},
			},
			NeedsLengths: true,
			weigh:        weighSkyLegacy,
		},
	}
	for _, l := range list {
		l.Key, l.Value = "trainer.algorithm.loss_reduction", l.Name
		l.Source = "NovaSky-AI/SkyRL wheel skyrl==0.4.0 skyrl/backends/skyrl_train/utils/ppo_utils.py:apply_loss_reduction_to_advantages_minibatch"
	}
	return list
}

// scaleTokens gives each token of rows lo to hi the factor 1/total/over.
func (b Batch) scaleTokens(dst []float64, lo, hi int, total, over float32) {
	factor := float64(1 / total / over)
	for i := lo; i < hi; i++ {
		dst[i] = float64(b.length(i)) * factor
	}
}

func weighSkyNorm(dst []float64, b Batch, v estimators.Values) error {
	maxLength := float32(v.Number(skyMaxLength))
	if maxLength == 0 {
		return &estimators.Refusal{Kind: "ValueError", Text: "`trainer.algorithm.max_seq_len` must be set explicitly when " +
			"`trainer.algorithm.loss_reduction='seq_mean_token_sum_norm'`. Choose the total sequence-length normalization constant " +
			"for your setup; this often matches the model context window / vLLM `max_model_len` when appropriate."}
	}
	b.scaleTokens(dst, 0, len(dst), float32(len(dst))*maxLength, 1)
	return nil
}

func weighSkyLegacy(dst []float64, b Batch, v estimators.Values) error {
	size := int(v.Number(skyMicro))
	if size == 0 {
		size = max(len(dst), 1)
	}
	whole := len(dst) / size
	clear(dst[whole*size:])
	for lo, hi := range microBatches(whole*size, size) {
		b.scaleTokens(dst, lo, hi, max(b.tokens(lo, hi), 1), float32(whole))
	}
	return nil
}
