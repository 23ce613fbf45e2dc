package model

import "vantage/estimators"

// cut writes down what is kept of part k; false, and nothing is said, if its advantages do not
// fall along the order or if that does not tell. If there is a tally it takes in the part, of
// which what is kept stays as it was.
func (a *Analysis) cut(keep *patch, k int, p part, t *tally) bool {
	g, o := a.ground, a.origin
	if !o.falls[k] {
		return false
	}
	keep.begin(p.lo, p.hi)
	direct := a.Settings.KeepPos+a.Settings.KeepNeg < 1 // what is kept are the fewer
	some := sums{pivot: o.totals[k].pivot}
	for at := p.from; at < p.to; at++ {
		s := g.ordered(at, k, o.advantages)
		c, ok := a.cutGroup(at, &s)
		if !ok {
			return false
		}
		for _, d := range c.Dropped {
			keep.drop(g.offsets[at], s.order[d.From:d.To])
		}
		switch {
		case t == nil:
			continue
		case direct:
			some.addEach(&s, &c.Kept)
		default:
			some.addEach(&s, &c.Dropped)
		}
		t.reach(&s, &c.Kept)
	}
	keep.write(a.Keep)
	if t != nil {
		kept := a.sumsOfKept(&some, direct, k, p)
		t.take(g, k, p.hi-p.lo, &kept)
	}
	return true
}

// sumsOfKept returns the sums over what is kept of part k, by those over some: what is kept,
// if they are direct, else what is dropped.
func (a *Analysis) sumsOfKept(some *sums, direct bool, k int, p part) sums {
	kept := *some
	if !direct {
		kept = a.without(some, k, p)
	}
	switch {
	case kept.n == 0:
		return sums{} // zeros around anything else would not add up to 0
	case kept.alike():
		return a.sumKept(k, p, a.firstKept(k, p))
	}
	return kept
}

func (a *Analysis) cutGroup(at int, s *ordered) (estimators.Cut, bool) {
	signs, rewards := &a.origin.traits[at], a.Logged[a.ground.offsets[at]:a.ground.offsets[at+1]]
	return estimators.CutOf(s.advantages, rewards, s.order, int(signs.pos), int(signs.zero), a.Settings.KeepPos, a.Settings.KeepNeg)
}

// little is the share of all below which what is kept is summed up by itself: as the
// difference of two sums that are nearly the same it would be inexact.
const little = 1. / 64

// without returns the sums over what is kept of part k, by those over what is dropped.
func (a *Analysis) without(dropped *sums, k int, p part) sums {
	all := &a.origin.totals[k]
	if kept := all.less(dropped); kept.abs >= little*all.abs {
		return kept
	}
	return a.sumKept(k, p, all.pivot)
}

// firstKept returns an advantage of part k that is kept and not zero.
func (a *Analysis) firstKept(k int, p part) float64 {
	for at := p.from; at < p.to; at++ {
		s := a.ground.ordered(at, k, a.Original)
		c, _ := a.cutGroup(at, &s)
		for _, x := range c.Kept {
			if x.From < x.To {
				return s.at(int(x.From))
			}
		}
	}
	return 0
}

// sumKept sums up what is kept of part k, around a pivot.
func (a *Analysis) sumKept(k int, p part, pivot float64) sums {
	kept := sums{pivot: pivot}
	for at := p.from; at < p.to; at++ {
		s := a.ground.ordered(at, k, a.Original)
		c, _ := a.cutGroup(at, &s)
		kept.addEach(&s, &c.Kept)
	}
	return kept
}

// take makes the figures of part k of the sums over what is kept; the others of its n samples
// have the advantage 0.
func (t *tally) take(g *ground, k, n int, kept *sums) {
	all, zeros, pivot := float64(n), float64(n-kept.n), kept.pivot
	t.pivotPush = pivot
	t.abs, t.push, t.push2 = kept.abs, kept.push, kept.push2
	t.advantage, t.advantage2 = kept.advantage-zeros*pivot, kept.advantage2+zeros*pivot*pivot
	t.processed.n, t.processed.weight = kept.live, float64(kept.tokens)
	t.processed.sum = t.push + pivot*t.processed.weight
	t.sum, t.squares = t.advantage+all*pivot, t.advantage2+2*pivot*t.advantage+all*pivot*pivot
	if g.known {
		t.correlateAll(&g.around[k])
		return
	}
	t.advantage, t.advantage2 = 0, 0
}

// reach widens the extremes to those of stretches that are kept.
func (t *tally) reach(s *ordered, kept *[3]estimators.Stretch) {
	for _, x := range kept {
		if x.From == x.To {
			continue
		}
		from, to := int(x.From), int(x.To)
		lo, hi := s.ends(from, to)
		t.processed.lo, t.processed.hi = lower(t.processed.lo, lo), higher(t.processed.hi, hi)
		t.largest = higher(higher(t.largest, s.at(from)), -s.at(to-1))
	}
}
