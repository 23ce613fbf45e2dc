package analysis

import (
	"slices"

	"vantage/estimators"
)

// rollouts say which samples of a step are outputs of one rollout, where some rollouts have several.
// An estimator that knows rollouts gets one reward of each, that of its last output, and all outputs
// get the advantage. Nil stands for one sample per rollout.
type rollouts struct {
	offsets []int   // rollouts of group g are [offsets[g]:offsets[g+1]]
	last    []int32 // of each rollout: the sample that is its last output
	of      []int32 // of each sample: its rollout
}

// newRollouts finds the rollouts of the samples of a step, sorted into groups. firstOutputs are those
// of the step's rows. Outputs of a rollout in different groups are taken for rollouts of their own.
func newRollouts(firstOutputs, inputRow []int32, offsets []int) *rollouts {
	if firstOutputs == nil {
		return nil
	}
	r := &rollouts{offsets: make([]int, 1, len(offsets)), of: make([]int32, len(inputRow))}
	for g := 1; g < len(offsets); g++ {
		for i := offsets[g-1]; i < offsets[g]; i++ {
			if i > offsets[g-1] && firstOutputs[inputRow[i]] == firstOutputs[inputRow[i-1]] {
				r.last[len(r.last)-1] = int32(i)
			} else {
				r.last = append(r.last, int32(i))
			}
			r.of[i] = int32(len(r.last) - 1)
		}
		r.offsets = append(r.offsets, len(r.last))
	}
	return r
}

// countedBy returns the rollouts as an estimator counts them: nil if it gets every sample.
func (r *rollouts) countedBy(e *estimators.Estimator) *rollouts {
	if getsEachOutput(e) {
		return nil
	}
	return r
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

// lastOf returns the value of the last output of each rollout.
func lastOf[T any](r *rollouts, samples []T) []T {
	if r == nil {
		return samples
	}
	values := make([]T, len(r.last))
	for k, i := range r.last {
		values[k] = samples[i]
	}
	return values
}

// toOutputs returns the value of each sample's rollout.
func toOutputs[T any](r *rollouts, values []T) []T {
	if r == nil {
		return values
	}
	samples := make([]T, len(r.of))
	for i, k := range r.of {
		samples[i] = values[k]
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
		if l := samples[i]; l >= 0 {
			sums[k] = max(0, sums[k]) + l
		}
	}
	return sums
}

// perRollout is the advantages and what the filter makes of them, by rollout: what the estimator counts.
// Without rollouts of several samples they are those of the Analysis.
type perRollout struct {
	original, processed []float64
	keep                []bool
}

// CountsRollouts reports whether the estimator counts rollouts, of which some have several samples.
func (a *Analysis) CountsRollouts() bool {
	return a.input.countedRollouts != nil || slices.ContainsFunc(a.steps, func(p oneStep) bool { return p.input.countedRollouts != nil })
}

// ByRollout returns the analysis with one sample for each rollout that the estimator counts, the last
// output, and without metrics and warnings: a itself if that is each sample.
func (a *Analysis) ByRollout() *Analysis {
	r := a.input.countedRollouts
	if r == nil {
		return a
	}
	by := *a
	by.Original, by.Processed, by.Keep = a.perRollout.original, a.perRollout.processed, a.perRollout.keep
	by.Columns = Columns{
		InputRow: lastOf(r, a.InputRow), Offsets: r.offsets, LoggedRewards: lastOf(r, a.LoggedRewards), Rewards: lastOf(r, a.Rewards),
		LoggedAdvantages: lastOf(r, a.LoggedAdvantages), Lengths: r.lengths(a.Lengths),
	}
	by.Rows, by.Metrics, by.Warnings = len(r.last), nil, nil
	by.Table = slices.Clone(a.Table)
	for k := range by.Table {
		g := &by.Table[k]
		g.Start, g.End = r.offsets[k], r.offsets[k+1]
		by.countSamples(g)
	}
	in := *a.input
	in.countedRollouts, by.input = nil, &in
	return &by
}

// RolloutOf returns the rollout of sample i of a group, from 0 within the group, and whether the sample
// is its last output; ok is false if no rollout of the step has several outputs.
func (a *Analysis) RolloutOf(g *Group, i int) (rollout int, last, ok bool) {
	of, first := a.partOfSample(g.Start)
	r := of.input.rollouts
	if r == nil {
		return 0, false, false
	}
	i -= g.Start - first
	k := r.of[i]
	return int(k - r.of[first]), int(r.last[k]) == i, true
}
