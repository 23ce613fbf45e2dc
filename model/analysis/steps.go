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
		if all[k], err = p.analyze(ctx, i, previous.Of(snap.Steps[i].Number), nil); err != nil {
			return nil, err
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
func (a *Analysis) inSnapshot(p *plan, i int) *Analysis {
	if a.plan.snap.Revision == p.snap.Revision && a.grouped.snap.Revision == p.snap.Revision {
		return a
	}
	now := *a
	now.plan, now.index = p, i
	now.grouped.snap, now.grouped.step = &p.snap, p.snap.Steps[i]
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
	return model.Mapped(a.steps, func(p oneStep) *Analysis { return p.Analysis })
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
	p := a.steps[a.stepIndex(func(p *oneStep) int { return p.group }, g)]
	return p.Analysis, g - p.group
}

// stepIndex returns the index of the step that holds element i, given where each begins. A step without
// elements begins where the next one does: the last of these holds it.
func (a *Analysis) stepIndex(begin func(*oneStep) int, i int) int {
	n, _ := slices.BinarySearchFunc(a.steps, i, func(p oneStep, i int) int {
		if begin(&p) > i {
			return 1
		}
		return -1
	})
	return n - 1
}

func join(ctx context.Context, p *plan, steps []*Analysis) (*Analysis, error) {
	last, n, groups := steps[len(steps)-1], 0, 0
	for _, s := range steps {
		n, groups = n+s.Rows, groups+s.Groups
	}
	a := newEmpty(n, groups)
	a.Settings, a.plan, a.grouped.snap = p.settings, p, &p.snap
	a.Step, a.Revision, a.grouped.Step = last.Step, last.Revision, last.Step
	a.LossWeights = make([]float64, 0, n)
	if slices.ContainsFunc(steps, func(s *Analysis) bool { return s.LossWeights == nil }) {
		a.LossWeights = nil // where a step has no weights there are none
	}
	for _, s := range steps {
		a.appendStep(s)
	}
	if a.shaped.solveMetrics = solveRates(a.Table); a.shaped.solveMetrics == nil {
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
func (a *Analysis) Subset(groups []int) StepFigures {
	sub := newEmpty(0, len(groups))
	sub.plan = a.plan
	sub.Step, sub.Revision, sub.Open, sub.NoSolved = a.Step, a.Revision, a.Open, a.NoSolved
	if a.LossWeights != nil && len(groups) > 0 {
		sub.LossWeights = []float64{}
	}
	for _, g := range groups {
		lo, hi := a.Table[g].Start, a.Table[g].End
		sub.appendSamples(a, lo, hi)
		sub.appendGroup(a, g, len(sub.Unfiltered)-hi)
	}
	sub.shaped.measureLengths(sub.Lengths, sub.Status)
	sub.shaped.countInvalid(sub.LoggedRewards, sub.Status)
	sub.shaped.solveMetrics = solveRates(sub.Table)
	_ = sub.summarizeAppended(context.Background()) // which does not end
	return sub.StepFigures
}

// newEmpty returns an analysis without samples, with room for n in some groups, to append others to.
func newEmpty(n, groups int) *Analysis {
	numbers := func() []float64 { return make([]float64, 0, n) }
	return &Analysis{
		Columns: Columns{
			InputRow: make([]int32, 0, n), Offsets: append(make([]int, 0, groups+1), 0),
			LoggedRewards: numbers(), Rewards: numbers(), LoggedAdvantages: numbers(), Lengths: make([]int32, 0, n),
		},
		Table: make([]Group, 0, groups), Unfiltered: numbers(), Keep: make([]bool, 0, n), Processed: numbers(),
		key: stepKey{number: math.MinInt64}, // no step has this key
		stages: stages{
			unfiltered: unfiltered{rewards: numbers(), zeroStd: make([]bool, 0, groups)},
			admitted:   admitted{all: true},
			corrected:  corrected{isUnfiltered: true},
		},
	}
}

// appendSamples appends samples [lo, hi) of another analysis: every column with a value for each of them.
func (a *Analysis) appendSamples(s *Analysis, lo, hi int) {
	if s.Status != nil || a.Status != nil {
		a.Status = append(a.Status, make([]model.Status, len(a.InputRow)-len(a.Status)+hi-lo)...)
		if s.Status != nil {
			copy(a.Status[len(a.InputRow):], s.Status[lo:hi])
		}
	}
	a.InputRow = append(a.InputRow, s.InputRow[lo:hi]...)
	a.LoggedRewards, a.Rewards = append(a.LoggedRewards, s.LoggedRewards[lo:hi]...), append(a.Rewards, s.Rewards[lo:hi]...)
	a.LoggedAdvantages, a.Lengths = append(a.LoggedAdvantages, s.LoggedAdvantages[lo:hi]...), append(a.Lengths, s.Lengths[lo:hi]...)
	a.Unfiltered, a.Processed = append(a.Unfiltered, s.Unfiltered[lo:hi]...), append(a.Processed, s.Processed[lo:hi]...)
	a.Keep = append(a.Keep, s.Keep[lo:hi]...)
	a.unfiltered.rewards = append(a.unfiltered.rewards, s.unfiltered.rewards[lo:hi]...)
	a.shaped.tokenWeights = append(a.shaped.tokenWeights, s.shaped.tokenWeights[lo:hi]...)
	a.corrected.add(&s.corrected, lo, hi)
	if a.LossWeights != nil {
		a.LossWeights = append(a.LossWeights, s.LossWeights[lo:hi]...)
	}
}

// appendGroup appends group g of another analysis, whose samples were appended so much further on.
func (a *Analysis) appendGroup(s *Analysis, g, by int) {
	group := s.Table[g]
	group.Start, group.End = group.Start+by, group.End+by
	a.Table, a.Offsets = append(a.Table, group), append(a.Offsets, group.End)
	a.unfiltered.zeroStd = append(a.unfiltered.zeroStd, s.unfiltered.zeroStd[g])
}

// appendStep appends a step, and what the settings make of it beside advantages: what the group filter admits, and
// what the keep ratios count.
func (a *Analysis) appendStep(s *Analysis) {
	at := len(a.Unfiltered)
	a.steps = append(a.steps, oneStep{Analysis: s, group: len(a.Table), sample: at})
	a.appendSamples(s, 0, s.Rows)
	for g := range s.Table {
		a.appendGroup(s, g, at)
	}
	a.shaped.join(&s.shaped)
	a.NoLoss = cmp.Or(a.NoLoss, s.NoLoss)
	a.unfiltered.advantages = append(a.unfiltered.advantages, s.unfiltered.advantages...)
	a.kept.counted = append(a.kept.counted, s.kept.counted...)
	if s.admitted.rule != nil {
		a.admitted.join(&s.admitted)
	}
}

// join adds what is told of another step.
func (in *shaped) join(of *shaped) {
	in.hasLengths = in.hasLengths || of.hasLengths
	in.length.merge(of.length)
	in.uncutLength.merge(of.uncutLength)
	in.invalid += of.invalid
	in.missing += of.missing
	in.lowered += of.lowered
	in.whyNot = cmp.Or(in.whyNot, of.whyNot)
}

// join adds what the group filter says of another step.
func (ad *admitted) join(of *admitted) {
	ad.rule, ad.all = of.rule, ad.all && of.all
	ad.verdict.Admitted = append(ad.verdict.Admitted, of.verdict.Admitted...)
	ad.verdict.Reasons = append(ad.verdict.Reasons, of.verdict.Reasons...)
	ad.samples = append(ad.samples, of.samples...)
}

func (a *Analysis) summarizeAppended(ctx context.Context) error {
	a.Rows, a.Groups = len(a.Unfiltered), len(a.Table)
	a.shaped.blocks = blocksOf(a.Offsets)
	a.corrected.count()
	if a.LossWeights != nil {
		a.long = longestQuarter(a.Lengths)
	}
	a.sumTable()
	return a.summarize(ctx)
}

// Trend is all steps of a run under one setting.
type Trend struct {
	Settings   model.Settings
	Grouping   model.Grouping
	Steps      []StepFigures // ascending
	Pending    int           // steps that are not computed yet
	thresholds string        // see rewardScales
	judged     *model.Judged // by the off-policy rule
}

// Complete reports whether all steps are computed.
func (t *Trend) Complete() bool { return t.Pending == 0 }

// ComputeTrend computes steps, the newest first: at least one, and as many as have maxSamples samples
// together. The others are pending. Unchanged steps of previous, which may be nil, are reused, so that
// a call with the last result computes the next ones; so is the step of known, which may be nil, if it
// has the same settings.
func ComputeTrend(
	ctx context.Context, snap model.Snapshot, set model.Settings, previous *Trend, known *Analysis, maxSamples int,
) (*Trend, error) {
	p, err := newPlan(snap, set, known)
	if err != nil {
		return nil, err
	}
	return p.trend(ctx, previous, known, maxSamples)
}

// ComputeMeans is ComputeTrend of all steps, with no metrics but those of rewards and of all response lengths: the others take a quarter of
// the time.
func ComputeMeans(ctx context.Context, snap model.Snapshot, set model.Settings) (*Trend, error) {
	p, err := newPlan(snap, set, nil)
	if err != nil {
		return nil, err
	}
	p.onlyMeans = !p.settings.Filtering() // where the filter counts, warnings need the others
	return p.trend(ctx, nil, nil, math.MaxInt)
}

func (p *plan) trend(ctx context.Context, previous *Trend, known *Analysis, maxSamples int) (*Trend, error) {
	snap := &p.snap
	t := &Trend{
		Settings: p.settings, Grouping: p.grouping, thresholds: p.thresholds, judged: p.judged, Steps: make([]StepFigures, len(snap.Steps)),
	}
	computed := 0 // samples
	var steps []int
	for i := len(snap.Steps) - 1; i >= 0; i-- {
		step, open := snap.Steps[i], snap.Open(i)
		known := known.Of(step.Number)
		old, ok := t.reuse(previous, step, open)
		switch {
		case ok:
			t.Steps[i] = old
		case known.isOf(p, i):
			t.Steps[i] = known.StepFigures
		case computed > 0 && computed+len(step.Rewards) > maxSamples:
			t.Steps[i] = StepFigures{Step: step.Number, Rows: len(step.Rewards), Open: open, Pending: true}
			t.Pending++
		default:
			steps = append(steps, i)
			computed += len(step.Rewards)
		}
	}
	free := make(memories, maxWorkers)
	errs := make([]error, len(steps), len(steps)+1)
	model.InParallel(ctx, workers(), len(steps), func(k int) {
		i := steps[k]
		var memory *memory
		previous := known.Of(snap.Steps[i].Number)
		if previous == nil {
			memory = free.take()
			defer free.give(memory)
		}
		a, err := p.analyze(ctx, i, previous, memory)
		if errs[k] = err; err == nil {
			t.Steps[i] = a.StepFigures
		}
	})
	if err := cmp.Or(append(errs, ctx.Err())...); err != nil {
		return nil, err
	}
	return t, nil
}

// reuse returns the step of an earlier trend, which may be nil, if nothing that it depends on has changed.
func (t *Trend) reuse(previous *Trend, step model.Step, open bool) (StepFigures, bool) {
	if previous == nil {
		return StepFigures{}, false
	}
	sameSettings := previous.Settings == t.Settings && previous.Grouping.GroupRule == t.Grouping.GroupRule
	sameRules := previous.thresholds == t.thresholds && previous.judged == t.judged
	if !sameSettings || !sameRules {
		return StepFigures{}, false
	}
	i, ok := previous.Find(step.Number)
	if !ok {
		return StepFigures{}, false
	}
	old := previous.Steps[i]
	return old, !old.Pending && old.Revision == step.Revision && old.Open == open
}

// Find returns the index of a step, or where it would be.
func (t *Trend) Find(number int64) (int, bool) {
	return slices.BinarySearchFunc(t.Steps, number, func(s StepFigures, n int64) int { return cmp.Compare(s.Step, n) })
}

// Series is a metric over all steps: NaN where there is none, where the step is pending, and where it
// is open, since unfinished steps would bend the line.
func (t *Trend) Series(metric string) []float64 {
	values := make([]float64, len(t.Steps))
	index := 0 // of the metric in the step before: most steps list the same metrics
	for i := range t.Steps {
		values[i] = math.NaN()
		if s := &t.Steps[i]; !s.Open {
			values[i], index = s.MetricNear(metric, index)
		}
	}
	return values
}

// FirstWarning is the first warning of a kind in a trend.
type FirstWarning struct {
	model.Warning
	StepIndex int // in Trend.Steps
}

// FirstWarnings are the first warnings of each kind, by step and then as the step lists them. Steps
// after a pending one are left out, since the pending one may have the first.
func (t *Trend) FirstWarnings() []FirstWarning {
	var all []FirstWarning
	for i := range t.Steps {
		if t.Steps[i].Pending {
			break
		}
		for _, w := range t.Steps[i].Warnings {
			if !slices.ContainsFunc(all, func(first FirstWarning) bool { return first.Kind == w.Kind }) {
				all = append(all, FirstWarning{w, i})
			}
		}
	}
	return all
}

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
		rewards, err := snap.Rewards(step, snap.InputOrder(len(step.Rewards)), set)
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
