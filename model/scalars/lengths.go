package scalars

import (
	"fmt"

	"vantage/model/diagnosis"
	"vantage/model/units"
)

// When a length has left its course.
const (
	lengthTimes = 2.0  // longer, or shorter
	lengthBand  = 1.25 // times its level: where it sets in
)

func (r *run) lengthExplosion() ([]diagnosis.Finding, string) {
	c := r.length
	if c == nil {
		return nil, r.lacks(Length, "length of answers", leastPoints)
	}
	p, from := r.progress, 0
	if p != nil {
		var ok bool
		if from, ok = p.stalls(); r.parting() != nil {
			p, from, ok = r.eval, r.parting().first, true // a reward without the held-out score is no pay
		}
		if !ok {
			return nil, ""
		}
		from = c.at(p.steps[from])
	}
	level := c.smooth[from]
	if from < c.window {
		level = c.start()
	}
	if level <= 0 || c.end() < lengthTimes*level || c.end()-level < c.matters() {
		return nil, ""
	}
	since := max(from, c.stays(from, func(x float64) bool { return x > lengthBand*level }))
	title := fmt.Sprintf("answers grow from %s to %s tokens", units.Short(level), units.Short(c.end()))
	if p == nil {
		return []diagnosis.Finding{c.finding(diagnosis.Watch, since, title+"; no reward is logged to tell whether that pays", c.ends(c.name(), false, since))}, ""
	}
	return []diagnosis.Finding{c.finding(diagnosis.Alarm, since, title+", and "+p.name()+" gains nothing by it", c.ends(c.name(), false, since), p.ends(p.name(), false, p.at(c.steps[since])))}, ""
}

func (r *run) lengthCollapse() ([]diagnosis.Finding, string) {
	c := r.length
	if c == nil {
		return nil, r.lacks(Length, "length of answers", leastPoints)
	}
	level := c.start()
	if level <= 0 || c.end() > level/lengthTimes || level-c.end() < c.matters() {
		return nil, ""
	}
	since := max(0, c.stays(0, func(x float64) bool { return x < level/lengthBand }))
	title := fmt.Sprintf("answers shrink from %s to %s tokens", units.Short(level), units.Short(c.end()))
	p := r.progress
	if p == nil {
		return []diagnosis.Finding{c.finding(diagnosis.Watch, since, title, c.ends(c.name(), false, since))}, ""
	}
	from := max(0, p.at(c.steps[since])-p.window) // the reward may fall before the length is out of its band
	e := []diagnosis.Evidence{c.ends(c.name(), false, since), p.ends(p.name(), false, from)}
	switch by := p.change(from); {
	case p.falls(from):
		return []diagnosis.Finding{c.finding(diagnosis.Alarm, since, title+", and "+p.name()+" falls", e...)}, ""
	case by < p.matters():
		return []diagnosis.Finding{c.finding(diagnosis.Watch, since, title+", and "+p.name()+" stays", e...)}, ""
	}
	return nil, ""
}

// When answers are cut off.
const (
	cutShare  = 0.2 // of the answers: the advantage measures their length
	cutSteady = 0.5 // where it was so from the start: then the limit is too low for the task
	cutGrowth = 2.0 // times the share at the start, else it is steady
)

func (r *run) truncation() ([]diagnosis.Finding, string) {
	c := r.truncated
	switch {
	case c == nil:
		return nil, r.lacks(Truncated, "share of truncated answers", leastShares)
	case c.spread[0] < 0 || c.spread[1] > 1:
		return nil, c.name() + " is not a share between 0 and 1"
	}
	since := c.stays(0, func(x float64) bool { return x >= cutShare })
	if since < 0 {
		return nil, ""
	}
	severity := diagnosis.Watch
	if c.end() >= cutSteady || c.end() >= cutGrowth*c.start() {
		severity = diagnosis.Alarm
	}
	title := share(c.end()) + " of the answers end at the length limit"
	return []diagnosis.Finding{c.finding(severity, since, title, c.ends(c.name(), true, since))}, ""
}
