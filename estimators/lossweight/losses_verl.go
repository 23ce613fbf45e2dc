package lossweight

import (
	"cmp"
	"math"

	"vantage/estimators"
)

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
	global := estimators.Switch().Option(verlGlobal, "true",
		"not in the configuration: whether the trainer hands in the totals of the mini-batch; if not, rows without a token do "+
			"not count in N")
	const source = "verl-project/verl wheel verl==0.9.1 verl/trainer/ppo/core_algos.py:agg_loss, verl/workers/utils/losses.py"
	allRows := rowsBy(verlGlobal, true)
	return told("actor_rollout_ref.actor.loss_agg_mode", source, []*Loss{
		byTokens(entry("token-mean", "l / T", "Each token weighs the same, so a row weighs by its length. "+anyMicroBatch),
			ofStep(perToken(tokens))),
		byTokens(entry("token-sum", "l", "Nothing is averaged: the gradient grows with the number of tokens. "+anyMicroBatch),
			ofStep(func(Batch, int, int, estimators.Values) weight { return weightOf(1) })),
		byTokens(entry("seq-mean-token-sum", "l / N", counted+anyMicroBatch, global), ofStep(perToken(allRows))),
		byRows(entry("seq-mean-token-mean", "1 / N",
			"Each row weighs the same, so a token of a long row weighs less. An empty row has no weight. "+counted+anyMicroBatch, global),
			ofStep(perRow(allRows))),
		byTokens(entry("seq-mean-token-sum-norm", "l / N / S",
			"S is loss_scale_factor or, without it, the width of the padded responses, which is that of "+
				"the micro-batch: give the factor or the width, else the longest response of the step is taken. "+counted+anyMicroBatch,
			countOrNone(verlScaleFactor, "what a sum of tokens is divided by; none: the width of the padded responses"),
			countOrNone(verlWidth, "width of the padded responses in tokens; none: that of the longest response"), global),
			ofStep(func(b Batch, lo, hi int, v estimators.Values) weight {
				scale := cmp.Or(float32(v.Number(verlScaleFactor)), width(verlWidth)(b, lo, hi, v))
				return perToken(allRows)(b, lo, hi, v).dividedBy(scale, 1)
			})),
	})
}

// easyR1 is EasyR1-Brian, which gives the samples that its filter drops a loss mask of 0.
func easyR1() []*Loss {
	const within = "A dropped sample has no token. Each micro-batch weighs the same; the log doesn't record them, so vantage " +
		"assumes log order."
	list := []*Loss{
		byTokens(entry("token-mean", "l / T",
			"Each token weighs the same. T counts kept samples alone: the weight of every other row grows as more are dropped. "+within),
			inMicroBatches(cutEasyR1, perToken(plus(tokens, 1e-8)))),
		byTokens(entry("seq-mean-token-sum", "l / N", "N counts dropped samples too. "+within), inMicroBatches(cutEasyR1, perToken(rows))),
		byRows(entry("seq-mean-token-mean", "1 / N", "Each row weighs the same. A dropped sample makes the loss NaN because its "+
			"mean is 0 / 0. "+within),
			func(dst []float64, b Batch, v estimators.Values) error {
				if int(b.rowsWithTokens(0, len(dst))) < len(dst) {
					return ErrNaN
				}
				return inMicroBatches(cutEasyR1, perRow(rows))(dst, b, v)
			}),
		byTokens(entry("seq-mean-token-sum-norm", "l / L, L width of the padded responses",
			"It is not divided by the number of rows: the gradient grows with the micro-batch. "+within,
			countOrNone(verlWidth, "L in tokens; none: that of the longest response")),
			func(dst []float64, b Batch, v estimators.Values) error {
				total := width(verlWidth)(b, 0, len(dst), v)
				return inMicroBatches(cutEasyR1, func(Batch, int, int, estimators.Values) weight { return weightOf(total) })(dst, b, v)
			}),
	}
	for _, l := range list {
		l.MasksDropped = true
	}
	return told("worker.actor.loss_agg_mode",
		"Coobiw/EasyR1-Brian@c414ee81ef06f8e6510bcbcbd939a89c118cff32 verl/trainer/core_algos.py:agg_loss, "+
			"verl/workers/actor/dp_actor.py:update_policy",
		list, countOrNone(easyMicro, "rows of a micro-batch; none: all rows of the step"))
}

