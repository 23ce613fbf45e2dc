package sweep

import (
	"math"

	"vantage/estimators"
)

// law is what most estimators do to a group of two or more whose rewards differ:
//
//	A = (r − μ) / (s + eps)    scaled, s with n − ddof
//	A =  r − μ                 else
//
// Under a law the sign of an advantage and the sums over a group follow from a few
// sums of rewards. The bits do not: see ranked.
type law struct {
	scaled bool
	ddof   int
	eps    float64
}

// laws are those that frameworks follow.
func laws() []law {
	all := []law{{}}
	for _, ddof := range []int{1, 0} {
		for _, eps := range []float64{0, 1e-8, 1e-6, 1e-5, 1e-4} {
			all = append(all, law{true, ddof, eps})
		}
	}
	return all
}

// lawOf is the law that an estimator follows, found by trying: estimators are
// functions, and what they do to groups of several sizes and spreads, alone and
// together, tells them apart. It is false if none explains them all, or if more than
// rewards decides.
func lawOf(e *estimators.Estimator, s estimators.Scale) (law, bool) {
	if s == estimators.ScaleBatch || e.Needs.Lengths || e.Needs.Baselines || e.Needs.Components {
		return law{}, false
	}
	for _, l := range laws() {
		if l.explains(e, s) {
			return l, true
		}
	}
	return law{}, false
}

// probes are groups that tell the laws apart: the last ones have so small an s that
// an eps of 1e-8 shows.
func probes() [][]float64 {
	return [][]float64{
		{0, 1},
		{1, 0, 0},
		{0.25, -1, 0.5, 2, 0.125},
		{1, 1, 0, 1, 0, 0, 0},
		{3, -2, 0.5, 0.25, 1, -0.75, 2, 0},
		{0, 0.001},
		{0.001, 0, 0, 0.0005, 0},
		{-0.002, 0.001, 0, 0.003},
	}
}

// told is how near an advantage must be to the one that a law gives: float32 and a
// little more.
const told = 1e-6

func (l law) explains(e *estimators.Estimator, s estimators.Scale) bool {
	together := estimators.Batch{Offsets: []int{0}}
	for _, rewards := range probes() {
		alone := estimators.Batch{Rewards: rewards, Offsets: []int{0, len(rewards)}}
		if !l.fits(e, s, alone) {
			return false
		}
		together.Rewards = append(together.Rewards, rewards...)
		together.Offsets = append(together.Offsets, len(together.Rewards))
	}
	return l.fits(e, s, together)
}

// fits reports whether the law gives what the estimator gives, refused or not.
func (l law) fits(e *estimators.Estimator, s estimators.Scale, b estimators.Batch) bool {
	e.CleanInto(b.Rewards, b.Rewards)
	got := make([]float64, len(b.Rewards))
	_ = e.Compute(got, b, s) // what the framework refuses, ragged groups for one, is computed all the same
	for g := range b.Groups() {
		from := b.Offsets[g]
		for i, want := range l.advantages(b.Group(g)) {
			if !(math.Abs(got[from+i]-want) <= told*(1+math.Abs(want))) {
				return false
			}
		}
	}
	return true
}

// advantages is the law in float64, of one group.
func (l law) advantages(rewards []float64) []float64 {
	n, sum, squares := float64(len(rewards)), 0.0, 0.0
	for _, r := range rewards {
		sum += r
	}
	for _, r := range rewards {
		squares += (r - sum/n) * (r - sum/n)
	}
	all := make([]float64, len(rewards))
	for i, r := range rewards {
		all[i] = (r - sum/n) / l.divisor(squares, len(rewards))
	}
	return all
}

// divisor is what differences to the mean of n rewards are divided by; squares is the
// sum of theirs.
func (l law) divisor(squares float64, n int) float64 {
	if !l.scaled {
		return 1
	}
	return math.Sqrt(squares/float64(n-l.ddof)) + l.eps
}
