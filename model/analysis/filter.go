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
//	original advantages → keep rule → recompute, if asked for → processed advantages
//
// A dropped sample gets 0. A kept sample has its original advantage or, with Settings.Recompute, the
// one that the estimator gives for the kept samples alone. If both ratios are 1 all samples are kept
// and nothing is recomputed, as in the trainer. If a ratio is refused, which the trainer checks
// first, nothing is kept and processed advantages are NaN.
func (a *Analysis) filter(ctx context.Context) {
	set, e := a.Settings, a.plan.estimator
	a.Keep = make([]bool, a.Rows)
	if errors.As(estimators.CheckRatios(set.KeepPos, set.KeepNeg), &a.refusal) {
		a.Processed = slices.Repeat([]float64{math.NaN()}, a.Rows)
		return
	}
	eachBlock(ctx, a.input.blocks, func(_ int, b block) {
		estimators.Keep(a.Keep[b.lo:b.hi], a.Original[b.lo:b.hi], a.Batch.GroupRange(b.from, b.to).Offsets, set.KeepPos, set.KeepNeg)
	})
	if !set.Filtering() {
		a.Processed = a.Original
		return
	}
	a.Processed = make([]float64, a.Rows)
	if !set.Recompute {
		for i, keep := range a.Keep {
			if keep {
				a.Processed[i] = a.Original[i]
			}
		}
		return
	}
	blocks := a.input.blocks
	if e.DependsOnBatch || set.Scale == estimators.ScaleBatch { // advantages of a group depend on other groups
		blocks = []block{{to: a.Groups, hi: a.Rows}}
	}
	eachBlock(ctx, blocks, func(_ int, b block) {
		estimators.Recompute(a.Processed[b.lo:b.hi], e, a.Batch.GroupRange(b.from, b.to), set.Scale, a.Original[b.lo:b.hi], a.Keep[b.lo:b.hi])
	})
}

// fillTable counts the samples of each group and decides its fate.
func (a *Analysis) fillTable(ctx context.Context) {
	a.Table = slices.Clone(a.input.groups)
	eachBlock(ctx, a.input.blocks, func(_ int, b block) {
		for g := b.from; g < b.to; g++ {
			a.countGroup(&a.Table[g])
		}
	})
	a.sumTable()
}

// sumTable fills in the counts of the summary.
func (a *Analysis) sumTable() {
	for i := range a.Table {
		g := &a.Table[i]
		a.Fates[g.Fate]++
		a.Kept += g.Kept()
		a.Flips += int(g.Flips)
	}
	a.Signal = a.Fates[model.FateAlive] + a.Fates[model.FateShort]
}

// countGroup fills in what the settings make of a group.
func (a *Analysis) countGroup(g *Group) {
	var n counts
	keep, processed := a.Keep[g.Start:g.End], a.Processed[g.Start:g.End]
	for i, x := range a.Original[g.Start:g.End] { // without branches, which would be unpredictable
		k, y := one(keep[i]), processed[i]
		n.kept += k
		n.keptPos += k & one(x > 0)
		n.keptNeg += k & one(x < 0)
		n.zeros += one(x == 0)
		n.nan += one(x != x)
		n.zerosAfter += one(y == 0)
		n.flips += one(x*y < 0)
	}
	g.KeptPos, g.KeptZero, g.KeptNeg = int32(n.keptPos), int32(n.kept-n.keptPos-n.keptNeg), int32(n.keptNeg)
	g.Flips = int32(n.flips)
	g.Fate = a.fate(g, n)
}

// counts are numbers of samples of a group by their original (x) and processed advantages.
type counts struct{ kept, keptPos, keptNeg, zeros, nan, zerosAfter, flips int }

// fate decides the fate of a group: the first case that holds.
func (a *Analysis) fate(g *Group, n counts) model.Fate {
	equal := allEqual(a.Batch.Rewards[g.Start:g.End])
	signal, signalAfter := n.zeros < g.Size(), n.zerosAfter < g.Size()
	switch {
	case a.Open:
		return model.FateOpen
	case g.Invalid > 0:
		return model.FateInvalid
	case g.Size() == 1:
		return model.FateSingle
	case n.nan > 0:
		return model.FateInvalid
	case equal && signalAfter:
		return model.FateNoise
	case equal || !signal:
		return a.plan.of(g).FateOfEqual(a.LoggedRewards[g.Start])
	case !signalAfter:
		return model.FateKilled
	case a.Settings.Recompute && a.Settings.Filtering() && n.kept < 2:
		return model.FateShort
	}
	return model.FateAlive
}

// allEqual reports whether all values are equal; NaN is not equal to itself.
func allEqual(values []float64) bool {
	for _, x := range values {
		if x != values[0] {
			return false
		}
	}
	return true
}
