package model

import "math"

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
