package estimators

import (
	"cmp"
	"math"
	"slices"
)

// Ranking says where each advantage stands among those of its sign in its group. It is
// what of a filter does not depend on the ratios: with it, another ratio keeps another
// beginning. It is for many ratios: to fill it takes as long as [Keep] takes for some, for
// the more the larger the groups are (BenchmarkRanking).
type Ranking struct {
	// Ranks has length N: 1, 2, … from the largest positive advantage down, −1, −2, …
	// from the smallest negative one up, equal ones in batch order; 0 for a zero, and
	// the greatest int32 for NaN, which no ratio keeps.
	Ranks []int32

	Positive, Negative []int32 // length G: how many of each sign
}

// NewRanking returns room for the ranking of so many samples in so many groups.
func NewRanking(samples, groups int) Ranking {
	counts := make([]int32, 2*groups)
	return Ranking{Ranks: make([]int32, samples), Positive: counts[:groups:groups], Negative: counts[groups:]}
}

// Between returns the room of groups [from, to), whose samples are [lo, hi).
func (r Ranking) Between(from, to, lo, hi int) Ranking {
	return Ranking{Ranks: r.Ranks[lo:hi], Positive: r.Positive[from:to], Negative: r.Negative[from:to]}
}

// Fill ranks the advantages; len(adv) == N, group g is adv[offsets[g]:offsets[g+1]].
func (r Ranking) Fill(adv []float64, offsets []int) {
	var positive, negative []seated
	for g := range r.Positive {
		lo, hi := offsets[g], offsets[g+1]
		positive, negative = positive[:0], negative[:0]
		for i, a := range adv[lo:hi] {
			switch rank := &r.Ranks[lo+i]; {
			case a > 0:
				positive = append(positive, seated{a, rank})
			case a < 0:
				negative = append(negative, seated{-a, rank})
			case a == 0:
				*rank = 0
			default:
				*rank = math.MaxInt32
			}
		}
		r.Positive[g], r.Negative[g] = int32(len(positive)), int32(len(negative))
		seatAll(positive, 1)
		seatAll(negative, -1)
	}
}

// seated is the size of an advantage, and where its rank is to be written.
type seated struct {
	size float64
	rank *int32
}

// countedMax is the number of samples up to which counting who stands before whom beats
// a sort: it has no branch to guess.
const countedMax = 24

// seatAll writes the ranks of one sign, the largest first.
func seatAll(all []seated, sign int32) {
	if len(all) > countedMax {
		slices.SortStableFunc(all, func(a, b seated) int { return cmp.Compare(b.size, a.size) })
		for i, s := range all {
			*s.rank = sign * int32(i+1)
		}
		return
	}
	for i, s := range all {
		before := 1
		for _, o := range all[:i] {
			before += one(o.size >= s.size)
		}
		for _, o := range all[i+1:] {
			before += one(o.size > s.size)
		}
		*s.rank = sign * int32(before)
	}
}

// Keep is [Keep] of the advantages that were ranked: what is kept is the same.
func (r Ranking) Keep(kept []bool, offsets []int, keepPos, keepNeg float64) {
	if keepPos >= 1 && keepNeg >= 1 {
		fillTrue(kept)
		return
	}
	for g := range r.Positive {
		lo, hi := offsets[g], offsets[g+1]
		first, last := -int32(KeepCount(int(r.Negative[g]), keepNeg)), int32(KeepCount(int(r.Positive[g]), keepPos))
		group := kept[lo:hi]
		for i, rank := range r.Ranks[lo:hi][:len(group)] {
			group[i] = one(rank >= first)&one(rank <= last) != 0
		}
	}
}

func fillTrue(kept []bool) {
	for i := range kept {
		kept[i] = true
	}
}
