package analysis

import (
	"slices"

	"vantage/estimators"
	"vantage/model"
)

// rollouts say which samples of a step are outputs of one rollout, where some rollouts have several.
// An estimator that knows rollouts gets one reward of each, that of its last output, and all outputs
// get the advantage. Nil stands for one sample per rollout.
type rollouts struct {
	offsets []int   // rollouts of group g are [offsets[g]:offsets[g+1]]
	last    []int32 // of each rollout: the sample that is its last output
	of      []int32 // of each sample: its rollout, -1 if the estimator gets none of it
}

// newRollouts finds the rollouts of the samples of a step, sorted into groups. firstOutputs are those
// of the step's rows. Outputs of a rollout in different groups are taken for rollouts of their own.
func newRollouts(firstOutputs, inputRow []int32, offsets []int) *rollouts {
	if firstOutputs == nil {
		return nil
	}
	r := &rollouts{offsets: make([]int, 1, len(offsets)), of: make([]int32, len(inputRow))}
	numbers := make([]int, len(firstOutputs)) // of rollouts, from 1, by the row of their first output
	for g := 1; g < len(offsets); g++ {
		for i := offsets[g-1]; i < offsets[g]; i++ {
			number := &numbers[firstOutputs[inputRow[i]]]
			if *number <= r.offsets[g-1] { // none of this group
				r.last = append(r.last, 0)
				*number = len(r.last)
			}
			r.last[*number-1], r.of[i] = int32(i), int32(*number-1)
		}
		r.offsets = append(r.offsets, len(r.last))
	}
	return r
}

// countedBy returns what an estimator counts of the step: nil if it gets every sample. Of a group whose samples all failed it gets
// them all.
func (g *GroupedStep) countedBy(e *estimators.Estimator) *rollouts {
	r := g.rollouts
	if getsEachOutput(e) {
		r = nil
	}
	if g.without == nil {
		return r
	}
	counted, numbers := &rollouts{offsets: make([]int, 1, len(g.Offsets)), of: slices.Repeat([]int32{-1}, len(g.InputRow))}, []int32(nil)
	samples := lastOf(r, g.snap.InputOrder(len(g.InputRow)))
	for k := range len(g.Offsets) - 1 {
		lo, hi := r.ofGroup(k, g.Offsets)
		all := !slices.ContainsFunc(samples[lo:hi], func(i int32) bool { return !g.without[i] })
		for _, i := range samples[lo:hi] {
			number := int32(-1)
			if all || !g.without[i] {
				number = int32(len(counted.last))
				counted.last = append(counted.last, i)
			}
			numbers = append(numbers, number)
		}
		counted.offsets = append(counted.offsets, len(counted.last))
	}
	if r == nil {
		counted.of = numbers
		return counted
	}
	for i, k := range r.of {
		counted.of[i] = numbers[k]
	}
	return counted
}

func getsEachOutput(e *estimators.Estimator) bool {
	return e.Outputs == estimators.EachOutput || e.Outputs == estimators.ByRollout
}

// ofGroup returns which rollouts, or samples, are those of group k of a step with these offsets.
func (r *rollouts) ofGroup(k int, offsets []int) (lo, hi int) {
	if r != nil {
		offsets = r.offsets
	}
	return offsets[k], offsets[k+1]
}

// sample is what is counted as the i-th: a sample, or the last of a rollout.
func (r *rollouts) sample(i int) int {
	if r == nil {
		return i
	}
	return int(r.last[i])
}

// lastOf returns the samples that are the last of their rollouts; nil of nil.
func lastOf[T any](r *rollouts, samples []T) []T {
	if r == nil {
		return samples
	}
	return model.Pick(samples, r.last)
}

func toOutputs[T any](r *rollouts, values []T) []T {
	if r == nil {
		return values
	}
	samples := make([]T, len(r.of))
	for i, k := range r.of {
		if k >= 0 {
			samples[i] = values[k]
		}
	}
	return samples
}

// lengths returns the sum of the known lengths of each rollout, -1 if none is known.
func (r *rollouts) lengths(samples []int32) []int32 {
	if r == nil {
		return samples
	}
	sums := slices.Repeat([]int32{-1}, len(r.last))
	for i, k := range r.of {
		if l := samples[i]; l >= 0 && k >= 0 {
			sums[k] = max(0, sums[k]) + l
		}
	}
	return sums
}

// CountsRollouts reports whether the estimator counts rollouts, of which some have several samples.
func (a *Analysis) CountsRollouts() bool {
	counts := func(a *Analysis) bool { return a.grouped.rollouts != nil && a.shaped.countedRollouts != nil }
	return counts(a) || slices.ContainsFunc(a.steps, func(p oneStep) bool { return counts(p.Analysis) })
}

// CountedRows returns how many rows of a group the estimator counts, or the rollout of which it counts: all but those that count in
// no mean.
func (a *Analysis) CountedRows(g *Group) int {
	n := g.Size()
	if r := a.shaped.countedRollouts; r != nil {
		for _, k := range r.of[g.Start:g.End] {
			n -= model.Count01(k < 0)
		}
	}
	return n
}

// ByRollout returns the analysis with one sample for each rollout that the estimator counts, the last
// output, and without metrics and warnings: a itself if that is each sample.
func (a *Analysis) ByRollout() *Analysis {
	r := a.shaped.countedRollouts
	if r == nil {
		return a
	}
	by := *a
	by.Unfiltered, by.Processed, by.Keep = a.unfiltered.advantages, a.recomputed.advantages, a.kept.counted
	if c := &a.corrected; c.judgements != nil {
		by.Processed, by.Keep = lastOf(r, a.Processed), lastOf(r, a.Keep)
		by.corrected.before, by.corrected.keptBefore, by.corrected.judgements = lastOf(r, c.before), lastOf(r, c.keptBefore),
			lastOf(r, c.judgements)
	}
	by.Columns = Columns{
		InputRow: lastOf(r, a.InputRow), Offsets: r.offsets, LoggedRewards: lastOf(r, a.LoggedRewards), Rewards: lastOf(r, a.Rewards),
		LoggedAdvantages: lastOf(r, a.LoggedAdvantages), Lengths: r.lengths(a.Lengths), Status: lastOf(r, a.Status),
	}
	by.Rows, by.Metrics, by.Warnings = len(r.last), nil, nil
	by.Table = slices.Clone(a.Table)
	for k := range by.Table {
		g := &by.Table[k]
		g.Start, g.End = r.offsets[k], r.offsets[k+1]
		by.countSamples(g)
	}
	by.shaped.countedRollouts = nil
	return &by
}

// RolloutOf returns the rollout of sample i of a group, from 0 within the group, and whether the sample
// is its last output; ok is false if no rollout of the step has several outputs.
func (a *Analysis) RolloutOf(g *Group, i int) (rollout int, last, ok bool) {
	of, first := a, g.Start
	if a.steps != nil {
		s := a.steps[a.stepIndex(func(p *oneStep) int { return p.sample }, g.Start)]
		of, first = s.Analysis, g.Start-s.sample
	}
	r := of.grouped.rollouts
	if r == nil {
		return 0, false, false
	}
	i -= g.Start - first
	k := r.of[i]
	return int(k - r.of[first]), int(r.last[k]) == i, true
}
