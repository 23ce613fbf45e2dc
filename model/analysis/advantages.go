package analysis

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync/atomic"

	"vantage/estimators"
	"vantage/estimators/groupfilter"
	"vantage/model"
	"vantage/model/units"
)

// batch is the step as an estimator reads it: the rewards that its trainer cleaned, and the other
// columns that it needs, of each rollout that it counts. run may have grown since the step was grouped.
func (g *GroupedStep) batch(run *model.Run, e *estimators.Estimator, by *rollouts) estimators.Batch {
	rows, rewards := lastOf(by, g.InputRow), lastOf(by, g.Rewards)
	b := estimators.Batch{Rewards: g.scratch.numbers(len(rows)), Offsets: g.Offsets}
	if by != nil {
		b.Offsets = by.offsets
	}
	e.CleanInto(b.Rewards, rewards)
	if e.Outputs == estimators.ByRollout && g.rollouts != nil {
		b.Rollouts = g.rollouts.of
	}
	if e.Needs.Lengths {
		b.Lengths = g.tokens(by, e.DependsOnBatch)
	}
	if k := run.BaselineColumn(); e.Needs.Baselines && k >= 0 {
		b.Baselines = g.step.Component(rows, k)
	}
	b.Columns = g.columns(run, e.Needs, rows, b.Lengths)
	if e.Needs.Components {
		var names []string
		for _, k := range run.RewardFunctions(g.weights) {
			if k >= len(g.step.Components) || g.step.Components[k] == nil {
				continue // gave nothing in this step
			}
			names = append(names, run.ComponentNames[k])
			b.Components = append(b.Components, g.step.Component(rows, k))
		}
		if g.weights != "" {
			b.Weights, _ = g.weights.Factors(names)
		}
	}
	return b
}

// columns are those that an estimator needs, or reads if they are there, of rows of the step.
func (g *GroupedStep) columns(run *model.Run, needs estimators.Needs, rows, lengths []int32) [][]float64 {
	var columns [][]float64
	for _, c := range (needs.Columns | needs.Optional).List() {
		k := run.InputColumn(c)
		if k < 0 {
			continue
		}
		for len(columns) <= int(c) {
			columns = append(columns, nil)
		}
		columns[c] = g.step.Component(rows, k)
	}
	if total := int(estimators.TotalTokens); len(columns) > total && columns[estimators.InputTokens] == nil && lengths != nil {
		input := slices.Clone(columns[total])
		for i, n := range lengths {
			input[i] -= float64(n)
		}
		columns[estimators.InputTokens] = input
	}
	return columns
}

// tokens are the lengths of what an estimator counts, nil if none is known. One that whitens the batch does so over the tokens that train.
func (g *GroupedStep) tokens(by *rollouts, whitens bool) []int32 {
	lengths := knownLengths(by.lengths(g.Lengths))
	if whitens && lengths != nil && g.Status != nil {
		for i, status := range lastOf(by, g.Status) {
			if status == model.StatusMasked {
				lengths[i] = 0
			}
		}
	}
	return lengths
}

// knownLengths are the lengths with 0 for unknown ones, nil if all are unknown.
func knownLengths(lengths []int32) []int32 {
	if !slices.ContainsFunc(lengths, func(l int32) bool { return l >= 0 }) {
		return nil
	}
	known := make([]int32, len(lengths))
	for i, l := range lengths {
		known[i] = max(0, l)
	}
	return known
}

// original are the advantages of a step before the filter.
type original struct {
	unfiltered model.Settings // settings that the advantages depend on: those of no filter
	batch      estimators.Batch
	blocks     []block             // of the batch
	advantages []float64           // of the batch
	ofRule     []float64           // of the batch, as the estimator gives them, where those of the log are taken
	rewards    []float64           // of the samples, as the estimator cleans them
	zeroStd    []bool              // by group
	refusal    *estimators.Refusal // what the trainer's own code would raise for the batch, nil if nothing
}

