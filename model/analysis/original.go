package analysis

import (
	"context"
	"errors"
	"sync/atomic"

	"vantage/estimators"
	"vantage/model"
)

// original are the advantages of a step before the filter.
type original struct {
	unfiltered model.Settings // settings that the advantages depend on: those of no filter
	batch      estimators.Batch
	blocks     []block             // of the batch
	advantages []float64           // of the batch
	rewards    []float64           // of the samples, as the estimator cleans them
	zeroStd    []bool              // by group
	refusal    *estimators.Refusal // what the trainer's own code would raise for the batch, nil if nothing
}

// original returns the advantages of a step before the filter: those of previous if they are the same.
func (p plan) original(ctx context.Context, in *stepInput, previous *Analysis) (*original, error) {
	set := p.settings
	set.KeepPos, set.KeepNeg, set.Recompute, set.GroupFilter, set.Loss, set.Overlong, set.StageOptions = 1, 1, false, "", "", "", ""
	if previous != nil && previous.input == in && previous.original.unfiltered == set {
		return previous.original, nil
	}
	o := &original{unfiltered: set, batch: in.batch(&p.snap.Run, p.estimator, in.countedRollouts), blocks: in.blocks}
	o.advantages, o.rewards = make([]float64, len(o.batch.Rewards)), o.batch.Rewards
	if in.countedRollouts != nil {
		o.blocks, o.rewards = blocksOf(o.batch.Offsets), make([]float64, len(in.InputRow))
		p.estimator.CleanInto(o.rewards, in.Rewards)
	}
	if err := o.compute(ctx, p.estimator); err != nil && !errors.As(err, &o.refusal) {
		return nil, err
	}
	o.zeroStd = p.estimator.ZeroStd(o.batch, set.Scale)
	return o, nil
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
