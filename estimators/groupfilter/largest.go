package groupfilter

import (
	"cmp"
	"math"
	"slices"
)

// scored is a group and what it is sorted by.
type scored struct {
	score float64
	group int
}

// scoreBuckets is how many values the first 16 bits of a float64 that is not negative have: scores of one
// bucket are within a sixteenth of each other, and a larger score is never in a lower bucket.
const scoreBuckets = 1 << 15

func bucketOf(score float64) int { return int(math.Float64bits(score) >> 48) }

// takeLargest admits groups of a score above 0, the largest first and of equal ones the first, until
// their sum is enough; none if it never is. All groups are dropped before, with the score as the value of the
// reason. Only the bucket in which the sum becomes enough is sorted.
func (v *Verdict) takeLargest(enough func(sum float64) bool) {
	v.sums = slices.Grow(v.sums[:0], scoreBuckets)[:scoreBuckets]
	clear(v.sums)
	for _, why := range v.Reasons {
		if why.Value > 0 {
			v.sums[bucketOf(why.Value)] += why.Value
		}
	}
	sum, last := 0.0, scoreBuckets-1
	for last > 0 && !enough(sum+v.sums[last]) {
		sum += v.sums[last]
		last--
	}
	if !enough(sum + v.sums[last]) {
		return
	}
	v.order = v.order[:0]
	for g, why := range v.Reasons {
		switch bucket := bucketOf(why.Value); {
		case !(why.Value > 0) || bucket < last:
		case bucket > last:
			v.admit(g)
		default:
			v.order = append(v.order, scored{why.Value, g})
		}
	}
	slices.SortFunc(v.order, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), a.group-b.group)
	})
	for _, s := range v.order {
		if enough(sum) {
			return
		}
		sum += s.score
		v.admit(s.group)
	}
}
