package analysis

import (
	"cmp"
	"context"
	"slices"

	"vantage/model"
)

// PromptMean is the mean reward of a prompt over all steps of a run.
type PromptMean struct {
	Hash       uint64 // of prompt and ground truth: the same in every run
	Preview    string
	Samples    int     // samples with a finite reward, of a rollout the last
	RewardMean float64 // of these rewards
}

// PromptMeans are the prompts of a run, sorted by hash, with the rewards that the settings choose. It
// fails if some rows have no prompt, if the log has no such reward, or if ctx ends.
func PromptMeans(ctx context.Context, snap model.Snapshot, set model.Settings) ([]PromptMean, error) {
	set.GroupBy, set.NumGenerations, set.Proved = model.GroupByPrompt, 0, model.ProvedGroups{}
	if _, err := snap.Grouping(set); err != nil {
		return nil, err
	}
	sums := make([]float64, snap.PromptCount())
	counts := make([]int, snap.PromptCount())
	for _, step := range snap.Steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rewards, err := snap.Rewards(step, model.InputOrder(len(step.Rewards)), set)
		if err != nil {
			return nil, err
		}
		for row, r := range rewards {
			first, last := step.CountedAs(row)
			if k := step.PromptNumber(first); last && k > 0 && isFinite(r) {
				sums[k-1] += r
				counts[k-1]++
			}
		}
	}
	var all []PromptMean
	for k, n := range counts {
		if n > 0 {
			p := snap.Prompt(uint32(k + 1))
			all = append(all, PromptMean{p.Hash, p.Preview, n, sums[k] / float64(n)})
		}
	}
	slices.SortFunc(all, func(a, b PromptMean) int { return cmp.Compare(a.Hash, b.Hash) })
	return all, nil
}
