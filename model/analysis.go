package model

import (
	"context"
	"errors"
	"math"

	"vantage/estimators"
)

// Group is one group of a step under the settings.
type Group struct {
	Name    string // the log's id, a hash of prompt and truth, or the position
	Preview string // beginning of the prompt, as logged: sanitise before showing
	Fate    Fate

	Start, End                 int     // its samples are Analysis columns [Start:End]
	KeptPos, KeptZero, KeptNeg int     // kept samples by sign of their original advantage
	Flips                      int     // kept samples whose advantage changed sign
	Mean, Std                  float64 // of its finite rewards; Std with n-1, NaN for one
	Invalid                    int     // NaN, infinite or missing rewards

	equal  bool // all rewards equal, as the estimator sees them
	before bool // some original advantage is not zero
	vague  bool // some original advantage is not a number
	after  bool // some processed advantage is not zero
}

// Size returns the number of samples.
func (g *Group) Size() int { return g.End - g.Start }

// Kept returns the number of kept samples.
func (g *Group) Kept() int { return g.KeptPos + g.KeptZero + g.KeptNeg }

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

// Analysis is one step under one setting, sample by sample. The columns are in
// group order: the samples of a group lie next to each other.
type Analysis struct {
	Summary
	Settings Settings // as computed: see Settings.Effective
	Grouping Grouping
	Table    []Group

	Order     []int32   // row in input order of each sample
	Offsets   []int     // group g is [Offsets[g]:Offsets[g+1]]
	Logged    []float64 // rewards as logged
	Rewards   []float64 // rewards as the trainer's estimator sees them
	Lengths   []int32   // of the responses, -1 if unknown
	Original  []float64 // advantages before the filter
	Processed []float64 // advantages after filter and recompute
	Keep      []bool    // whether the filter keeps the sample
	Given     []float64 // advantages as logged, NaN where not

	batch      estimators.Batch
	lengthUnit LengthUnit
}

// plan is what the settings say of every step of a run.
type plan struct {
	set      Settings // effective
	entry    *estimators.Estimator
	grouping Grouping
	lo, hi   float64 // the worst and the best reward of the run
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
	p.lo, p.hi = s.rewardRange(p.set)
	return p, err
}

// Analyze computes step i of the snapshot. It fails if the samples cannot be
// grouped, if the log cannot feed the estimator, if the settings are refused, or
// if ctx ends.
func (s Snapshot) Analyze(ctx context.Context, i int, set Settings) (*Analysis, error) {
	p, err := s.plan(set)
	if err != nil {
		return nil, err
	}
	return s.analyze(ctx, i, p)
}

// Each computes the steps one after the other, ascending, and shows each: what is shown
// may be forgotten before the next is computed.
func (s Snapshot) Each(ctx context.Context, set Settings, show func(*Analysis) error) error {
	p, err := s.plan(set)
	if err != nil {
		return err
	}
	for i := range s.Steps {
		a, err := s.analyze(ctx, i, p)
		if err != nil {
			return err
		}
		if err := show(a); err != nil {
			return err
		}
	}
	return nil
}

func (s Snapshot) analyze(ctx context.Context, i int, p plan) (*Analysis, error) {
	a, refusal, err := s.compute(ctx, i, p)
	if err != nil {
		return nil, err
	}
	a.tabulate(s, i, p)
	a.Metrics = a.metrics(p.hi)
	if !a.Open {
		a.Warnings = a.warnings(p.entry, refusal)
	}
	return a, ctx.Err()
}

// compute fills the columns; the refusal is what the framework's own code would
// raise for the batch.
func (s Snapshot) compute(ctx context.Context, i int, p plan) (*Analysis, *estimators.Refusal, error) {
	a := &Analysis{Settings: p.set, Grouping: p.grouping}
	if err := a.gather(s, i); err != nil {
		return nil, nil, err
	}
	a.feed(s, s.Steps[i], p.entry)
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	var result estimators.Result
	err := estimators.Process(&result, p.entry, a.batch, p.set.Scale, p.set.KeepPos, p.set.KeepNeg, p.set.Recompute)
	var refusal *estimators.Refusal
	if err != nil && !errors.As(err, &refusal) {
		return nil, nil, err
	}
	a.Original, a.Processed, a.Keep = result.Original, result.Processed, result.Kept
	return a, refusal, nil
}

