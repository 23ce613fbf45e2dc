package lossweight

import "vantage/estimators"

// swift is ms-swift's GRPO trainer.
func swift() []*Loss {
	const tokens = "T counts the tokens of the optimizer step, over all its micro-batches and processes. Micro-batches make no difference."
	window := func(name, doc string) *Loss {
		return &Loss{
			Entry: estimators.Entry{
				Name: name, Formula: "l / T",
				Doc: doc + tokens,
			},
			NeedsLengths: true,
			weigh:        weighSwiftTokens,
		}
	}
	list := trlMicroBatchLosses()
	list = append(list,
		window("dapo", ""),
		window("cispo", "Weights as dapo's; the losses of the tokens differ. "),
		window("fipo", "Weights as dapo's; the losses of the tokens differ. "),
		&Loss{
			Entry: estimators.Entry{
				Name: "real", Formula: "log(1 + Σ exp(s / τ)) over the group",
				NotComputable: "log-probabilities: this loss gives a row no weight of its own",
				Doc:           "The loss compares the log-probabilities of right and wrong rows of a group.",
			},
		},
	)
	for _, l := range list {
		l.Key, l.Value = "loss_type", l.Name
		l.Source = "modelscope/ms-swift wheel ms-swift==4.6.0 swift/rlhf_trainers/grpo_trainer.py"
		if l.NotComputable == "" {
			l.Options = append(l.Options, trlBatchOptions()...)
		}
	}
	return list
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
