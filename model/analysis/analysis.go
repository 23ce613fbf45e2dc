package analysis

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"vantage/estimators"
	"vantage/estimators/offpolicy"
	"vantage/model"
	"vantage/model/fault"
	"vantage/model/units"
)

// StepFigures is a step without its samples and groups: what trends, reports and checks need.
type StepFigures struct {
	Step           int64
	Revision       int // of the step; changes when the step does
	Rows           int
	Rollouts       int // that the rows are outputs of
	Open           bool
	Pending        bool                 // not computed yet: only Step, Rows and Open are set
	Fates          [model.FateCount]int // groups by fate
	Groups         int
	Signal         int // groups with signal: alive, or short, which keep their unfiltered values
	AdmittedGroups int // by the group filter; all without one
	Kept           int // samples kept by the filters
	Nonzero        int // samples whose processed advantage is a number other than 0, residue aside: only these train
	SinglesTrain   int // of these the only ones of their group
	Residue        int // samples whose processed advantage is float residue: see Group
	Statuses       model.StatusCounts
	Flips          Flips
	Metrics        []Metric
	InvalidRewards int     // that are NaN, infinite or missing
	FiniteRewards  int     // if the mean of all rewards is not finite, the rewards that are: the metrics of rewards are of them where it is NaN
	RewardSum      float64 // of these
	AbsUnfiltered  float64 // Σ|A| before the filters
	AbsProcessed   float64 // Σ|A| after them
	Squares        float64 // ΣA² after them
	Warnings       []model.Warning

	// NoSolved says why there is neither pass@k nor a solve rate; "" if there are.
	NoSolved string
}

// Analysis is one step under one setting, or some steps joined: see [AnalyzeSteps]. Nothing in it may be
// changed.
type Analysis struct {
	StepFigures
	Settings model.Settings // as computed: see Settings.Effective
	Table    []Group

	Columns
	Batch      estimators.Batch // as the estimator reads the step: the rewards are those that its trainer cleaned, one per rollout: see ByRollout
	Unfiltered []float64        // advantages before the filter
	Keep       []bool           // whether the filter keeps the sample
	Processed  []float64        // advantages after filter and recompute: what trains

	LossWeights []float64 // what the loss multiplies each advantage by; nil if Settings.Loss is not set, or NoLoss says why there are none
	NoLoss      string

	plan   *plan
	index  int     // of the step in the snapshot of the plan
	key    stepKey // see unchanged
	memory *memory // of a step that nobody keeps, else nil
	stages

	mass    lossMass
	sums    statistics
	residue []residue           // by sample; nil if none is: see Group
	refusal *estimators.Refusal // what the trainer's own code would raise for the step, nil if nothing
	steps   []oneStep           // that are joined; nil of one step
}

// RewardScales are those of the runs of the log: see model.Snapshot.RewardScales.
func (a *Analysis) RewardScales() []model.RewardScale { return a.plan.scales }

// Refusal is the exception that the trainer's own code would raise for the step, like the last line
// of a traceback; "" if none.
func (a *Analysis) Refusal() string {
	if a.refusal == nil || a.refusal.Kind == estimators.KindMissing {
		return ""
	}
	return a.refusal.Error()
}

// Refused reports whether group g is a reason for the [Analysis.Refusal].
func (a *Analysis) Refused(g int) bool {
	if a.Refusal() == "" {
		return false
	}
	_, found := slices.BinarySearch(a.refusal.Groups, g)
	return found || a.refusal.Groups == nil
}

// plan is what all steps of a run share under one setting.
type plan struct {
	snap      model.Snapshot
	settings  model.Settings // effective
	estimator *estimators.Estimator
	grouping  model.Grouping
	rewardScales

	offPolicy *offpolicy.Rule // nil: the settings name none
	judged    *model.Judged   // what it makes of the samples; nil: it has not been asked yet

	onlyMeans      bool // see ComputeMeans
	comparesGroups bool // see estimators.Estimator.ComparesGroups
	rules          []WarningRule

	stages []stage
	read   []model.Settings // by each stage
}

