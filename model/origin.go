package model

import (
	"errors"
	"math"

	"vantage/estimators"
)

// origin is a step under an estimator, before the filter.
type origin struct {
	set        Settings // without the filter
	batch      estimators.Batch
	advantages []float64
	refusal    *estimators.Refusal // what the framework's own code would raise for the batch
	traits     []traits            // of the groups

	score, tokens        moments // of the rewards, and of the advantages over tokens
	positive, negative   moments // of the lengths of responses by the sign of their advantage
	up, down             int     // samples by the sign of their advantage
	abs, largest         float64 // sum of |A|, and the greatest, of those that are finite
	flat                 int     // samples whose group has one reward throughout
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
		return before.origin, nil
	}
	o := &origin{set: set, batch: g.feed(s, s.Steps[i], p.entry, set.Weights), advantages: make([]float64, len(g.order))}
	err := p.entry.Compute(o.advantages, o.batch, set.Scale)
	if err != nil && !errors.As(err, &o.refusal) {
		return nil, err
	}
	o.sum(g)
	return o, nil
}

// sum takes the figures of the step.
func (o *origin) sum(g *ground) {
	o.traits = make([]traits, len(g.members))
	parts := make([]origin, len(g.parts))
	eachPart(g.parts, func() func(int, part) {
		return func(k int, part part) {
			for at := part.from; at < part.to; at++ {
				o.traits[at] = o.look(&g.members[at])
				if o.traits[at].equal {
					parts[k].flat += g.members[at].Size()
				}
			}
			o.tally(g, part, &parts[k])
		}
	})
	for i := range parts {
		o.merge(&parts[i])
	}
}

// look asks of a group what its fate depends on.
func (o *origin) look(g *Members) traits {
	t := traits{equal: true}
	for i := g.Start; i < g.End; i++ {
		t.equal = t.equal && o.batch.Rewards[i] == o.batch.Rewards[g.Start]
		t.alive = t.alive || o.advantages[i] != 0
		t.vague = t.vague || math.IsNaN(o.advantages[i])
	}
	return t
}

func (o *origin) tally(g *ground, p part, t *origin) {
	for i := p.lo; i < p.hi; i++ {
		x, w := o.advantages[i], g.count[i]
		t.score.add(o.batch.Rewards[i], 1)
		t.tokens.add(x, w)
		if finite(x) {
			t.abs += math.Abs(x)
			t.largest = max(t.largest, math.Abs(x))
		}
		switch {
		case x > 0:
			t.up++
			if w != 0 {
				t.upTokens++
				t.positive.add(w, 1)
			}
		case x < 0:
			t.down++
			if w != 0 {
				t.downTokens++
				t.negative.add(w, 1)
			}
		}
	}
}

func (o *origin) merge(t *origin) {
	o.score.merge(t.score)
	o.tokens.merge(t.tokens)
	o.positive.merge(t.positive)
	o.negative.merge(t.negative)
	o.up, o.down, o.flat = o.up+t.up, o.down+t.down, o.flat+t.flat
	o.upTokens, o.downTokens = o.upTokens+t.upTokens, o.downTokens+t.downTokens
	o.abs, o.largest = o.abs+t.abs, max(o.largest, t.largest)
}
