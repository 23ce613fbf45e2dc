package analysis

import (
	"context"
	"errors"
	"math"

	"vantage/estimators"
	"vantage/model"
)

// The keep rule and the recompute: two stages.
//
//	admitted advantages → keep rule → recompute, if asked for → processed advantages
//
// A dropped sample gets 0. A kept sample has its admitted advantage or, with Settings.Recompute, the one that the estimator gives for the
// kept samples alone. If both ratios are 1 all samples are kept that the estimator itself takes, and nothing is recomputed, as in the
// trainer. If a ratio is refused, which the trainer checks first, nothing is kept and processed advantages are NaN.
//
// All of it is about rollouts, if some have several samples; these share what becomes of their rollout.

// kept says what the keep rule keeps of what trains.
type kept struct {
	counted []bool              // of the batch
	samples []bool              // the same by sample
	refusal *estimators.Refusal // what the trainer's own code would raise for the ratios, nil if nothing
}

// keep is the stage of the keep rule.
func (a *Analysis) keep(ctx context.Context, set model.Settings) error {
	u, advantages, trains := &a.unfiltered, a.admitted.advantages, a.admitted.trains
	k, pos, neg := &a.kept, set.KeepPos, set.KeepNeg // a block that reads the settings would hold all of them
	*k = kept{counted: a.memory.falses(len(advantages))}
	switch {
	case errors.As(estimators.CheckRatios(pos, neg), &k.refusal): // nothing is kept
	case !set.Filtering():
		a.plan.estimator.Select(k.counted, u.batch)
	default:
		eachBlock(ctx, u.blocks, func(_ int, b block) {
			offsets := u.batch.GroupRange(b.from, b.to).Offsets
			estimators.Keep(k.counted[b.lo:b.hi], nil, advantages[b.lo:b.hi], offsets, pos, neg)
		})
	}
	for i, trains := range trains { // the keep rule keeps zeros, dropped or not
		k.counted[i] = k.counted[i] && trains
	}
	k.samples = toOutputs(a.shaped.countedRollouts, k.counted)
	return nil
}

// recomputed are the processed advantages: those of the kept samples, recomputed or not, and 0 of the others.
type recomputed struct {
	advantages   []float64 // of the batch
	samples      []float64 // the same by sample
	isUnfiltered bool      // nothing is filtered: they are the unfiltered advantages
}

// recompute is the stage after the keep rule.
func (a *Analysis) recompute(ctx context.Context, set model.Settings) error {
	r, advantages, isKept := &a.recomputed, a.admitted.advantages, a.kept.counted
	isFiltered := set.Filtering() || a.kept.refusal != nil
	*r = recomputed{isUnfiltered: !isFiltered && a.admitted.isWhole}
	switch {
	case r.isUnfiltered:
		r.advantages, r.samples = a.unfiltered.advantages, a.unfiltered.samples
		return nil
	case !isFiltered:
		r.advantages = advantages
	case a.kept.refusal != nil:
		r.advantages = a.memory.numbers(len(advantages))
		for i := range r.advantages {
			r.advantages[i] = math.NaN()
		}
	case set.Recompute:
		r.advantages = a.memory.numbers(len(advantages))
		e, batch, scale := a.plan.estimator, &a.unfiltered.batch, set.Scale
		eachBlock(ctx, a.recomputeBlocks(scale), func(_ int, b block) {
			of := batch.GroupRange(b.from, b.to)
			estimators.Recompute(r.advantages[b.lo:b.hi], e, of, scale, advantages[b.lo:b.hi], isKept[b.lo:b.hi])
		})
	default:
		r.advantages = a.memory.numbers(len(advantages))
		eachBlock(ctx, a.unfiltered.blocks, func(_ int, b block) {
			for i := b.lo; i < b.hi; i++ {
				r.advantages[i] = estimators.IfKept(isKept[i], advantages[i])
			}
		})
	}
	r.samples = toOutputs(a.shaped.countedRollouts, r.advantages)
	return nil
}

// recomputeBlocks are the blocks of the batch, or one where advantages of a group depend on other groups.
func (a *Analysis) recomputeBlocks(scale estimators.Scale) []block {
	if a.plan.estimator.DependsOnBatch || scale == estimators.ScaleBatch {
		return []block{{to: len(a.shaped.groups), hi: len(a.unfiltered.advantages)}}
	}
	return a.unfiltered.blocks
}
