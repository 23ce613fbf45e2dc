package lossweight

import (
	"math"

	"vantage/estimators"
)

const (
	trlPerDevice     = "per_device_train_batch_size"
	trlAccumulation  = "gradient_accumulation_steps"
	trlPerGeneration = "steps_per_generation"
	trlProcesses     = "num_processes"
	trlMaxLength     = "max_completion_length"
)

// trlShuffles is what no log can tell.
const trlShuffles = "TRL shuffles the rows of a generation batch before it cuts them: which rows share a micro-batch is not in the log, and the order of the log is taken."

// trl is TRL's GRPOTrainer.
func trl() []*Loss {
	const tokens = "G is gradient_accumulation_steps, S steps_per_generation, equal unless set. T counts the tokens of the whole generation batch, over all processes: an optimizer step whose rows are long weighs more. " +
		"Micro-batches make no difference."
	window := func(name, doc string) *Loss {
		return &Loss{Entry: entry(name, "l / (T · G / S)", doc+tokens), NeedsLengths: true, weigh: weighTRLTokens}
	}
	list := append([]*Loss{
		window("dapo", ""),
		window("cispo", "Weights as dapo's; the losses of the tokens differ. "),
		window("vespo", "Weights as dapo's; the losses of the tokens differ. "),
		{
			Entry: entry("luspo", "l / (b · G · P)", "b rows are a micro-batch, G of them an optimizer step on each of P processes; empty rows count in b. "+
				"A row weighs by its length, whatever the lengths of the others."),
			NeedsLengths: true, weigh: inTRLMicroBatches(func(_ Batch, lo, hi int) weight { return perToken(float32(hi - lo)) }),
		},
	}, trlMicroBatchLosses()...)
	return told("loss_type", "huggingface/trl wheel trl==1.16.0 trl/trainer/grpo_trainer.py:_compute_loss", list, trlBatchOptions()...)
}

// trlMicroBatchLosses are the losses that TRL and ms-swift average in the same way within a micro-batch.
func trlMicroBatchLosses() []*Loss {
	const each = "Each row of the step weighs the same, so a token of a long row weighs less. Empty rows have no weight and count in b. "
	rowMean := inTRLMicroBatches(func(_ Batch, lo, hi int) weight { return perRow(float32(hi - lo)) })
	return []*Loss{
		{
			Entry: entry("grpo", "1 / (b · G · P)",
				each+"b rows are a micro-batch, G of them an optimizer step on each of P processes."),
			weigh: rowMean,
		},
		{
			Entry: entry("sapo", "1 / (b · G · P)", "Weights as grpo's; the losses of the tokens differ. "+each),
			weigh: rowMean,
		},
		{
			Entry: entry("bnpo", "l / (t · G · P), t tokens of the row's micro-batch",
				"Each micro-batch weighs the same, so a token in a micro-batch of short rows weighs more. "+trlShuffles),
			NeedsLengths: true,
			weigh: inTRLMicroBatches(func(b Batch, lo, hi int) weight {
				return perToken(max(b.tokens(lo, hi), 1))
			}),
		},
		{
			Entry: entry("dr_grpo", "l / (b · max_completion_length · G · P)",
				"A row weighs by its length, whatever the lengths of the others. Empty rows count in b.", estimators.Option{
					Key: trlMaxLength, Kind: estimators.Count(1), Default: "512",
					Meaning: "what a sum of tokens is divided by",
				}),
			NeedsLengths: true,
			weigh: func(dst []float64, b Batch, v estimators.Values) error {
				maxLength := float32(v.Number(trlMaxLength))
				return inTRLMicroBatches(func(_ Batch, lo, hi int) weight {
					return perToken(float32(hi-lo) * maxLength)
				})(dst, b, v)
			},
		},
	}
}

// trlBatchOptions are those of transformers' Trainer, accelerate and TRL.
func trlBatchOptions() []estimators.Option {
	return []estimators.Option{
		countOrNone(trlPerDevice, "b, rows of a micro-batch; none: the rows of the step / (S · P)"),
		{Key: trlAccumulation, Kind: estimators.Count(1), Default: "1", Meaning: "G, micro-batches of an optimizer step"},
		countOrNone(trlPerGeneration, "S, micro-batches of a generation batch; none: gradient_accumulation_steps"),
		{Key: trlProcesses, Kind: estimators.Count(1), Default: "1", Meaning: "P, processes that train side by side"},
	}
}

// trlCut is how a generation batch is cut.
type trlCut struct {
	perDevice     int     // b
	accumulation  float32 // G
	perGeneration float32 // S
	processes     float32 // P
}

func cutTRL(rows int, v estimators.Values) trlCut {
	c := trlCut{
		perDevice:     int(v.Number(trlPerDevice)),
		accumulation:  float32(v.Number(trlAccumulation)),
		perGeneration: float32(v.Number(trlPerGeneration)),
		processes:     float32(v.Number(trlProcesses)),
	}
	if c.perGeneration == 0 {
		c.perGeneration = c.accumulation
	}
	if c.perDevice == 0 {
		parts := int(c.perGeneration * c.processes)
		c.perDevice = (rows + parts - 1) / parts
	}
	return c
}

