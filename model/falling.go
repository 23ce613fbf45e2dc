package model

import (
	"math"

	"vantage/estimators"
)

// Most estimators give a higher reward a higher advantage, so that the order of the rewards,
// which the ground knows, is that of the advantages too. Where it is, the samples of one sign
// are a stretch of the order, extremes stand at its ends, and what a filter keeps is a few
// stretches. Sums over what is kept are then those over all, which are known, without those
// over the few that are dropped.

// ordered are the samples of a group with the order of their rewards, from the highest down.
// A stretch [from, to) of it is some of them.
type ordered struct {
	mute       bool // some response has no tokens
	advantages []float64
	count      []int32  // how many tokens each response counts for
	order      []uint16 // places in the group
}

// ordered returns group at, of part k.
func (g *ground) ordered(at, k int, advantages []float64) ordered {
	lo, hi := g.offsets[at], g.offsets[at+1]
	return ordered{g.mute[k] && g.reaches[at].lo == 0, advantages[lo:hi], g.count[lo:hi], g.byReward[lo:hi]}
}

// at returns the advantage at a place of the order.
func (s *ordered) at(place int) float64 { return s.advantages[s.order[place]] }

// ends returns the lowest and the highest advantage over tokens of a stretch that is not empty.
func (s *ordered) ends(from, to int) (lo, hi float64) {
	if !s.mute {
		return s.at(to - 1), s.at(from)
	}
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, i := range s.order[from:to] {
		if s.count[i] != 0 {
			lo, hi = min(lo, s.advantages[i]), max(hi, s.advantages[i])
		}
	}
	return lo, hi
}

// zeros returns where the zeros end that begin at a place.
func (s *ordered) zeros(from int) int {
	for from < len(s.order) && s.at(from) == 0 {
		from++
	}
	return from
}

// live counts the responses of a stretch that have tokens.
func (s *ordered) live(from, to int) int {
	if !s.mute {
		return to - from
	}
	n := 0
	for _, i := range s.order[from:to] {
		n += one(s.count[i] != 0)
	}
	return n
}

// sums are over advantages that are not zero, around a pivot that is like them.
type sums struct {
	pivot                 float64
	n, live, tokens       int     // advantages, those over tokens, and the tokens
	abs                   float64 // of |A|
	advantage, advantage2 float64 // of what they lie above the pivot
	push, push2           float64 // the same over tokens
}

// fall takes in a group whose advantages fall along the order, and counts its signs and the
// tokens of each; false if they do not fall. Half of them are positive, but which is hard to
// guess: no branch asks.
func (t *sums) fall(s *ordered) (signs traits, above, below int, ok bool) {
	n := len(s.order)
	pos, tokens, pivot, last := 0, 0, t.pivot, math.Inf(1)
	abs, push, push2, advantage, advantage2 := t.abs, t.push, t.push2, t.advantage, t.advantage2
	for _, i := range s.order {
		x, l := s.advantages[i], s.count[i]
		if !(x <= last) {
			return signs, 0, 0, false
		}
		last = x
		plus := one(x > 0)
		pos += plus
		above += int(l) & -plus
		tokens += int(l)
		abs += math.Abs(x)
		d := x - pivot
		advantage += d
		advantage2 += d * d
		w := float64(l) * d
		push += w
		push2 += w * d
	}
	t.abs, t.push, t.push2, t.advantage, t.advantage2 = abs, push, push2, advantage, advantage2
	t.n, t.live, t.tokens = t.n+n, t.live+s.live(0, n), t.tokens+tokens
	neg := s.zeros(pos)
	if neg > pos {
		tokens -= t.without(s, pos, neg)
	}
	return traits{pos: int32(pos), zero: int32(neg - pos), neg: int32(n - neg)}, above, tokens - above, true
}

// without takes a stretch of zeros out again, and returns how many tokens they have.
func (t *sums) without(s *ordered, from, to int) (tokens int) {
	for _, i := range s.order[from:to] {
		tokens += int(s.count[i])
	}
	n, pivot := float64(to-from), t.pivot
	t.n, t.live, t.tokens = t.n-(to-from), t.live-s.live(from, to), t.tokens-tokens
	t.advantage += n * pivot
	t.advantage2 -= n * pivot * pivot
	t.push += float64(tokens) * pivot
	t.push2 -= float64(tokens) * pivot * pivot
	return tokens
}

