package analysis

import (
	"cmp"
	"context"
	"math"
	"slices"

	"vantage/model"
)

// oneStep is a step of a joined analysis. Its groups and samples are those of the joined one from group and
// sample on.
type oneStep struct {
	*Analysis
	group, sample int
}

// AnalyzeSteps computes some steps of the snapshot, given by ascending indexes, and joins them: groups,
// samples and counts are those of all of them, metrics and warnings are about all of them together. Each
// step has its own batch: its advantages are those of [Analyze]. What previous, which may be nil, has of
// the steps is reused; if nothing has changed it is returned itself. One step is not joined. It fails as
// [Analyze] does, and without steps it returns nil.
func AnalyzeSteps(ctx context.Context, snap model.Snapshot, steps []int, set model.Settings, previous *Analysis) (*Analysis, error) {
	p, err := newPlan(snap, set, previous)
	if err != nil || len(steps) == 0 {
		return nil, err
	}
	before := previous.Parts()
	all, changed := make([]*Analysis, len(steps)), len(before) != len(steps)
	for k, i := range steps {
		old := previous.Of(snap.Steps[i].Number)
		if all[k] = old; !old.matches(p, i) {
			if all[k], err = p.analyze(ctx, i, old); err != nil {
				return nil, err
			}
		}
		changed = changed || all[k] != before[k]
	}
	switch {
	case !changed:
		return previous, nil
	case len(all) == 1:
		return all[0], nil
	}
	for k, i := range steps {
		all[k] = all[k].inSnapshot(p, i)
	}
	return join(ctx, p, all)
}

// inSnapshot returns the analysis, of step i of the plan, without the older snapshot that it was computed
// from: each of many steps would keep one in memory.
func (a *Analysis) inSnapshot(p plan, i int) *Analysis {
	if a.plan.snap.Revision == p.snap.Revision && a.input.snap.Revision == p.snap.Revision {
		return a
	}
	now, in, step := *a, *a.input, *a.input.GroupedStep
	step.snap, step.step = p.snap, p.snap.Steps[i]
	in.GroupedStep = &step
	now.plan, now.input = p, &in
	if now.loss.of == a.input {
		now.loss.of = &in
	}
	return &now
}

// Parts returns the analyses of the steps, ascending: a itself if it is of one. a may be nil.
func (a *Analysis) Parts() []*Analysis {
	if a == nil {
		return nil
	}
	if a.steps == nil {
		return []*Analysis{a}
	}
	all := make([]*Analysis, len(a.steps))
	for k := range a.steps {
		all[k] = a.steps[k].Analysis
	}
	return all
}

// Last returns the analysis of the last step: a itself if it is of one.
func (a *Analysis) Last() *Analysis {
	if a.steps == nil {
		return a
	}
	return a.steps[len(a.steps)-1].Analysis
}

// SameSteps reports whether two analyses are of the same steps, in whatever revision. Either may be nil.
func (a *Analysis) SameSteps(o *Analysis) bool {
	if a == nil || o == nil {
		return a == o
	}
	return a.Step == o.Step && slices.EqualFunc(a.steps, o.steps, func(x, y oneStep) bool { return x.Step == y.Step })
}

// First returns the analysis of the first step: a itself if it is of one.
func (a *Analysis) First() *Analysis {
	if a.steps == nil {
		return a
	}
	return a.steps[0].Analysis
}

// StepCount returns how many steps a is of.
func (a *Analysis) StepCount() int { return max(1, len(a.steps)) }

// Of returns the analysis of a step, nil if there is none. a may be nil.
func (a *Analysis) Of(step int64) *Analysis {
	switch {
	case a == nil || a.steps == nil && a.Step != step:
		return nil
	case a.steps == nil:
		return a
	}
	k, found := slices.BinarySearchFunc(a.steps, step, func(p oneStep, n int64) int { return cmp.Compare(p.Step, n) })
	if !found {
		return nil
	}
	return a.steps[k].Analysis
}

// PartOf returns the analysis of the step of group g, and the index of the group there.
func (a *Analysis) PartOf(g int) (of *Analysis, group int) {
	if a.steps == nil {
		return a, g
	}
	p := a.steps[a.partIndex(func(p *oneStep) int { return p.group }, g)]
	return p.Analysis, g - p.group
}

// partOfSample is PartOf for a sample.
func (a *Analysis) partOfSample(i int) (of *Analysis, sample int) {
	if a.steps == nil {
		return a, i
	}
	p := a.steps[a.partIndex(func(p *oneStep) int { return p.sample }, i)]
	return p.Analysis, i - p.sample
}

// partIndex returns the index of the part that holds element i, given where each begins. A step without
// elements begins where the next one does: the last of these holds it.
func (a *Analysis) partIndex(begin func(*oneStep) int, i int) int {
	n, _ := slices.BinarySearchFunc(a.steps, i, func(p oneStep, i int) int {
		if begin(&p) > i {
			return 1
		}
		return -1
	})
	return n - 1
}

// join joins analyses of some steps under one plan.
func join(ctx context.Context, p plan, steps []*Analysis) (*Analysis, error) {
	last, n, groups := steps[len(steps)-1], 0, 0
	for _, s := range steps {
		n, groups = n+s.Rows, groups+s.Groups
	}
	a := newEmpty(n, groups)
	a.Settings, a.plan, a.input.snap = p.settings, p, p.snap
	a.Step, a.Revision, a.input.Step = last.Step, last.Revision, last.Step
	a.LossWeights = make([]float64, 0, n)
	if slices.ContainsFunc(steps, func(s *Analysis) bool { return s.LossWeights == nil }) {
		a.LossWeights = nil // where a step has no weights there are none
	}
	for _, s := range steps {
		a.appendStep(s)
	}
	if a.input.solveMetrics = solveRates(a.Table); a.input.solveMetrics == nil {
		a.NoSolved = last.NoSolved
	}
	if err := a.summarizeAppended(ctx); err != nil {
		return nil, err
	}
	a.Warnings = a.warnings()
	return a, nil
}

