package diagnosis

import (
	"fmt"
	"math"
	"slices"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/units"
)

// What the settings of a reward pay for most: a part that outweighs whether an answer is right, a source that outweighs the others.

// Limits of what outweighs.
const (
	wrongWinsFrom  = 0.15 // of the pairs of a right and a wrong answer to one prompt the wrong one has the higher reward
	leastPairs     = 200  // such pairs
	pairSteps      = 256  // that are looked at, spread over the run
	pairRows       = 64   // of a group that are compared, spread over it: their pairs are as many as their square
	sourceTimes    = 4    // times as far from their mean are the rewards of one source's groups as those of another's
	leastOfSources = 20   // groups of a source whose rewards differ
)

// partOutweighs finds rewards that wrong answers win, where a column says which answers are right: a part for form or length, or its
// weight.
func partOutweighs(e *evidence) ([]Finding, string) {
	if why := e.tooFew(); why != "" {
		return nil, why
	}
	verdict := slices.Index(e.Parts, e.snap.RewardScales(e.set)[0].Column)
	if verdict < 0 {
		return nil, "no column tells which answers are right"
	}
	s, example, parts := make(series, len(e.Steps)), Example{}, make([]float64, len(e.Parts))
	for _, i := range spread(model.Indexes(len(e.Steps)), pairSteps) {
		group, err := e.comparePairs(&s[i], i, verdict, parts)
		if err != nil {
			return nil, ""
		}
		if example.Step == 0 && group >= 0 {
			example = Example{Step: e.Steps[i].Step, Group: e.groupName(i, group)}
		}
	}
	from := s.beyond(wrongWinsFrom)
	if s.pooled(0, from).mean() >= wrongWinsFrom/2 && s.pooled(0, len(s)).mean() >= wrongWinsFrom {
		from = 0 // a share about the limit has no onset
	}
	after := s.pooled(from, len(s))
	if len(s)-from < leastSteps || after.N < leastPairs || after.mean() < wrongWinsFrom {
		return nil, ""
	}
	f := e.finding(s, "pairs that the wrong answer wins", from, len(s), true, "pairs")
	f.Severity, f.Example = Watch, example
	f.Title = fmt.Sprintf("where a right and a wrong answer to one prompt are compared, the wrong one has the higher reward %s of the time",
		units.Share(after.mean()))
	if heaviest := e.heaviest(parts); heaviest != "" {
		f.Title += ": " + heaviest + " outweighs " + e.Parts[verdict]
	}
	return []Finding{f}, ""
}

// comparePairs adds the pairs of a right and a wrong answer of each group of step i, and to parts by how much each part is higher in the
// wrong ones that win. It returns a group where one wins, −1 if there is none.
func (e *evidence) comparePairs(pairs *Moments, i, verdict int, parts []float64) (group int, err error) {
	step, group := e.snap.Steps[e.Steps[i].Index], -1
	correct := step.Components[verdict]
	rows, offsets, rewards, err := e.rewardsOf(i)
	if err != nil || correct == nil {
		return group, err
	}
	for g := range len(offsets) - 1 {
		var right, wrong []int // places in rows
		for _, k := range spread(model.Indexes(offsets[g+1]-offsets[g]), pairRows) {
			k += offsets[g]
			switch verdict := correct[rows[k]]; {
			case !units.IsFinite(rewards[k]):
			case verdict == 1:
				right = append(right, k)
			case verdict == 0:
				wrong = append(wrong, k)
			}
		}
		for _, r := range right {
			for _, w := range wrong {
				wins := rewards[w] > rewards[r]
				pairs.add(float64(model.Count01(wins)))
				if wins {
					group = g
					addDifference(parts, &step, rows[w], rows[r])
				}
			}
		}
	}
	return group, nil
}

// addDifference adds by how much each reward column is higher in one row than in another.
func addDifference(parts []float64, step *model.Step, high, low int32) {
	for c, column := range step.Components {
		if column != nil {
			parts[c] += column[high] - column[low]
		}
	}
}

