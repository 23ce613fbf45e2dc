package scalars

import (
	"math"
	"slices"

	"vantage/model/diagnosis"
	"vantage/model/units"
)

// What shares of groups tell: all right, all wrong, or equal. The limits are those of samples, in package diagnosis.

// newShare is a course of a share, nil without one. Its levels are means: of one group a step a share is 0 or 1, and a median says nothing.
func newShare(s *Series) *course {
	if s == nil {
		return nil
	}
	smooth := *s
	smooth.Values = means(s.Values, Window(len(s.Values))|1)
	c := newCourse(&smooth)
	c.Series = s
	return c
}

// groupsOf is the share of groups that are all right or all wrong: as it is logged, or else what it is at least, by step.
func (r *run) groupsOf(m Meaning) (c *course, least bool) {
	if c = newShare(r.Of(m, leastShares)); c != nil && c.spread[0] >= 0 && c.spread[1] <= 1 {
		return c, false
	}
	z, reward := r.Of(ZeroStd, leastShares), r.gainOfReward()
	if z == nil || reward == nil || newShare(z).isCount() {
		return nil, false
	}
	scale, known := r.levelsOf(reward, z)
	if !known {
		return nil, false
	}
	bound := &Series{Name: "groups " + allOf(m) + ", at least", Means: m}
	for i, step := range z.Steps {
		if at, found := slices.BinarySearch(reward.Steps, step); found {
			bound.Steps, bound.Values = append(bound.Steps, step), append(bound.Values, scale.share(m, reward.Values[at], z.Values[i]))
		}
	}
	if len(bound.Steps) < leastShares {
		return nil, false
	}
	return newShare(bound), true
}

// levels are the rewards of a wrong and of a right answer.
type levels struct {
	wrong, right float64
	onlyThese    bool // a reward is one of the two, and nothing between
}

// share is which part of the groups of a step is all right, or all wrong, at least: z of them have equal rewards, and the mean is that. A
// step whose groups are all equal, and whose mean is that of right answers, has nothing else. Where rewards are right or wrong and nothing
// between, m of the answers are right, and at most 1 − z of these are in groups that are not equal: m − (1 − z) of the groups are all
// right, and z − m all wrong.
func (l levels) share(of Meaning, mean, z float64) float64 {
	switch {
	case of == AllRight && z == 1 && mean == l.right, of == AllWrong && z == 1 && mean == l.wrong:
		return 1
	case !l.onlyThese:
		return 0
	}
	m := (mean - l.wrong) / (l.right - l.wrong)
	if of == AllRight {
		return max(0, m-(1-z))
	}
	return max(0, z-m)
}

// leastAttained is how many steps with nothing else show what the reward of a right or of a wrong answer is.
const leastAttained = 3

// levelsOf finds the levels of a reward by its course and the share of groups with equal rewards: those of a rate, or what is attained,
// above 0 for right answers and at most 0 for wrong ones. It returns false if neither is known.
func (r *run) levelsOf(reward *course, z *Series) (l levels, known bool) {
	least, most := slices.Min(reward.Values), slices.Max(reward.Values)
	for _, l := range []levels{{wrong: 0, right: 1}, {wrong: -1, right: 1}} {
		if least >= l.wrong && most <= l.right && (most > 0 || l.wrong == 0) && r.twoValued(l.right-l.wrong) {
			l.onlyThese = true
			return l, true
		}
	}
	l = levels{wrong: math.Inf(-1), right: math.Inf(1)}
	if least == most {
		return l, false
	}
	if most > 0 && isAttained(reward, z, most) {
		l.right = most
	}
	if least <= 0 && isAttained(reward, z, least) {
		l.wrong = least
	}
	return l, !math.IsInf(l.right, 0) || !math.IsInf(l.wrong, 0)
}

// isAttained reports whether the reward has a value in steps in which all groups have equal rewards.
func isAttained(reward *course, z *Series, value float64) bool {
	n := 0
	for i, x := range reward.Values {
		if at, found := slices.BinarySearch(z.Steps, reward.Steps[i]); found && x == value && z.Values[at] == 1 {
			n++
		}
	}
	return n >= leastAttained
}

func allOf(m Meaning) string {
	if m == AllRight {
		return "all right"
	}
	return "all wrong"
}