// original returns the advantages of a step before the filter: those of previous if they are the same.
func (p *plan) original(ctx context.Context, in *stepInput, previous *Analysis) (*original, error) {
	set := p.settings
	set.KeepPos, set.KeepNeg, set.Recompute, set.GroupFilter, set.Loss, set.Overlong, set.StageOptions = 1, 1, false, "", "", "", ""
	if previous != nil && previous.input == in && previous.original.unfiltered == set {
		return previous.original, nil
	}
	o := stored(in.scratch, func(s *scratch) *original { return &s.original }, original{
		unfiltered: set, batch: in.batch(&p.snap.Run, p.estimator, in.countedRollouts), blocks: in.blocks,
	})
	o.advantages, o.rewards = in.scratch.numbers(len(o.batch.Rewards)), o.batch.Rewards
	if in.scratch != nil {
		clear(o.advantages) // those of another step, which would stay where the estimator refuses
	}
	if in.countedRollouts != nil {
		o.blocks, o.rewards = blocksOf(o.batch.Offsets), make([]float64, len(in.InputRow))
		p.estimator.CleanInto(o.rewards, in.Rewards)
	}
	if err := o.compute(ctx, p.estimator); err != nil && !errors.As(err, &o.refusal) {
		return nil, err
	}
	if set.FromLog {
		o.ofRule = slices.Clone(o.advantages)
	}
	if in.parts != nil || set.FromLog {
		o.takeLogged(in, set.FromLog)
	}
	if set.Assumed && o.refusal != nil && o.refusal.Kind != estimators.KindMissing {
		o.refusal = nil
	}
	o.zeroStd = p.estimator.ZeroStd(o.batch, set.Scale)
	return o, nil
}

// takeLogged takes the logged advantages of groups of which the log lacks samples: an estimator would compare the others with a part; or all,
// where no estimator gives them.
func (o *original) takeLogged(in *stepInput, all bool) {
	isUnlogged := func(x float64) bool { return !model.IsLogged(x) }
	for k := range in.groups {
		logged := in.LoggedAdvantages[in.groups[k].Start:in.groups[k].End]
		if (all || in.groups[k].IsPart) && in.countedRollouts == nil && !slices.ContainsFunc(logged, isUnlogged) {
			copy(o.advantages[in.groups[k].Start:], logged)
		}
	}
}

// compute fills in the advantages, block by block if no group depends on another.
func (o *original) compute(ctx context.Context, e *estimators.Estimator) error {
	if e.Separable(o.batch, o.unfiltered.Scale) {
		var refused atomic.Bool
		eachBlock(ctx, o.blocks, func(_ int, b block) {
			if e.Compute(o.advantages[b.lo:b.hi], o.batch.GroupRange(b.from, b.to), o.unfiltered.Scale) != nil {
				refused.Store(true)
			}
		})
		if !refused.Load() {
			return nil
		} // the refusal of the whole batch names its groups
	}
	return e.Compute(o.advantages, o.batch, o.unfiltered.Scale)
}

// admission is what the group filter of the settings says of a step; nil without one.
type admission struct {
	rule    *groupfilter.Filter
	verdict groupfilter.Admission
	trains  []bool              // by sample: whether it trains
	refusal *estimators.Refusal // what the trainer's own code would raise for the batch, nil if nothing
	groups  int                 // admitted
	all     bool                // every sample trains
}

// admit asks the group filter, unless previous, which may be nil, did so already. It counts every row,
// those of one rollout too, as trainers do.
func (a *Analysis) admit(previous *Analysis) error {
	rule, values, err := a.Settings.FindGroupFilter()
	if err != nil || rule == nil {
		return err
	}
	if previous.hasAdmissionOf(a, rule) {
		a.admission = previous.admission
		return nil
	}
	ad := &admission{rule: rule, trains: make([]bool, a.Rows)}
	if err := rule.Decide(&ad.verdict, a.filterBatch(), values); err != nil && !errors.As(err, &ad.refusal) {
		return err
	}
	for g, admitted := range ad.verdict.Admitted {
		ad.groups += model.Count01(admitted)
		for i := a.Offsets[g]; i < a.Offsets[g+1] && admitted; i++ {
			ad.trains[i] = ad.verdict.Kept == nil || ad.verdict.Kept[i]
		}
	}
	ad.all = ad.groups == a.Groups && ad.verdict.Kept == nil
	a.admission = ad
	return nil
}

