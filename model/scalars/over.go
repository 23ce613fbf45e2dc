package scalars

import (
	"fmt"

	"vantage/model/diagnosis"
	"vantage/model/units"
)

// overShare finds a stretch in which the level of a share was beyond a limit, though now it is at most half of that.
func (c *course) overShare(limit float64, title string) []diagnosis.Finding {
	level := means(c.values, c.window|1)
	from, to := longest(level, func(x float64) bool { return x >= limit })
	if to == len(level) || to-from < diagnosis.LeastOver(len(level)) || c.end() > limit/2 {
		return nil
	}
	f := c.over(from, to, fmt.Sprintf("%s %s, and are not any more", units.Share(mean(c.values[from:to])), title))
	f.Evidence = []diagnosis.Evidence{c.evidence(c.name(), true, [2]int{from, to}, [2]int{max(to, len(level)-c.window), len(level)})}
	return []diagnosis.Finding{f}
}

// longest is the longest stretch [from, to) of values of which something holds.
func longest(values []float64, holds func(x float64) bool) (from, to int) {
	for i, begun := 0, 0; i < len(values); i++ {
		if !holds(values[i]) {
			begun = i + 1
		} else if i+1-begun > to-from {
			from, to = begun, i+1
		}
	}
	return from, to
}

// overLevel finds a stretch in which the course left its level, as something tells of a value, and came back: by its end it does not hold
// of any value. Where there is p, it must have lost by that.
func (c *course) overLevel(p *course, holds func(x float64) bool, title string) []diagnosis.Finding {
	from, to := longest(c.smooth, holds)
	isOver := from > 0 && len(c.smooth)-to >= leastDip && to-from >= diagnosis.LeastOver(len(c.smooth)) && !holds(c.end())
	if !isOver || p != nil && !p.losesIn(p.at(c.steps[from]), p.at(c.steps[to-1])+1) {
		return nil
	}
	within, after := diagnosis.Median(c.values[from:to]), c.end()
	f := c.over(from, to, fmt.Sprintf("%s %s → %s → %s: %s for a time", c.name(), units.Short(c.smooth[from-1]), units.Short(within),
		units.Short(after), title))
	f.Evidence = []diagnosis.Evidence{c.evidence(c.name(), false, [2]int{from, to}, [2]int{max(to, len(c.values)-c.window), len(c.values)})}
	return []diagnosis.Finding{f}
}

// losesIn reports whether the course is lower in a stretch than in the window before it, by what matters and beyond chance.
func (c *course) losesIn(from, to int) bool {
	before, within := c.values[max(0, from-c.window):from], c.values[from:to]
	p, higher := Differ(before, within)
	return !higher && p <= rareGain && len(within) > 0 && diagnosis.Median(before)-diagnosis.Median(within) >= c.matters()
}

func (c *course) over(from, to int, title string) diagnosis.Finding {
	f := c.finding(diagnosis.Over, from, title)
	f.Until = c.steps[to-1]
	return f
}

// dip finds a reward that was down for a stretch of the run and came back.
func (r *run) dip() []diagnosis.Finding {
	c := r.reward
	n := len(c.values)
	from, to := diagnosis.DipOf(means(c.values, max(leastDip, n/50)|1), c.floor())
	if to-from < diagnosis.LeastOver(n) || from < leastDip || n-to < leastDip {
		return nil
	}
	before, within, after := c.values[max(0, from-c.window):from], c.values[from:to], c.values[to:min(n, to+c.window)]
	fell, wasHigher := Differ(within, before)
	rose, isHigher := Differ(within, after)
	if !wasHigher || !isHigher || max(fell, rose)*float64(n) > rareGain || min(mean(before), mean(after))-mean(within) < c.matters() {
		return nil
	}
	title := fmt.Sprintf("%s %s → %s → %s", c.name(), units.Short(mean(before)), units.Short(mean(within)), units.Short(mean(after)))
	f := c.over(from, to, title)
	f.Evidence = []diagnosis.Evidence{c.evidence(c.name(), false, [2]int{max(0, from-c.window), from}, [2]int{from, to})}
	return []diagnosis.Finding{f}
}

// leastDip is how many values a dip has at least before it, in it and after it.
const leastDip = 3
