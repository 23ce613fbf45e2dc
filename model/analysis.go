package model

import (
	"context"
	"errors"

	"vantage/estimators"
)

// Summary is what is kept of every step: what trends, reports and checks need.
type Summary struct {
	Step     int64
	Revision int // of the step, to know when to compute anew
	Rows     int
	Open     bool
	Pending  bool       // not computed yet: only Step, Rows and Open are known
	Fates    [fates]int // groups by fate
	Groups   int
	Signal   int // groups that carry signal: alive, or short and so left at their original values
	Kept     int // samples kept by the filter
	Flips    int // kept samples whose advantage changed sign
	Metrics  []Metric
	Warnings []Warning
}

// Analysis is one step under one setting. Its columns are in group order: the samples of a group
// are adjacent, in batch order.
type Analysis struct {
	Summary
	Settings Settings // as computed: see Settings.Effective
	Grouping Grouping
	Table    []Group

	Order            []int32 // row in input order of each sample
	Offsets          []int   // group g is [Offsets[g]:Offsets[g+1]]
	LoggedRewards    []float64
	LoggedAdvantages []float64 // NaN where the log has none
	Lengths          []int32   // of the responses, -1 if unknown
	Rewards          []float64 // as the trainer's estimator sees them
	Original         []float64 // advantages before the filter
	Keep             []bool    // whether the filter keeps the sample
	Processed        []float64 // advantages after filter and recompute: what trains

	lengthUnit LengthUnit
	input      *stepInput
	original   *original
}

// plan is what the settings say of every step of a run.
type plan struct {
	set         Settings // effective
	entry       *estimators.Estimator
	grouping    Grouping
	worst, best float64 // rewards of the run
}

// plan fails if the settings are refused, if the log as a whole cannot feed the
// estimator, or if samples cannot be grouped.
func (s Snapshot) plan(set Settings) (p plan, err error) {
	p.set = set.Effective()
	if p.entry, err = p.set.Entry(); err != nil {
		return p, err
	}
	if lack := s.Lacks(p.entry); lack != nil {
		return p, lack
	}
	p.grouping, err = s.Grouping(p.set)
	p.worst, p.best = s.RewardRange(p.set)
	return p, err
}

// Analyze computes step i of the snapshot. It fails if the samples cannot be
// grouped, if the log cannot feed the estimator, if the settings are refused, or
// if ctx ends.
func (s Snapshot) Analyze(ctx context.Context, i int, set Settings) (*Analysis, error) {
	return s.AnalyzeAfter(ctx, i, set, nil)
}

// AnalyzeAfter is Analyze after another analysis of the same store, which may be nil: what the
// settings leave as it was is not computed again.
func (s Snapshot) AnalyzeAfter(ctx context.Context, i int, set Settings, previous *Analysis) (*Analysis, error) {
	p, err := s.plan(set)
	if err != nil {
		return nil, err
	}
	if previous.holds(s, i, p) {
		return previous, nil
	}
	return s.analyze(ctx, i, p, previous)
}

// holds reports whether an analysis, which may be nil, is that of step i under a plan. The words
// about the grouping come from all steps, of which there may be more now.
func (a *Analysis) holds(s Snapshot, i int, p plan) bool {
	return a != nil && a.input.key == s.inputKey(i, p) && a.Settings == p.set && a.Grouping == p.grouping && a.lengthUnit == s.Run.LengthUnit
}

// Each computes the steps in ascending order and calls show with each. An analysis that show does
// not keep is garbage before the next is computed.
func (s Snapshot) Each(ctx context.Context, set Settings, show func(*Analysis) error) error {
	p, err := s.plan(set)
	if err != nil {
		return err
	}
	for i := range s.Steps {
		a, err := s.analyze(ctx, i, p, nil)
		if err != nil {
			return err
		}
		if err := show(a); err != nil {
			return err
		}
	}
	return nil
}

func (s Snapshot) analyze(ctx context.Context, i int, p plan, previous *Analysis) (*Analysis, error) {
	in, err := s.stepInput(ctx, i, p, previous)
	if err != nil {
		return nil, err
	}
	o, err := in.original(ctx, p, previous)
	if err != nil {
		return nil, err
	}
	a := &Analysis{
		Summary:  Summary{Step: in.Step, Revision: in.key.revision, Open: in.key.open, Rows: len(in.Order), Groups: len(in.members)},
		Settings: p.set, Grouping: p.grouping, lengthUnit: s.Run.LengthUnit, input: in, original: o,
		Order: in.Order, Offsets: in.Offsets, LoggedRewards: in.LoggedRewards, LoggedAdvantages: in.LoggedAdvantages, Lengths: in.Lengths,
		Rewards: o.batch.Rewards, Original: o.advantages,
	}
	refusal := o.refusal
	if err := a.filter(ctx, p.entry); err != nil { // the trainer looks at the ratios first
		errors.As(err, &refusal)
	}
	a.tabulate(ctx, p.worst, p.best)
	stats := a.statistics(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	a.Metrics = a.metrics(stats)
	if !a.Open {
		a.Warnings = a.warnings(p.entry, refusal, stats)
	}
	return a, nil
}

// Batch is the step as the estimator reads it. It shares the columns of the analysis: read only.
func (a *Analysis) Batch() estimators.Batch { return a.original.batch }
