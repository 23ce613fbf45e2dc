package model

import "math"

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