// hasAdmissionOf reports whether the group filter said the same of a before.
func (a *Analysis) hasAdmissionOf(o *Analysis, rule *groupfilter.Filter) bool {
	return a != nil && a.admission != nil && a.input == o.input && a.Settings.GroupFilter == o.Settings.GroupFilter && a.Settings.StageOptions == o.Settings.StageOptions &&
		a.Settings.Estimator == o.Settings.Estimator && a.Settings.Framework == o.Settings.Framework && (!rule.NeedsAdvantages || a.original == o.original)
}

func (a *Analysis) filterBatch() groupfilter.Batch {
	b := groupfilter.Batch{Rewards: a.Rewards, Raw: a.LoggedRewards, Offsets: a.Offsets, Advantages: a.Original, Lengths: knownLengths(a.Lengths)}
	b.Column = func(name string) []float64 {
		for k, column := range a.plan.snap.Run.ComponentNames {
			if column == name && k < len(a.input.step.Components) && a.input.step.Components[k] != nil {
				return a.input.step.Component(a.InputRow, k)
			}
		}
		return nil
	}
	return b
}

// Admitted reports whether the group filter admits group g; without a filter every group is.
func (a *Analysis) Admitted(g int) bool { return a.admission == nil || a.admission.verdict.Admitted[g] }

// Trains reports whether the group filter lets sample i train.
func (a *Analysis) Trains(i int) bool { return a.admission == nil || a.admission.trains[i] }

// WhySkipped says what the group filter measured of group g: "std 0"; "" if it is admitted.
func (a *Analysis) WhySkipped(g int) string {
	if a.Admitted(g) {
		return ""
	}
	return a.admission.verdict.Reasons[g].String()
}

// admittedAdvantages are the advantages of a batch whose dropped samples train no more: 0 for these.
// Where those of a group depend on others they are computed again, unless the dropped samples stay in
// the batch under a mask.
func (a *Analysis) admittedAdvantages(original []float64) (advantages []float64, trains []bool) {
	trains = lastOf(a.input.countedRollouts, a.admission.trains)
	if a.admission.all {
		return original, nil
	}
	advantages = make([]float64, len(original))
	e, scale := a.plan.estimator, a.Settings.Scale
	if a.admission.rule.Dropped == groupfilter.Masked || e.Separable(a.Batch, scale) {
		eachBlock(context.Background(), a.original.blocks, func(_ int, b block) {
			for i := b.lo; i < b.hi; i++ {
				advantages[i] = estimators.IfKept(trains[i], original[i])
			}
		})
		return advantages, trains
	}
	inBatch := make([]bool, len(original))
	for g, admitted := range a.admission.verdict.Admitted {
		lo, hi := a.input.countedRollouts.ofGroup(g, a.Offsets)
		for i := lo; i < hi; i++ {
			inBatch[i] = admitted
		}
	}
	kept := a.Batch.Kept(inBatch)
	again := make([]float64, len(kept.Rewards))
	_ = e.Compute(again, kept, scale) // what the trainer would raise was reported for the whole step
	next := 0
	for i, in := range inBatch {
		if in {
			advantages[i] = estimators.IfKept(trains[i], again[next])
			next++
		}
	}
	return advantages, trains
}

func (in *stepInput) hasUntrained() bool {
	return slices.ContainsFunc(in.Status, func(s model.Status) bool { return !s.Trains() })
}

// trainedAdvantages are advantages of a batch, 0 for the samples that do not train by their status or by trains, which is nil if all do.
func (a *Analysis) trainedAdvantages(advantages []float64, trains []bool) (trained []float64, all []bool) {
	trained, all = make([]float64, len(advantages)), make([]bool, len(advantages))
	for i, s := range lastOf(a.input.countedRollouts, a.input.Status) {
		all[i] = s.Trains() && (trains == nil || trains[i])
		trained[i] = estimators.IfKept(all[i], advantages[i])
	}
	return trained, all
}

