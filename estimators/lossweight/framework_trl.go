package lossweight

import "vantage/estimators"

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
	list := []*Loss{
		{
			Entry: estimators.Entry{
				Name: "dapo", Formula: "l / (T · G / S)",
				Doc: tokens,
			},
			NeedsLengths: true,
			weigh:        weighTRLTokens,
		},
		{
			Entry: estimators.Entry{
				Name: "cispo", Formula: "l / (T · G / S)",
				Doc: "Weights as dapo's; the losses of the tokens differ. " + tokens,
			},
			NeedsLengths: true,
			weigh:        weighTRLTokens,
		},
		{
			Entry: estimators.Entry{
				Name: "vespo", Formula: "l / (T · G / S)",
				Doc: "Weights as dapo's; the losses of the tokens differ. " + tokens,
			},
			NeedsLengths: true,
			weigh:        weighTRLTokens,
		},
		{
			Entry: estimators.Entry{
				Name: "luspo", Formula: "l / (b · G · P)",
				Doc: "b rows are a micro-batch, G of them an optimizer step on each of P processes; empty rows count in b. A row weighs by its length, whatever the lengths of the others.",
			},
			NeedsLengths: true,
			weigh:        inTRLMicroBatches(func(_ Batch, lo, hi int) weight { return perToken(float32(hi - lo)) }),
		},
	}
	list = append(list, trlMicroBatchLosses()...)
	for _, l := range list {
		l.Key, l.Value = "loss_type", l.Name
		l.Source = "huggingface/trl wheel trl==1.16.0 trl/trainer/grpo_trainer.py:_compute_loss"
		l.Options = append(l.Options, trlBatchOptions()...)
	}
	return list
}

// trlMicroBatchLosses are the losses that TRL and ms-swift average in the same way within a micro-batch.
func trlMicroBatchLosses() []*Loss {
	const each = "Each row of the step weighs the same, so a token of a long row weighs less. Empty rows have no weight and count in b. "
	rowMean := inTRLMicroBatches(func(_ Batch, lo, hi int) weight { return perRow(float32(hi - lo)) })
	return []*Loss{
		{
			Entry: estimators.Entry{
				Name: "grpo", Formula: "1 / (b · G · P)",
				Doc: each + "b rows are a micro-batch, G of them an optimizer step on each of P processes.",
			},
			weigh: rowMean,
		},
		{
			Entry: estimators.Entry{
				Name: "sapo", Formula: "1 / (b · G · P)",
				Doc: "Weights as grpo's; the losses of the tokens differ. " + each,
			},
			weigh: rowMean,
		},
		{
			Entry: estimators.Entry{
				Name: "bnpo", Formula: "l / (t · G · P), t tokens of the row's micro-batch",
				Doc: "Each micro-batch weighs the same, so a token in a micro-batch of short rows weighs more. " + trlShuffles,
			},
			NeedsLengths: true,
			weigh: inTRLMicroBatches(func(b Batch, lo, hi int) weight {
				return perToken(max(b.tokens(lo, hi), 1))
			}),
		},
		{
			Entry: estimators.Entry{
				Name: "dr_grpo", Formula: "l / (b · max_completion_length · G · P)",
				Doc: "A row weighs by its length, whatever the lengths of the others. Empty rows count in b.",
				Options: []estimators.Option{{
					Key: trlMaxLength, Kind: estimators.Count(1), Default: "512",
					Meaning: "what a sum of tokens is divided by",
				}},
			},
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
		{
			Key: trlPerDevice, Kind: estimators.OrNone(estimators.Count(1)), Default: "none",
			Meaning: "b, rows of a micro-batch; none: the rows of the step / (S · P)",
		},
		{
			Key: trlAccumulation, Kind: estimators.Count(1), Default: "1",
			Meaning: "G, micro-batches of an optimizer step",
		},
		{
			Key: trlPerGeneration, Kind: estimators.OrNone(estimators.Count(1)), Default: "none",
			Meaning: "S, micro-batches of a generation batch; none: gradient_accumulation_steps",
		},
		{
			Key: trlProcesses, Kind: estimators.Count(1), Default: "1",
			Meaning: "P, processes that train side by side",
		},
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
