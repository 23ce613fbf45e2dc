package sweep

import (
	"math"

	"vantage/estimators"
)

// closedForm is the formula of most estimators for a group of two or more samples with
// rewards that differ, where μ is the mean of the group and s its standard deviation:
//
//	A = (r − μ) / (s + eps)    scaled, s with n − ddof
//	A =  r − μ                 otherwise
//
// It gives the signs and sums of advantages from a few sums of rewards, but not their last
// bits: see rankedGroup.
type closedForm struct {
	scaled bool
	ddof   int
	eps    float64
}

// closedForms returns those that frameworks use.
func closedForms() []closedForm {
	all := []closedForm{{}}
	for _, ddof := range []int{1, 0} {
		for _, eps := range []float64{0, 1e-8, 1e-6, 1e-5, 1e-4} {
			all = append(all, closedForm{true, ddof, eps})
		}
	}
	return all
}

// closedFormOf returns the closed form of an estimator. Estimators are functions, so it is
// found by running them on groups of several sizes and spreads, alone and as one batch. It
// returns false if no form explains all results, or if the estimator reads more than
// rewards.
func closedFormOf(e *estimators.Estimator, s estimators.Scale) (closedForm, bool) {
	if s == estimators.ScaleBatch || !e.NeedsOnlyRewards() {
		return closedForm{}, false
	}
	for _, f := range closedForms() {
		if f.matches(e, s) {
			return f, true
		}
	}
	return closedForm{}, false
}

// probeGroups returns rewards for which the forms differ: the last groups have so small a std that an
// eps of 1e-8 changes the result.
func probeGroups() [][]float64 {
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

// formTolerance is the largest relative difference between an estimator and its closed
// form: float32 and a little more.
const formTolerance = 1e-6

func (f closedForm) matches(e *estimators.Estimator, s estimators.Scale) bool {
	combined := estimators.Batch{Offsets: []int{0}}
	for _, rewards := range probeGroups() {
		single := estimators.Batch{Rewards: rewards, Offsets: []int{0, len(rewards)}}
		if !f.matchesBatch(e, s, single) {
			return false
		}
		combined.Rewards = append(combined.Rewards, rewards...)
		combined.Offsets = append(combined.Offsets, len(combined.Rewards))
	}
	return f.matchesBatch(e, s, combined)
}

func (f closedForm) matchesBatch(e *estimators.Estimator, s estimators.Scale, b estimators.Batch) bool {
	e.CleanInto(b.Rewards, b.Rewards)
	got := make([]float64, len(b.Rewards))
	_ = e.Compute(got, b, s) // the values are there even if the framework would refuse the batch, as for ragged groups
	for g := range b.Groups() {
		from := b.Offsets[g]
		for i, want := range f.advantages(b.Group(g)) {
			if !(math.Abs(got[from+i]-want) <= formTolerance*(1+math.Abs(want))) {
				return false
			}
		}
	}
	return true
}

// advantages returns those of one group, in float64.
func (f closedForm) advantages(rewards []float64) []float64 {
	n, sum, squares := float64(len(rewards)), 0.0, 0.0
	for _, r := range rewards {
		sum += r
	}
	for _, r := range rewards {
		squares += (r - sum/n) * (r - sum/n)
	}
	all := make([]float64, len(rewards))
	for i, r := range rewards {
		all[i] = (r - sum/n) / f.divisor(squares, len(rewards))
	}
	return all
}

// divisor returns what r − μ is divided by; squares is Σ(r − μ)² of n rewards.
func (f closedForm) divisor(squares float64, n int) float64 {
	if !f.scaled {
		return 1
	}
	return math.Sqrt(squares/float64(n-f.ddof)) + f.eps
}
