package analysis

import (
	"fmt"
	"slices"

	"vantage/estimators/groupfilter"
	"vantage/model"
)

// The warnings here are about what the group filter does to the step.

// groupFilterRefuses warns of what the trainer would raise for the step, or of what it does with a
// batch of too few groups.
func (a *Analysis) groupFilterRefuses() *model.Warning {
	if a.admission == nil || a.admission.refusal == nil && a.admission.verdict.Note == "" {
		return nil
	}
	w := &model.Warning{
		Count: a.Groups - a.AdmittedGroups, Of: a.Groups, Unit: "groups", Example: a.firstGroup(func(g *Group) bool { return !g.Admitted }),
		Text:   "are not admitted: " + a.admission.verdict.Note,
		Advice: "widen the range of the group filter, or give it a log with easier and harder prompts",
	}
	if r := a.admission.refusal; r != nil {
		w.Text = fmt.Sprintf("are not admitted, which would stop %s: %s", a.admission.rule.Framework, r.Error())
	}
	return w
}

// equalRewardsAdmitted warns of groups of equal rewards that the rule does not recognise as such.
func (a *Analysis) equalRewardsAdmitted() *model.Warning {
	if a.admission == nil {
		return nil
	}
	equal := func(g *Group) bool {
		return g.Admitted && g.Size() > 1 && allEqual(a.Rewards[g.Start:g.End])
	}
	name := a.admission.rule.Framework + "/" + a.admission.rule.Name
	return a.ofGroups(equal, "have equal rewards and are admitted all the same by "+name,
		"its test is not \"all rewards are equal\": :chain shows the rule")
}

// phantomGroups warns of groups that differ by the length penalty alone.
func (a *Analysis) phantomGroups() *model.Warning {
	if a.Settings.Overlong == "" {
		return nil
	}
	phantom := func(g *Group) bool {
		return g.Admitted && g.Size() > 1 && allEqual(a.LoggedRewards[g.Start:g.End]) && !allEqual(a.Rewards[g.Start:g.End])
	}
	text := "have equal rewards before the length penalty and differ only by it: they train on length alone"
	if a.admission != nil {
		text += fmt.Sprintf(", and %s/%s admits them", a.admission.rule.Framework, a.admission.rule.Name)
	}
	return a.ofGroups(phantom, text, "filter groups by the reward before the penalty, where the trainer has a metric for it (verl: metric acc)")
}

// liveSkipped warns of groups that have signal and that a rule drops without others in their place.
func (a *Analysis) liveSkipped() *model.Warning {
	if a.admission == nil || a.admission.rule.Fate == groupfilter.Refilled {
		return nil
	}
	return a.ofGroups(func(g *Group) bool {
		return !g.Admitted && slices.ContainsFunc(a.Original[g.Start:g.End], func(x float64) bool { return x != 0 && x == x })
	}, "have signal and are not admitted; no other group takes their place", "widen the range of the group filter")
}