// newPlan fails if there is no such estimator, if the run lacks what it needs, or if samples cannot
// be grouped. It reuses what it can of known, an analysis of the same store, which may be nil: for a
// weighted sum the reward scales need a pass over all samples.
func newPlan(snap model.Snapshot, set model.Settings, known *Analysis) (*plan, error) {
	fault.Plant("analysis", "")
	p := &plan{snap: snap, settings: set.Effective(), rules: WarningRules(), stages: stageList()}
	p.read = readBy(p.stages, p.settings)
	var err error
	if p.estimator, err = p.settings.FindEstimator(); err != nil {
		return nil, err
	}
	if missing := snap.Missing(p.estimator); missing != nil {
		return nil, missing
	}
	if p.offPolicy, _, err = p.settings.FindOffPolicy(); err != nil {
		return nil, err
	}
	p.judged = snap.JudgedBy(p.settings)
	p.comparesGroups = p.estimator.ComparesGroups(p.settings.Scale)
	if p.grouping, err = snap.Grouping(p.settings); err != nil {
		return nil, err
	}
	rewardsOf := func(p *plan) model.Settings {
		return model.Settings{Reward: p.settings.Reward, Weights: p.settings.Weights, SolvedAt: p.settings.SolvedAt}
	}
	if known != nil && known.plan.snap.Revision == snap.Revision && rewardsOf(known.plan) == rewardsOf(p) {
		p.rewardScales = known.plan.rewardScales
	} else {
		p.rewardScales = newRewardScales(snap, p.settings)
	}
	return p, nil
}

// Analyze computes step i of the snapshot. It fails if there is no such estimator, if the run lacks
// what it needs, if samples cannot be grouped, or if ctx ends.
func Analyze(ctx context.Context, snap model.Snapshot, i int, set model.Settings) (*Analysis, error) {
	return analyzeAfter(ctx, snap, i, set, nil)
}

// analyzeAfter is like [Analyze] but reuses what it can of previous, another analysis of the same
// store, which may be nil.
func analyzeAfter(ctx context.Context, snap model.Snapshot, i int, set model.Settings, previous *Analysis) (*Analysis, error) {
	p, err := newPlan(snap, set, previous)
	if err != nil {
		return nil, err
	}
	return p.analyze(ctx, i, previous, nil)
}

// Each calls visit with the analysis of each step, ascending, and returns its first error or that of
// [Analyze]. Only a few analyses are in memory at a time.
func Each(ctx context.Context, snap model.Snapshot, set model.Settings, visit func(*Analysis) error) error {
	return EachOf(ctx, snap, model.Indexes(len(snap.Steps)), set, visit)
}

// EachComplete is Each without a step that is still being written, unless it is the only one.
func EachComplete(ctx context.Context, snap model.Snapshot, set model.Settings, visit func(*Analysis) error) error {
	return EachOf(ctx, snap, snap.CompleteSteps(), set, visit)
}

// EachOf is Each of some steps, by index.
func EachOf(ctx context.Context, snap model.Snapshot, steps []int, set model.Settings, visit func(*Analysis) error) error {
	p, err := newPlan(snap, set, nil)
	if err != nil {
		return err
	}
	return eachStep(ctx, snap, steps, func(ctx context.Context, i int) (*Analysis, error) { return p.analyze(ctx, i, nil, nil) }, visit)
}

// EachPassing is Each for a visit that keeps nothing of an analysis but its StepFigures: other steps take its memory. Groups have no names
// but those that [Analysis.Named] and [Analysis.NameGroups] give them.
func EachPassing(ctx context.Context, snap model.Snapshot, set model.Settings, visit func(*Analysis) error) error {
	p, err := newPlan(snap, set, nil)
	if err != nil {
		return err
	}
	free := make(memories, passingAhead*maxWorkers)
	return eachAhead(ctx, snap, model.Indexes(len(snap.Steps)), passingAhead, func(ctx context.Context, i int) (*Analysis, error) {
		return p.analyze(ctx, i, nil, free.take())
	}, func(a *Analysis) error {
		defer free.give(a.memory)
		return visit(a)
	})
}

