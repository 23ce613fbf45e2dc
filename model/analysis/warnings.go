package analysis

import (
	"fmt"
	"slices"

	"vantage/model"
	"vantage/model/units"
)

// rule raises the warnings of one kind.
type rule struct {
	kind model.WarningKind
	scope
	find func(*Analysis) *model.Warning // nil if there is nothing to warn of; kind and step are filled in for it
}

// scope is what a rule looks at where several steps are joined.
type scope bool

const (
	perStep  scope = true  // one step after the other, each as the batch that it was
	together scope = false // groups or samples, of however many steps
)

// rules are in the order of reports, worst first.
func rules() []rule {
	return []rule{
		{model.WarnTrainerRefuses, perStep, (*Analysis).trainerRefuses},
		{model.WarnUndefinedAdvantages, perStep, (*Analysis).refusedGroups},
		{model.WarnStageNotApplied, perStep, (*Analysis).stageNotApplied},
		{model.WarnKLInReward, together, (*Analysis).klInReward},
		{model.WarnGroupFilter, perStep, (*Analysis).groupFilterRefuses},
		{model.WarnTooFewKept, together, (*Analysis).tooFewKept},
		{model.WarnKilledGroups, together, (*Analysis).killedGroups},
		{model.WarnSignFlips, together, (*Analysis).signFlips},
		{model.WarnPhantomGroups, together, (*Analysis).phantomGroups},
		{model.WarnGroupFilterAssumes, perStep, (*Analysis).groupFilterAssumes},
		{model.WarnEqualAdmitted, together, (*Analysis).equalRewardsAdmitted},
		{model.WarnLiveSkipped, together, (*Analysis).liveSkipped},
		{model.WarnInvalidRewards, together, (*Analysis).invalidRewards},
		{model.WarnDrawnSamples, together, (*Analysis).drawnSamples},
		{model.WarnAssumedRewards, together, (*Analysis).assumedRewards},
		{model.WarnUndefinedAdvantages, together, (*Analysis).undefinedAdvantages},
		{model.WarnFloatNoise, together, (*Analysis).floatNoise},
		{model.WarnRecomputeWithoutFilter, together, (*Analysis).recomputeWithoutFilter},
		{model.WarnSingleSampleGroups, perStep, (*Analysis).singleSampleGroups},
		{model.WarnOneSidedPush, together, (*Analysis).oneSidedPush},
		{model.WarnEffectiveRatio, together, effectiveRatio("keep_pos_ratio", "positive", 1)},
		{model.WarnEffectiveRatio, together, effectiveRatio("keep_neg_ratio", "negative", -1)},
		{model.WarnFilterIsOurs, together, (*Analysis).filterIsOurs},
		{model.WarnGroupingDoubt, perStep, (*Analysis).mergedGroups},
		{model.WarnRolloutsAssumed, together, (*Analysis).rolloutsAssumed},
		{model.WarnApproximateLengths, together, (*Analysis).approximateLengths},
		{model.WarnLoggedDiffers, perStep, (*Analysis).loggedDiffers},
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
		find := r.find
		if r.scope == perStep && a.steps != nil {
			find = func(a *Analysis) *model.Warning { return a.joinWarnings(r.find) }
		}
		if w := find(a); w != nil {
			w.Kind, w.Step = r.kind, a.Step
			all = append(all, *w)
		}
	}
	return all
}

// joinWarnings counts what a rule finds in each of the joined steps, in the words of the step where it
// finds most.
func (a *Analysis) joinWarnings(find func(*Analysis) *model.Warning) *model.Warning {
	var joined, most *model.Warning
	of, steps := 0, 0
	for k := range a.steps {
		p := &a.steps[k]
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
		w.Count += count01(holds(&a.Table[i]))
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

// ofSamples is a warning about some of all samples, nil if they are none.
func (a *Analysis) ofSamples(count int, text, advice string) *model.Warning {
	if count == 0 {
		return nil
	}
	return &model.Warning{Count: count, Of: a.Rows, Unit: "samples", Example: -1, Text: text, Advice: advice}
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