// gather brings the columns of step i into group order.
func (a *Analysis) gather(s Snapshot, i int) error {
	step := s.Steps[i]
	a.lengthUnit = s.Run.LengthUnit
	a.Step, a.Revision, a.Open = step.Number, step.Revision, s.Open(i)
	var err error
	a.Order, a.Offsets, err = a.Grouping.layout(step, a.Open)
	if err != nil {
		return err
	}
	a.Rows = len(a.Order)
	a.Logged = make([]float64, a.Rows)
	a.Lengths = make([]int32, a.Rows)
	a.Given = make([]float64, a.Rows)
	for at, row := range a.Order {
		a.Logged[at] = step.Rewards[row]
		a.Lengths[at] = step.Lengths[row]
		a.Given[at] = math.NaN()
		if step.Logged != nil {
			a.Given[at] = step.Logged[row]
		}
	}
	return a.reward(s, step)
}

// tabulate fills the group table and the counts of the summary.
func (a *Analysis) tabulate(s Snapshot, i int, p plan) {
	step := s.Steps[i]
	a.Groups = len(a.Offsets) - 1
	a.Table = make([]Group, a.Groups)
	for at := range a.Table {
		g := &a.Table[at]
		g.Start, g.End = a.Offsets[at], a.Offsets[at+1]
		first := int(a.Order[g.Start])
		g.Name = s.groupName(a.Grouping, step, first, at)
		g.Preview = s.preview(step, first)
		a.count(g)
		g.Fate = a.fate(g, p.lo, p.hi)
		a.Fates[g.Fate]++
		a.Kept += g.Kept()
		a.Flips += g.Flips
	}
	a.Signal = a.Fates[FateAlive] + a.Fates[FateShort]
}

// count takes the figures of one group.
func (a *Analysis) count(g *Group) {
	sum, n := 0.0, 0
	g.equal = true
	for i := g.Start; i < g.End; i++ {
		if r := a.Logged[i]; finite(r) {
			sum += r
			n++
		} else {
			g.Invalid++
		}
		g.equal = g.equal && a.Rewards[i] == a.Rewards[g.Start]
		g.before = g.before || a.Original[i] != 0
		g.after = g.after || a.Processed[i] != 0
		g.vague = g.vague || math.IsNaN(a.Original[i])
		if a.Keep[i] {
			g.keep(a.Original[i], a.Processed[i])
		}
	}
	g.Mean = sum / float64(n)
	g.Std = spread(a.Logged[g.Start:g.End], g.Mean, n)
}

// keep counts a kept sample by the sign of its original advantage.
func (g *Group) keep(original, processed float64) {
	switch {
	case original > 0:
		g.KeptPos++
	case original < 0:
		g.KeptNeg++
	default:
		g.KeptZero++
	}
	if original*processed < 0 {
		g.Flips++
	}
}

// spread is the standard deviation of the n finite values, with n-1.
func spread(values []float64, mean float64, n int) float64 {
	squares := 0.0
	for _, v := range values {
		if finite(v) {
			squares += (v - mean) * (v - mean)
		}
	}
	return math.Sqrt(squares / float64(n-1))
}

// fate says what the settings make of a group; lo and hi are the worst and the
// best reward of the run.
func (a *Analysis) fate(g *Group, lo, hi float64) Fate {
	switch {
	case a.Open:
		return FateOpen
	case g.Invalid > 0:
		return FateInvalid
	case g.Size() == 1:
		return FateSingle
	case g.vague:
		return FateInvalid
	case g.equal && g.after:
		return FateNoise
	case g.equal || !g.before:
		return equalFate(a.Logged[g.Start], lo, hi)
	case !g.after:
		return FateKilled
	case a.Settings.Recompute && a.Settings.Filtering() && g.Kept() < 2:
		return FateShort
	}
	return FateAlive
}

// equalFate tells the three fates of equal rewards apart. Where the whole run
// has one reward, its sign decides.
func equalFate(reward, lo, hi float64) Fate {
	switch {
	case lo == hi && reward > 0, lo < hi && reward == hi:
		return FateRight
	case reward == lo:
		return FateWrong
	}
	return FateStuck
}

// Batch is the step as the estimator saw it. It shares the columns of the analysis:
// read it only.
func (a *Analysis) Batch() estimators.Batch { return a.batch }
