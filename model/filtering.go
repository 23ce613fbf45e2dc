package model

import (
	"errors"
	"slices"

	"vantage/estimators"
)

// filter fills the columns of what is kept, and the table. The refusal is what the
// framework's own code would raise for the batch, of a ratio before all else.
func (a *Analysis) filter(p plan) (tally, *estimators.Refusal) {
	refusal := a.origin.refusal
	if !p.set.Filtering() {
		a.Keep, a.Processed = slices.Repeat([]bool{true}, a.Rows), a.Original
		return a.tabulate(p.lo, p.hi, noFiller), refusal
	}
	a.Keep, a.Processed = make([]bool, a.Rows), make([]float64, a.Rows)
	// a refusal takes the place of the other's
	_ = errors.As(estimators.CheckRatios(p.set.KeepPos, p.set.KeepNeg), &refusal)
	if p.entry.Local() && p.set.Scale != estimators.ScaleBatch {
		return a.tabulate(p.lo, p.hi, func() func(part) { return a.filler(p) }), refusal
	}
	a.filler(p)(part{to: a.Groups, hi: a.Rows})
	return a.tabulate(p.lo, p.hi, noFiller), refusal
}

// nothing is for columns of a part that are filled already.
func nothing(part) {}

func noFiller() func(part) { return nothing }

// filler returns what filters the samples of a part. It is for one processor: its
// memory serves one part after the other.
func (a *Analysis) filler(p plan) func(part) {
	var r estimators.Result
	return func(part part) {
		r.Original, r.Processed, r.Kept = a.Original[part.lo:part.hi], a.Processed[part.lo:part.hi], a.Keep[part.lo:part.hi]
		if a.origin.ranking.Ranks != nil {
			r.Ranking = a.origin.ranking.Between(part.from, part.to, part.lo, part.hi)
		}
		// a ratio that is refused has been asked about already
		_ = r.Filter(p.entry, a.origin.batch.Between(part.from, part.to), p.set.Scale, p.set.KeepPos, p.set.KeepNeg, p.set.Recompute)
	}
}

// keeping is the rule by which a filter counts what it keeps.
type keeping struct {
	all, none bool
	pos, neg  float64
}

// keeping is the rule under the settings: a ratio that is refused keeps nothing.
func (s Settings) keeping() keeping {
	return keeping{all: !s.Filtering(), none: estimators.CheckRatios(s.KeepPos, s.KeepNeg) != nil, pos: s.KeepPos, neg: s.KeepNeg}
}

// of counts the samples that are kept of a group, by the sign of their original
// advantage; one that is not a number counts as zero if all are kept.
func (k keeping) of(g *Group) (pos, zero, neg int) {
	pos, zero, neg = int(g.before.pos), int(g.before.zero), int(g.before.neg)
	switch {
	case k.all:
		return pos, g.Size() - pos - neg, neg
	case k.none:
		return 0, 0, 0
	}
	return estimators.KeepCount(pos, k.pos), zero, estimators.KeepCount(neg, k.neg)
}

// tabulate fills the group table and sums up, part by part, of which the columns are
// filled first, so that they are at hand; lo and hi are the worst and the best reward of
// the run.
func (a *Analysis) tabulate(lo, hi float64, filler func() func(part)) tally {
	a.Table = make([]Group, a.Groups)
	keeps := a.Settings.keeping()
	tallies := make([]tally, len(a.ground.parts))
	shareParts(a.ground.parts, func() func(int, part) {
		fill := filler()
		return func(k int, part part) {
			fill(part)
			tallies[k] = a.pivot(part)
			for at := part.from; at < part.to; at++ {
				g := &a.Table[at]
				g.Members, g.before = &a.ground.members[at], a.origin.traits[at]
				g.KeptPos, g.KeptZero, g.KeptNeg = keeps.of(g)
				a.count(g, &tallies[k])
				g.Fate = a.fate(g, lo, hi)
				tallies[k].fates[g.Fate]++
				if g.before.alive && g.Kept() < 2 {
					tallies[k].short.add(at)
				}
			}
		}
	})
	return merged(tallies)
}
