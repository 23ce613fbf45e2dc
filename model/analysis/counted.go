package analysis

import (
	"context"
	"math"
	"slices"

	"vantage/model"
	"vantage/model/units"
)

// count is the last stage: it counts what the settings make of each group and sums it up.
func (a *Analysis) count(ctx context.Context, _ model.Settings) error {
	a.Columns, a.Batch, a.Unfiltered = a.grouped.Columns, a.unfiltered.batch, a.unfiltered.samples
	a.Rewards, a.Keep, a.Processed = a.shaped.rewards, a.corrected.keep, a.corrected.samples
	a.LossWeights, a.NoLoss, a.NoSolved = a.weighted.weights, a.weighted.whyNone, a.shaped.noSolved
	a.Rows, a.Groups = len(a.InputRow), len(a.shaped.groups)
	if a.refusal = a.unfiltered.refusal; a.kept.refusal != nil {
		a.refusal = a.kept.refusal
	}
	a.fillTable(ctx)
	if err := a.summarize(ctx); err != nil {
		return err
	}
	a.Warnings = a.warnings()
	return nil
}

func (a *Analysis) fillTable(ctx context.Context) {
	if a.Table = a.shaped.groups; a.memory == nil { // a step that nobody keeps has no other use for those
		a.Table = make([]Group, len(a.shaped.groups))
	}
	eachBlock(ctx, a.shaped.blocks, func(_ int, b block) {
		copy(a.Table[b.from:b.to], a.shaped.groups[b.from:b.to]) // nothing where they are the same
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
			x, y := math.Abs(a.Unfiltered[i]), math.Abs(a.BeforePolicy(i))
			a.residue[i] = residue{unfiltered: g.IsResidue || x <= g.ResidueBefore, processed: g.IsResidue || y != 0 && y <= g.ResidueBound}
		}
	}
}

// BeforePolicy is the processed advantage of sample i before the off-policy rule, which multiplies residue too.
func (a *Analysis) BeforePolicy(i int) float64 {
	if a.corrected.before == nil {
		return a.Processed[i]
	}
	return a.corrected.before[i]
}

// residue says whether the advantage of a sample is residue.
type residue struct{ unfiltered, processed bool }

// Pushes reports whether sample i trains: its processed advantage is a number other than 0, residue aside, as StepFigures.Nonzero counts.
func (a *Analysis) Pushes(i int) bool {
	x := a.Processed[i]
	return x != 0 && units.IsFinite(x) && a.Moves(i)
}

// Moves reports whether the advantage of sample i may move the policy: it is more than what float arithmetic leaves at the mean of a group.
func (a *Analysis) Moves(i int) bool { return a.residue == nil || !a.residue[i].processed }

func (a *Analysis) countGroup(g *Group, k int) {
	n := a.countSamples(g)
	lo, hi := a.shaped.countedRollouts.ofGroup(k, a.Offsets)
	g.KeptCounted = g.Kept()
	if g.Counted != g.Size() || a.corrected.judgements != nil {
		g.KeptCounted = 0
		for _, keep := range a.kept.counted[lo:hi] {
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
	rewards := a.Batch.Rewards[lo:hi]
	g.ResidueBefore = ResidueBound(rewards, a.unfiltered.advantages[lo:hi], nil)
	g.ResidueBound = g.ResidueBefore
	if a.Settings.Recompute && a.Settings.Filtering() && g.KeptCounted > 1 {
		g.ResidueBound = ResidueBound(rewards, a.recomputed.advantages[lo:hi], a.kept.counted[lo:hi])
	}
	for i := g.Start; i < g.End && g.ResidueBefore > 0; i++ {
		if x := a.Unfiltered[i]; a.Keep[i] && x != 0 && math.Abs(x) <= g.ResidueBefore {
			g.KeptPos, g.KeptZero, g.KeptNeg = g.KeptPos-int32(model.Count01(x > 0)), g.KeptZero+1, g.KeptNeg-int32(model.Count01(x < 0))
		}
	}
	if g.ResidueBound == 0 {
		return
	}
	for i := g.Start; i < g.End; i++ {
		g.Residue += int32(model.Count01(a.Processed[i] != 0 && math.Abs(a.BeforePolicy(i)) <= g.ResidueBound))
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
	before, after := a.Unfiltered[g.Start:g.End], a.recomputed.samples[g.Start:g.End]
	return !slices.ContainsFunc(before, isBeyond) && !slices.ContainsFunc(after, isBeyond)
}

// firstFinite is the first finite logged reward of those from lo to hi that the estimator counts; NaN if
// there is none.
func (a *Analysis) firstFinite(lo, hi int) float64 {
	for i := lo; i < hi; i++ {
		if r := a.LoggedRewards[a.shaped.countedRollouts.sample(i)]; units.IsFinite(r) {
			return r
		}
	}
	return math.NaN()
}

func (a *Analysis) countSamples(g *Group) counts {
	unfiltered, processed, keep := a.Unfiltered[g.Start:g.End], a.Processed[g.Start:g.End], a.Keep[g.Start:g.End]
	if a.corrected.isUnfiltered && !slices.Contains(keep, false) { // as in most steps
		pos, neg, zeros := 0, 0, 0
		for _, x := range unfiltered {
			pos += model.Count01(x > 0)
			neg += model.Count01(x < 0)
			zeros += model.Count01(x == 0)
		}
		g.KeptPos, g.KeptZero, g.KeptNeg, g.Nonzero, g.Flips = int32(pos), int32(g.Size()-pos-neg), int32(neg), int32(pos+neg), Flips{}
		return counts{g.Size(), pos, neg, zeros, g.Size() - pos - neg - zeros, zeros, pos + neg, 0}
	}
	var n counts
	for i, x := range unfiltered { // without branches, which would be unpredictable
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
		g.Flips = countFlips(unfiltered, processed, keep)
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
	equal = equal && a.followsFromRewards(g)
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

// followsFromRewards reports whether the advantages of a group follow from its own rewards alone.
func (a *Analysis) followsFromRewards(g *Group) bool {
	isOfLog := a.unfiltered.ofRule != nil // what nothing reproduces may be more than the rewards tell
	isOfOthers := a.plan.comparesGroups
	isOfParts := a.plan.estimator.Needs.Components && a.varyingComponents(g) != nil
	return !isOfLog && !isOfOthers && !isOfParts
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
		moves = moves || a.Unfiltered[i] != 0 && a.Status[i].Trains()
		movesUntrained = movesUntrained || a.Unfiltered[i] != 0 && !a.Status[i].Trains() && a.Status[i] != model.StatusErrored
	}
	return movesUntrained && !moves
}

// isInvalid reports whether an advantage of the group is no number, or no reward is one. A group of one
// sample may have none for want of a second.
func (g *Group) isInvalid(n counts) bool {
	wantsSecond := g.Invalid == 0 && g.Counted <= 1
	hasNoReward := g.Invalid > 0 && g.Invalid == g.Counted
	return n.nan > 0 && !wantsSecond || hasNoReward && n.zeros == g.Size()
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
