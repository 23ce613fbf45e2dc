package scalars

import (
	"fmt"

	"vantage/model/diagnosis"
	"vantage/model/units"
)

// overShare finds a stretch in which the level of a share was beyond a limit, though now it is at most half of that.
func (c *course) overShare(limit float64, title string) []diagnosis.Finding {
	level := means(c.values, c.window|1)
	from, to := 0, 0
	for i, begun := 0, 0; i < len(level); i++ {
		if level[i] < limit {
			begun = i + 1
		} else if i+1-begun > to-from {
			from, to = begun, i+1
		}
	}
	if to == len(level) || to-from < diagnosis.LeastOver(len(level)) || c.end() > limit/2 {
		return nil
	}
	f := c.over(from, to, fmt.Sprintf("%s %s, and are not any more", units.Share(mean(c.values[from:to])), title))
	f.Evidence = []diagnosis.Evidence{c.evidence(c.name(), true, [2]int{from, to}, [2]int{max(to, len(level)-c.window), len(level)})}
	return []diagnosis.Finding{f}
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
