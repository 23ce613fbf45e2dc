package sweep

import (
	"vantage/model"
	"vantage/model/analysis"
)

// StepWarnings counts the steps in which the settings of a cell raise a warning of [analysis] that the
// log does not raise by itself.
type StepWarnings struct {
	TooFewKept, KilledGroups, SignFlips, OneSidedPush, EffectiveRatio, RecomputeWithoutFilter int
}

func (w *StepWarnings) add(o StepWarnings) {
	w.TooFewKept += o.TooFewKept
	w.KilledGroups += o.KilledGroups
	w.SignFlips += o.SignFlips
	w.OneSidedPush += o.OneSidedPush
	w.EffectiveRatio += o.EffectiveRatio
	w.RecomputeWithoutFilter += o.RecomputeWithoutFilter
}

// WarnedKind is a kind of warning and in how many steps it is raised.
type WarnedKind struct {
	Kind  model.WarningKind
	Steps int
}

// Kinds returns the kinds that are raised, in the order of reports.
func (w StepWarnings) Kinds() []WarnedKind {
	var raised []WarnedKind
	for _, k := range []WarnedKind{
		{model.WarnTooFewKept, w.TooFewKept},
		{model.WarnKilledGroups, w.KilledGroups},
		{model.WarnSignFlips, w.SignFlips},
		{model.WarnRecomputeWithoutFilter, w.RecomputeWithoutFilter},
		{model.WarnOneSidedPush, w.OneSidedPush},
		{model.WarnEffectiveRatio, w.EffectiveRatio},
	} {
		if k.Steps > 0 {
			raised = append(raised, k)
		}
	}
	return raised
}

// countWarnings fills in the warnings of the cells of one step.
func (g *Grid) countWarnings() {
	g.pos.countFar(g.Pos)
	g.neg.countFar(g.Neg)
	for i := range g.Pos {
		for j := range g.Neg {
			for _, recompute := range []bool{false, true} {
				g.At(recompute, i, j).countWarnings(max(g.pos.far[i], g.neg.far[j]))
			}
		}
	}
}

// countFar fills in far for one step.
func (s *side) countFar(ratios []float64) {
	for i, ratio := range ratios {
		s.far[i] = one(analysis.IsFarFromRatio(ratio, s.kept[i], s.all))
	}
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// nearlyOneSided is how much less one-sided than the limit a cell may be: its sums and those of an
// analysis differ in the last digits.
const nearlyOneSided = 1 + 1e-4

func (c *Cell) countWarnings(farFromRatio int) {
	c.Warned = StepWarnings{
		TooFewKept: one(c.TooFew > 0), KilledGroups: one(c.Killed > 0), SignFlips: one(c.Flips > 0),
		OneSidedPush:           one(c.Filtering() && analysis.IsOneSided(c.sum*nearlyOneSided, c.sumAbs)),
		EffectiveRatio:         farFromRatio,
		RecomputeWithoutFilter: one(c.Recompute && !c.Filtering()),
	}
}