// inTRLMicroBatches returns the weights of a loss that is averaged within rows lo to hi of a
// micro-batch, then over micro-batches and processes.
func inTRLMicroBatches(within func(b Batch, lo, hi int) weight) func([]float64, Batch, estimators.Values) error {
	return func(dst []float64, b Batch, v estimators.Values) error {
		c := cutTRL(len(dst), v)
		for lo, hi := range microBatches(len(dst), c.perDevice) {
			b.set(dst, lo, hi, within(b, lo, hi).dividedBy(c.accumulation, c.processes))
		}
		return nil
	}
}

func weighTRLTokens(dst []float64, b Batch, v estimators.Values) error {
	c := cutTRL(len(dst), v)
	total := max(b.tokens(0, len(dst)), 1) / c.processes * c.accumulation / c.perGeneration
	b.setAll(dst, perToken(total).dividedBy(c.processes, 1))
	return nil
}

// swift is ms-swift's GRPO trainer.
func swift() []*Loss {
	const tokens = "T counts the tokens of the optimizer step, over all its micro-batches and processes. Micro-batches make no difference."
	const source = "modelscope/ms-swift wheel ms-swift==4.6.0 swift/rlhf_trainers/grpo_trainer.py"
	window := func(name, doc string) *Loss {
		return &Loss{Entry: entry(name, "l / T", doc+tokens), NeedsLengths: true, weigh: weighSwiftTokens}
	}
	ofGroup := &Loss{Entry: entry("real", "log(1 + Σ exp(s / τ)) over the group", "The loss compares the log-probabilities of right and wrong rows of a group.")}
	ofGroup.NotComputable = "log-probabilities: this loss gives a row no weight of its own"
	weighed := append(trlMicroBatchLosses(),
		window("dapo", ""),
		window("cispo", "Weights as dapo's; the losses of the tokens differ. "),
		window("fipo", "Weights as dapo's; the losses of the tokens differ. "),
	)
	return append(told("loss_type", source, weighed, trlBatchOptions()...), told("loss_type", source, []*Loss{ofGroup})...)
}

// weighSwiftTokens multiplies by G, since the Trainer divides by it afterwards.
func weighSwiftTokens(dst []float64, b Batch, v estimators.Values) error {
	c := cutTRL(len(dst), v)
	window := c.perDevice * int(c.accumulation*c.processes)
	for lo, hi := range microBatches(len(dst), window) {
		total := max(b.tokens(lo, hi), 1) / c.processes
		for i := lo; i < hi; i++ {
			dst[i] = float64(float32(b.length(i)) / total * c.accumulation / c.accumulation / c.processes)
		}
	}
	return nil
}

const (
	openRLHFDynamic = "train.dynamic_batch_enable"
	openRLHFMicro   = "train.micro_batch_size"
)

// openRLHF is OpenRLHF with Ray.
func openRLHF() []*Loss {
	const local = "With train.dynamic_batch_enable the average is over the optimizer step. Without, it is over each micro-batch of " +
		"train.micro_batch_size rows, and each micro-batch weighs the same: which rows share one is not in the log, and the order of the log is taken. One without a token makes the loss NaN."
	return told("actor.loss_agg_mode", "OpenRLHF/OpenRLHF wheel openrlhf==0.11.2 openrlhf/models/loss.py:aggregate_loss", []*Loss{
		{
			Entry:        entry("token-mean", "l / T", local),
			NeedsLengths: true, weigh: weighOpenRLHF(func(b Batch, lo, hi int) weight { return perToken(b.tokens(lo, hi)) }),
		},
		{
			Entry: entry("seq-mean-token-mean", "1 / N, N rows with a token", "Each row weighs the same; rows without a token do not count. "+local),
			weigh: weighOpenRLHF(func(b Batch, lo, hi int) weight { return perRow(b.rowsWithTokens(lo, hi)) }),
		},
	}, estimators.Option{
		Key: openRLHFDynamic, Kind: estimators.Switch(), Default: "false", Meaning: "average over the optimizer step",
	}, countOrNone(openRLHFMicro, "rows of a micro-batch, for the average without dynamic batches; none: all rows of the step"))
}

// weighOpenRLHF averages over the step or over micro-batches, and then over these.
func weighOpenRLHF(within func(b Batch, lo, hi int) weight) func([]float64, Batch, estimators.Values) error {
	return func(dst []float64, b Batch, v estimators.Values) error {
		rows := len(dst)
		size := int(v.Number(openRLHFMicro))
		if v.Bool(openRLHFDynamic) || size == 0 {
			size = rows
		}
		for lo, hi := range microBatches(rows, size) {
			w := within(b, lo, hi)
			if w.total == 0 {
				return ErrNaN
			}
			b.set(dst, lo, hi, w.dividedBy(float32(rows)/float32(size), 1))
		}
		return nil
	}
}

