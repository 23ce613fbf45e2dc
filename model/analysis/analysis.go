package analysis

import (
	"context"

	"vantage/estimators"
	"vantage/model"
)

// Summary is a step in figures: what trends, reports and checks need.
type Summary struct {
	Step     int64
	Revision int // of the step: another one means that it has changed
	Rows     int
	Open     bool
	Pending  bool                 // not computed yet: only Step, Rows and Open are known
	Fates    [model.FateCount]int // groups by fate
	Groups   int
	Signal   int // groups that carry signal: alive, or short and so left at their original values
	Kept     int // samples kept by the filter
	Flips    int // kept samples whose advantage changed sign
	Metrics  []Metric
	Warnings []model.Warning
}

// Analysis is one step under one setting.
type Analysis struct {
	Summary
	Settings model.Settings // as computed: see Settings.Effective
	Table    []Group

	Columns
	Batch     estimators.Batch // as the estimator reads the step: rewards as the trainer cleans them; read only
	Original  []float64        // advantages before the filter
	Keep      []bool           // whether the filter keeps the sample
	Processed []float64        // advantages after filter and recompute: what trains

	plan     plan
	input    *stepInput
	original *original
	stats    statistics
	refusal  *estimators.Refusal // what the trainer's own code would raise for the step, nil if nothing
}

// plan is what the settings say of every step of a run.
type plan struct {
	snap        model.Snapshot
	settings    model.Settings // effective
	estimator   *estimators.Estimator
	grouping    model.Grouping
	worst, best float64 // rewards of the run
}

// newPlan fails if the settings are refused, if the log as a whole lacks what the estimator
// needs, or if samples cannot be grouped.
func newPlan(snap model.Snapshot, set model.Settings) (p plan, err error) {
	p.snap, p.settings = snap, set.Effective()
	if p.estimator, err = p.settings.FindEstimator(); err != nil {
		return p, err
	}
	if missing := snap.Missing(p.estimator); missing != nil {
		return p, missing
	}
	p.grouping, err = snap.Grouping(p.settings)
	p.worst, p.best = snap.RewardRange(p.settings)
	return p, err
}

// Analyze computes step i of the snapshot. It fails if the samples cannot be grouped, if the log
// lacks what the estimator needs, if the settings are refused, or if ctx ends.
func Analyze(ctx context.Context, snap model.Snapshot, i int, set model.Settings) (*Analysis, error) {
	return AnalyzeAfter(ctx, snap, i, set, nil)
}

// AnalyzeAfter is Analyze after another analysis of the same store, which may be nil: what the
// settings leave as it was is not computed again.
func AnalyzeAfter(ctx context.Context, snap model.Snapshot, i int, set model.Settings, previous *Analysis) (*Analysis, error) {
	p, err := newPlan(snap, set)
	if err != nil {
		return nil, err
	}
	if previous.isOf(p, i) {
		return previous, nil
	}
	return p.analyze(ctx, i, previous)
}

// isOf reports whether an analysis, which may be nil, is that of step i under a plan. The words
// about the grouping come from all steps, of which there may be more now.
func (a *Analysis) isOf(p plan, i int) bool {
	return a != nil && a.input.key == p.inputKey(i) && a.Settings == p.settings && a.plan.grouping == p.grouping && a.plan.snap.Run.LengthUnit == p.snap.Run.LengthUnit
}

// Each computes the steps in ascending order and calls show with each. An analysis that show does
// not keep is garbage before the next is computed.
func Each(ctx context.Context, snap model.Snapshot, set model.Settings, show func(*Analysis) error) error {
	p, err := newPlan(snap, set)
	if err != nil {
		return err
	}
	for i := range snap.Steps {
		a, err := p.analyze(ctx, i, nil)
		if err != nil {
			return err
		}
		if err := show(a); err != nil {
			return err
		}
	}
	return nil
}

func (p plan) analyze(ctx context.Context, i int, previous *Analysis) (*Analysis, error) {
	in, err := p.stepInput(ctx, i, previous)
	if err != nil {
		return nil, err
	}
	o, err := p.originalOf(ctx, in, previous)
	if err != nil {
		return nil, err
	}
	a := &Analysis{
		Summary:  Summary{Step: in.Step, Revision: in.key.revision, Open: in.key.open, Rows: len(in.InputRow), Groups: len(in.groups)},
		Settings: p.settings, Columns: in.Columns, Batch: o.batch, Original: o.advantages,
		plan: p, input: in, original: o, refusal: o.refusal,
	}
	a.filter(ctx)
	a.judgeGroups(ctx)
	a.stats = a.sum(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	a.Metrics, a.Warnings = a.metrics(), a.warnings()
	return a, nil
}
