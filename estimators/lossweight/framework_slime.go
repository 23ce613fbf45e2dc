package lossweight

import "vantage/estimators"

// slime is slime with Megatron.
func slime() []*Loss {
	list := []*Loss{
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
			NeedsLengths: true,
			weigh:        weighSlimeTokens,
		},
	}
	for _, l := range list {
		l.Key = "calculate_per_token_loss"
		l.Source = "THUDM/slime@624b824a898ab0ec1fcb4d373004c7f3852bf515 slime/backends/megatron_utils/cp_utils.py:get_sum_of_sample_mean, slime/backends/megatron_utils/loss.py:loss_function"
	}
	return list
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
