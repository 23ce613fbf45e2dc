package model

import (
	"errors"
	"slices"
	"sync"

	"vantage/estimators"
)

// filter fills the columns of what is kept, and the table. The refusal is what the
// framework's own code would raise for the batch, of a ratio before all else.
func (a *Analysis) filter(p plan, before *Analysis) (tally, *estimators.Refusal) {
	refusal := a.origin.refusal
	if !p.set.Filtering() {
		a.Keep = slices.Repeat([]bool{true}, a.Rows)
		a.room(false)
		return a.tabulate(p.lo, p.hi, a.there), refusal
	}
	// a refusal takes the place of the other's
	refused := errors.As(estimators.CheckRatios(p.set.KeepPos, p.set.KeepNeg), &refusal)
	fill := func() filler { return a.trainer(p) }
	if !refused && a.keepsAs(before) {
		a.Keep = before.Keep
	} else {
		fill = func() filler { return a.filler(p) }
	}
	a.room(refused || p.set.Recompute)
	// what is kept of a group depends on nothing else; its recompute may
	if !p.set.Recompute || p.entry.Local() && p.set.Scale != estimators.ScaleBatch {
		return a.tabulate(p.lo, p.hi, fill), refusal
	}
	fill()(part{to: a.Groups, hi: a.Rows})
	return a.tabulate(p.lo, p.hi, a.there), refusal
}

// room makes room for the columns and the table, both at a time: memory is cleared before it
// is given, which a step of millions of samples feels.
func (a *Analysis) room(fresh bool) {
	var table sync.WaitGroup
	table.Go(func() {
		a.Table = make([]Group, a.Groups)
		if a.Keep == nil {
			a.Keep = make([]bool, a.Rows)
		}
	})
	if fresh {
		a.fresh = make([]float64, a.Rows)
	}
	table.Wait()
}

// keepsAs reports whether the filter of another analysis, if there is one, keeps what this
// one does.
func (a *Analysis) keepsAs(other *Analysis) bool {
	return other != nil && other.ground == a.ground && other.origin.set == a.origin.set && other.Settings.Filtering() &&
		other.Settings.KeepPos == a.Settings.KeepPos && other.Settings.KeepNeg == a.Settings.KeepNeg
}

// nothing is for columns of a part that are filled already.
func nothing(part) {}

// filler fills the columns of a part and returns its processed advantages, which hold until
// the next part. It is for one processor: its memory serves one part after the other.
type filler func(part) []float64

// there is for columns that are filled already.
func (a *Analysis) there() filler {
	processed := a.ProcessedKept()
	return func(p part) []float64 { return processed[p.lo:p.hi] }
}

// filler filters.
func (a *Analysis) filler(p plan) filler {
	var r estimators.Result
	return func(part part) []float64 {
		a.between(&r, part)
		if a.origin.ranking.Ranks != nil {
			r.Ranking = a.origin.ranking.Between(part.from, part.to, part.lo, part.hi)
		}
		// a ratio that is refused has been asked about already
		_ = r.Filter(p.entry, a.origin.batch.Between(part.from, part.to), p.set.Scale, p.set.KeepPos, p.set.KeepNeg, p.set.Recompute)
		return r.Processed
	}
}

// trainer is filler where it is known what is kept.
func (a *Analysis) trainer(p plan) filler {
	var r estimators.Result
	return func(part part) []float64 {
		a.between(&r, part)
		r.Train(p.entry, a.origin.batch.Between(part.from, part.to), p.set.Scale, p.set.Recompute)
		return r.Processed
	}
}

// between lets r work in the columns of a part. Where nothing is computed anew what it makes
// is seen in what is kept: it is not kept twice.
func (a *Analysis) between(r *estimators.Result, p part) {
	r.Original, r.Kept = a.Original[p.lo:p.hi], a.Keep[p.lo:p.hi]
	if a.fresh != nil {
		r.Processed = a.fresh[p.lo:p.hi]
	} else {
		r.Processed = slices.Grow(r.Processed[:0], p.hi-p.lo)[:p.hi-p.lo]
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
func (k keeping) of(t *traits, size int) (pos, zero, neg int32) {
	switch {
	case k.all:
		return t.pos, int32(size) - t.pos - t.neg, t.neg
	case k.none:
		return 0, 0, 0
	}
	return int32(estimators.KeepCount(int(t.pos), k.pos)), t.zero, int32(estimators.KeepCount(int(t.neg), k.neg))
}

// tabulate fills the group table and sums up, part by part, of which the columns are
// filled first, so that they are at hand; lo and hi are the worst and the best reward of
// the run.
func (a *Analysis) tabulate(lo, hi float64, filler func() filler) tally {
	keeps := a.Settings.keeping()
	tallies := make([]tally, len(a.ground.parts))
	shareParts(a.ground.parts, func() func(int, part) {
		fill := filler()
		return func(k int, part part) {
			processed := fill(part)
			t := a.pivot(part, processed)
			t.weigh(a, k, part, processed)
			for at := part.from; at < part.to; at++ {
				a.row(at, keeps, &t, lo, hi)
			}
			tallies[k] = t
		}
	})
	return merged(tallies)
}

// row fills in row at of the table, and counts it.
func (a *Analysis) row(at int, keeps keeping, t *tally, lo, hi float64) {
	g, traits := &a.Table[at], &a.origin.traits[at]
	g.Members = &a.ground.members[at]
	g.KeptPos, g.KeptZero, g.KeptNeg = keeps.of(traits, g.Size())
	after := a.signal(g, traits, keeps)
	t.keptPos, t.keptNeg, t.kept, t.flips = t.keptPos+int(g.KeptPos), t.keptNeg+int(g.KeptNeg), t.kept+g.Kept(), t.flips+int(g.Flips)
	a.countTrained(g, t)
	g.Fate = a.fate(at, after, lo, hi)
	t.fates[g.Fate].add(at)
	if traits.alive(g.Size()) && g.Kept() < 2 {
		t.short.add(at)
	}
	if g.Flips > 0 {
		t.flipped.add(at)
	}
}

// signal reports whether some processed advantage of a group is not zero. Only where they
// are computed anew does it look at them, and counts the signs that changed.
func (a *Analysis) signal(g *Group, before *traits, keeps keeping) bool {
	switch {
	case keeps.all:
		return before.alive(g.Size())
	case keeps.none:
		return true // NaN throughout
	case !a.Settings.Recompute:
		return g.KeptPos+g.KeptNeg > 0
	}
	some, flips := 0, 0
	original := a.Original[g.Start:g.End]
	for i, y := range a.fresh[g.Start:g.End] {
		some |= one(y != 0)
		flips += one(original[i]*y < 0)
	}
	g.Flips = int32(flips)
	return some != 0
}

// countTrained counts the samples of a group that are kept and have tokens: which they
// are is hard to guess, so it is added up without a branch.
func (a *Analysis) countTrained(g *Group, t *tally) {
	if !g.mute {
		t.up, t.down, t.filtered = t.up+int(g.KeptPos), t.down+int(g.KeptNeg), t.filtered+g.Size()-g.Kept()
		return
	}
	t.filtered += g.Size()
	tokens, keep := a.ground.count[g.Start:g.End], a.Keep[g.Start:g.End]
	for i, x := range a.Original[g.Start:g.End] {
		trained := one(keep[i]) & one(tokens[i] != 0)
		t.filtered -= trained
		t.up += one(x > 0) & trained
		t.down += one(x < 0) & trained
	}
}
