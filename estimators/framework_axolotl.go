package estimators

// axolotl is axolotl's asynchronous GRPO, which is TRL's before it took samples without a score out.
func axolotl() []*Estimator {
	const (
		source = "axolotl-ai-cloud/axolotl@v0.21.0 axolotl/core/trainers/grpo/async_trainer.py:AsyncGRPOTrainer"
		doc    = "A reward without a score (NaN) counts as 0. Groups of different sizes raise RuntimeError."
	)
	scale := scaleRewards("Invalid scale_rewards: %s", ScaleGroup, ScaleBatch, ScaleNone)
	aggregation := trlAggregationOption()
	aggregation.Refusal = "Invalid multi_objective_aggregation: %s"
	return []*Estimator{
		{
			Entry: Entry{
				Name: "grpo", Formula: "A = (r − μ) / (s + 1e-4), s of the group or of the batch; none: r − μ", Source: source,
				Doc:     "s has ddof 1. A single-sample group gets 0. Equal rewards give 0 or float32 rounding error over s + 1e-4. " + doc,
				Options: []Option{scale, aggregation},
			},
			Scales: []Scale{ScaleGroup, ScaleBatch, ScaleNone}, ScaleError: "Invalid scale_rewards: %s", CanFilter: true,
			Clean: cleanNaNToZero, zeroStd: zeroStdOfScale(torchStd),
			Advantage: refuseRagged(groupwise{eps: trlEps, ofOne: oneStd0, asMatrix: true}.advantages),
		},
		{
			Entry: Entry{
				Name:    "grpo_normalize_then_sum",
				Formula: "z = Σ_k w_k · (r_k − μ_k) / (s_k + 1e-4); A = (z − mean z) / (s_z + 1e-4)", Source: source,
				Doc: "A single-sample group gets 0. scale_rewards is ignored. ddof 1 twice, the second time over the batch. A sample without " +
					"any score counts as z = 0. Groups of different sizes raise RuntimeError.",
				Options: []Option{aggregation},
			},
			Scales: []Scale{ScaleGroup}, DependsOnBatch: true, CanFilter: true, Needs: Needs{Components: true},
			Clean: cleanNaNToZero, zeroStd: gdpo{eps: trlEps}.zeroStd,
			Advantage: refuseRagged(gdpo{eps: trlEps}.advantages),
		},
	}
}
