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
const trlShuffles = "TRL shuffles the rows of a generation batch before it cuts them: which rows share a micro-batch is not in the log, " +
	"and the order of the log is taken."

func trl() []*Loss {
	const tokens = "G is gradient_accumulation_steps, S steps_per_generation, equal unless set. T counts the tokens of the whole " +
		"generation batch, over all processes: an optimizer step whose rows are long weighs more. Micro-batches make no difference."
	window := func(name, doc string) *Loss {
		return byTokens(entry(name, "l / (T · G / S)", doc+tokens), weighTRLTokens)
	}
	list := append([]*Loss{
		window("dapo", ""),
		window("cispo", "Weights as dapo's; the losses of the tokens differ. "),
		window("vespo", "Weights as dapo's; the losses of the tokens differ. "),
		byTokens(entry("luspo", "l / (b · G · P)", "b rows are a micro-batch, G of them an optimizer step on each of P processes; empty "+
			"rows count in b. A row weighs by its length, whatever the lengths of the others."), inMicroBatches(cutOfTRL, perToken(rows))),
	}, trlMicroBatchLosses()...)
	return told("loss_type", "huggingface/trl wheel trl==1.16.0 trl/trainer/grpo_trainer.py:_compute_loss", list, trlBatchOptions()...)
}

// trlMicroBatchLosses are the losses that TRL and ms-swift average in the same way within a micro-batch.
func trlMicroBatchLosses() []*Loss {
	const each = "Each row of the step weighs the same, so a token of a long row weighs less. Empty rows have no weight and count in b. "
	return []*Loss{
		byRows(entry("grpo", "1 / (b · G · P)", each+"b rows are a micro-batch, G of them an optimizer step on each of P processes."),
			inMicroBatches(cutOfTRL, perRow(rows))),
		byRows(entry("sapo", "1 / (b · G · P)", "Weights as grpo's; the losses of the tokens differ. "+each),
			inMicroBatches(cutOfTRL, perRow(rows))),
		byTokens(entry("bnpo", "l / (t · G · P), t tokens of the row's micro-batch",
			"Each micro-batch weighs the same, so a token in a micro-batch of short rows weighs more. "+trlShuffles),
			inMicroBatches(cutOfTRL, perToken(atLeastOne(tokens)))),
		byTokens(entry("dr_grpo", "l / (b · max_completion_length · G · P)",
			"A row weighs by its length, whatever the lengths of the others. Empty rows count in b.", estimators.Count(1).
				Option(trlMaxLength, "512",
					"what a sum of tokens is divided by")),
			func(dst []float64, b Batch, v estimators.Values) error {
				maxLength := float32(v.Number(trlMaxLength))
				total := func(_ Batch, lo, hi int, _ estimators.Values) float32 { return float32(hi-lo) * maxLength }
				return inMicroBatches(cutOfTRL, perToken(total))(dst, b, v)
			}),
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

// cutOfTRL cuts into micro-batches, over which and over processes TRL averages.
func cutOfTRL(rows int, v estimators.Values) (size int, then, last float32) {
	c := cutTRL(rows, v)
	return c.perDevice, c.accumulation, c.processes
}

func weighTRLTokens(dst []float64, b Batch, v estimators.Values) error {
	c := cutTRL(len(dst), v)
	total := max(b.tokens(0, len(dst)), 1) / c.processes * c.accumulation / c.perGeneration
	b.set(dst, 0, len(dst), weightOf(total).dividedBy(c.processes, 1))
	return nil
}

func swift() []*Loss {
	const tokens = "T counts the tokens of the optimizer step, over all its micro-batches and processes. Micro-batches make no difference."
	const source = "modelscope/ms-swift wheel ms-swift==4.6.0 swift/rlhf_trainers/grpo_trainer.py"
	window := func(name, doc string) *Loss { return byTokens(entry(name, "l / T", doc+tokens), weighSwiftTokens) }
	ofGroup := byRows(entry("real", "log(1 + Σ exp(s / τ)) over the group", "The loss compares the log-probabilities of right and wrong "+
		"rows of a group."), nil)
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

func openRLHF() []*Loss {
	const local = "With train.dynamic_batch_enable the average is over the optimizer step. Without, it is over each micro-batch of " +
		"train.micro_batch_size rows, and each micro-batch weighs the same: the log doesn't record them, so vantage assumes log order. A " +
		"micro-batch with no tokens makes the loss NaN."
	return told("actor.loss_agg_mode", "OpenRLHF/OpenRLHF wheel openrlhf==0.11.2 openrlhf/models/loss.py:aggregate_loss", []*Loss{
		byTokens(entry("token-mean", "l / T", local), inMicroBatches(cutOpenRLHF, perToken(tokens))),
		byRows(entry("seq-mean-token-mean", "1 / N, N rows with a token", "Each row weighs the same; rows without a token do not count. "+
			local),
			inMicroBatches(cutOpenRLHF, perRow(rowsWithTokens))),
	}, estimators.Switch().Option(openRLHFDynamic, "false",
		"average over the optimizer step"),
		countOrNone(openRLHFMicro, "rows of a micro-batch, for the average without dynamic batches; none: all rows of the step"))
}

// cutOpenRLHF averages over the step or over micro-batches, and then over these.
func cutOpenRLHF(rows int, v estimators.Values) (size int, then, last float32) {
	if size = int(v.Number(openRLHFMicro)); v.Bool(openRLHFDynamic) || size == 0 {
		size = rows
	}
	return size, float32(rows) / float32(size), 1
}

func nemoRL() []*Loss {
	const source = "NVIDIA-NeMo/RL@7ea279abfbeb698b092856d0dab61e7cf39bc909 nemo_rl/algorithms/loss/loss_functions.py:ClippedPGLossFn, " +
		"nemo_rl/algorithms/utils.py:masked_mean"
	notMasked := func(b Batch, lo, hi int, _ estimators.Values) float32 {
		n := hi - lo
		for _, masked := range b.Masked {
			if masked {
				n--
			}
		}
		return float32(n)
	}
	return told("loss_fn.token_level_loss", source, []*Loss{
		byTokens(switched("token_level", "true", "l / T",
			"Each token weighs the same, so a row weighs by its length. Masked rows have no weight and do not count. Micro-batches and "+
				"ranks make no difference."),
			ofStep(perToken(plus(tokens, 1e-8)))),
		byRows(switched("sequence_level", "false", "1 / M, M rows that are not masked",
			"Each row weighs the same. A row without a token has no weight but counts in M; a masked row does not count. Micro-batches "+
				"and ranks make no difference."),
			ofStep(perRow(plus(notMasked, 1e-8)))),
	})
}

const primeFilter = "orchestrator.train.filter_zero_advantages"

// primeRL is prime-rl, which has one way to average.
func primeRL() []*Loss {
	const doc = "T counts the tokens that are shipped to the trainer. Rows of advantage exactly 0 are not: " +
		"the weight of every other row grows as more groups are dead. Micro-batches and ranks make no difference."
	withoutDead := estimators.Switch().Option(primeFilter, "true", "leave rows of advantage 0 out of the batch")
	row := func(name, doc string) *Loss {
		l := byTokens(entry(name, "l / T, 0 if A = 0", doc, withoutDead), weighPrime)
		l.NeedsAdvantages = true
		return l
	}
	return told("trainer.loss.type",
		"PrimeIntellect-ai/prime-rl@559b44772e471d1538537b8805cc77f3824a5e64 src/prime_rl/trainer/rl/loss.py:compute_loss, "+
			"src/prime_rl/orchestrator/train_sink.py:_prune_zero_advantages",
		[]*Loss{row("default", doc), row("ipo", "Weights as default's; the losses of the tokens differ. "+doc)})
}

func weighPrime(dst []float64, b Batch, v estimators.Values) error {
	if !v.Bool(primeFilter) {
		return ofStep(perToken(atLeastOne(tokens)))(dst, b, v)
	}
	var live int64
	for i, a := range b.Advantages {
		live += int64(b.length(i)) & int64(liveMask(a))
	}
	b.set(dst, 0, len(dst), weightOf(max(float32(live), 1)))
	for i, a := range b.Advantages {
		dst[i] = math.Float64frombits(math.Float64bits(dst[i]) & liveMask(a))
	}
	return nil
}

func slime() []*Loss {
	const source = "THUDM/slime@624b824a898ab0ec1fcb4d373004c7f3852bf515 " +
		"slime/backends/megatron_utils/cp_utils.py:get_sum_of_sample_mean, slime/backends/megatron_utils/loss.py:loss_function"
	someTokens := func(b Batch, lo, hi int, _ estimators.Values) float32 {
		var total int64
		for i := lo; i < hi; i++ {
			total += max(int64(b.length(i)), 1)
		}
		return float32(total)
	}
	return told("calculate_per_token_loss", source, []*Loss{
		byRows(switched("sample_mean", "false", "l / t / R, t tokens of the rollout, R rollouts",
			"Each rollout weighs the same. Where an agent has several outputs in one rollout they share its weight by their tokens; "+
				"without rollouts in the log each row is one, and the weight is 1 / N. Masked and empty rows count in R. Micro-batches "+
				"make no difference."),
			weighSlimeRollouts),
		byTokens(switched("per_token", "true", "l / Σ max(l, 1)",
			"Each token weighs the same. A row without a token adds 1 to the divisor. Micro-batches make no difference."),
			ofStep(perToken(someTokens))),
	})
}

func weighSlimeRollouts(dst []float64, b Batch, v estimators.Values) error {
	if b.Rollouts == nil {
		return ofStep(perRow(rows))(dst, b, v)
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
		b.set(dst, i, i+1, weightOf(max(float32(tokens[r]), 1)).dividedBy(float32(rollouts), 1))
	}
	return nil
}
