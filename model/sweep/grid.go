// Package sweep computes what every pair of keep ratios would do to steps of a run, or
// to some of their groups, with and without recompute. The command, the screen and the
// reports build a [Grid] from a snapshot, read its cells, and ask it what suits a [Goal].
//
// Few pairs differ for a group: of 8 positive samples 21 ratios keep at most 9 different
// numbers. So each group is sorted once, every number of kept samples is computed once,
// and equal groups share the result. Most estimators have a closed form, which needs only
// prefix sums over the sorted group, at the same cost for each number: see rankedGroup.
//
// Counts equal those of analysis.Analyze under the same settings: where sums could
// be wrong about a sign, the estimator itself computes. Sums of advantages agree to five
// digits.
package sweep

import (
	"context"
	"fmt"
	"math"
	"slices"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/units"
)

// Ratios are the values of the two keep ratios, ascending.
type Ratios struct{ Pos, Neg []float64 }

// DefaultRatios returns 0 to 1 by 0.05 for both.
func DefaultRatios() Ratios {
	var all []float64
	for i := range 21 {
		all = append(all, float64(i*5)/100)
	}
	return Ratios{all, all}
}

// Grid has a cell for every pair of ratios, without and with recompute.
type Grid struct {
	Ratios
	Settings model.Settings // of the sweep, without a filter
	Steps    int
	Rows     int // of the log: more than the cells have samples if these are rollouts of several rows

	filtered, recomputed []Cell // row-major: Pos, then Neg
	unfiltered           Cell   // both ratios 1, also if they are not on the grid
	pos, neg             side   // what Pos and Neg keep
}

// NoFilter returns the cell of both ratios 1 without recompute, which need not be on the grid.
func (g *Grid) NoFilter() *Cell { return &g.unfiltered }

// HasSignal reports whether a group carries signal before any filter.
func (g *Grid) HasSignal() bool { return g.unfiltered.Signal > 0 }

// RolloutText says that samples are rollouts of several rows; "" if each is a row.
func (g *Grid) RolloutText() string {
	samples := g.At(false, 0, 0).Samples
	if samples == g.Rows {
		return ""
	}
	return fmt.Sprintf("samples are %s in %s", units.Plural(samples, "rollouts"), units.Plural(g.Rows, "rows"))
}

// Cells returns the cells of all pairs, those of Pos[0] first.
func (g *Grid) Cells(recompute bool) []Cell {
	if recompute {
		return g.recomputed
	}
	return g.filtered
}

// At returns the cell of Pos[i] and Neg[j].
func (g *Grid) At(recompute bool, i, j int) *Cell { return &g.Cells(recompute)[i*len(g.Neg)+j] }

// Run returns the grid of some steps of a snapshot, given by index. It fails if the
// steps cannot be computed under the settings, if the estimator has no filter, or if ctx
// ends.
func Run(ctx context.Context, snap model.Snapshot, steps []int, set model.Settings, r Ratios) (*Grid, error) {
	g, err := New(set, r)
	if err != nil {
		return nil, err
	}
	return g.WithSteps(ctx, snap, steps, nil)
}

// New returns a grid without steps. It fails if the estimator has no filter or a ratio is
// not in [0, 1].
func New(set model.Settings, r Ratios) (*Grid, error) {
	set.KeepPos, set.KeepNeg, set.Recompute = 1, 1, false
	g := newGrid(set, r)
	for k := range g.filtered {
		for _, c := range []*Cell{&g.filtered[k], &g.recomputed[k]} {
			if err := c.Apply(set).Validate(); err != nil {
				return nil, err
			}
		}
	}
	return g, nil
}

// newGrid returns a grid without steps, whose ratios are not validated.
func newGrid(set model.Settings, r Ratios) *Grid {
	g := &Grid{
		Ratios: r, Settings: set, filtered: make([]Cell, len(r.Pos)*len(r.Neg)), recomputed: make([]Cell, len(r.Pos)*len(r.Neg)),
		unfiltered: Cell{KeepPos: 1, KeepNeg: 1}, pos: newSide(r.Pos), neg: newSide(r.Neg),
	}
	for i, pos := range r.Pos {
		for j, neg := range r.Neg {
			for _, recompute := range []bool{false, true} {
				c := g.At(recompute, i, j)
				c.KeepPos, c.KeepNeg, c.Recompute = pos, neg, recompute
			}
		}
	}
	return g
}

