package diagnosis

import (
	"fmt"
	"math"
	"slices"

	"vantage/model/units"
)

// What was ill for a stretch of the run and is not any more. Whoever looks once a night would not see it otherwise. It does not change the
// word on the run.

// LeastOver is how many of some steps a stretch has at least that is told: a fiftieth, and three.
func LeastOver(steps int) int { return max(leastSteps, int(math.Ceil(float64(steps)/50))) }

// DipShare is the share of its height before and after that a reward has at most in a dip.
const DipShare = 0.5

// DipOf returns the longest stretch [from, to) in which a smooth course is at most half as high above its floor as it was before and is
// after. Both are 0 if there is none.
func DipOf(smooth []float64, floor float64) (from, to int) {
	n := len(smooth)
	after := make([]float64, n+1) // greatest from an index on
	after[n] = math.Inf(-1)
	for i, x := range slices.Backward(smooth) {
		after[i] = max(after[i+1], x)
		if x != x {
			after[i] = after[i+1]
		}
	}
	before, begun := math.Inf(-1), -1
	for i, x := range smooth {
		height := min(before, after[i+1]) - floor
		isDown := height > 0 && x-floor <= DipShare*height
		switch {
		case isDown && begun < 0:
			begun = i
		case !isDown && begun >= 0:
			if i-begun > to-from {
				from, to = begun, i
			}
			begun = -1
		}
		if x == x {
			before = max(before, x)
		}
	}
	return from, to
}

// worstStretch returns the steps [from, to) in which a share is most beyond a limit: where the sum of what it is above it is greatest.
func (s series) worstStretch(limit float64) (from, to int) {
	sum, most, begun := 0.0, 0.0, 0
	for i, m := range s {
		if sum <= 0 {
			sum, begun = 0, i
		}
		sum += m.Sum - limit*float64(m.N)
		if sum > most {
			most, from, to = sum, begun, i+1
		}
	}
	return from, to
}

// overShare finds a stretch in which a share was beyond a limit, though before and after it is at most half of that, and that is over: it
// was no chance. shown is the finding for steps from to to.
func (e *evidence) overShare(s series, limit float64, shown func(from, to int) Finding) []Finding {
	from, to := s.worstStretch(limit)
	if to == len(s) || to-from < LeastOver(len(s)) {
		return nil
	}
	within, before, after := s.pooled(from, to), s.pooled(0, from), s.pooled(to, len(s))
	outside := (before.Sum + after.Sum) / float64(max(1, before.N+after.N))
	isChance := float64(len(s))*math.Pow(outside, within.Sum) > rare
	if within.N < leastGroups || within.mean() < limit || !(outside < limit/2) || isChance || s.pooled(to, to+s.span()).mean() > limit/2 {
		return nil
	}
	f := shown(from, to)
	f.Severity = Over
	f.Title += "; it is over"
	return []Finding{f}
}

// dip finds a reward that was down for a stretch of the run and came back.
func (e *evidence) dip(s series) []Finding {
	window := max(leastSteps, len(s)/50)
	from, to := DipOf(s.smooth(window), e.Low)
	if to-from < LeastOver(len(s)) || from < leastSteps || len(s)-to < leastSteps {
		return nil
	}
	span := s.span()
	fell, rose := s.compare(from-span, from, from, to), s.compare(from, to, to, to+span)
	level := min(fell.before.mean(), rose.after.mean()) - e.Low
	wasUp := level >= leastLevel*(e.High-e.Low)
	isChance := chance(fell.z, len(s)) > rare || chance(rose.z, len(s)) > rare || fell.z > 0 || rose.z < 0
	if within, _ := e.within(meanOfGroup, [2]int{max(0, from-span), from}, [2]int{from, to}); !wasUp || isChance || within < 0.5 {
		return nil
	}
	f := e.finding(s, "reward", from, to, false, "samples")
	f.Severity = Over
	f.Title = fmt.Sprintf("reward %s → %s → %s",
		units.Short(fell.before.mean()), units.Short(fell.after.mean()), units.Short(rose.after.mean()))
	f.Example = e.example(from, func(g *GroupFacts) bool { return float64(g.Mean)-e.Low <= DipShare*level })
	return []Finding{f}
}
