package model

import (
	"context"
	"slices"

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

// Analysis is one step under one setting, sample by sample. The columns are in
// group order: the samples of a group lie next to each other.
type Analysis struct {
	Summary
	Settings Settings // as computed: see Settings.Effective
	Grouping Grouping

	Order    []int32   // row in input order of each sample
	Offsets  []int     // group g is [Offsets[g]:Offsets[g+1]]
	Logged   []float64 // rewards as logged
	Rewards  []float64 // rewards as the trainer's estimator sees them
	Lengths  []int32   // of the responses, -1 if unknown
	Original []float64 // advantages before the filter
	Keep     Flags     // whether the filter keeps the sample
	Given    []float64 // advantages as logged, NaN where not
	Before   float64   // the largest |A| before the filter, of those that are finite
	After    float64   // and after it

	fates      []Fate  // by group
	flips      []int32 // by group: kept samples whose advantage changed sign; nil if nothing is computed anew
	fresh      Column  // processed advantages, if they are not those before the filter of what is kept, and 0 else
	lengthUnit LengthUnit
	ground     *ground
	origin     *origin
	recent     []*origin   // of this ground, the one at hand first
	ready      []*Analysis // of this step under other settings, computed ahead
	cleanings  []*cleaned  // of this ground
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
// before: what the settings leave as it was is taken over, and what the last few estimators
// gave, so that a change of the filter costs a third of the whole. What [Snapshot.Ahead] has
// computed is there. before may be nil.
func (s Snapshot) AnalyzeAfter(ctx context.Context, i int, set Settings, before *Analysis) (*Analysis, error) {
	p, err := s.plan(set)
	if err != nil {
		return nil, err
	}
	if a := before.readyFor(s, i, p); a != nil {
		return a, nil
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
	g, err := s.ground(ctx, i, p, before)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	o, err := s.origin(ctx, g, i, p, before)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	a := &Analysis{
		Summary:  Summary{Step: g.key.step, Revision: g.key.revision, Open: g.key.open, Rows: len(g.order), Groups: len(g.members)},
		Settings: p.set, Grouping: p.grouping, lengthUnit: s.Run.LengthUnit, ground: g, origin: o, recent: o.among(before.origins(g)), cleanings: o.cleaned.among(before.cleaned(g)),
		Order: g.order, Offsets: g.offsets, Logged: g.logged, Lengths: g.lengths, Given: g.given,
		Rewards: o.batch.Rewards, Original: o.advantages,
	}
	sums, refusal := a.filter(ctx, p, before)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	a.sum(&sums)
	if !a.Open {
		a.Warnings = a.warnings(p.entry, refusal, &sums)
	}
	return a, nil
}

// sum takes the figures of the step from the sums over its parts.
func (a *Analysis) sum(t *tally) {
	for fate, groups := range t.fates {
		a.Fates[fate] = groups.count
	}
	a.Kept, a.Flips = t.kept, t.flips
	a.Signal = a.Fates[FateAlive] + a.Fates[FateShort]
	a.Before, a.After = a.origin.largest, t.largest
	a.Metrics = a.metrics(t)
}

// fate says what the settings make of group at: whether its advantages have a signal
// after them; invalid says that some reward is no number, lo and hi are the worst and the best
// reward of the run.
func (a *Analysis) fate(at, size, kept int, invalid, after bool, lo, hi float64) Fate {
	before, equal := &a.origin.traits[at], a.origin.equal[at]
	switch {
	case a.Open:
		return FateOpen
	case invalid:
		return FateInvalid
	case size == 1:
		return FateSingle
	case before.vague(size):
		return FateInvalid
	case equal && after:
		return FateNoise
	case equal || !before.alive(size):
		return equalFate(a.Logged[a.ground.offsets[at]], lo, hi)
	case !after:
		return FateKilled
	case a.Settings.Recompute && a.Settings.Filtering() && kept < 2:
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

// Group returns row at of the table of groups.
func (a *Analysis) Group(at int) Group {
	g := Group{Members: &a.ground.members[at], Fate: a.fates[at]}
	g.KeptPos, g.KeptZero, g.KeptNeg = a.Settings.keeping().of(&a.origin.traits[at], g.Size())
	if a.flips != nil {
		g.Flips = a.flips[at]
	}
	return g
}

// Table returns all groups, in the order of the columns.
func (a *Analysis) Table() []Group {
	table := make([]Group, a.Groups)
	for at := range table {
		table[at] = a.Group(at)
	}
	return table
}

// Members are the samples of group at.
func (a *Analysis) Members(at int) *Members { return &a.ground.members[at] }

// Fate is that of group at.
func (a *Analysis) Fate(at int) Fate { return a.fates[at] }

// SameFates reports whether the groups of another step, or of this one under other settings,
// have the same fates one by one.
func (a *Analysis) SameFates(o *Analysis) bool { return slices.Equal(a.fates, o.fates) }

// Processed returns the advantage of sample i after filter and recompute: what trains.
func (a *Analysis) Processed(i int) float64 {
	switch {
	case a.anew():
		return a.fresh.At(i)
	case a.Keep.At(i):
		return a.Original[i]
	}
	return 0
}

// ProcessedOf returns the processed advantages of a group.
func (a *Analysis) ProcessedOf(m *Members) []float64 {
	values := make([]float64, m.Size())
	for i := range values {
		values[i] = a.Processed(m.Start + i)
	}
	return values
}

// Anew returns the processed advantages where some are computed anew: false if those that are
// kept stay as they were.
func (a *Analysis) Anew() (Column, bool) { return a.fresh, a.anew() }

func (a *Analysis) anew() bool { return a.fresh.Len() > 0 }

// ProcessedKept is a column that holds the processed advantage of each sample that is
// kept; of the others it says nothing. It is read only.
func (a *Analysis) ProcessedKept() []float64 {
	if a.anew() {
		return a.fresh.Between(0, a.Rows, nil)
	}
	return a.Original
}

// Batch is the step as the estimator saw it. It shares the columns of the analysis:
// read it only.
func (a *Analysis) Batch() estimators.Batch { return a.origin.batch }
