package compare

import (
	"cmp"
	"context"
	"slices"

	"vantage/model"
	"vantage/model/analysis"
)

// Answer is a sample of a prompt.
type Answer struct {
	Step     int64
	Revision int // of the step
	Place    model.Place
	Reward   float64
	Length   int32 // -1 if unknown
}

// Answers returns the samples of a prompt, given by its hash, in the steps that other has too: the best
// reward first, those without a finite one last, else in the order of the log. It fails as [Runs] does.
func Answers(ctx context.Context, run Run, other model.Snapshot, hash uint64) ([]Answer, error) {
	snap := run.Snap.Only(sharedSteps(run.Snap, other))
	var all []Answer
	err := analysis.EachPromptReward(ctx, snap, run.Set, func(p analysis.PromptReward) {
		if snap.Prompt(p.Prompt).Hash == hash {
			step := snap.Steps[p.Step]
			all = append(all, Answer{step.Number, step.Revision, step.Place(p.Row), p.Reward, step.Lengths[p.Row]})
		}
	})
	slices.SortStableFunc(all, func(a, b Answer) int { return cmp.Compare(rank(b), rank(a)) })
	return all, err
}

// rank is the reward, and NaN, which is less than all numbers, for one that is not finite.
func rank(a Answer) float64 { return a.Reward + 0*a.Reward }
