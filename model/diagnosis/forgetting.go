package diagnosis

import (
	"fmt"
	"math"
	"slices"

	"vantage/model"
	"vantage/model/units"
)

// Limits of what is forgotten.
const (
	partFall      = 0.3  // of its level that a part of the prompts loses
	partFallRange = 0.15 // of the range of rewards: less is no forgetting, even of a small level
	fallSigmas    = 3.0  // standard errors by which a part falls from step to step, where its groups say that this is no chance
	chosenByEnd   = 10   // times as many parts as were tried are prompts that were chosen by how their groups end
	restHeld      = 0.05 // of the range of rewards that the rest may lose while a part falls
	floorBand     = 0.1  // of the range of rewards that is near the lowest
	leastPrompts  = 6    // that come again, for a third of them to be a part
)

// partOf is a part of the groups with the series of its rewards.
type partOf struct {
	name string
	series
	in    func(step, group int) bool
	rest  func(step, group int) bool // the groups to compare it with
	tried int                        // parts of this sort
	named bool                       // a source that the log names
}

// parts are the groups by source, and those of prompts that were solved best before some steps or are worst since others.
func (e *evidence) parts() []partOf {
	var all []partOf
	if e.texts != nil {
		names := e.texts.sourceList()
		for _, name := range names {
			in := func(step, group int) bool { return e.texts.sourceOf(step, group) == name }
			rest := func(step, group int) bool { return !in(step, group) }
			all = append(all, partOf{"source " + name, e.groupSeries(in), in, rest, len(names), true})
		}
	}
	if !e.byPrompt {
		return all
	}
	n := len(e.Steps)
	firsts, lasts := []int{n / 4, n / 2, 3 * n / 4}, []int{n / 2, 3 * n / 4, 7 * n / 8}
	add := func(v *visits, of chosen) {
		if p, found := e.choose(v, of); found {
			p.tried = len(firsts) + 2*len(lasts)
			all = append(all, p)
		}
	}
	for _, to := range firsts {
		add(e.visitsOf(0, to), bestThird)
	}
	for _, from := range lasts {
		v := e.visitsOf(from, n)
		add(v, worstThird)
		add(v, nearFloor)
	}
	return all
}

// groupSeries is the series of the rewards of some groups.
func (e *evidence) groupSeries(in func(step, group int) bool) series {
	s := make(series, len(e.Steps))
	for i := range e.Steps {
		for k := range e.Steps[i].Groups {
			if g := &e.Steps[i].Groups[k]; g.Valid > 0 && in(i, k) {
				x := float64(g.Mean)
				s[i].join(Moments{N: int(g.Valid), Sum: x * float64(g.Valid), Squares: x * x * float64(g.Valid)})
			}
		}
	}
	return s
}

// chosen says which prompts are chosen by their visits.
type chosen string

const (
	bestThird  chosen = "prompts solved best at first"
	worstThird chosen = "prompts that are worst now"
	nearFloor  chosen = "prompts near the lowest reward now"
)

// visits are those of prompts in a range of steps: every other one chooses the prompt, and the others measure it, so that the luck which
// chose it is no fall.
type visits struct {
	chose    []Moments // by prompt: the rewards of the visits that choose
	again    []int     // by prompt: the other visits
	choosing [][]bool  // by step and group; nil of steps outside of the range
}

func (e *evidence) visitsOf(from, to int) *visits {
	n := e.snap.PromptCount() + 1
	v := &visits{make([]Moments, n), make([]int, n), make([][]bool, len(e.Steps))}
	for i := from; i < to; i++ {
		v.choosing[i] = make([]bool, len(e.Steps[i].Groups))
		for k, g := range e.Steps[i].Groups {
			switch {
			case g.Prompt == 0 || g.Valid == 0:
			case v.again[g.Prompt] < v.chose[g.Prompt].N:
				v.again[g.Prompt]++
			default:
				v.chose[g.Prompt].add(float64(g.Mean))
				v.choosing[i][k] = true
			}
		}
	}
	return v
}

func (v *visits) measures(step, group int) bool {
	return v.choosing[step] == nil || !v.choosing[step][group]
}

