package scalars

import (
	"fmt"
	"slices"
	"strings"

	"vantage/model/sanitize"
	"vantage/model/units"
)

// What follows from several series together: what a name alone does not tell.

// relate gives series the meanings that others show, and adds the shares that follow from counts.
func (s *Scalars) relate() {
	for i := range s.Series {
		x := &s.Series[i]
		isCount := x.Means == Solved && len(x.Values) > 0 && slices.Max(x.Values) > 1 && !hasAny(wordsOf(x.Name), rateWords)
		switch {
		case isCount:
			x.Means, x.Part, x.rank = "", "", 0
		case x.Means == Solved && s.isHeldOut(x):
			x.Means, x.Part = Eval, x.Name
		}
	}
	for i := range s.Series {
		if x := &s.Series[i]; isShare(x.Means) && isPercent(x) {
			part := *x
			part.Name, part.Values = x.Name+" / 100", make([]float64, len(x.Values))
			for k, v := range x.Values {
				part.Values[k] = v / percent
			}
			*x = part
		}
	}
	s.addShares()
}

// rateWords are of a name that is a share, or a percentage, whatever its values; percentWords of one that is of a hundred.
var (
	rateWords    = append(list("accuracy acc"), shareWords...)
	percentWords = list("pct percent percentage")
)

const percent = 100

// isPercent reports whether a figure is of a hundred, by its values and by its name.
func isPercent(x *Series) bool {
	if len(x.Values) == 0 || !hasAny(wordsOf(x.Name), percentWords) {
		return false
	}
	most := slices.Max(x.Values)
	return most > 1 && most <= percent
}

func isShare(m Meaning) bool {
	return slices.Contains([]Meaning{ZeroStd, AllRight, AllWrong, Truncated}, m)
}

// isHeldOut reports whether a share of right answers is of an evaluation, though its name doesn't say so: it was logged at the same steps
// as a figure of one, as in {"accuracy": 0.9, "n_eval_actions": 120}, and no score of one has a name.
func (s *Scalars) isHeldOut(x *Series) bool {
	if s.Of(Eval, 1) != nil {
		return false
	}
	return slices.ContainsFunc(s.Series, func(o Series) bool {
		return o.Means == "" && hasAny(wordsOf(o.Name), heldOutWords) && !hasAny(wordsOf(o.Name), clockWords) &&
			slices.Equal(o.Steps, x.Steps)
	})
}

var clockWords = list("time runtime seconds per")

// addShares adds the share of groups of each kind of which only the count and the number of groups were logged. Where what was skipped and
// what was not add up to the same at each step, the number is of those that were not.
func (s *Scalars) addShares() {
	groups := s.Of(Groups, 1)
	if groups == nil {
		return
	}
	for _, m := range []Meaning{ZeroStd, AllRight, AllWrong} {
		if s.Of(m, 1) != nil {
			continue
		}
		i := slices.IndexFunc(s.Series, func(x Series) bool { return x.Means == "" && len(x.Values) > 0 && countOf(x.Name) == m })
		if i < 0 {
			continue
		}
		if share := shareOf(&s.Series[i], groups, m); share != nil {
			s.Series[i].counted = true
			s.Series = append(s.Series, *share)
		}
	}
}

func shareOf(count, groups *Series, m Meaning) *Series {
	var steps []int64
	var some, all []float64
	for i, step := range count.Steps {
		if at, found := slices.BinarySearch(groups.Steps, step); found {
			steps, some, all = append(steps, step), append(some, count.Values[i]), append(all, groups.Values[at])
		}
	}
	if len(steps) == 0 {
		return nil
	}
	sums := make([]float64, len(steps))
	more := false
	for i := range steps {
		sums[i] = some[i] + all[i]
		more = more || some[i] > all[i]
	}
	name := count.Name + " / " + groups.Name
	areTheRest := more || slices.Min(sums) == slices.Max(sums) && slices.Min(all) < slices.Max(all)
	if areTheRest {
		all, name = sums, fmt.Sprintf("%s / (%s + %s)", count.Name, count.Name, groups.Name)
	}
	share := &Series{Name: name, Means: m}
	for i, step := range steps {
		if all[i] > 0 {
			share.Steps, share.Values = append(share.Steps, step), append(share.Values, some[i]/all[i])
		}
	}
	if len(share.Steps) == 0 {
		return nil
	}
	return share
}

// Unknown returns the names of series without a meaning, by name, but of those that tell nothing of any: clocks, counters, extremes,
// spreads, settings.
func (s *Scalars) Unknown() (names []string) {
	for i := range s.Series {
		x := &s.Series[i]
		m, _, _ := roleOf(x.Name)
		count := countOf(x.Name)
		isToldByShare := x.counted || count != "" && s.Of(count, 1) != nil
		if x.Means == "" && m != aside && !isToldByShare {
			names = append(names, x.Name)
		}
	}
	return names
}

// UnknownText says how many these are, and names the first: "3 series without a known role: a, b, c"; "" if there are none.
func (s *Scalars) UnknownText() string {
	names := s.Unknown()
	if len(names) == 0 {
		return ""
	}
	return units.Count(len(names)) + " series without a known role: " + someNames(names)
}

const maxNames, maxShown = 5, 40

func someNames(names []string) string {
	var shown []string
	for _, name := range names[:min(maxNames, len(names))] {
		name = sanitize.Line(name)
		if r := []rune(name); len(r) > maxShown {
			name = string(r[:maxShown-1]) + "…"
		}
		shown = append(shown, name)
	}
	if len(names) > maxNames {
		shown = append(shown, "…")
	}
	return strings.Join(shown, ", ")
}

// maybeRewards are the names of what may be the reward of a log that names none: its parts, and what is not known, of enough points.
func (s *Scalars) maybeRewards() (names []string) {
	for _, x := range s.All(Component, leastPoints) {
		names = append(names, x.Name)
	}
	unknown := s.Unknown()
	for _, x := range s.All("", leastPoints) {
		if slices.Contains(unknown, x.Name) {
			names = append(names, x.Name)
		}
	}
	return names
}

// TakeReward takes the series of a name for the reward. It fails if there is none.
func (s *Scalars) TakeReward(name string) error {
	i := slices.IndexFunc(s.Series, func(x Series) bool { return x.Name == name })
	if i < 0 {
		names := s.maybeRewards()
		if best := s.Of(Reward, 1); best != nil {
			names = append([]string{best.Name}, names...)
		}
		if len(names) == 0 {
			return fmt.Errorf("--reward %s: no series has that name", name)
		}
		return fmt.Errorf("--reward %s: no series has that name; there are %s", name, someNames(names))
	}
	for k := range s.Series {
		if x := &s.Series[k]; x.Means == Reward {
			x.Means, x.Part = Component, partOf(x.Name)
		}
	}
	s.Series[i].Means, s.Series[i].Part, s.Series[i].rank = Reward, "", 0
	return nil
}