// beyond is the index from which a share of groups stays beyond a limit, and a title; -1 if it does not.
func (r *run) beyond(m Meaning, limit float64) (c *course, since int, title string) {
	c, least := r.groupsOf(m)
	if c == nil {
		return nil, -1, ""
	}
	since = c.stays(0, func(x float64) bool { return x >= limit })
	title = units.Share(c.end()) + " of the groups"
	if least {
		title = "at least " + title
	}
	return c, since, title + " are " + allOf(m)
}

// lacksShares says why nothing is known of groups that are all right or all wrong.
func (r *run) lacksShares(m Meaning) string {
	if z := newShare(r.Of(ZeroStd, leastShares)); z != nil && z.isCount() {
		return z.notShare()
	} else if z != nil {
		return "the log has no share of groups that are " + allOf(m) + ", and its rewards are not known to be right or wrong and " +
			"nothing between"
	}
	return r.lacks(ZeroStd, "share of groups without spread", leastShares)
}

func (r *run) saturated() ([]diagnosis.Finding, string) {
	c, since, title := r.beyond(AllRight, diagnosis.SaturatedFrom)
	switch {
	case c == nil:
		return nil, r.lacksShares(AllRight)
	case since < 0:
		return nil, ""
	}
	return []diagnosis.Finding{c.finding(c.firmly(since), since, title+": nothing is left to learn from them", r.withReward(c, since)...)},
		""
}

func (r *run) tooHard() ([]diagnosis.Finding, string) {
	c, since, title := r.beyond(AllWrong, diagnosis.TooHardFrom)
	switch {
	case c == nil:
		return nil, r.lacksShares(AllWrong)
	case since < 0:
		return c.overShare(diagnosis.TooHardFrom, "of the groups were all wrong"), ""
	}
	severity := diagnosis.Alarm
	p := r.gainOfReward()
	if p == nil {
		p = r.eval
	}
	if p != nil && p.gains(p.at(c.steps[since])) {
		severity, title = diagnosis.Watch, title+", though "+p.name()+" gains"
	}
	return []diagnosis.Finding{c.finding(severity, since, title, r.withReward(c, since)...)}, ""
}

// equalRewards finds groups with equal rewards of which it is not known whether they are right or wrong.
func (r *run) equalRewards() ([]diagnosis.Finding, string) {
	c := newShare(r.Of(ZeroStd, leastShares))
	switch {
	case c == nil:
		return nil, r.lacks(ZeroStd, "share of groups without spread", leastShares)
	case c.isCount():
		return nil, c.notShare()
	}
	since := c.stays(0, func(x float64) bool { return x >= diagnosis.EqualFrom })
	_, right, _ := r.beyond(AllRight, diagnosis.SaturatedFrom)
	_, wrong, _ := r.beyond(AllWrong, diagnosis.TooHardFrom)
	if right >= 0 || wrong >= 0 {
		return nil, "" // it says more
	}
	if since < 0 {
		return c.overShare(diagnosis.EqualFrom, "of the groups had equal rewards"), ""
	}
	title := units.Share(c.end()) + " of the groups have equal rewards: within them no answer is better than another"
	return []diagnosis.Finding{c.finding(c.firmly(since), since, title, r.withReward(c, since)...)}, ""
}

// How long groups have nothing to compare before that is an alarm: a share about its limit crosses it back and forth, and nothing breaks in
// the meantime.
const (
	firmValues = 5
	firmSteps  = 10
)

// firmly is the severity of a share that is beyond its limit from an index to the end.
func (c *course) firmly(since int) diagnosis.Severity {
	last := len(c.steps) - 1
	if last-since+1 < firmValues || c.steps[last]-c.steps[since]+1 < firmSteps {
		return diagnosis.Watch
	}
	return diagnosis.Alarm
}

// withReward is the evidence of a share of groups, and of the reward where there is one.
func (r *run) withReward(c *course, since int) []diagnosis.Evidence {
	e := []diagnosis.Evidence{c.ends(c.name(), true, since)}
	if r.reward != nil {
		e = append(e, r.reward.ends(r.reward.name(), false, r.reward.at(c.steps[since])))
	}
	return e
}