// choose is the part of the prompts that their visits choose.
func (e *evidence) choose(v *visits, of chosen) (partOf, bool) {
	var means []float64
	for p, m := range v.chose {
		if v.again[p] > 0 {
			means = append(means, m.mean())
		}
	}
	if len(means) < leastPrompts {
		return partOf{}, false
	}
	slices.Sort(means)
	least, most := math.Inf(-1), math.Inf(1)
	switch third := len(means) / 3; of {
	case bestThird:
		least = means[len(means)-third]
	case worstThird:
		most = means[third-1]
	case nearFloor:
		most = e.Low + floorBand*(e.High-e.Low)
	}
	if means[leastPrompts-1] > most {
		return partOf{}, false
	}
	isIn := make([]bool, len(v.chose)) // by prompt
	for p, m := range v.chose {
		isIn[p] = v.again[p] > 0 && m.mean() >= least && m.mean() <= most
	}
	prompt := func(step, group int) uint32 { return e.Steps[step].Groups[group].Prompt }
	in := func(step, group int) bool { return isIn[prompt(step, group)] && v.measures(step, group) }
	return partOf{
		name:   string(of),
		series: e.groupSeries(in),
		in:     in,
		rest: func(step, group int) bool {
			p := prompt(step, group)
			return v.again[p] > 0 && !isIn[p] && v.measures(step, group)
		},
	}, true
}

// forgetting finds a part of the prompts whose reward falls while the whole or the others hold.
func forgetting(e *evidence) ([]Finding, string) {
	if why := e.tooFew(); why != "" {
		return nil, why
	}
	whole := e.rewards()
	parts := e.parts()
	if len(parts) == 0 {
		return nil, "the log names no sources, and prompts come again too seldom"
	}
	ends := []int{len(whole)}
	if k, found := whole.shiftOf(-1); found && k.b >= 2*leastSteps {
		ends = append(ends, k.b) // what falls with all others later may have fallen alone before
	}
	for _, end := range ends {
		var surest []Finding // of the prompts that were chosen: they overlap
		least := 0.0
		for _, p := range parts {
			f, z, found := e.forgotten(p, whole[:end])
			if found && z < least {
				surest, least = []Finding{f}, z
			}
			if found && p.named {
				break
			}
		}
		if surest != nil {
			return surest, ""
		}
	}
	return nil, ""
}

// forgotten is the finding that a part falls alone, up to the end of the whole, and by how many standard errors from step to step.
func (e *evidence) forgotten(p partOf, whole series) (f Finding, z float64, found bool) {
	s := p.series[:len(whole)]
	k, isSure := s.shiftOf(-1)
	places := p.tried * 2 * len(s) / s.span() // onsets that are nearer than half a level are one
	leastFall := max(partFallRange*(e.High-e.Low), partFall*(k.level.mean()-e.Low))
	isChance := !isSure || chance(k.z, places) > rare
	if isChance && k.z < -fallSigmas { // few steps say little of their noise, and their groups may say enough
		if !p.named {
			places *= chosenByEnd
		}
		isChance = chance(e.compareGroups(p.in, k.a, k.b, len(whole)), places) > rare
	}
	if isChance || min(s[k.a:k.b].steps(), s[k.b:].steps()) < leastSteps || -k.done() < leastFall {
		return Finding{}, 0, false
	}
	prompt := func(i, k int) uint32 {
		if !p.in(i, k) {
			return 0
		}
		return e.Steps[i].Groups[k].Prompt
	}
	ofEach := withinParts(e, prompt, 1, 1, 0, meanOfGroup, [2]int{0, k.b}, [2]int{k.b, len(whole)})
	if !p.named && !(ofEach >= 0.5) {
		return Finding{}, 0, false // others of these prompts
	}
	part := e.around(s, "reward of "+p.name, k.b, len(whole), false, "samples")
	rest, while, fallsAlone := e.beside(p, &k, whole)
	if !fallsAlone {
		return Finding{}, 0, false
	}
	f = Finding{Severity: Alarm, first: k.b, last: len(e.Steps) - 1, Series: Series{"reward of " + p.name, p.values()}}
	if part.fall() < leastFall {
		return Finding{}, 0, false // what is shown must be what is said
	}
	f.Evidence = []Evidence{part, rest}
	switch {
	case !p.named:
		f.Advice = "find what these prompts share, and whether their grader still works; then raise their share in the data or add a KL " +
			"penalty to the reference model; the checkpoint before the onset was better at them"
	case e.oneReward(p, k.b):
		f.Advice = "look at the log of this source's grader first: it gives one reward to all answers from about this step on; if that " +
			"is right, raise the share of this source, or go back to a checkpoint before the fall"
	}
	f.Title = fmt.Sprintf("the reward of %s falls from %s to %s while %s from %s to %s",
		p.name, units.Short(part.Before), units.Short(part.After), while, units.Short(rest.Before), units.Short(rest.After))
	f.Example = e.exampleAt(k.b, func(step, group int) bool {
		return p.in(step, group) && float64(e.Steps[step].Groups[group].Mean) <= k.settled.mean()
	})
	return f, k.z, true
}