// WithSteps returns a grid that also holds these steps of a snapshot: all their groups or,
// if only is not nil, those with these indexes, ascending. g does not change.
func (g *Grid) WithSteps(ctx context.Context, snap model.Snapshot, steps, groups []int) (*Grid, error) {
	next := *g
	next.filtered, next.recomputed = slices.Clone(g.filtered), slices.Clone(g.recomputed)
	next.pos, next.neg = g.pos.clone(), g.neg.clone()
	step := g.newStep()
	err := analysis.EachOf(ctx, snap, steps, g.Settings, func(a *analysis.Analysis) error {
		uncounted := 0 // rows that count in no mean, as dropped ones do
		for _, g := range selectGroups(a.Table, groups) {
			next.Rows += g.Size()
			uncounted += g.Size() - a.CountedRows(&g)
		}
		step.clear()
		return next.addStep(ctx, step, a.ByRollout(), groups, uncounted)
	})
	if err != nil {
		return nil, err
	}
	return &next, nil
}

// stepGrid is a grid of one step at a time, with what it needs of the estimator.
type stepGrid struct {
	*Grid
	entry   *estimators.Estimator
	form    closedForm
	hasForm bool
}

// newStep returns an empty grid of the same ratios.
func (g *Grid) newStep() *stepGrid {
	step := &stepGrid{Grid: newGrid(g.Settings, g.Ratios)}
	if entry, err := g.Settings.FindEstimator(); err == nil { // else no step can be analysed
		step.entry = entry
		step.form, step.hasForm = closedFormOf(entry, g.Settings.Scale)
	}
	return step
}

// clear takes out the steps of a grid.
func (g *Grid) clear() {
	g.eachCell(func(c *Cell) { *c = Cell{KeepPos: c.KeepPos, KeepNeg: c.KeepNeg, Recompute: c.Recompute} })
	g.pos.clear()
	g.neg.clear()
}

// selectGroups returns the groups with these indexes, all if only is nil.
func selectGroups(table []analysis.Group, indexes []int) []analysis.Group {
	if indexes == nil {
		return table
	}
	return model.Mapped(indexes, func(at int) analysis.Group { return table[at] })
}

// onlyTrained is a without the samples that do not train by their status, under no ratio: no filter counts them.
func onlyTrained(a *analysis.Analysis) *analysis.Analysis {
	trains := model.Mapped(a.Status, model.Status.Trains)
	next := *a
	next = *next.OnlyJudged(trains)
	next.Batch, next.Unfiltered, next.Table = a.Batch.Kept(trains), nil, slices.Clone(a.Table)
	for k := range next.Table {
		g := &next.Table[k]
		from := len(next.Unfiltered)
		for i := g.Start; i < g.End; i++ {
			if trains[i] {
				next.Unfiltered = append(next.Unfiltered, a.BeforePolicy(i))
				if a.Batch.Rollouts != nil {
					next.Batch.Rollouts = append(next.Batch.Rollouts, a.Batch.Rollouts[i])
				}
			}
		}
		g.Start, g.End = from, len(next.Unfiltered)
	}
	return &next
}

// addStep adds groups of a step, given by index and analysed without a filter, to all cells: all if only is nil. Samples are also the rows
// that no mean counts. step is empty.
func (g *Grid) addStep(ctx context.Context, step *stepGrid, a *analysis.Analysis, only []int, uncounted int) error {
	samples, groups := uncounted, selectGroups(a.Table, only)
	for i := range groups {
		samples += groups[i].Size()
	}
	if a.Statuses.Untrained() > 0 {
		a = onlyTrained(a)
		groups = selectGroups(a.Table, only)
	}
	admitted := slices.DeleteFunc(slices.Clone(groups), func(g analysis.Group) bool { return !g.Admitted }) // the others do not train
	if err := step.addGroups(ctx, a, admitted); err != nil {
		return err
	}
	step.eachCell(func(c *Cell) {
		c.Samples, c.Groups, c.sumAbsUnfiltered = samples, len(groups), step.unfiltered.sumAbs
	})
	if !a.Open { // an open step raises no warnings
		step.pos.countFar(step.Pos)
		step.neg.countFar(step.Neg)
		for k := range step.filtered {
			far := max(step.pos.far[k/len(step.Neg)], step.neg.far[k%len(step.Neg)])
			step.filtered[k].countWarnings(far)
			step.recomputed[k].countWarnings(far)
		}
	}
	g.Steps++
	g.merge(step.Grid)
	return nil
}