// filter computes the processed advantages:
//
//	original advantages → group filter → keep rule → recompute, if asked for → processed advantages
//
// Without the groups that the group filter drops, an estimator whose advantages depend on the batch gives
// others: the keep rule gets these. A dropped sample gets 0. A kept sample has its original advantage or,
// with Settings.Recompute, the one that the estimator gives for the kept samples alone. If both ratios are 1
// all samples are kept that the estimator itself takes, and nothing is recomputed, as in the trainer. If a
// ratio is refused, which the trainer checks first, nothing is kept and processed advantages are NaN.
//
// All of it is about rollouts, if some have several samples; these share what becomes of their rollout.
func (a *Analysis) filter(ctx context.Context) {
	r := a.input.countedRollouts
	a.perRollout = perRollout{original: a.original.advantages, keep: zeros(a.input.scratch, func(s *scratch) *[]bool { return &s.keep }, len(a.Batch.Rewards))}
	c := &a.perRollout
	a.process(ctx, c)
	a.Keep, a.Processed = toOutputs(r, c.keep), a.Original
	if a.Settings.Filtering() || a.admission != nil || a.refusal != nil || a.input.hasUntrained() {
		a.Processed = toOutputs(r, c.processed)
	}
}

func (a *Analysis) process(ctx context.Context, c *perRollout) {
	set, e, n := a.Settings, a.plan.estimator, len(c.original)
	if errors.As(estimators.CheckRatios(set.KeepPos, set.KeepNeg), &a.refusal) {
		c.processed = slices.Repeat([]float64{math.NaN()}, n)
		return
	}
	advantages, trains := c.original, []bool(nil)
	if a.admission != nil {
		advantages, trains = a.admittedAdvantages(c.original)
	}
	if a.input.hasUntrained() {
		advantages, trains = a.trainedAdvantages(advantages, trains)
	}
	if !set.Filtering() {
		c.processed = advantages
		e.Select(c.keep, a.Batch)
		for i, yes := range trains {
			c.keep[i] = c.keep[i] && yes
		}
		return
	}
	c.processed = make([]float64, n)
	eachBlock(ctx, a.original.blocks, func(_ int, b block) {
		processed := c.processed[b.lo:b.hi]
		if set.Recompute {
			processed = nil
		}
		estimators.Keep(c.keep[b.lo:b.hi], processed, advantages[b.lo:b.hi], a.Batch.GroupRange(b.from, b.to).Offsets, set.KeepPos, set.KeepNeg)
		for i := b.lo; i < b.hi && trains != nil; i++ { // the keep rule keeps zeros, dropped or not
			c.keep[i] = c.keep[i] && trains[i]
		}
	})
	if !set.Recompute {
		return
	}
	blocks := a.original.blocks
	if e.DependsOnBatch || set.Scale == estimators.ScaleBatch { // advantages of a group depend on other groups
		blocks = []block{{to: a.Groups, hi: n}}
	}
	eachBlock(ctx, blocks, func(_ int, b block) {
		estimators.Recompute(c.processed[b.lo:b.hi], e, a.Batch.GroupRange(b.from, b.to), set.Scale, advantages[b.lo:b.hi], c.keep[b.lo:b.hi])
	})
}

func (a *Analysis) fillTable(ctx context.Context) {
	if a.Table = a.input.groups; a.input.scratch == nil { // others share those of the input
		a.Table = make([]Group, len(a.input.groups))
	}
	eachBlock(ctx, a.input.blocks, func(_ int, b block) {
		copy(a.Table[b.from:b.to], a.input.groups[b.from:b.to]) // nothing where they are the same
		for g := b.from; g < b.to; g++ {
			a.countGroup(&a.Table[g], g)
		}
	})
	a.sumTable()
}

func (a *Analysis) sumTable() {
	for i := range a.Table {
		g := &a.Table[i]
		a.Fates[g.Fate]++
		a.Rollouts += g.Rollouts
		a.Kept += g.Kept()
		a.Nonzero += int(g.Nonzero)
		if g.Fate == model.FateSingle {
			a.SinglesTrain += int(g.Nonzero)
		}
		a.Residue += int(g.Residue)
		a.Flips.Add(&g.Flips)
		a.AdmittedGroups += model.Count01(g.Admitted)
	}
	a.Signal = a.Fates[model.FateAlive] + a.Fates[model.FateShort]
	for _, s := range a.Status {
		a.Statuses[s]++
	}
	a.residue = nil
	for k := range a.Table {
		g := &a.Table[k]
		if !g.IsResidue && g.Residue == 0 && g.ResidueBefore == 0 {
			continue
		}
		if a.residue == nil {
			a.residue = make([]residue, len(a.Processed))
		}
		for i := g.Start; i < g.End; i++ {
			a.residue[i] = residue{g.IsResidue || math.Abs(a.Original[i]) <= g.ResidueBefore, g.IsResidue || a.Processed[i] != 0 && math.Abs(a.Processed[i]) <= g.ResidueBound}
		}
	}
}