// cutEasyR1 averages over whole micro-batches.
func cutEasyR1(rows int, v estimators.Values) (size int, then, last float32) {
	size, then = int(v.Number(easyMicro)), 1
	if size > 0 {
		then = float32(max(rows/size, 1))
	}
	return size, then, 1
}

const easyMicro = "worker.actor.micro_batch_size_per_device_for_update"

// easyR1Upstream is hiyouga's EasyR1. It multiplies the loss of a micro-batch by the share of the
// step's tokens that are in it.
func easyR1Upstream() []*Loss {
	const source = "hiyouga/EasyR1@b44b311b669bf1fd1aa2fc36f2251482ba33cb16 verl/trainer/core_algos.py:average_loss, " +
		"verl/workers/actor/dp_actor.py:update_policy"
	return told("worker.actor.loss_avg_mode", source, []*Loss{
		byTokens(entry("token", "l / T", "Each token weighs the same, so a row weighs by its length. Micro-batches and ranks make no "+
			"difference."),
			ofStep(perToken(plus(tokens, 1e-8)))),
		byRows(entry("seq", "1 / N",
			"Each row of a micro-batch weighs the same; empty rows count in N. A micro-batch weighs by its tokens, so with micro-batches "+
				"long rows weigh more: t / (m · T), m rows and t tokens of the row's micro-batch. The log doesn't record micro-batches; "+
				"vantage assumes log order.",
			countOrNone(easyMicro, "rows of a micro-batch; none: all rows of the step")), weighEasySeq),
	})
}

func weighEasySeq(dst []float64, b Batch, v estimators.Values) error {
	size := int(v.Number(easyMicro))
	if size == 0 {
		return ofStep(perRow(rows))(dst, b, v)
	}
	if b.Lengths == nil {
		return &estimators.Refusal{Kind: estimators.KindMissing, Text: "response lengths"}
	}
	total, weigh := b.tokens(0, len(dst)), perRow(rows)
	for lo, hi := range microBatches(len(dst), size) {
		tokens := b.tokens(lo, hi)
		w := weigh(b, lo, hi, v)
		for i := lo; i < hi; i++ {
			dst[i] = float64(w.of(float32(b.length(i))) * tokens / total)
		}
	}
	return nil
}

const (
	rollWidth = "response_length"
	rollValid = "global_valid_samples"
)

func roll() []*Loss {
	const anyMicroBatch = "Micro-batches and ranks make no difference. N counts the rows that have a token."
	valid := estimators.Switch().Option(rollValid, "true",
		"not in the configuration: whether the worker hands in the number of rows with a token; if not, N counts all rows")
	const source = "alibaba/ROLL@8eb27cc2dc34c4d1310b169d9b86d339004d811a roll/utils/functionals.py:agg_loss"
	someRows := rowsBy(rollValid, false)
	return told("loss_agg_mode", source, []*Loss{
		byRows(entry("seq-mean-token-mean", "1 / N",
			"Each row weighs the same, so a token of a long row weighs less. "+anyMicroBatch, valid), ofStep(perRow(someRows))),
		byTokens(entry("token-mean", "l / T", "Each token weighs the same, so a row weighs by its length. "+anyMicroBatch),
			ofStep(perToken(tokens))),
		byTokens(entry("seq-mean-token-sum", "l / N", anyMicroBatch, valid), ofStep(perToken(someRows))),
		byTokens(entry("seq-mean-token-sum-norm", "l / L, L width of the padded responses",
			"It is not divided by the number of rows: the gradient grows with the batch.",
			countOrNone(rollWidth, "L in tokens; none: that of the longest response")),
			ofStep(perToken(width(rollWidth)))),
	})
}

const (
	skyMaxLength = "trainer.algorithm.max_seq_len"
	skyMicro     = "trainer.micro_train_batch_size_per_gpu"
)

