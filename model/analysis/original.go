package analysis

import (
	"context"
	"errors"
	"sync/atomic"

	"vantage/estimators"
	"vantage/model"
)

// original is a step under an estimator, before the filter.
type original struct {
	settings   model.Settings // without the filter
	batch      estimators.Batch
	advantages []float64
	refusal    *estimators.Refusal // what the trainer's own code would raise for the batch
}

// originalOf returns the step under the estimator of the plan, which may be that of previous.
func (p plan) originalOf(ctx context.Context, in *stepInput, previous *Analysis) (*original, error) {
	set := p.settings
	set.KeepPos, set.KeepNeg, set.Recompute = 1, 1, false
	if previous != nil && previous.input == in && previous.original.settings == set {
		return previous.original, nil
	}
	o := &original{settings: set, batch: in.batch(p.estimator), advantages: make([]float64, len(in.InputRow))}
	if err := o.compute(ctx, in.blocks, p.estimator); err != nil && !errors.As(err, &o.refusal) {
		return nil, err
	}
	return o, nil
}

// compute fills in the advantages: block by block if the estimator computes groups apart.
func (o *original) compute(ctx context.Context, blocks []block, e *estimators.Estimator) error {
	if e.Separable(o.batch, o.settings.Scale) {
		var refused atomic.Bool
		eachBlock(ctx, blocks, func(_ int, b block) {
			if e.Compute(o.advantages[b.lo:b.hi], o.batch.GroupRange(b.from, b.to), o.settings.Scale) != nil {
				refused.Store(true)
			}
		})
		if !refused.Load() {
			return nil
		} // a refusal has to name the groups of the whole
	}
	return e.Compute(o.advantages, o.batch, o.settings.Scale)
}