// residue says whether the advantage of a sample is residue.
type residue struct{ original, processed bool }

// Pushes reports whether sample i trains: its processed advantage is a number other than 0, residue aside, as StepFigures.Nonzero counts.
func (a *Analysis) Pushes(i int) bool {
	x := a.Processed[i]
	return x != 0 && units.IsFinite(x) && a.Moves(i)
}

// Moves reports whether the advantage of sample i may move the policy: it is more than what float arithmetic leaves at the mean of a group.
func (a *Analysis) Moves(i int) bool { return a.residue == nil || !a.residue[i].processed }

func (a *Analysis) countGroup(g *Group, k int) {
	n := a.countSamples(g)
	lo, hi := a.input.countedRollouts.ofGroup(k, a.Offsets)
	g.KeptCounted = g.Kept()
	if g.Counted != g.Size() {
		g.KeptCounted = 0
		for _, keep := range a.perRollout.keep[lo:hi] {
			g.KeptCounted += model.Count01(keep)
		}
	}
	g.Admitted = a.Admitted(k)
	equal := allEqual(a.Batch.Rewards[lo:hi])
	if g.Residue, g.IsResidue = 0, equal && min(n.zeros, n.zerosAfter) < g.Size() && a.isResidue(g, a.Batch.Rewards[lo:hi]); g.IsResidue {
		g.Residue, g.Nonzero, n.zeros, n.zerosAfter = g.Nonzero, 0, g.Size(), g.Size()
		g.KeptPos, g.KeptZero, g.KeptNeg = 0, int32(n.kept), 0
	} else if min(n.zeros, n.zerosAfter) < g.Size() {
		a.countResidue(g, lo, hi)
	}
	g.Fate = a.fate(g, n, equal, a.firstFinite(lo, hi))
}

// countResidue counts the samples of a group, at lo to hi of those that are counted, whose advantage is residue.
func (a *Analysis) countResidue(g *Group, lo, hi int) {
	c, rewards := &a.perRollout, a.Batch.Rewards[lo:hi]
	g.ResidueBefore = ResidueBound(rewards, c.original[lo:hi], nil)
	g.ResidueBound = g.ResidueBefore
	if a.Settings.Recompute && a.Settings.Filtering() && g.KeptCounted > 1 {
		g.ResidueBound = ResidueBound(rewards, c.processed[lo:hi], c.keep[lo:hi])
	}
	for i := g.Start; i < g.End && g.ResidueBefore > 0; i++ {
		if x := a.Original[i]; a.Keep[i] && x != 0 && math.Abs(x) <= g.ResidueBefore {
			g.KeptPos, g.KeptZero, g.KeptNeg = g.KeptPos-int32(model.Count01(x > 0)), g.KeptZero+1, g.KeptNeg-int32(model.Count01(x < 0))
		}
	}
	if g.ResidueBound == 0 {
		return
	}
	for _, x := range a.Processed[g.Start:g.End] {
		g.Residue += int32(model.Count01(x != 0 && math.Abs(x) <= g.ResidueBound))
	}
	g.Nonzero -= g.Residue
}

