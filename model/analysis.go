package model

import (
	"context"
	"errors"

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

	lengthUnit LengthUnit
	ground     *ground
	origin     *origin
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
	p.lo, p.hi = s.RewardRange(p.set)
	return p, err
}

// Analyze computes step i of the snapshot. It fails if the samples cannot be
// grouped, if the log cannot feed the estimator, if the settings are refused, or
// if ctx ends.
func (s Snapshot) Analyze(ctx context.Context, i int, set Settings) (*Analysis, error) {
	return s.AnalyzeAfter(ctx, i, set, nil)
}

// AnalyzeAfter is Analyze after some step, of the same store, has been computed
// before: what the settings leave as it was is taken over, so that a change of the
// filter costs a fifth of the whole. before may be nil.
func (s Snapshot) AnalyzeAfter(ctx context.Context, i int, set Settings, before *Analysis) (*Analysis, error) {
	p, err := s.plan(set)
	if err != nil {
		return nil, err
	}
	return s.analyze(ctx, i, p, before)
}

// Each computes the steps one after the other, ascending, and shows each: what is shown
// may be forgotten before the next is computed.
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

func (s Snapshot) analyze(ctx context.Context, i int, p plan, before *Analysis) (*Analysis, error) {
	g, err := s.ground(i, p, before)
	if err != nil {
		return nil, err
	}
	o, err := s.origin(g, i, p, before)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	a := &Analysis{
		Summary:  Summary{Step: g.key.step, Revision: g.key.revision, Open: g.key.open, Rows: len(g.order), Groups: len(g.table)},
		Settings: p.set, Grouping: p.grouping, lengthUnit: s.Run.LengthUnit, ground: g, origin: o,
		Order: g.order, Offsets: g.offsets, Logged: g.logged, Lengths: g.lengths, Given: g.given,
		Rewards: o.batch.Rewards, Original: o.advantages,
	}
	refusal, err := a.filter(p)
	if err != nil {
		return nil, err
	}
	sums := a.tabulate(p)
	a.Metrics = a.metrics(&sums)
	if !a.Open {
		a.Warnings = a.warnings(p.entry, refusal, &sums)
	}
	return a, ctx.Err()
}

// filter fills the columns of what is kept. The refusal is what the framework's own
// code would raise for the batch, of a ratio before all else.
func (a *Analysis) filter(p plan) (*estimators.Refusal, error) {
	a.Keep = make([]bool, a.Rows)
	if !p.set.Filtering() {
		for i := range a.Keep {
			a.Keep[i] = true
		}
		a.Processed = a.Original
		return a.origin.refusal, nil
	}
	a.Processed = make([]float64, a.Rows)
	parts := a.ground.parts
	if !p.entry.Local() || p.set.Scale == estimators.ScaleBatch {
		parts = []part{{from: 0, to: a.Groups, lo: 0, hi: a.Rows}}
	}
	errs := make([]error, len(parts))
	eachPart(parts, func(k int, part part) {
		r := estimators.Result{Original: a.Original[part.lo:part.hi], Processed: a.Processed[part.lo:part.hi], Kept: a.Keep[part.lo:part.hi]}
		errs[k] = r.Filter(p.entry, a.origin.batch.Between(part.from, part.to), p.set.Scale, p.set.KeepPos, p.set.KeepNeg, p.set.Recompute)
	})
	refusal := a.origin.refusal
	if len(errs) > 0 && errs[0] != nil && !errors.As(errs[0], &refusal) {
		return nil, errs[0]
	}
	return refusal, nil
}

// tabulate fills the group table and the counts of the summary.
func (a *Analysis) tabulate(p plan) tally {
	a.Table = make([]Group, a.Groups)
	sums := a.pivot()
	tallies := make([]tally, len(a.ground.parts))
	eachPart(a.ground.parts, func(k int, part part) {
		tallies[k] = sums
		for at := part.from; at < part.to; at++ {
			g := &a.Table[at]
			*g = a.origin.table[at]
			a.count(g, &tallies[k])
			g.Fate = a.fate(g, p.lo, p.hi)
		}
	})
	for k := range tallies {
		sums.merge(&tallies[k])
	}
	for at := range a.Table {
		g := &a.Table[at]
		a.Fates[g.Fate]++
		a.Kept += g.Kept()
		a.Flips += g.Flips
	}
	a.Signal = a.Fates[FateAlive] + a.Fates[FateShort]
	return sums
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
func (a *Analysis) Batch() estimators.Batch { return a.origin.batch }