// heaviest is the part of the reward that lifts the wrong answers that win most, by the weight that it has; "" if that is not known.
func (e *evidence) heaviest(parts []float64) (name string) {
	most := 0.0
	take := func(part int, weight float64) {
		if lift := weight * parts[part]; lift > most {
			name, most = e.Parts[part], lift
		}
	}
	if e.total != nil {
		for _, p := range e.total.Parts {
			take(slices.Index(e.Parts, p.Name), p.Weight)
		}
	} else if e.snap.Run.SumsComponents && e.set.Weights == "" && e.set.Reward == "" {
		for _, part := range e.snap.Run.RewardFunctions("") {
			take(part, 1)
		}
	}
	return name
}

// sourceOutweighs finds sources whose rewards differ so much more than those of others that they make up the advantages, where the
// estimator does not divide by the deviation of each group.
func sourceOutweighs(e *evidence) ([]Finding, string) {
	why := e.tooFew()
	switch {
	case why != "":
		return nil, why
	case e.set.Scale == estimators.ScaleGroup:
		return nil, ""
	case e.texts == nil || len(e.texts.sourceList()) < 2:
		return nil, "the log names no sources"
	}
	bySource := map[string]*Moments{}
	for _, i := range spread(model.Indexes(len(e.Steps)), pairSteps) {
		if err := e.deviations(i, bySource); err != nil {
			return nil, ""
		}
	}
	least, most := e.extremeSources(bySource)
	if least == "" || bySource[most].mean() < sourceTimes*bySource[least].mean() {
		return nil, ""
	}
	little, much := bySource[least], bySource[most]
	s := e.rewards()
	f := e.finding(s, "reward", 0, len(s), false, "samples")
	f.Severity = Watch
	f.Title = fmt.Sprintf("within groups the rewards of source %s are %s times as far from their mean as those of %s, and scale %s does "+
		"not even that out",
		most, units.Short(much.mean()/little.mean()), least, e.set.Scale)
	f.Evidence = []Evidence{
		e.ofSource(most, much), e.ofSource(least, little),
	}
	f.Example = e.exampleAt(0, func(step, group int) bool {
		return e.texts.sourceOf(step, group) == most && e.Steps[step].Groups[group].Fate == model.FateAlive
	})
	return []Finding{f}, ""
}

// extremeSources are those whose rewards differ least and most; "" if none has groups enough.
func (e *evidence) extremeSources(bySource map[string]*Moments) (least, most string) {
	for _, name := range e.texts.sourceList() {
		m := bySource[name]
		if m == nil || m.N < leastOfSources {
			continue
		}
		if least == "" || m.mean() < bySource[least].mean() {
			least = name
		}
		if most == "" || m.mean() > bySource[most].mean() {
			most = name
		}
	}
	return least, most
}

func (e *evidence) ofSource(name string, m *Moments) Evidence {
	return Evidence{
		Name: "mean distance from the group's mean in " + name, Before: math.NaN(), After: m.mean(), AfterSamples: m.N, Of: "groups",
		AfterFrom: e.Steps[0].Step, AfterTo: e.Steps[len(e.Steps)-1].Step,
	}
}

// deviations adds, by source, how far the rewards of each group of step i are from their mean; of groups whose rewards differ.
func (e *evidence) deviations(i int, bySource map[string]*Moments) error {
	_, offsets, rewards, err := e.rewardsOf(i)
	if err != nil {
		return err
	}
	for g := range e.Steps[i].Groups {
		group, source := &e.Steps[i].Groups[g], e.texts.sourceOf(i, g)
		if source == "" || group.Fate != model.FateAlive {
			continue
		}
		var off Moments
		for _, x := range rewards[offsets[g]:offsets[g+1]] {
			if d := math.Abs(x - float64(group.Mean)); units.IsFinite(d) {
				off.add(d)
			}
		}
		if bySource[source] == nil {
			bySource[source] = &Moments{}
		}
		bySource[source].add(off.mean())
	}
	return nil
}