// add takes in a stretch of advantages of which none is zero.
func (t *sums) add(s *ordered, from, to int) {
	tokens, pivot := 0, t.pivot
	abs, push, push2, advantage, advantage2 := t.abs, t.push, t.push2, t.advantage, t.advantage2
	for _, i := range s.order[from:to] {
		x, l := s.advantages[i], s.count[i]
		tokens += int(l)
		abs += math.Abs(x)
		d := x - pivot
		advantage += d
		advantage2 += d * d
		w := float64(l) * d
		push += w
		push2 += w * d
	}
	t.n, t.live, t.tokens = t.n+to-from, t.live+s.live(from, to), t.tokens+tokens
	t.abs, t.push, t.push2, t.advantage, t.advantage2 = abs, push, push2, advantage, advantage2
}

// alike reports whether advantages differ so little from one another, beside what they do from
// the pivot, that one of them has to be the pivot.
func (t *sums) alike() bool {
	const tiny = 1e-6
	return rest(t.push2, t.push, float64(t.tokens)) < tiny*t.push2 || rest(t.advantage2, t.advantage, float64(t.n)) < tiny*t.advantage2
}

// less returns the sums without others around the same pivot.
func (t sums) less(o *sums) sums {
	t.n, t.live, t.tokens = t.n-o.n, t.live-o.live, t.tokens-o.tokens
	t.abs -= o.abs
	t.push, t.push2 = t.push-o.push, t.push2-o.push2
	t.advantage, t.advantage2 = t.advantage-o.advantage, t.advantage2-o.advantage2
	return t
}

// pivot returns the middle advantage of a group of the part, the first that is not alone: one
// that is alone may be far from all others.
func (o *origin) pivot(g *ground, k int, p part) float64 {
	for at := p.from; at < p.to; at++ {
		if s := g.ordered(at, k, o.advantages); len(s.order) > 1 {
			return s.at(len(s.order) / 2)
		}
	}
	return 0
}

// falling sums up the advantages of a part before the filter; false if those of some group do
// not fall along the order. Then what was summed up is to be forgotten.
func (o *origin) falling(g *ground, k int, p part, t *originTally) bool {
	if g.byReward == nil || g.odd[k] {
		return false
	}
	up, down := noLengths(), noLengths()
	lo, hi := math.Inf(1), math.Inf(-1)
	all := sums{pivot: o.pivot(g, k, p)}
	for at := p.from; at < p.to; at++ {
		s := g.ordered(at, k, o.advantages)
		signs, above, below, ok := all.fall(&s)
		if !ok {
			return false
		}
		o.traits[at] = signs
		t.up, t.down = t.up+int(signs.pos), t.down+int(signs.neg)
		n := len(s.order)
		up.add(&s, g.reaches[at], 0, int(signs.pos), above)
		down.add(&s, g.reaches[at], n-int(signs.neg), n, below)
		least, most := s.ends(0, n)
		lo, hi = lower(lo, least), higher(hi, most)
		t.largest = higher(higher(t.largest, s.at(0)), -s.at(n-1))
	}
	t.abs = all.abs
	t.tokens = moments{weight: g.around[k].total, sum: all.push + all.pivot*float64(all.tokens), lo: lo, hi: hi, n: g.around[k].live}
	t.positive, t.negative = up.moments(), down.moments()
	t.upTokens, t.downTokens = up.n, down.n
	o.totals[k] = all
	return finite(t.abs)
}

// lower and higher are min and max of numbers: what those do for NaN takes time.
func lower(a, b float64) float64 {
	if b < a {
		return b
	}
	return a
}

func higher(a, b float64) float64 {
	if b > a {
		return b
	}
	return a
}

// add takes in the responses of a stretch that has so many tokens. That the extremes change
// is seldom so.
func (l *lengths) add(s *ordered, r reach, from, to, tokens int) {
	l.n += s.live(from, to)
	l.sum += tokens
	if r.lo >= l.lo && r.hi <= l.hi {
		return
	}
	for _, i := range s.order[from:to] {
		if n := s.count[i]; n != 0 {
			l.lo, l.hi = min(l.lo, n), max(l.hi, n)
		}
	}
}

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

// addEach takes in stretches of advantages of which none is zero.
func (t *sums) addEach(s *ordered, stretches *[3]estimators.Stretch) {
	for _, x := range stretches {
		if x.From < x.To {
			t.add(s, int(x.From), int(x.To))
		}
	}
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
