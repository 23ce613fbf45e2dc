package model

import (
	"context"
	"errors"
	"math"
	"slices"

	"vantage/estimators"
)

// filter fills the columns of what is kept, and says what becomes of each group. The refusal is what the
// framework's own code would raise for the batch, of a ratio before all else.
func (a *Analysis) filter(ctx context.Context, p plan, before *Analysis) (tally, *estimators.Refusal) {
	refusal := a.origin.refusal
	// a refusal takes the place of the other's
	refused := p.set.Filtering() && errors.As(estimators.CheckRatios(p.set.KeepPos, p.set.KeepNeg), &refusal)
	chosen := !refused && a.keepsAs(before)
	if chosen {
		a.Keep = before.Keep
	}
	a.room(p.entry.Float, refused || p.set.Filtering() && p.set.Recompute)
	switch {
	case refused:
		a.fresh.put(0, slices.Repeat([]float64{math.NaN()}, a.Rows))
		return a.tabulate(ctx, p, a.there), refusal
	// what is kept of a group depends on nothing else; its recompute may
	case a.anew() && (p.entry.DependsOnBatch || p.set.Scale == estimators.ScaleBatch):
		a.trainWhole(ctx, p, chosen)
		return a.tabulate(ctx, p, a.there), refusal
	}
	return a.tabulate(ctx, p, func() filler { return a.filler(p, chosen) }), refusal
}

// room makes room for the columns, those of what is computed anew if they are.
func (a *Analysis) room(f estimators.Float, anew bool) {
	a.fates = make([]Fate, a.Groups)
	if a.Keep == nil {
		a.Keep = newFlags(a.Rows)
	}
	if anew {
		a.fresh, a.flips = newColumn(a.Rows, f), make([]int32, a.Groups)
	}
}

// keepsAs reports whether the filter of another analysis, if there is one, keeps what this
// one does. Where nothing is computed anew nobody need know: to choose is to sum up.
func (a *Analysis) keepsAs(other *Analysis) bool {
	return other != nil && other.ground == a.ground && other.origin.set == a.origin.set && a.Settings.Recompute && other.Settings.Filtering() &&
		other.Settings.KeepPos == a.Settings.KeepPos && other.Settings.KeepNeg == a.Settings.KeepNeg
}

// nothing is for columns of a part that are filled already.
func nothing(part) {}

// filler fills the columns of a part, sums them up, and returns its processed advantages if
// they are computed anew, to hold until the next part. It is for one processor: its memory
// serves one part after the other.
type filler func(k int, p part, t *tally) []float64

// there is for columns that are filled already.
func (a *Analysis) there() filler {
	var room []float64
	return func(k int, p part, t *tally) []float64 {
		processed := a.Original[p.lo:p.hi]
		if a.anew() {
			room = a.fresh.Between(p.lo, p.hi, room)
			processed = room
		}
		t.weigh(a, k, p, processed)
		return processed
	}
}

// filler filters, unless it is known already what is kept, and trains. What it makes is kept
// where it is computed anew; else it is seen in what is kept.
func (a *Analysis) filler(p plan, chosen bool) filler {
	var r estimators.Result
	var keep patch
	return func(k int, part part, t *tally) []float64 {
		if !a.anew() && a.cut(&keep, k, part, t) {
			return nil
		}
		*t = a.ground.noTally(part)
		r.Original = a.Original[part.lo:part.hi]
		r.Processed = slices.Grow(r.Processed[:0], part.hi-part.lo)[:part.hi-part.lo]
		a.choose(&r, &keep, k, part, chosen)
		r.WriteProcessed(p.entry, a.origin.batch.GroupRange(part.from, part.to), p.set.Scale, a.anew())
		if a.anew() {
			a.fresh.put(part.lo, r.Processed)
		}
		t.weigh(a, k, part, r.Processed)
		return r.Processed
	}
}

// trainWhole fills the columns where the recompute of a group depends on other groups.
func (a *Analysis) trainWhole(ctx context.Context, p plan, chosen bool) {
	whole := estimators.Result{Original: a.Original, Processed: make([]float64, a.Rows), Kept: make([]bool, a.Rows)}
	shareParts(ctx, a.ground.parts, func() func(int, part) {
		var keep patch
		return func(k int, part part) {
			r := estimators.Result{Original: a.Original[part.lo:part.hi], Kept: whole.Kept[part.lo:part.lo]}
			a.choose(&r, &keep, k, part, chosen)
		}
	})
	whole.WriteProcessed(p.entry, a.origin.batch, p.set.Scale, true)
	a.fresh.put(0, whole.Processed)
}

// choose writes down what is kept of part k, unless that is known, and gives it to r.
func (a *Analysis) choose(r *estimators.Result, keep *patch, k int, p part, chosen bool) {
	if chosen || a.cut(keep, k, p, nil) {
		r.Kept = a.Keep.appendTo(r.Kept[:0], p.lo, p.hi)
		return
	}
	r.Kept = slices.Grow(r.Kept[:0], p.hi-p.lo)[:p.hi-p.lo]
	r.SelectKept(a.origin.batch.GroupRange(p.from, p.to), a.Settings.KeepPos, a.Settings.KeepNeg)
	keep.writeEach(a.Keep, p.lo, r.Kept)
}

// tabulate says what becomes of each group and sums up, part by part, of which the columns
// are filled first, so that they are at hand.
func (a *Analysis) tabulate(ctx context.Context, p plan, worker func() filler) tally {
	keeps := a.Settings.keeping()
	tallies := make([]tally, len(a.ground.parts))
	shareParts(ctx, a.ground.parts, func() func(int, part) {
		fill := worker()
		return func(k int, part part) {
			t := a.ground.noTally(part)
			processed := fill(k, part, &t)
			for at := part.from; at < part.to; at++ {
				a.row(at, k, keeps, part.of(a.ground.offsets, at, processed), &t, p.lo, p.hi)
			}
			tallies[k] = t
		}
	})
	return merged(tallies)
}