func (g *stepGrid) addGroups(ctx context.Context, a *analysis.Analysis, groups []analysis.Group) error {
	entry := g.entry
	s := &accumulator{grid: g.Grid, a: a, groups: groups, entry: entry, form: g.form, hasForm: g.hasForm}
	isOfGroup := !entry.DependsOnBatch || s.hasForm
	s.groupLocal = a.Settings.Scale != estimators.ScaleBatch && isOfGroup && a.Batch.Rollouts == nil
	switch err := s.run(ctx); {
	case err != nil:
		return err
	case a.Judgements() != nil:
		return g.correct(ctx, a, groups, entry)
	case s.groupLocal:
		return nil
	}
	return g.bruteForce(ctx, a, groups, entry)
}

// Every returns the grid of every n-th ratio.
func (g *Grid) Every(n int) *Grid {
	if n <= 1 {
		return g
	}
	pos, posRatios := g.pos.every(n, g.Pos)
	neg, negRatios := g.neg.every(n, g.Neg)
	few := newGrid(g.Settings, Ratios{posRatios, negRatios})
	few.Steps, few.Rows, few.unfiltered, few.pos, few.neg = g.Steps, g.Rows, g.unfiltered, pos, neg
	for i := range posRatios {
		for j := range negRatios {
			for _, recompute := range []bool{false, true} {
				*few.At(recompute, i, j) = *g.At(recompute, n*i, n*j)
			}
		}
	}
	return few
}

// eachCell visits every cell, also that without a filter.
func (g *Grid) eachCell(visit func(*Cell)) {
	for k := range g.filtered {
		visit(&g.filtered[k])
		visit(&g.recomputed[k])
	}
	visit(&g.unfiltered)
}

// merge adds the counts and sums of a grid of the same ratios.
func (g *Grid) merge(o *Grid) {
	for k := range g.filtered {
		g.filtered[k].merge(&o.filtered[k])
		g.recomputed[k].merge(&o.recomputed[k])
	}
	g.unfiltered.merge(&o.unfiltered)
	g.pos.merge(o.pos)
	g.neg.merge(o.neg)
}

// Cell holds the counts and sums under one pair of ratios.
type Cell struct {
	KeepPos, KeepNeg float64
	Recompute        bool

	Samples, Groups int
	Outcome
	Warned StepWarnings

	sumAbsUnfiltered float64
}

// Outcome is what a pair of ratios does to some groups.
type Outcome struct {
	Kept   int // samples that the filter keeps
	Signal int // groups with signal: alive, or short and thus left at their unfiltered advantages
	Killed int // groups that lose their signal to the filter
	Short  int // groups with fewer than 2 kept samples under recompute
	Flips  int // kept samples whose advantage changed sign, also from or to 0: see analysis.Flips

	Trained int // samples with an advantage that is not 0: what is left to train on
	TooFew  int // groups with an advantage that is not 0, of which the filter keeps fewer than 2 samples

	sum, sumSquares, sumAbs float64 // of the processed advantages that are finite
}

func (o *Outcome) add(more Outcome) {
	o.Kept += more.Kept
	o.Signal += more.Signal
	o.Killed += more.Killed
	o.Short += more.Short
	o.Flips += more.Flips
	o.Trained += more.Trained
	o.TooFew += more.TooFew
	o.sum += more.sum
	o.sumSquares += more.sumSquares
	o.sumAbs += more.sumAbs
}

func (c *Cell) merge(o *Cell) {
	c.add(o.Outcome)
	c.Warned.add(o.Warned)
	c.Samples += o.Samples
	c.Groups += o.Groups
	c.sumAbsUnfiltered += o.sumAbsUnfiltered
}

// Filtering reports whether a ratio is below 1.
func (c *Cell) Filtering() bool { return c.KeepPos < 1 || c.KeepNeg < 1 }

// Apply returns set with the ratios and the recompute of the cell.
func (c *Cell) Apply(set model.Settings) model.Settings {
	set.KeepPos, set.KeepNeg, set.Recompute = c.KeepPos, c.KeepNeg, c.Recompute
	return set
}

