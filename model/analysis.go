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

// Analyze computes step i of the snapshot. It fails if the samples cannot be
// grouped, if the log cannot feed the estimator, if the settings are refused, or
// if ctx ends.
func (s Snapshot) Analyze(ctx context.Context, i int, set Settings) (*Analysis, error) {
	a, refusal, err := s.compute(ctx, i, set)
	if err != nil {
		return nil, err
	}
	a.tabulate(s, i)
	a.Metrics = a.metrics(s.hi)
	if !a.Open {
		a.Warnings = a.warnings(refusal)
	}
	return a, ctx.Err()
}

// Compute is [Snapshot.Analyze] without table, metrics and warnings: the columns
// alone.
func (s Snapshot) Compute(ctx context.Context, i int, set Settings) (*Analysis, error) {
	a, _, err := s.compute(ctx, i, set)
	return a, err
}

// compute fills the columns; the refusal is what the framework's own code would
// raise for the batch.
func (s Snapshot) compute(ctx context.Context, i int, set Settings) (*Analysis, *estimators.Refusal, error) {
	set = set.Effective()
	entry, err := set.Entry()
	if err != nil {
		return nil, nil, err
	}
	grouping, err := s.Grouping(set)
	if err != nil {
		return nil, nil, err
	}
	a := &Analysis{Settings: set, Grouping: grouping}
	if err := a.gather(s, i, entry); err != nil {
		return nil, nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	var result estimators.Result
	err = estimators.Process(&result, entry, a.batch, set.Scale, set.KeepPos, set.KeepNeg, set.Recompute)
	var refusal *estimators.Refusal
	if err != nil && !errors.As(err, &refusal) {
		return nil, nil, err
	}
	a.Original, a.Processed, a.Keep = result.Original, result.Processed, result.Kept
	return a, refusal, nil
}

// gather brings the columns of step i into group order.
func (a *Analysis) gather(s Snapshot, i int, entry *estimators.Estimator) error {
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
	a.Rewards = make([]float64, a.Rows)
	a.Given = make([]float64, a.Rows)
	for at, row := range a.Order {
		a.Logged[at] = step.Rewards[row]
		a.Lengths[at] = step.Lengths[row]
		a.Given[at] = step.Logged[row]
	}
	if err := a.feed(s, step, entry); err != nil {
		return err
	}
	entry.CleanInto(a.Rewards, a.Logged)
	return nil
}

// tabulate fills the group table and the counts of the summary.
func (a *Analysis) tabulate(s Snapshot, i int) {
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
		g.Fate = a.fate(g, s.lo, s.hi)
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
