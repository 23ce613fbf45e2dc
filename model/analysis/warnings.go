package analysis

import (
	"fmt"
	"slices"

	"vantage/model"
	"vantage/model/units"
)

// rule raises the warnings of one kind. find returns nil if there is nothing to warn of; kind and
// step are filled in for it.
type rule struct {
	kind model.WarningKind
	find func(*Analysis) *model.Warning
}

// rules are in the order of reports, worst first.
func rules() []rule {
	return []rule{
		{model.WarnTrainerRefuses, ofEachStep((*Analysis).trainerRefuses)},
		{model.WarnUndefinedAdvantages, ofEachStep((*Analysis).refusedGroups)},
		{model.WarnStageNotApplied, ofEachStep((*Analysis).stageNotApplied)},
		{model.WarnKLInReward, (*Analysis).klInReward},
		{model.WarnGroupFilter, ofEachStep((*Analysis).groupFilterRefuses)},
		{model.WarnTooFewKept, (*Analysis).tooFewKept},
		{model.WarnKilledGroups, (*Analysis).killedGroups},
		{model.WarnSignFlips, (*Analysis).signFlips},
		{model.WarnPhantomGroups, (*Analysis).phantomGroups},
		{model.WarnGroupFilterAssumes, ofEachStep((*Analysis).groupFilterAssumes)},
		{model.WarnEqualAdmitted, (*Analysis).equalRewardsAdmitted},
		{model.WarnLiveSkipped, (*Analysis).liveSkipped},
		{model.WarnInvalidRewards, (*Analysis).invalidRewards},
		{model.WarnDrawnSamples, (*Analysis).drawnSamples},
		{model.WarnAssumedRewards, (*Analysis).assumedRewards},
		{model.WarnUndefinedAdvantages, (*Analysis).undefinedAdvantages},
		{model.WarnFloatNoise, (*Analysis).floatNoise},
		{model.WarnRecomputeWithoutFilter, (*Analysis).recomputeWithoutFilter},
		{model.WarnSingleSampleGroups, ofEachStep((*Analysis).singleSampleGroups)},
		{model.WarnOneSidedPush, (*Analysis).oneSidedPush},
		{model.WarnEffectiveRatio, (*Analysis).effectivePos},
		{model.WarnEffectiveRatio, (*Analysis).effectiveNeg},
		{model.WarnFilterIsOurs, (*Analysis).filterIsOurs},
		{model.WarnGroupingDoubt, ofEachStep((*Analysis).mergedGroups)},
		{model.WarnRolloutsAssumed, (*Analysis).rolloutsAssumed},
		{model.WarnApproximateLengths, (*Analysis).approximateLengths},
		{model.WarnLoggedDiffers, ofEachStep((*Analysis).loggedDiffers)},
	}
}

// WarningKinds are all kinds of warnings that a step can raise.
func WarningKinds() []model.WarningKind {
	var kinds []model.WarningKind
	for _, r := range rules() {
		if !slices.Contains(kinds, r.kind) {
			kinds = append(kinds, r.kind)
		}
	}
	return kinds
}

// warnings are those of the step. A step that is still being written raises none.
func (a *Analysis) warnings() []model.Warning {
	if a.Open {
		return nil
	}
	var all []model.Warning
	for _, r := range rules() {
		if w := r.find(a); w != nil {
			w.Kind, w.Step = r.kind, a.Step
			all = append(all, *w)
		}
	}
	return all
}

// ofEachStep returns a rule about a step as a batch for joined steps too. Other rules count groups or
// samples, of however many steps.
func ofEachStep(find func(*Analysis) *model.Warning) func(*Analysis) *model.Warning {
	return func(a *Analysis) *model.Warning {
		if a.parts == nil {
			return find(a)
		}
		return a.joinWarnings(find)
	}
}

// joinWarnings counts what a rule finds in each of the joined steps, in the words of the step where it
// finds most.
func (a *Analysis) joinWarnings(find func(*Analysis) *model.Warning) *model.Warning {
	var joined, most *model.Warning
	of, steps := 0, 0
	for k := range a.parts {
		p := &a.parts[k]
		w := find(p.Analysis)
		if w == nil || p.Open {
			continue
		}
		if steps++; joined == nil {
			joined = &model.Warning{Unit: w.Unit, Example: -1}
		}
		joined.Count, of = joined.Count+w.Count, of+w.Of
		if most == nil || w.Count > most.Count {
			most = w
			most.Step = p.Step
			if joined.Example = w.Example; w.Example >= 0 {
				joined.Example += p.group
			}
		}
	}
	if joined == nil {
		return nil
	}
	switch joined.Unit {
	case "groups":
		of = a.Groups
	case "samples":
		of = a.Rows
	}
	joined.Of, joined.Advice = of, most.Advice
	joined.Text = fmt.Sprintf("%s, at step %d", most.Text, most.Step)
	if steps > 1 {
		joined.Text += " and " + units.Plural(steps-1, "other steps")
	}
	return joined
}

// ofGroups is a warning about the groups for which holds is true, nil if there are none.
func (a *Analysis) ofGroups(holds func(*Group) bool, text, advice string) *model.Warning {
	w := &model.Warning{Of: a.Groups, Unit: "groups", Example: a.firstGroup(holds), Text: text, Advice: advice}
	if w.Example < 0 {
		return nil
	}
	for i := range a.Table {
		w.Count += one(holds(&a.Table[i]))
	}
	return w
}

// ofFate is a warning about the groups of a fate, nil if there are none.
func (a *Analysis) ofFate(fate model.Fate, text, advice string) *model.Warning {
	return a.ofGroups(func(g *Group) bool { return g.Fate == fate }, text, advice)
}

// ofAll is a warning about all groups.
func (a *Analysis) ofAll(text, advice string) *model.Warning {
	return &model.Warning{Count: a.Groups, Of: a.Groups, Unit: "groups", Example: -1, Text: text, Advice: advice}
}

// firstGroup is the index of the first group for which holds is true, -1 if there is none.
func (a *Analysis) firstGroup(holds func(*Group) bool) int {
	for i := range a.Table {
		if holds(&a.Table[i]) {
			return i
		}
	}
	return -1
}