// nemoRL is NeMo-RL's clipped policy gradient.
func nemoRL() []*Loss {
	const source = "NVIDIA-NeMo/RL@7ea279abfbeb698b092856d0dab61e7cf39bc909 nemo_rl/algorithms/loss/loss_functions.py:ClippedPGLossFn, nemo_rl/algorithms/utils.py:masked_mean"
	return told("loss_fn.token_level_loss", source, []*Loss{
		{
			Entry: estimators.Entry{
				Name: "token_level", Value: "true", Formula: "l / T",
				Doc: "Each token weighs the same, so a row weighs by its length. Masked rows have no weight and do not count. Micro-batches and ranks make no difference.",
			},
			NeedsLengths: true,
			weigh:        ofStep(func(b Batch, rows int, _ estimators.Values) weight { return perToken(b.tokens(0, rows) + 1e-8) }),
		},
		{
			Entry: estimators.Entry{
				Name: "sequence_level", Value: "false", Formula: "1 / M, M rows that are not masked",
				Doc: "Each row weighs the same. A row without a token has no weight but counts in M; a masked row does not count. Micro-batches and ranks make no difference.",
			},
			weigh: ofStep(func(b Batch, rows int, _ estimators.Values) weight { return perRow(float32(rows-b.masked()) + 1e-8) }),
		},
	})
}

func (b Batch) masked() int {
	n := 0
	for _, masked := range b.Masked {
		if masked {
			n++
		}
	}
	return n
}

const primeFilter = "orchestrator.train.filter_zero_advantages"

// primeRL is prime-rl, which has one way to average.
func primeRL() []*Loss {
	const doc = "T counts the tokens that are shipped to the trainer. Rows of advantage exactly 0 are not: " +
		"the weight of every other row grows as more groups are dead. Micro-batches and ranks make no difference."
	withoutDead := estimators.Option{
		Key: primeFilter, Kind: estimators.Switch(), Default: "true", Meaning: "leave rows of advantage 0 out of the batch",
	}
	row := func(name, doc string) *Loss {
		return &Loss{Entry: entry(name, "l / T, 0 if A = 0", doc, withoutDead), NeedsLengths: true, NeedsAdvantages: true, weigh: weighPrime}
	}
	return told("trainer.loss.type",
		"PrimeIntellect-ai/prime-rl@559b44772e471d1538537b8805cc77f3824a5e64 src/prime_rl/trainer/rl/loss.py:compute_loss, src/prime_rl/orchestrator/train_sink.py:_prune_zero_advantages",
		[]*Loss{row("default", doc), row("ipo", "Weights as default's; the losses of the tokens differ. "+doc)})
}

func weighPrime(dst []float64, b Batch, v estimators.Values) error {
	if !v.Bool(primeFilter) {
		b.setAll(dst, perToken(max(b.tokens(0, len(dst)), 1)))
		return nil
	}
	var tokens int64
	for i, a := range b.Advantages {
		tokens += int64(b.length(i)) & int64(liveMask(a))
	}
	b.setAll(dst, perToken(max(float32(tokens), 1)))
	for i, a := range b.Advantages {
		dst[i] = math.Float64frombits(math.Float64bits(dst[i]) & liveMask(a))
	}
	return nil
}

func slime() []*Loss {
	const source = "THUDM/slime@624b824a898ab0ec1fcb4d373004c7f3852bf515 slime/backends/megatron_utils/cp_utils.py:get_sum_of_sample_mean, slime/backends/megatron_utils/loss.py:loss_function"
	return told("calculate_per_token_loss", source, []*Loss{
		{
			Entry: estimators.Entry{
				Name: "sample_mean", Value: "false", Formula: "l / t / R, t tokens of the rollout, R rollouts",
				Doc: "Each rollout weighs the same. Where an agent has several outputs in one rollout they share its weight by their tokens; " +
					"without rollouts in the log each row is one, and the weight is 1 / N. Masked and empty rows count in R. Micro-batches make no difference.",
			},
			weigh: weighSlimeRollouts,
		},
		{
			Entry: estimators.Entry{
				Name: "per_token", Value: "true", Formula: "l / Σ max(l, 1)",
				Doc: "Each token weighs the same. A row without a token adds 1 to what is divided by. Micro-batches make no difference.",
			},
			NeedsLengths: true, weigh: weighSlimeTokens,
		},
	})
}

func weighSlimeTokens(dst []float64, b Batch, _ estimators.Values) error {
	var total int64
	for i := range dst {
		total += max(int64(b.length(i)), 1)
	}
	b.setAll(dst, perToken(float32(total)))
	return nil
}

func weighSlimeRollouts(dst []float64, b Batch, _ estimators.Values) error {
	if b.Rollouts == nil {
		b.setAll(dst, perRow(float32(len(dst))))
		return nil
	}
	var rollouts int32
	for _, r := range b.Rollouts {
		rollouts = max(rollouts, r+1)
	}
	tokens := make([]int64, rollouts)
	for i, r := range b.Rollouts {
		tokens[r] += int64(b.length(i))
	}
	for i, r := range b.Rollouts {
		b.set(dst, i, i+1, perToken(max(float32(tokens[r]), 1)).dividedBy(float32(rollouts), 1))
	}
	return nil
}