// AbsRatio returns Σ|A| after the filter over Σ|A| before it, NaN if that is 0.
func (c *Cell) AbsRatio() float64 { return c.sumAbs / c.sumAbsUnfiltered }

// Effective returns (Σ|A|)²/ΣA² of the processed advantages: how many samples with advantages of one
// size would push as evenly. A few large advantages among many small ones count as few. NaN if all
// are 0.
func (c *Cell) Effective() float64 { return c.sumAbs * c.sumAbs / c.sumSquares }

// Push returns ΣA/Σ|A| of the processed advantages: 0 if positive and negative mass are equal, 1 or −1
// if there is only one of them. NaN if all are 0.
func (c *Cell) Push() float64 { return c.sum / c.sumAbs }

// Lost returns how many groups the filter kills or leaves short.
func (c *Cell) Lost() int { return c.Killed + c.Short }

// Mean returns the mean of the processed advantages of all samples: far from 0, the
// update is one-sided.
func (c *Cell) Mean() float64 { return c.sum / float64(c.Samples) }

// Std returns the standard deviation of the processed advantages of all samples, ddof 1.
func (c *Cell) Std() float64 {
	n := float64(c.Samples)
	return math.Sqrt(max(0, c.sumSquares-c.sum*c.sum/n) / (n - 1))
}

// Figure is a value of a cell that a grid can be shown by.
type Figure struct {
	Name, Doc string
	Value     func(*Cell) float64
	IsCount   bool
	Total     func(*Cell) int // what a count is a share of; nil if Value is not a share

	Label  string // the name on the screen
	Unit   string // of Value, or of its share
	Better Better
}

// Better says which values of a figure a person wants.
type Better int

// The kinds.
const (
	NotJudged    Better = iota // it depends on the goal
	MoreIsBetter               // as for signal
	LessIsBetter               // as for groups killed
	ZeroIsBetter               // as for the mean advantage: far from 0 the update is one-sided
)

// Merit returns a number that is larger the better a value is: the value itself where values are not
// judged.
func (b Better) Merit(x float64) float64 {
	switch b {
	case LessIsBetter:
		return -x
	case ZeroIsBetter:
		return -math.Abs(x)
	case MoreIsBetter, NotJudged:
	}
	return x
}

// Figures returns all figures; the first is the default.
func Figures() []Figure {
	groups, samples := func(c *Cell) int { return c.Groups }, func(c *Cell) int { return c.Samples }
	const ofGroups, ofSamples = "% of groups", "% of samples"
	share := func(name, label, doc string, count func(*Cell) int, total func(*Cell) int, unit string, better Better) Figure {
		return Figure{name, doc, func(c *Cell) float64 { return float64(count(c)) }, true, total, label, unit, better}
	}
	return []Figure{
		share("signal", "signal", "groups with signal", func(c *Cell) int { return c.Signal }, groups, ofGroups, MoreIsBetter),
		share("kept", "kept", "samples kept", func(c *Cell) int { return c.Kept }, samples, ofSamples, NotJudged),
		share("killed", "killed", "groups that lose their signal", func(c *Cell) int { return c.Killed }, groups, ofGroups, LessIsBetter),
		share("short", "short", "groups with fewer than 2 kept", func(c *Cell) int { return c.Short }, groups, ofGroups, LessIsBetter),
		share(
			"trained", "train", "samples left with an advantage that is not 0", func(c *Cell) int { return c.Trained }, samples, ofSamples,
			NotJudged,
		),
		{
			"effective", "effective sample size, (Σ|A|)²/ΣA²: so many samples of equal |A| have the same spread", (*Cell).Effective, false, nil,
			"effective", "samples", MoreIsBetter,
		},
		share(
			"flips", "flips", "kept samples whose sign changes, also from or to 0", func(c *Cell) int { return c.Flips }, samples, ofSamples,
			LessIsBetter,
		),
		{"abs", "Σ|A| against no filter", (*Cell).AbsRatio, false, nil, "Σ|A|", "times no filter", MoreIsBetter},
		{"push", "ΣA/Σ|A|: +1 pushes all samples up, −1 all down, 0 is even", (*Cell).Push, false, nil, "push", "ΣA/Σ|A|", ZeroIsBetter},
		{
			"mean", "mean advantage of all samples, dropped ones and NaN as 0: far from 0 is one-sided", (*Cell).Mean, false, nil, "mean of all",
			"advantage", ZeroIsBetter,
		},
		{"std", "std of the advantages of all samples, dropped ones and NaN as 0", (*Cell).Std, false, nil, "std of all", "advantage", NotJudged},
	}
}

