package analysis

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"vantage/estimators"
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
	Signal         int // groups with signal: alive, or short, which keep their original values
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
	AbsOriginal    float64 // Σ|A| before the filters
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
	Batch     estimators.Batch // as the estimator reads the step: the rewards are those that its trainer cleaned, one per rollout: see ByRollout
	Original  []float64        // advantages before the filter
	Keep      []bool           // whether the filter keeps the sample
	Processed []float64        // advantages after filter and recompute: what trains

	LossWeights []float64 // what the loss multiplies each advantage by; nil if Settings.Loss is not set, or NoLoss says why there are none
	NoLoss      string

	onlyMeans  bool // see ComputeMeans
	plan       *plan
	input      *stepInput
	original   *original
	admission  *admission
	loss       lossInput
	perRollout perRollout
	sums       statistics
	steps      []oneStep           // that are joined; nil of one step
	zeroStd    []bool              // by group: see estimators.Estimator.ZeroStd
	residue    []residue           // by sample; nil if none is: see Group
	refusal    *estimators.Refusal // what the trainer's own code would raise for the step, nil if nothing
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

	onlyMeans      bool // see ComputeMeans
	comparesGroups bool // see estimators.Estimator.ComparesGroups
	rules          []WarningRule
}

// newPlan fails if there is no such estimator, if the run lacks what it needs, or if samples cannot
// be grouped. It reuses what it can of known, an analysis of the same store, which may be nil: for a
// weighted sum the reward scales need a pass over all samples.
func newPlan(snap model.Snapshot, set model.Settings, known *Analysis) (*plan, error) {
	fault.Plant("analysis", "")
	p := &plan{snap: snap, settings: set.Effective()}
	var err error
	if p.estimator, err = p.settings.FindEstimator(); err != nil {
		return nil, err
	}
	if missing := snap.Missing(p.estimator); missing != nil {
		return nil, missing
	}
	p.comparesGroups, p.rules = p.estimator.ComparesGroups(p.settings.Scale), WarningRules()
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
	if previous.matches(p, i) {
		return previous, nil
	}
	return p.analyze(ctx, i, previous, nil)
}

// matches reports whether a, which may be nil, is the analysis of step i under a plan.
func (a *Analysis) matches(p *plan, i int) bool {
	return a != nil && a.input.key == p.inputKey(i) && a.Settings == p.settings && a.plan.grouping == p.grouping && a.plan.snap.Run.LengthUnit == p.snap.Run.LengthUnit
}

// Each calls visit with the analysis of each step, ascending, and returns its first error or that of
// [Analyze]. Only a few analyses are in memory at a time.
func Each(ctx context.Context, snap model.Snapshot, set model.Settings, visit func(*Analysis) error) error {
	return eachOf(ctx, snap, model.Indexes(len(snap.Steps)), set, visit)
}

// EachComplete is Each without a step that is still being written, unless it is the only one.
func EachComplete(ctx context.Context, snap model.Snapshot, set model.Settings, visit func(*Analysis) error) error {
	return eachOf(ctx, snap, snap.CompleteSteps(), set, visit)
}

func eachOf(ctx context.Context, snap model.Snapshot, steps []int, set model.Settings, visit func(*Analysis) error) error {
	p, err := newPlan(snap, set, nil)
	if err != nil {
		return err
	}
	return eachStep(ctx, snap, steps, func(ctx context.Context, i int) (*Analysis, error) { return p.analyze(ctx, i, nil, nil) }, visit)
}

// EachPassing is Each for a visit that keeps nothing of an analysis but its StepFigures: other steps take its memory.
func EachPassing(ctx context.Context, snap model.Snapshot, set model.Settings, visit func(*Analysis) error) error {
	p, err := newPlan(snap, set, nil)
	if err != nil {
		return err
	}
	free := make(scratches, jobsAhead*maxWorkers)
	return eachStep(ctx, snap, model.Indexes(len(snap.Steps)), func(ctx context.Context, i int) (*Analysis, error) {
		return p.analyze(ctx, i, nil, free.take())
	}, func(a *Analysis) error {
		defer free.give(a.input.scratch)
		return visit(a)
	})
}

