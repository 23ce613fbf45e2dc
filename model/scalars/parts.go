package scalars

import (
	"math"
	"slices"

	"vantage/model/diagnosis"
)

// parts are the parts of the reward: those that are named so, or else two or three series of no known meaning whose sum is the reward at
// each step.
func (s *Scalars) parts() []*Series {
	if named := s.All(Component, leastPoints); len(named) > 0 {
		return named
	}
	total := s.Of(Reward, leastPoints)
	if total == nil || isConstant(total) {
		return nil
	}
	var some []*Series
	for i := range s.Series {
		x := &s.Series[i]
		if x.Means == "" && len(some) < maxSummands && len(x.Steps) == len(total.Steps) && !isConstant(x) && sameSteps(x, total) {
			some = append(some, x)
		}
	}
	for i := range some {
		for k := range i {
			if addUp(total, some[k], some[i]) {
				return []*Series{some[k], some[i]}
			}
			for l := range k {
				if addUp(total, some[l], some[k], some[i]) {
					return []*Series{some[l], some[k], some[i]}
				}
			}
		}
	}
	return nil
}

const (
	maxSummands  = 40   // series that are tried: 10,000 sums of three
	sumPrecision = 2e-6 // of the reward: figures are logged with six decimals or digits
)

func sameSteps(x, y *Series) bool {
	for i, step := range x.Steps {
		if y.Steps[i] != step {
			return false
		}
	}
	return true
}

// addUp reports whether some series add up to a total at each step, as precisely as they are logged.
func addUp(total *Series, of ...*Series) bool {
	for i, want := range total.Values {
		sum := 0.0
		for _, x := range of {
			sum += x.Values[i]
		}
		if math.Abs(sum-want) > sumPrecision*max(1, math.Abs(want)) {
			return false
		}
	}
	return true
}

// weighed is when a total is the sum of its parts with some weights: what is left of its fall is as little.
const weighed = 0.05

// otherWeights reports whether a total falls at an index because its parts count less: no part falls, and the parts add up to it before
// and after, each time with weights of their own.
func (r *run) otherWeights(since int, fall float64) bool {
	c := r.reward
	if len(r.parts) == 0 || len(c.values) != len(c.Values) {
		return false
	}
	if since < c.window || len(c.values)-since < c.window {
		return false
	}
	for _, p := range r.parts {
		if len(p.Values) != len(c.Values) || !sameSteps(p.Series, c.Series) {
			return false
		}
		if mean(p.values[since-c.window:since])-mean(p.values[since:since+c.window]) >= p.matters() {
			return false
		}
	}
	return r.fits(0, since-1, fall) && r.fits(min(since+1, len(c.Values)), len(c.Values), fall)
}

// fits reports whether the parts add up to the total at some of its values, with a misfit that is little beside a fall.
func (r *run) fits(from, to int, fall float64) bool {
	if to <= from {
		return false
	}
	rows := make([][]float64, to-from)
	for i := range rows {
		for _, p := range r.parts {
			rows[i] = append(rows[i], p.Values[from+i])
		}
	}
	weights, misfit := diagnosis.WeightsOf(rows, r.reward.Values[from:to])
	return weights != nil && misfit <= weighed*fall && !slices.ContainsFunc(weights[:len(r.parts)], math.IsNaN)
}
