package model

import (
	"context"
	"errors"
	"sync/atomic"

	"vantage/estimators"
)

// origin is a step under an estimator, before the filter.
type origin struct {
	*cleaned
	set        Settings // without the filter
	batch      estimators.Batch
	advantages []float64
	refusal    *estimators.Refusal // what the framework's own code would raise for the batch
	traits     []traits            // of the groups
	falls      []bool              // by part: the advantages fall along the order of the rewards
	totals     []sums              // by part, if they do

	originTally
}

// unfiltered are the settings that an origin depends on, beside those of its ground.
func (s Settings) unfiltered() Settings {
	s.KeepPos, s.KeepNeg, s.Recompute = 1, 1, false
	return s
}

// remembered is how many origins of a step are kept: a person goes back and forth between
// estimators. Each takes 8 bytes a sample and 12 a group; 8 a sample more, if its rewards are
// cleaned as those of no other.
const remembered = 4

// origin returns that of step i, one of those before if it still holds.
func (s Snapshot) origin(ctx context.Context, g *ground, i int, p plan, before *Analysis) (*origin, error) {
	set := p.set.unfiltered()
	for _, o := range before.origins(g) {
		if o.set == set {
			return o, nil
		}
	}
	o := &origin{
		set: set, cleaned: g.cleaned(ctx, p.entry, before.cleaned(g)), advantages: make([]float64, len(g.order)),
	}
	o.batch = g.feed(s, s.Steps[i], p.entry, set.Weights, o.rewards)
	if err := o.compute(ctx, g, p.entry); err != nil && !errors.As(err, &o.refusal) {
		return nil, err
	}
	return o, nil
}

// origins are those that were computed on a ground, the newest first. There may be no
// analysis.
func (a *Analysis) origins(g *ground) []*origin {
	if a == nil || a.ground != g {
		return nil
	}
	return a.recent
}

// among puts an origin before others, without the one whose place it takes.
func (o *origin) among(others []*origin) []*origin {
	all := []*origin{o}
	for _, other := range others {
		if other.set != o.set && len(all) < remembered {
			all = append(all, other)
		}
	}
	return all
}

// compute fills in the advantages and sums up: part by part, while the columns are at
// hand, if the estimator's arithmetic has parts.
func (o *origin) compute(ctx context.Context, g *ground, e *estimators.Estimator) error {
	scale := o.set.Scale
	if e.Separable(o.batch, scale) {
		var refused atomic.Bool
		o.sum(ctx, g, func(p part) {
			if e.Compute(o.advantages[p.lo:p.hi], o.batch.GroupRange(p.from, p.to), scale) != nil {
				refused.Store(true)
			}
		})
		if !refused.Load() {
			return nil
		}
		o.originTally = originTally{} // the refusal names groups of the whole
	}
	err := e.Compute(o.advantages, o.batch, scale)
	o.sum(ctx, g, nothing)
	return err
}

// sum takes the figures of the step; fill comes first in every part.
func (o *origin) sum(ctx context.Context, g *ground, fill func(part)) {
	o.traits = make([]traits, len(g.members))
	o.falls, o.totals = make([]bool, len(g.parts)), make([]sums, len(g.parts))
	parts := make([]originTally, len(g.parts))
	eachPart(ctx, g.parts, func(k int, part part) {
		fill(part)
		o.tally(g, k, part, &parts[k])
	})
	for i := range parts {
		o.merge(&parts[i])
	}
}

// tally sums up part k, whose columns are filled.
func (o *origin) tally(g *ground, k int, p part, t *originTally) {
	if o.falls[k] = o.falling(g, k, p, t); o.falls[k] {
		return
	}
	*t = originTally{}
	numbers := t.weigh(o.advantages[p.lo:p.hi], g.count[p.lo:p.hi], &g.around[k])
	up, down := noLengths(), noLengths()
	for at := p.from; at < p.to; at++ {
		m := &g.members[at]
		advantages := o.advantages[m.Start:m.End]
		pos, neg := bySign(advantages, g.count[m.Start:m.End], &up, &down)
		zero := m.Size() - pos - neg
		if !numbers {
			zero = zeros(advantages)
		}
		o.traits[at] = traits{pos: int32(pos), zero: int32(zero), neg: int32(neg)}
		t.up, t.down = t.up+pos, t.down+neg
		if pos+zero+neg < m.Size() && m.Invalid == 0 && m.Size() > 1 {
			t.undefined.add(at)
		}
	}
	t.positive, t.negative = up.moments(), down.moments()
	t.upTokens, t.downTokens = up.n, down.n
}
