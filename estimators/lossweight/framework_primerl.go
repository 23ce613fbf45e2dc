package lossweight

import (
	"math"

	"vantage/estimators"
)

const primeFilter = "orchestrator.train.filter_zero_advantages"

// primeRL is prime-rl, which has one way to average.
func primeRL() []*Loss {
	const doc = "T counts the tokens that are shipped to the trainer. Rows of advantage exactly 0 are not: " +
		"the weight of every other row grows as more groups are dead. Micro-batches and ranks make no difference."
	list := []*Loss{
		{
			Entry: estimators.Entry{
				Name: "default",
				Doc:  doc,
			},
		},
		{
			Entry: estimators.Entry{
				Name: "ipo",
				Doc:  "Weights as default's; the losses of the tokens differ. " + doc,
			},
		},
	}
	for _, l := range list {
		l.Key, l.Value = "trainer.loss.type", l.Name
		l.Formula = "l / T, 0 if A = 0"
		l.NeedsLengths, l.NeedsAdvantages = true, true
		l.Options = []estimators.Option{{
			Key: primeFilter, Kind: estimators.Switch(), Default: "true",
			Meaning: "leave rows of advantage 0 out of the batch",
		}}
		l.Source = "PrimeIntellect-ai/prime-rl@559b44772e471d1538537b8805cc77f3824a5e64 src/prime_rl/trainer/rl/loss.py:compute_loss, src/prime_rl/orchestrator/train_sink.py:_prune_zero_advantages"
		l.weigh = weighPrime
	}
	return list
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
