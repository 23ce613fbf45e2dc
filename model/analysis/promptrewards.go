package analysis

import (
	"context"

	"vantage/model"
)

// PromptReward is a sample of a prompt with the reward that counts.
type PromptReward struct {
	Step   int // index in the snapshot
	Row    int // of the step, in input order: the last row of its rollout
	Prompt uint32
	Reward float64 // under the settings; it may not be finite
}

// EachPromptReward calls f with each sample that has a prompt, by step and row; a rollout of several rows
// is one sample. It fails if some rows have no prompt, if the log has no such reward, or if ctx ends.
func EachPromptReward(ctx context.Context, snap model.Snapshot, set model.Settings, f func(PromptReward)) error {
	set.GroupBy, set.NumGenerations, set.Proved = model.GroupByPrompt, 0, model.ProvedGroups{}
	if _, err := snap.Grouping(set); err != nil {
		return err
	}
	for i, step := range snap.Steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		rewards, err := snap.Rewards(step, model.InputOrder(len(step.Rewards)), set)
		if err != nil {
			return err
		}
		for row, r := range rewards {
			first, last := step.CountedAs(row)
			if k := step.PromptNumber(first); last && k > 0 {
				f(PromptReward{Step: i, Row: row, Prompt: k, Reward: r})
			}
		}
	}
	return nil
}