// compareGroups compares the groups of a part in steps [a, b) with those in [b, end), each of which is one witness, and returns how many
// standard errors their means are apart. It returns 0 where the steps differ by more than their groups do: then groups of a step have
// something in common, and are no witnesses of their own.
func (e *evidence) compareGroups(in func(step, group int) bool, a, b, end int) float64 {
	sides := [2]series{e.groupMeans(in, a, b), e.groupMeans(in, b, end)}
	var means [2]Moments
	var steps, within Moments // squared deviations of steps, by group, from their side, and of groups from their step
	variance, dof := 0.0, 0
	for k, side := range sides {
		all := side.pooled(0, len(side))
		if all.N < 2 {
			return 0
		}
		for _, m := range side {
			d := m.mean() - all.mean()
			steps.Sum += float64(m.N) * d * d
			within.Sum += m.Squares - float64(m.N)*m.mean()*m.mean()
			within.N += m.N - 1
		}
		steps.N += len(side) - 1
		variance += max(0, all.Squares/float64(all.N)-all.mean()*all.mean()) / float64(all.N-1)
		dof, means[k] = dof+all.N-1, all
	}
	const chanceAlone = 2 // times as much steps may differ as their groups do
	canTell := 2*within.N >= steps.N && steps.N > 0
	if areAlike := canTell && steps.mean() <= chanceAlone*within.mean(); !areAlike {
		return 0
	}
	return normal(means[1].mean()-means[0].mean(), variance, dof)
}

// groupMeans are the moments of the means of the groups of a part, of the steps from a to b that have some.
func (e *evidence) groupMeans(in func(step, group int) bool, a, b int) (all series) {
	for i := a; i < b; i++ {
		var m Moments
		for k := range e.Steps[i].Groups {
			if g := &e.Steps[i].Groups[k]; g.Valid > 0 && in(i, k) {
				m.add(float64(g.Mean))
			}
		}
		if m.N > 0 {
			all = append(all, m)
		}
	}
	return all
}

// beside is what the rest does while a part falls: the whole, or the others where the whole falls with it. fallsAlone is false if these
// fall too, unless it is a source of which hardly anything is left.
func (e *evidence) beside(p partOf, k *shift, whole series) (rest Evidence, while string, fallsAlone bool) {
	holds := func(s series) bool {
		span := whole.span()
		return s.pooled(len(s)-span, len(s)).mean() >= s.pooled(k.b-span, k.b).mean()-restHeld*(e.High-e.Low)
	}
	rest = e.around(whole, "reward", k.b, len(whole), false, "samples")
	if holds(whole) {
		return rest, "the whole goes", true
	}
	left := (k.settled.mean() - e.Low) / (k.level.mean() - e.Low)
	if others := e.groupSeries(p.rest)[:len(whole)]; holds(others) {
		return e.around(others, "reward of the others", k.b, len(whole), false, "samples"), "the others go", p.named || left <= halfShare
	}
	return rest, "the whole goes", p.named && left <= floorShare
}

// oneReward reports whether all samples of a part have one reward from soon after step from to the end.
func (e *evidence) oneReward(p partOf, from int) bool {
	one := float32(math.NaN())
	for i := from + leastSteps; i < len(e.Steps); i++ {
		for k := range e.Steps[i].Groups {
			switch g := &e.Steps[i].Groups[k]; {
			case g.Valid == 0 || !p.in(i, k):
			case g.Fate == model.FateAlive || one == one && g.Mean != one:
				return false
			default:
				one = g.Mean
			}
		}
	}
	return one == one
}