// scratch is the memory of a step that nobody keeps.
type scratch struct {
	analysis Analysis
	input    stepInput
	step     GroupedStep
	original original
	parts    []statistics
	groups   []Group
	columns  [][]float64
	used     int       // columns
	keep     []bool    // as many as samples
	nothing  []float64 // NaN
}

// scratches are those that no step uses.
type scratches chan *scratch

func (free scratches) take() *scratch {
	select {
	case s := <-free:
		s.used = 0
		return s
	default:
		return &scratch{}
	}
}

func (free scratches) give(s *scratch) {
	select {
	case free <- s:
	default:
	}
}

// stored returns where a value is stored: in the memory, or if that is nil in memory of its own.
func stored[T any](s *scratch, where func(*scratch) *T, x T) *T {
	if s == nil {
		at := new(T)
		*at = x
		return at
	}
	at := where(s)
	*at = x
	return at
}

// zeros returns n zero values in the memory, or in memory of their own if that is nil.
func zeros[T any](s *scratch, where func(*scratch) *[]T, n int) []T {
	if s == nil {
		return make([]T, n)
	}
	at := where(s)
	*at = slices.Grow((*at)[:0], n)[:n]
	clear(*at)
	return *at
}

// numbers returns n numbers, which mean nothing yet. s may be nil.
func (s *scratch) numbers(n int) []float64 {
	if s == nil {
		return make([]float64, n)
	}
	if s.used == len(s.columns) {
		s.columns = append(s.columns, nil)
	}
	column := &s.columns[s.used]
	s.used++
	if cap(*column) < n {
		*column = make([]float64, n)
	}
	return (*column)[:n]
}

// none returns n times NaN. s may be nil.
func (s *scratch) none(n int) []float64 {
	if s == nil {
		return slices.Repeat([]float64{math.NaN()}, n)
	}
	for len(s.nothing) < n {
		s.nothing = append(s.nothing, math.NaN())
	}
	return s.nothing[:n:n]
}

// eachStep computes something of each of some steps, and visits it in their order.
func eachStep[T any](ctx context.Context, snap model.Snapshot, steps []int, compute func(context.Context, int) (T, error), visit func(T) error) error {
	all := NewPipeline(visit)
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

// analyze computes step i. It reuses what it can of previous, which may be nil. The memory is for a step that nobody keeps, else nil.
func (p *plan) analyze(ctx context.Context, i int, previous *Analysis, memory *scratch) (*Analysis, error) {
	in, err := p.stepInput(ctx, i, previous, memory)
	if err != nil {
		return nil, err
	}
	o, err := p.original(ctx, in, previous)
	if err != nil {
		return nil, err
	}
	a := stored(in.scratch, func(s *scratch) *Analysis { return &s.analysis }, Analysis{
		StepFigures: StepFigures{Step: in.Step, Revision: in.key.revision, Open: in.key.open, Rows: len(in.InputRow), Groups: len(in.groups)},
		Settings:    p.settings, Columns: in.Columns, Batch: o.batch, Original: toOutputs(in.countedRollouts, o.advantages),
		onlyMeans: p.onlyMeans, plan: p, input: in, original: o, zeroStd: o.zeroStd, refusal: o.refusal,
	})
	a.NoSolved = in.noSolved
	if err := a.admit(previous); err != nil {
		return nil, err
	}
	a.filter(ctx)
	a.fillTable(ctx)
	if err := a.weigh(previous); err != nil {
		return nil, err
	}
	if err := a.summarize(ctx); err != nil {
		return nil, err
	}
	a.Warnings = a.warnings()
	return a, nil
}

func (a *Analysis) summarize(ctx context.Context) error {
	if a.LossWeights != nil {
		a.sumMass(ctx)
	}
	a.sums = a.sum(ctx)
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
func (a *Analysis) Shaped() int { return a.input.Shaped }

// WhyUnshaped says why the length penalty of the settings lowers none; "" if it could.
func (a *Analysis) WhyUnshaped() string { return a.input.WhyUnshaped }

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
