package model

import (
	"errors"
	"math"
	"sync/atomic"

	"vantage/estimators"
)

// origin is a step under an estimator, before the filter.
type origin struct {
	set        Settings // without the filter
	batch      estimators.Batch
	advantages []float64
	refusal    *estimators.Refusal // what the framework's own code would raise for the batch
	traits     []traits            // of the groups
	ranking    estimators.Ranking  // of the advantages, once a second filter was asked for

	score, tokens        moments // of the rewards, and of the advantages over tokens
	positive, negative   moments // of the lengths of responses by the sign of their advantage
	up, down             int     // samples by the sign of their advantage
	abs, largest         float64 // sum of |A|, and the greatest, of those that are finite
	flat                 int     // samples whose group has one reward throughout
	undefined            few     // groups for which the formula gives no number although their rewards are numbers
	upTokens, downTokens int     // samples by sign, those without tokens left out
}

// unfiltered are the settings that an origin depends on, beside those of its ground.
func (s Settings) unfiltered() Settings {
	s.KeepPos, s.KeepNeg, s.Recompute = 1, 1, false
	return s
}

// origin returns that of step i, the one before if that still holds.
func (s Snapshot) origin(g *ground, i int, p plan, before *Analysis) (*origin, error) {
	set := p.set.unfiltered()
	if before != nil && before.ground == g && before.origin.set == set {
		if before.Settings.Filtering() && p.set.Filtering() {
			return before.origin.ranked(g), nil
		}
		return before.origin, nil
	}
	o := &origin{set: set, batch: g.feed(s, s.Steps[i], p.entry, set.Weights), advantages: make([]float64, len(g.order))}
	if err := o.compute(g, p.entry); err != nil && !errors.As(err, &o.refusal) {
		return nil, err
	}
	return o, nil
}

// compute fills in the advantages and sums up: part by part, while the columns are at
// hand, if the estimator's arithmetic has parts.
func (o *origin) compute(g *ground, e *estimators.Estimator) error {
	scale := o.set.Scale
	if e.Apart(o.batch, scale) {
		var refused atomic.Bool
		o.sum(g, func(p part) {
			if e.Compute(o.advantages[p.lo:p.hi], o.batch.Between(p.from, p.to), scale) != nil {
				refused.Store(true)
			}
		})
		if !refused.Load() {
			return nil
		}
		*o = origin{set: o.set, batch: o.batch, advantages: o.advantages} // the refusal names groups of the whole
	}
	err := e.Compute(o.advantages, o.batch, scale)
	o.sum(g, nothing)
	return err
}

// sum takes the figures of the step; fill comes first in every part.
func (o *origin) sum(g *ground, fill func(part)) {
	o.traits = make([]traits, len(g.members))
	parts := make([]origin, len(g.parts))
	eachPart(g.parts, func(k int, part part) {
		fill(part)
		for at := part.from; at < part.to; at++ {
			o.traits[at] = o.look(&g.members[at])
			parts[k].count(at, &g.members[at], &o.traits[at])
		}
		o.tally(g, part, &parts[k])
	})
	for i := range parts {
		o.merge(&parts[i])
	}
}

// ranked returns the origin with its advantages ranked: where one filter follows
// another more will.
func (o *origin) ranked(g *ground) *origin {
	if o.ranking.Ranks != nil {
		return o
	}
	with := *o
	with.ranking = estimators.NewRanking(len(o.advantages), len(g.members))
	eachPart(g.parts, func(_ int, p part) {
		with.ranking.Between(p.from, p.to, p.lo, p.hi).Fill(o.advantages[p.lo:p.hi], o.batch.Between(p.from, p.to).Offsets)
	})
	return &with
}

// look asks of a group what its fate depends on.
func (o *origin) look(g *Members) traits {
	t := traits{equal: true}
	for i := g.Start; i < g.End; i++ {
		t.equal = t.equal && o.batch.Rewards[i] == o.batch.Rewards[g.Start]
		x := o.advantages[i]
		t.pos += int32(one(x > 0))
		t.zero += int32(one(x == 0))
		t.neg += int32(one(x < 0))
	}
	size := int32(g.Size())
	t.alive, t.vague = t.zero < size, t.pos+t.zero+t.neg < size
	return t
}

// count takes group at into the sums.
func (o *origin) count(at int, m *Members, t *traits) {
	o.up += int(t.pos)
	o.down += int(t.neg)
	if t.equal {
		o.flat += m.Size()
	}
	if t.vague && m.Invalid == 0 && m.Size() > 1 {
		o.undefined.add(at)
	}
}

func (o *origin) tally(g *ground, p part, t *origin) {
	advantages, count := o.advantages[p.lo:p.hi], g.count[p.lo:p.hi]
	t.score.addEach(o.batch.Rewards[p.lo:p.hi])
	t.tokens.addAll(advantages, count)
	t.abs, t.largest = sizes(advantages)
	t.lengths(advantages, count)
	t.upTokens, t.downTokens = t.positive.n, t.negative.n
}

// sizes returns the sum of |A| and the greatest, of those that are finite.
func sizes(advantages []float64) (sum, largest float64) {
	for _, x := range advantages {
		size := math.Abs(x)
		if !finite(size) {
			continue
		}
		sum += size
		if size > largest {
			largest = size
		}
	}
	return sum, largest
}

// gathered is how many values are put together before they are summed up.
const gathered = 256

// lengths sums up the lengths of responses that have tokens, by the sign of their
// advantage: which sign is hard to guess, so they come together first, without a branch.
func (o *origin) lengths(advantages, count []float64) {
	var up, down [gathered]float64
	for len(advantages) > 0 {
		n, m, most := 0, 0, min(len(advantages), gathered)
		for i, x := range advantages[:most] {
			w := count[i]
			live := one(w != 0)
			up[n%gathered], down[m%gathered] = w, w // overwritten by the next if it is not of the sign
			n += one(x > 0) & live
			m += one(x < 0) & live
		}
		o.positive.addEach(up[:n])
		o.negative.addEach(down[:m])
		advantages, count = advantages[most:], count[most:]
	}
}

func (o *origin) merge(t *origin) {
	o.score.merge(t.score)
	o.tokens.merge(t.tokens)
	o.positive.merge(t.positive)
	o.negative.merge(t.negative)
	o.up, o.down, o.flat = o.up+t.up, o.down+t.down, o.flat+t.flat
	o.upTokens, o.downTokens = o.upTokens+t.upTokens, o.downTokens+t.downTokens
	o.undefined.merge(t.undefined)
	o.abs, o.largest = o.abs+t.abs, max(o.largest, t.largest)
}
