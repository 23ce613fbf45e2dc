package analysis

import (
	"context"
	"errors"
	"math"
	"slices"

	"vantage/estimators"
	"vantage/model"
)

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
	a.perRollout = perRollout{original: a.original.advantages, keep: make([]bool, len(a.Batch.Rewards))}
	c := &a.perRollout
	a.process(ctx, c)
	a.Keep, a.Processed = toOutputs(r, c.keep), a.Original
	if a.Settings.Filtering() || a.admission != nil || a.refusal != nil {
		a.Processed = toOutputs(r, c.processed)
	}
}

// process fills in what is kept, and the processed advantages.
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

// fillTable counts the samples of each group and decides its fate.
func (a *Analysis) fillTable(ctx context.Context) {
	a.Table = slices.Clone(a.input.groups)
	eachBlock(ctx, a.input.blocks, func(_ int, b block) {
		for g := b.from; g < b.to; g++ {
			a.countGroup(&a.Table[g], g)
		}
	})
	a.sumTable()
}

// sumTable fills in the counts of the summary.
func (a *Analysis) sumTable() {
	for i := range a.Table {
		g := &a.Table[i]
		a.Fates[g.Fate]++
		a.Rollouts += g.Rollouts
		a.Kept += g.Kept()
		a.Nonzero += int(g.Nonzero)
		a.Flips.Add(&g.Flips)
		a.AdmittedGroups += count01(g.Admitted)
	}
	a.Signal = a.Fates[model.FateAlive] + a.Fates[model.FateShort]
}

// countGroup fills in what the settings make of a group.
func (a *Analysis) countGroup(g *Group, k int) {
	n := a.countSamples(g)
	lo, hi := a.input.countedRollouts.ofGroup(k, a.Offsets)
	g.KeptCounted = g.Kept()
	if g.Counted != g.Size() {
		g.KeptCounted = countTrue(a.perRollout.keep[lo:hi])
	}
	g.Admitted = a.Admitted(k)
	g.Fate = a.fate(g, n, a.Batch.Rewards[lo:hi], a.firstFinite(lo, hi))
}

// firstFinite is the first finite logged reward of those from lo to hi that the estimator counts; NaN if
// there is none.
func (a *Analysis) firstFinite(lo, hi int) float64 {
	for i := lo; i < hi; i++ {
		sample := i
		if a.input.countedRollouts != nil {
			sample = int(a.input.countedRollouts.last[i])
		}
		if r := a.LoggedRewards[sample]; isFinite(r) {
			return r
		}
	}
	return math.NaN()
}

// countSamples fills in the counts of a group's samples.
func (a *Analysis) countSamples(g *Group) counts {
	var n counts
	keep, processed := a.Keep[g.Start:g.End], a.Processed[g.Start:g.End]
	for i, x := range a.Original[g.Start:g.End] { // without branches, which would be unpredictable
		k, y := count01(keep[i]), processed[i]
		pos, neg := count01(x > 0), count01(x < 0)
		posAfter, negAfter := count01(y > 0), count01(y < 0)
		n.kept += k
		n.keptPos += k & pos
		n.keptNeg += k & neg
		n.nonzeroAfter += posAfter | negAfter
		n.changed += k & ((pos ^ posAfter) | (neg ^ negAfter))
		n.zeros += count01(x == 0)
		n.nan += count01(x != x)
		n.zerosAfter += count01(y == 0)
	}
	g.KeptPos, g.KeptZero, g.KeptNeg = int32(n.keptPos), int32(n.kept-n.keptPos-n.keptNeg), int32(n.keptNeg)
	g.Nonzero = int32(n.nonzeroAfter)
	if g.Flips = (Flips{}); n.changed > 0 {
		g.Flips = countFlips(a.Original[g.Start:g.End], processed, keep)
	}
	return n
}

func countTrue(values []bool) int {
	n := 0
	for _, x := range values {
		n += count01(x)
	}
	return n
}

// counts are numbers of samples of a group by their original (x) and processed (y) advantages. changed
// are kept samples of which one of x and y is above or below 0 and the other is not.
type counts struct{ kept, keptPos, keptNeg, zeros, nan, zerosAfter, nonzeroAfter, changed int }

// fate decides the fate of a group: the first case that holds. rewards are those that the estimator
// counts, and first is the first finite one of them as logged.
//
// A group in which rewards are NaN or missing has the fate that its advantages give it: where the trainer
// counts such a reward as a number, or leaves it out, the group trains as any other does. It is invalid
// where an advantage is no number, or no reward is one.
func (a *Analysis) fate(g *Group, n counts, rewards []float64, first float64) model.Fate {
	equal := allEqual(rewards)
	signal, signalAfter := n.zeros < g.Size(), n.zerosAfter < g.Size()
	switch {
	case a.Open:
		return model.FateOpen
	case !g.Admitted:
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
	case a.Settings.Recompute && a.Settings.Filtering() && g.KeptCounted < 2:
		return model.FateShort
	}
	return model.FateAlive
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
