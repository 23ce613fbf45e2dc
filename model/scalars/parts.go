package scalars

import (
	"fmt"
	"math"
	"slices"

	"vantage/model/diagnosis"
	"vantage/model/units"
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
	if atOnce := mean(c.values[since-c.window:since]) - mean(c.values[since:since+c.window]); atOnce < fall/2 {
		return false // weights change from one step to the next
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

// When the unit of the reward has changed: at once, and its spread by the same factor.
const (
	unitTimes = 1.5  // times: less is a change like others
	oneFactor = 1.25 // times that the reward and its spread may be apart from one factor
	leastLeft = 0.02 // of the reward that is left: an outage multiplies all by 0
)

// otherUnit says that a reward falls from one value to the next by a factor, and its spread by the same one, while no part that is named
// for right answers falls: "" if it does not.
func (r *run) otherUnit(since int) string {
	c, spread := r.reward, newCourse(r.Of(RewardStd, leastPoints))
	if spread == nil || len(c.values) != len(c.Values) || since < c.window || len(c.values)-since < c.window {
		return ""
	}
	since = c.jumpNear(since)
	at := spread.at(c.steps[since])
	if at < spread.window || len(spread.values)-at < spread.window {
		return ""
	}
	factor, ofSpread := c.factorAt(since), spread.factorAt(at)
	isUnit := factor >= leastLeft && factor <= 1/unitTimes && math.Abs(math.Log(ofSpread/factor)) <= math.Log(oneFactor)
	isAtOnce := c.values[since]-c.values[since-1] <= -0.5*(1-factor)*diagnosis.Median(c.values[since-c.window:since])
	falls := func(p *course) bool {
		i := p.at(c.steps[since])
		return isOfAnswers(p.Part) && i >= p.window &&
			mean(p.values[i-p.window:i])-mean(p.values[i:min(len(p.values), i+p.window)]) >= p.matters()
	}
	if !isUnit || !isAtOnce || slices.ContainsFunc(r.parts, falls) {
		return ""
	}
	return fmt.Sprintf("%s and %s are multiplied by %s from one step to the next: another unit or weight, it seems, and not another model",
		c.name(), spread.name(), units.Short(factor))
}

// factorAt is the factor by which the level of a course changes at an index.
func (c *course) factorAt(i int) float64 {
	return diagnosis.Median(c.values[i:i+c.window]) / diagnosis.Median(c.values[i-c.window:i])
}

// jumpNear is the index near another at which the course falls most from one value to the next, with a window on each side.
func (c *course) jumpNear(near int) int {
	at, most := near, 0.0
	for i := max(c.window, near-c.window); i <= min(len(c.values)-c.window, near+c.window); i++ {
		if d := c.values[i-1] - c.values[i]; d > most {
			at, most = i, d
		}
	}
	return at
}
