package scalars

import "math"

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
