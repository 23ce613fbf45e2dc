package analysis

import "context"

// Subset returns the summary of some groups, by index, as if the step had no others. Their advantages
// and zero standard deviations stay those within the whole step. There are no warnings, which are about whole steps.
func (a *Analysis) Subset(groups []int) Summary {
	in := &stepInput{GroupedStep: &GroupedStep{Columns: Columns{Offsets: []int{0}}}, key: a.input.key}
	sub := &Analysis{Summary: Summary{Step: a.Step, Revision: a.Revision, Open: a.Open, Groups: len(groups), NoSolved: a.NoSolved}, input: in, original: &original{}}
	for _, g := range groups {
		row := a.Table[g]
		lo, hi := row.Start, row.End
		in.Lengths = append(in.Lengths, a.Lengths[lo:hi]...)
		in.LoggedRewards = append(in.LoggedRewards, a.LoggedRewards[lo:hi]...)
		in.Rewards = append(in.Rewards, a.Rewards[lo:hi]...)
		sub.original.rewards = append(sub.original.rewards, a.original.rewards[lo:hi]...)
		sub.Original = append(sub.Original, a.Original[lo:hi]...)
		sub.zeroStd = append(sub.zeroStd, a.zeroStd[g])
		sub.Keep = append(sub.Keep, a.Keep[lo:hi]...)
		sub.Processed = append(sub.Processed, a.Processed[lo:hi]...)
		if a.LossWeights != nil {
			sub.LossWeights = append(sub.LossWeights, a.LossWeights[lo:hi]...)
		}
		row.Start, row.End = len(in.Lengths)-(hi-lo), len(in.Lengths)
		in.groups, in.Offsets = append(in.groups, row), append(in.Offsets, row.End)
	}
	sub.Rows, sub.Columns, sub.Table = len(in.Lengths), in.Columns, in.groups
	in.blocks = blocksOf(in.Offsets)
	in.summarize()
	sub.sumTable()
	sub.stats = sub.sum(context.Background())
	if sub.LossWeights != nil {
		sub.loss = newLossInput(in, nil)
		sub.sumMass(context.Background())
	}
	sub.Metrics = sub.metrics()
	return sub.Summary
}
