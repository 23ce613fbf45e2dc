package report

import (
	"cmp"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/figures"
)

// groupsPerFate is how many groups of each fate a page lists, the newest.
const groupsPerFate = 10

// worstGroup is a group that a page lists.
type worstGroup struct {
	Step                        int64
	Fate                        model.Fate
	Name, Prompt                string // as logged
	Size, Kept, Cause           string
	Nonzero, Samples, FlipCount int
	Mean, Std                   float64

	Best, Worst answerRow
}

// answerRow is the sample of a group with the best or the worst reward.
type answerRow struct {
	Row       int32 // of the step, in input order
	Reward    float64
	Advantage float64
	Kept      bool
	Length    int32
}

// worstGroups are the newest groups of each fate while steps are added; of those that are alive those with the most
// flips, then the worst rewards. The memory does not grow with the number of steps.
type worstGroups struct {
	most   int // of each fate
	byFate [model.FateCount][]worstGroup
}

// add adds the groups of a step, which are newer than those before.
func (w *worstGroups) add(a *analysis.Analysis) {
	refused := refusedGroups(a)
	causes := a.Causes()
	var chosen [model.FateCount][]int
	for i := range a.Table {
		fate := a.Table[i].Fate
		chosen[fate] = append(chosen[fate], i)
	}
	slices.SortStableFunc(chosen[model.FateAlive], func(x, y int) int { return compareAlive(&a.Table[x], &a.Table[y]) })
	for fate, groups := range chosen {
		newest := make([]worstGroup, 0, w.most)
		for _, i := range groups[:min(len(groups), w.most)] {
			newest = append(newest, newWorstGroup(a, i, causes(i), refused[&a.Table[i]]))
		}
		all := append(newest, w.byFate[fate]...)
		if model.Fate(fate) == model.FateAlive {
			slices.SortStableFunc(all, func(x, y worstGroup) int {
				return cmp.Or(cmp.Compare(y.FlipCount, x.FlipCount), cmp.Compare(x.Mean, y.Mean))
			})
		}
		w.byFate[fate] = all[:min(len(all), w.most)]
	}
}

func compareAlive(x, y *analysis.Group) int {
	return cmp.Or(cmp.Compare(y.Flips.Total(), x.Flips.Total()), cmp.Compare(x.RewardMean, y.RewardMean))
}

func newWorstGroup(a *analysis.Analysis, i int, cause string, refused bool) worstGroup {
	g := &a.Table[i]
	best, worst := g.Start, g.Start
	for k := g.Start + 1; k < g.End; k++ { // NaN is worse than any number
		if cmp.Compare(a.LoggedRewards[k], a.LoggedRewards[best]) > 0 {
			best = k
		}
		if cmp.Compare(a.LoggedRewards[k], a.LoggedRewards[worst]) <= 0 {
			worst = k
		}
	}
	if cause == "" && g.Fate != model.FateAlive {
		cause = g.Fate.Doc()
	}
	if refused {
		cause = "the trainer would have stopped here: " + strings.TrimSuffix(a.Refusal(), ".") + "; " + cmp.Or(cause, g.Fate.Doc())
	}
	return worstGroup{
		Step: g.Step, Fate: g.Fate, Name: g.Name, Prompt: g.Preview, Size: g.SizeText(), Kept: figures.KeptBySign(g), Cause: cause,
		Nonzero: int(g.Nonzero), Samples: g.Size(), FlipCount: g.Flips.Total(), Mean: g.RewardMean, Std: g.RewardStd,
		Best: newAnswerRow(a, best), Worst: newAnswerRow(a, worst),
	}
}

func newAnswerRow(a *analysis.Analysis, i int) answerRow {
	return answerRow{a.InputRow[i], a.LoggedRewards[i], a.Processed[i], a.Keep[i], a.Lengths[i]}
}

// ranked returns the groups in the order of the page: those that need attention first, then the newest.
func (w *worstGroups) ranked() []worstGroup {
	var all []worstGroup
	for fate := range w.byFate {
		all = append(all, w.byFate[fate]...)
	}
	return all
}

// listed returns the groups of the table of a page.
func (w *worstGroups) listed() []worstGroup {
	var all []worstGroup
	for fate := range w.byFate {
		all = append(all, w.byFate[fate][:min(groupsPerFate, len(w.byFate[fate]))]...)
	}
	return all
}