// ResidueBound is the size up to which an advantage of a group is what float arithmetic leaves of a reward at the mean: within two last
// bits of the largest reward, and less than a thousandth of the spread of the advantages. Where the rewards are equal all are so, or none
// is. kept says which samples count, nil that all do, but for NaN rewards; 0 if no advantage is residue.
func ResidueBound(rewards, advantages []float64, kept []bool) (bound float64) {
	if kept == nil && !allEqual(rewards) && !anySmall(advantages) { // as in most groups
		return 0
	}
	counts := func(i int) bool { return (kept == nil || kept[i]) && rewards[i] == rewards[i] }
	least, most, mean := levelOf(rewards, counts)
	largest := max(math.Abs(least), math.Abs(most))
	isNear := func(r float64) bool { return math.Abs(r-mean) <= ResidueShare/2*largest }
	if least != most && !slices.ContainsFunc(rewards, isNear) {
		return 0
	}
	low, high := math.Inf(1), math.Inf(-1)
	for i, x := range advantages {
		if counts(i) {
			low, high = min(low, x), max(high, x)
		}
	}
	if least == most {
		if bound = max(math.Abs(low), math.Abs(high)); bound <= ResidueShare*largest {
			return bound
		}
		return 0
	}
	limit := (high - low) / 1024
	for i, r := range rewards {
		if x := math.Abs(advantages[i]); counts(i) && isNear(r) && x < limit { // not where one is NaN
			bound = max(bound, x)
		}
	}
	return bound
}

// levelOf returns the extremes and the mean of the rewards that count.
func levelOf(rewards []float64, counts func(i int) bool) (least, most, mean float64) {
	n, sum, first, last := 0, 0., int64(math.MaxInt64), int64(math.MinInt64)
	for i, r := range rewards {
		if counts(i) {
			n, sum = n+1, sum+r
			first, last = min(first, model.Ordinal(r)), max(last, model.Ordinal(r))
		}
	}
	return model.OfOrdinal(first), model.OfOrdinal(last), sum / float64(n)
}

// anySmall reports whether some advantage may be less than a thousandth of their spread.
func anySmall(advantages []float64) bool {
	least, most := uint64(math.MaxUint64), uint64(0) // of their sizes, whose bits are in the same order
	for _, x := range advantages {
		size := math.Float64bits(x) &^ (1 << 63)
		least, most = min(least, size), max(most, size)
	}
	return !(math.Float64frombits(least) >= math.Float64frombits(most)/512) // the spread is at most twice the largest
}

// ResidueShare is how much of the largest reward float arithmetic leaves of equal rewards from which their mean is subtracted: a few bits
// of float32, as which trainers keep rewards. Such an advantage moves nothing.
const ResidueShare = 1. / (1 << 21)

// isResidue reports whether the advantages of a group of these equal rewards are residue, before and after the filter.
func (a *Analysis) isResidue(g *Group, rewards []float64) bool {
	largest := 0.0
	for _, r := range rewards {
		if units.IsFinite(r) {
			largest = max(largest, math.Abs(r))
		}
	}
	isBeyond := func(x float64) bool { return !(math.Abs(x) <= ResidueShare*largest) }
	return !slices.ContainsFunc(a.Original[g.Start:g.End], isBeyond) && !slices.ContainsFunc(a.Processed[g.Start:g.End], isBeyond)
}

// firstFinite is the first finite logged reward of those from lo to hi that the estimator counts; NaN if
// there is none.
func (a *Analysis) firstFinite(lo, hi int) float64 {
	for i := lo; i < hi; i++ {
		if r := a.LoggedRewards[a.input.countedRollouts.sample(i)]; units.IsFinite(r) {
			return r
		}
	}
	return math.NaN()
}

func (a *Analysis) countSamples(g *Group) counts {
	original, processed, keep := a.Original[g.Start:g.End], a.Processed[g.Start:g.End], a.Keep[g.Start:g.End]
	if &original[0] == &processed[0] && !slices.Contains(keep, false) { // nothing is filtered, as in most steps
		pos, neg, zeros := 0, 0, 0
		for _, x := range original {
			pos += model.Count01(x > 0)
			neg += model.Count01(x < 0)
			zeros += model.Count01(x == 0)
		}
		g.KeptPos, g.KeptZero, g.KeptNeg, g.Nonzero, g.Flips = int32(pos), int32(g.Size()-pos-neg), int32(neg), int32(pos+neg), Flips{}
		return counts{g.Size(), pos, neg, zeros, g.Size() - pos - neg - zeros, zeros, pos + neg, 0}
	}
	var n counts
	for i, x := range original { // without branches, which would be unpredictable
		k, y := model.Count01(keep[i]), processed[i]
		pos, neg := model.Count01(x > 0), model.Count01(x < 0)
		posAfter, negAfter := model.Count01(y > 0), model.Count01(y < 0)
		n.kept += k
		n.keptPos += k & pos
		n.keptNeg += k & neg
		n.nonzeroAfter += posAfter | negAfter
		n.changed += k & ((pos ^ posAfter) | (neg ^ negAfter))
		n.zeros += model.Count01(x == 0)
		n.nan += model.Count01(x != x)
		n.zerosAfter += model.Count01(y == 0)
	}
	g.KeptPos, g.KeptZero, g.KeptNeg = int32(n.keptPos), int32(n.kept-n.keptPos-n.keptNeg), int32(n.keptNeg)
	g.Nonzero = int32(n.nonzeroAfter)
	if g.Flips = (Flips{}); n.changed > 0 {
		g.Flips = countFlips(original, processed, keep)
	}
	return n
}

