package groupfilter

import (
	"cmp"
	"math"
	"slices"

	"vantage/estimators"
)

// ragen keeps the groups that carry most of the variance.
func ragen() []*Filter {
	const key = "rollout_filter_value"
	return []*Filter{{
		Name:         "top_p",
		NoPublicCode: true,
		Enable:       "actor_rollout_ref.rollout.rollout_filter_strategy=top_p",
		Rule:         "the fewest groups whose variances add up to rollout_filter_value of all",
		Doc: "By the paper: groups are sorted by the variance of their rewards, the largest first, and taken until their sum reaches the " +
			"share; of equal ones the first in the batch. float64, ddof 1; a share that is missed by rounding alone counts as reached. Groups " +
			"of equal rewards and of one row have no variance and are dropped, also at a share of 1; groups with a NaN are dropped. The authors' " +
			"code differs: its reward_variance is the standard deviation, it subtracts 0.01 from the sum to reach, and at 1 it " +
			"keeps all.",
		Source: "arXiv:2604.06268, SNR-aware filtering; mll-lab-nu/RAGEN@20daedc47558e000f7de912b060646bf2e8026bd ragen/trainer/rollout_filter.py for the names",
		Fate:   Removed,
		Options: []estimators.Option{{
			Key: key, Kind: estimators.Number(0, 1), Default: "0.9", Meaning: "the share of the summed variance that the kept groups must reach",
		}},
		decide: func(v *Verdict, b Batch, o estimators.Values) error {
			ragenTopP(v, b, o.Number(key))
			return nil
		},
	}}
}

// scored is a group and what it is sorted by.
type scored struct {
	score float64
	group int
}

// shareSlack is what rounding may take from a share.
const shareSlack = 1 - 1e-12

// scoreBuckets is how many values the first 16 bits of a float64 that is not negative have: scores of one
// bucket are within a sixteenth of each other, and a larger score is never in a lower bucket.
const scoreBuckets = 1 << 15

func ragenTopP(v *Verdict, b Batch, p float64) {
	v.sums = slices.Grow(v.sums[:0], scoreBuckets)[:scoreBuckets]
	clear(v.sums)
	total := 0.0
	for g := range v.Admitted {
		variance := varianceOf(b.Rewards[b.Offsets[g]:b.Offsets[g+1]])
		v.drop(g, Reason{"variance", variance})
		if variance > 0 {
			total += variance
			v.sums[math.Float64bits(variance)>>48] += variance
		}
	}
	sum, enough, last := 0.0, p*total*shareSlack, scoreBuckets-1
	for last > 0 && sum+v.sums[last] < enough {
		sum += v.sums[last]
		last--
	}
	v.takeLargest(uint64(last), sum, enough)
}

// takeLargest admits the groups whose score is in a bucket above last, which add up to sum, and those of
// the last one, the largest first, until enough is reached. The scores are the values of the reasons.
func (v *Verdict) takeLargest(last uint64, sum, enough float64) {
	v.order = v.order[:0]
	for g, why := range v.Reasons {
		switch bucket := math.Float64bits(why.Value) >> 48; {
		case !(why.Value > 0) || bucket < last:
		case bucket > last:
			v.Admitted[g], v.Reasons[g] = true, Reason{}
		default:
			v.order = append(v.order, scored{why.Value, g})
		}
	}
	slices.SortFunc(v.order, func(a, b scored) int {
		if a.score != b.score {
			return cmp.Compare(b.score, a.score)
		}
		return a.group - b.group
	})
	for _, s := range v.order {
		if sum >= enough {
			break
		}
		sum += s.score
		v.Admitted[s.group], v.Reasons[s.group] = true, Reason{}
	}
}

// varianceOf has ddof 1; that of one row is 0, and with a NaN or an infinity it is NaN.
func varianceOf(r []float64) float64 {
	if len(r) == 1 {
		return 0
	}
	if allEqual(r) {
		return 0 * (r[0] - r[0])
	}
	sum, squares := 0.0, 0.0
	for _, x := range r {
		sum += x
	}
	mean := sum / float64(len(r))
	for _, x := range r {
		squares += float64((x - mean) * (x - mean))
	}
	return squares / float64(len(r)-1)
}