// eachStep computes something of each of some steps, and visits it in their order.
func eachStep[T any](
	ctx context.Context, snap model.Snapshot, steps []int, compute func(context.Context, int) (T, error), visit func(T) error,
) error {
	return eachAhead(ctx, snap, steps, jobsAhead, compute, visit)
}

// eachAhead is eachStep with at most so many steps ahead of the visit, for each worker.
func eachAhead[T any](
	ctx context.Context, snap model.Snapshot, steps []int, most int, compute func(context.Context, int) (T, error), visit func(T) error,
) error {
	all := newPipeline(most, visit)
	defer all.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for _, i := range steps {
		if err := all.Add(len(snap.Steps[i].Rewards), func() (T, error) { return compute(ctx, i) }); err != nil {
			return err
		}
	}
	return all.End()
}

// analyze computes step i, stage by stage. The first stages are those of previous, which may be nil, if they are computed from the same;
// if all are, it returns previous itself. The memory is for a step that nobody keeps, else nil.
func (p *plan) analyze(ctx context.Context, i int, previous *Analysis, memory *memory) (*Analysis, error) {
	from := p.unchanged(i, previous)
	if from == len(p.stages) {
		return previous, nil
	}
	a := memory.newAnalysis()
	a.plan, a.index, a.key, a.memory, a.Settings = p, i, p.stepKey(i), memory, p.settings
	a.Step, a.Revision, a.Open = a.key.number, a.key.revision, a.key.open
	if from > 0 {
		a.stages = previous.stages
	}
	if err := a.compute(ctx, from, len(p.stages)); err != nil {
		return nil, err
	}
	return a, nil
}

// compute computes stages [from, to).
func (a *Analysis) compute(ctx context.Context, from, to int) error {
	for k := from; k < to; k++ {
		if err := a.plan.stages[k].compute(a, ctx, a.plan.read[k]); err != nil {
			return err
		}
	}
	return nil
}

func (a *Analysis) summarize(ctx context.Context) error {
	if a.LossWeights != nil {
		a.sumMass(ctx)
	}
	a.sum(ctx)
	if err := ctx.Err(); err != nil {
		return err
	}
	a.Metrics = a.metrics()
	return nil
}

// rewardScales say which rewards of each run are solved and wrong.
type rewardScales struct {
	scales     []model.RewardScale // by run
	thresholds string              // equal if and only if fates and solved samples are
}

func newRewardScales(snap model.Snapshot, set model.Settings) rewardScales {
	r := rewardScales{scales: snap.RewardScales(set)}
	var b strings.Builder
	for i := range r.scales {
		s := &r.scales[i]
		fmt.Fprintf(&b, "%x %x %t %s;", s.Wrong, s.Solved, s.Known, s.Column)
	}
	r.thresholds = b.String()
	return r
}

// of is the scale of the run that a group is of.
func (r *rewardScales) of(g *Group) *model.RewardScale { return &r.scales[g.Run] }

// Shaped returns how many rewards the length penalty of the settings lowers.
func (a *Analysis) Shaped() int { return a.shaped.lowered }

// WhyUnshaped says why the length penalty of the settings lowers none; "" if it could.
func (a *Analysis) WhyUnshaped() string { return a.shaped.whyNot }

// LoggedMean is the mean of the finite rewards before the length penalty, NaN if there are none.
func (a *Analysis) LoggedMean() float64 {
	sum, n := 0.0, 0
	for _, r := range a.LoggedRewards {
		if units.IsFinite(r) {
			sum += r
			n++
		}
	}
	return sum / float64(n)
}