// FindFigure returns the figure of that name.
func FindFigure(name string) (Figure, bool) {
	for _, f := range Figures() {
		if f.Name == name {
			return f, true
		}
	}
	return Figure{}, false
}

// outcomeOf returns what a group adds to a cell. The group is short if it is
// recomputed and fewer than 2 of its samples are kept.
func outcomeOf(g *analysis.Group, isRecomputed bool, rewards, unfiltered, processed []float64, kept []bool) (o Outcome) {
	for _, keep := range kept {
		o.Kept += model.Count01(keep)
	}
	bound := residueBound(g)
	if isRecomputed && o.Kept > 1 {
		bound = analysis.ResidueBound(rewards, processed, kept)
	}
	hadSignal, hasSignal := false, false
	for i, x := range processed {
		if kept[i] && analysis.IsFlip(unfiltered[i], x) {
			o.Flips++
		}
		hadSignal = hadSignal || unfiltered[i] != 0
		hasSignal = hasSignal || x != 0
		if !(math.Abs(x) > bound) { // NaN trains nothing
			continue
		}
		o.Trained++
		if units.IsFinite(x) {
			o.sum += x
			o.sumSquares += x * x
			o.sumAbs += math.Abs(x)
		}
	}
	isShort := isRecomputed && o.Kept < 2
	if isShort && hadSignal && g.CanKeepTwo() {
		o.TooFew++
	}
	o.countFate(g.Fate == model.FateAlive, hasSignal, isShort)
	return o
}

// residueBound is the size up to which an advantage of the group is residue without recompute: also where some of its samples do not train
// by their status.
func residueBound(g *analysis.Group) float64 {
	if g.IsResidue {
		return math.Inf(1)
	}
	return g.ResidueBound
}

// countFate counts what the filter does to a group, as model.Fate does: alive says that it
// has signal without the filter, nonzero that an advantage is left.
func (o *Outcome) countFate(alive, nonzero, short bool) {
	switch {
	case !alive:
	case !nonzero:
		o.Killed++
	case short:
		o.Short++
		o.Signal++
	default:
		o.Signal++
	}
}

// StepWarnings counts, for each of warnedKinds, the steps in which the settings of a cell raise a warning of [analysis]
// that the log does not raise by itself.
type StepWarnings [6]int

func warnedKinds() [6]model.WarningKind {
	return [6]model.WarningKind{
		analysis.WarnTooFewKept, analysis.WarnKilledGroups, analysis.WarnSignFlips, analysis.WarnRecomputeWithoutFilter,
		analysis.WarnOneSidedPush, analysis.WarnEffectiveRatio,
	}
}

func (w *StepWarnings) add(o StepWarnings) {
	for k, steps := range o {
		w[k] += steps
	}
}

// WarnedKind is a kind of warning and in how many steps it is raised.
type WarnedKind struct {
	Kind  model.WarningKind
	Steps int
}

// Kinds returns the kinds that are raised, in the order of reports.
func (w StepWarnings) Kinds() (raised []WarnedKind) {
	for k, kind := range warnedKinds() {
		if w[k] > 0 {
			raised = append(raised, WarnedKind{kind, w[k]})
		}
	}
	return raised
}

func (s *side) countFar(ratios []float64) {
	for i, ratio := range ratios {
		s.far[i] = model.Count01(analysis.IsFarFromRatio(ratio, s.kept[i], s.all))
	}
}

// nearlyOneSided is how much less one-sided than the limit a cell may be: its sums and those of an
// analysis differ in the last digits.
const nearlyOneSided = 1 + 1e-4

func (c *Cell) countWarnings(farFromRatio int) {
	oneSided := c.Filtering() && analysis.IsOneSided(c.sum*nearlyOneSided, c.sumAbs)
	c.Warned = StepWarnings{
		model.Count01(c.TooFew > 0), model.Count01(c.Killed > 0), model.Count01(c.Flips > 0), model.Count01(c.Recompute && !c.Filtering()),
		model.Count01(oneSided), farFromRatio,
	}
}