// counts are numbers of samples of a group by their original (x) and processed (y) advantages. changed
// are kept samples of which one of x and y is above or below 0 and the other is not.
type counts struct{ kept, keptPos, keptNeg, zeros, nan, zerosAfter, nonzeroAfter, changed int }

// fate decides the fate of a group: the first case that holds. equal says whether the rewards are that the estimator
// counts, and first is the first finite one of them as logged.
//
// Advantages of equal rewards are noise where they can only be residue that was divided by a tiny std. An estimator that compares with
// other groups, as REINFORCE++ does, gives such a group advantages that mean something.
//
// A group in which rewards are NaN or missing has the fate that its advantages give it: where the trainer
// counts such a reward as a number, or leaves it out, the group trains as any other does. It is invalid
// where an advantage is no number, or no reward is one.
func (a *Analysis) fate(g *Group, n counts, equal bool, first float64) model.Fate {
	signal, signalAfter := n.zeros < g.Size(), n.zerosAfter < g.Size()
	ofLog := a.original.ofRule != nil // what nothing reproduces may be more than the group's own rewards tell
	equal = equal && !ofLog && !a.plan.comparesGroups && (!a.plan.estimator.Needs.Components || a.varyingComponents(g) == nil)
	switch {
	case a.Open:
		return model.FateOpen
	case a.isLeftOut(g):
		return model.FateSkipped
	case g.isInvalid(n):
		return model.FateInvalid
	case g.Counted == 1:
		return model.FateSingle
	case equal && signalAfter:
		return model.FateNoise
	case equal || !signal:
		return a.plan.of(g).FateOfEqual(first)
	case !signalAfter:
		return model.FateKilled
	case a.isShort(g):
		return model.FateShort
	}
	return model.FateAlive
}

// isShort reports whether advantages are computed again after the filter, which left too few rewards to compare.
func (a *Analysis) isShort(g *Group) bool {
	return a.Settings.Recompute && a.Settings.Filtering() && g.KeptCounted < 2
}

// isLeftOut reports whether no sample of the group trains, by the group filter or by the log: none at all, or none that has an advantage.
func (a *Analysis) isLeftOut(g *Group) bool {
	n := a.StatusesOf(g)
	if !g.Admitted || n.Untrained() == g.Size() {
		return true
	}
	moves, movesUntrained := false, false
	for i := g.Start; i < g.End && n.Untrained() > 0; i++ {
		moves = moves || a.Original[i] != 0 && a.Status[i].Trains()
		movesUntrained = movesUntrained || a.Original[i] != 0 && !a.Status[i].Trains() && a.Status[i] != model.StatusErrored
	}
	return movesUntrained && !moves
}

// isInvalid reports whether an advantage of the group is no number, or no reward is one. A group of one
// sample may have none for want of a second.
func (g *Group) isInvalid(n counts) bool {
	return n.nan > 0 && (g.Invalid > 0 || g.Counted > 1) || g.Invalid > 0 && g.Invalid == g.Counted && n.zeros == g.Size()
}

// allEqual reports whether all values are equal but for NaN, which the estimator leaves out.
func allEqual(values []float64) bool {
	first := math.NaN()
	for _, x := range values {
		switch {
		case math.IsNaN(x):
		case math.IsNaN(first):
			first = x
		case x != first:
			return false
		}
	}
	return true
}