// skyRL is SkyRL, which scales the advantage of each token and then adds: the weight of a row is the
// factor times its tokens, in exact arithmetic.
func skyRL() []*Loss {
	const minibatch = "A step of several mini-batches has these weights within each of them. Rows without a token and masked rows " +
		"count in N."
	const source = "NovaSky-AI/SkyRL wheel skyrl==0.4.0 " +
		"skyrl/backends/skyrl_train/utils/ppo_utils.py:apply_loss_reduction_to_advantages_minibatch"
	return told("trainer.algorithm.loss_reduction", source, []*Loss{
		byTokens(entry("token_mean", "l / T", "Each token weighs the same, so a row weighs by its length. "+minibatch),
			func(dst []float64, b Batch, _ estimators.Values) error {
				b.scaleTokens(dst, 0, len(dst), max(b.tokens(0, len(dst)), 1), 1)
				return nil
			}),
		byRows(entry("sequence_mean", "1 / N", "Each row weighs the same. "+minibatch),
			func(dst []float64, b Batch, _ estimators.Values) error {
				for i := range dst {
					b.scaleTokens(dst, i, i+1, float32(len(dst))*max(float32(b.length(i)), 1), 1)
				}
				return nil
			}),
		byTokens(entry("seq_mean_token_sum_norm", "l / (N · max_seq_len)",
			"A row weighs by its length, whatever the lengths of the others. max_seq_len has no default: the trainer refuses to "+
				"start without. "+minibatch,
			countOrNone(skyMaxLength, "what a sum of tokens is divided by")), weighSkyNorm),
		byTokens(entry("prompt_mean", "l / (P · t), t tokens of the prompt's rows, P prompts",
			"Each prompt weighs the same, so a token of a prompt with long responses weighs less. Prompts without a token count in P. "+
				minibatch),
			func(dst []float64, b Batch, _ estimators.Values) error {
				prompts := len(b.Offsets) - 1
				for g := range prompts {
					lo, hi := b.Offsets[g], b.Offsets[g+1]
					b.scaleTokens(dst, lo, hi, float32(prompts)*max(b.tokens(lo, hi), 1), 1)
				}
				return nil
			}),
		byTokens(entry("token_mean_legacy", "l / t / M, t tokens of the row's micro-batch, M micro-batches",
			"Each micro-batch weighs the same, so a token in a micro-batch of short rows weighs more. Rows after the last whole "+
				"micro-batch have no weight. "+minibatch,
			countOrNone(skyMicro, "rows of a micro-batch; none: all rows of the step")), weighSkyLegacy),
	})
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

const (
	tunixNorm  = "norm"
	tunixWidth = "max_tokens_to_generate"
)

func tunix() []*Loss {
	const within = "This is within a micro-batch; all rows of the step are taken as one."
	norm := estimators.Option{
		Key: tunixNorm, Kind: estimators.OrNone(estimators.Number(math.SmallestNonzeroFloat64, math.Inf(1))), Default: "none",
		Meaning: "not in the configuration: the argument norm of aggregate_loss, which the learners do not give",
		Refusal: "Invalid 'norm' value: %s. Must be a positive number.",
	}
	const source = "google/tunix wheel google-tunix==0.1.7 tunix/rl/common.py:aggregate_loss"
	count := atLeastOne(rowsWithTokens)
	scaled := func(otherwise divisor) divisor { // by norm, which is none by default
		return func(b Batch, lo, hi int, v estimators.Values) float32 {
			return max(cmp.Or(float32(v.Number(tunixNorm)), otherwise(b, lo, hi, v)), 1e-6)
		}
	}
	return told("loss_agg_mode", source, []*Loss{
		byRows(entry("sequence-mean-token-mean", "1 / M, M rows with a token",
			"Each row weighs the same; rows without a token do not count. The default of GRPOConfig. "+within), ofStep(perRow(count))),
		byTokens(entry("token-mean", "l / T", "Each token weighs the same, so a row weighs by its length. The default of DAPOConfig. "+
			within),
			ofStep(perToken(atLeastOne(tokens)))),
		byTokens(entry("sequence-mean-token-scale", "l / L / M, L width of the padded responses",
			"A row weighs by its length, whatever the lengths of the others. The default of DrGRPOConfig. "+within, norm,
			countOrNone(tunixWidth, "L in tokens; none: that of the longest response")),
			ofStep(func(b Batch, lo, hi int, v estimators.Values) weight {
				return perToken(scaled(width(tunixWidth)))(b, lo, hi, v).dividedBy(count(b, lo, hi, v), 1)
			})),
		byTokens(entry("seq-mean-token-sum", "l / M, M rows with a token", within), ofStep(perToken(count))),
		byTokens(entry("sequence-mean-token-sum-norm", "l / M, M rows with a token",
			"As seq-mean-token-sum, unless norm is given, by which it is divided then. "+within, norm), ofStep(perToken(scaled(count)))),
	})
}