// Subset returns the summary of some groups, by index, as if the step had no others. Their advantages
// and zero standard deviations stay those within the whole step. There are no warnings, which are about whole steps.
func (a *Analysis) Subset(groups []int) Summary {
	sub := newEmpty(0, len(groups))
	sub.Step, sub.Revision, sub.Open, sub.NoSolved = a.Step, a.Revision, a.Open, a.NoSolved
	if a.LossWeights != nil && len(groups) > 0 {
		sub.LossWeights = []float64{}
	}
	for _, g := range groups {
		lo, hi := a.Table[g].Start, a.Table[g].End
		sub.appendSamples(a, lo, hi)
		sub.appendGroup(a, g, len(sub.Original)-hi)
	}
	sub.input.Columns, sub.input.groups = sub.Columns, sub.Table
	sub.input.summarize()
	_ = sub.summarizeAppended(context.Background()) // which does not end
	return sub.Summary
}

// newEmpty returns an analysis without samples, with room for n in some groups, to append others to.
func newEmpty(n, groups int) *Analysis {
	return &Analysis{
		Columns: Columns{
			InputRow: make([]int32, 0, n), Offsets: append(make([]int, 0, groups+1), 0), LoggedRewards: make([]float64, 0, n),
			Rewards: make([]float64, 0, n), LoggedAdvantages: make([]float64, 0, n), Lengths: make([]int32, 0, n),
		},
		Table: make([]Group, 0, groups), zeroStd: make([]bool, 0, groups),
		Original: make([]float64, 0, n), Keep: make([]bool, 0, n), Processed: make([]float64, 0, n),
		original: &original{rewards: make([]float64, 0, n)},
		input:    &stepInput{GroupedStep: &GroupedStep{}, key: inputKey{step: math.MinInt64}}, // no step has this key
	}
}

// appendSamples appends samples [lo, hi) of another analysis: every column with a value for each of them.
func (a *Analysis) appendSamples(s *Analysis, lo, hi int) {
	a.InputRow = append(a.InputRow, s.InputRow[lo:hi]...)
	a.LoggedRewards, a.Rewards = append(a.LoggedRewards, s.LoggedRewards[lo:hi]...), append(a.Rewards, s.Rewards[lo:hi]...)
	a.LoggedAdvantages, a.Lengths = append(a.LoggedAdvantages, s.LoggedAdvantages[lo:hi]...), append(a.Lengths, s.Lengths[lo:hi]...)
	a.Original, a.Processed = append(a.Original, s.Original[lo:hi]...), append(a.Processed, s.Processed[lo:hi]...)
	a.Keep = append(a.Keep, s.Keep[lo:hi]...)
	a.original.rewards = append(a.original.rewards, s.original.rewards[lo:hi]...)
	a.input.tokenWeights = append(a.input.tokenWeights, s.input.tokenWeights[lo:hi]...)
	if a.LossWeights != nil {
		a.LossWeights = append(a.LossWeights, s.LossWeights[lo:hi]...)
	}
}

// appendGroup appends group g of another analysis, whose samples were appended so much further on.
func (a *Analysis) appendGroup(s *Analysis, g, by int) {
	group := s.Table[g]
	group.Start, group.End = group.Start+by, group.End+by
	a.Table, a.Offsets, a.zeroStd = append(a.Table, group), append(a.Offsets, group.End), append(a.zeroStd, s.zeroStd[g])
}

// appendStep appends a step, and what the settings make of it beside advantages: what the group filter admits, and
// what the keep ratios count.
func (a *Analysis) appendStep(s *Analysis) {
	in, at := a.input, len(a.Original)
	a.steps = append(a.steps, oneStep{s, len(a.Table), at})
	a.appendSamples(s, 0, s.Rows)
	for g := range s.Table {
		a.appendGroup(s, g, at)
	}
	in.hasLengths = in.hasLengths || s.input.hasLengths
	in.length.merge(s.input.length)
	in.uncutLength.merge(s.input.uncutLength)
	in.invalid, in.missing, in.Shaped = in.invalid+s.input.invalid, in.missing+s.input.missing, in.Shaped+s.input.Shaped
	in.WhyUnshaped, a.NoLoss = cmp.Or(in.WhyUnshaped, s.input.WhyUnshaped), cmp.Or(a.NoLoss, s.NoLoss)
	a.perRollout.original = append(a.perRollout.original, s.perRollout.original...)
	a.perRollout.keep = append(a.perRollout.keep, s.perRollout.keep...)
	if of := s.admission; of != nil {
		if a.admission == nil {
			a.admission = &admission{rule: of.rule}
		}
		v := &a.admission.verdict
		v.Admitted, v.Reasons = append(v.Admitted, of.verdict.Admitted...), append(v.Reasons, of.verdict.Reasons...)
		a.admission.trains = append(a.admission.trains, of.trains...)
		a.admission.groups += of.groups
	}
}

// summarizeAppended fills in the summary of what was appended.
func (a *Analysis) summarizeAppended(ctx context.Context) error {
	a.Rows, a.Groups = len(a.Original), len(a.Table)
	a.input.Columns, a.input.blocks = a.Columns, blocksOf(a.Offsets)
	if a.LossWeights != nil {
		a.loss = newLossInput(a.input, nil)
	}
	a.sumTable()
	return a.summarize(ctx)
}
