package analysis

import (
	"fmt"
	"slices"
	"strings"

	"vantage/estimators"
	"vantage/estimators/groupfilter"
	"vantage/model"
)

func (a *Analysis) stageNotApplied() *model.Warning {
	missing := slices.DeleteFunc([]string{a.input.WhyUnshaped, a.NoLoss}, func(why string) bool { return why == "" })
	if len(missing) == 0 {
		return nil
	}
	return a.ofAll("are computed without a stage that is set: "+strings.Join(missing, "; "),
		"give the option (:option KEY=VALUE, --option), log the lengths, or turn the stage off (C)")
}

// groupFilterRefuses warns of what the trainer would raise for the step, or of what it does with a
// batch of too few groups.
func (a *Analysis) groupFilterRefuses() *model.Warning {
	if a.admission == nil || a.admission.refusal == nil && a.admission.verdict.Note == "" && !a.admission.verdict.SamplesOn {
		return nil
	}
	v := a.admission.verdict
	w := &model.Warning{
		Count: a.Groups - a.AdmittedGroups, Of: a.Groups, Unit: "groups", Example: a.firstGroup(func(g *Group) bool { return !g.Admitted }),
		Text: "are not admitted", Advice: "the log has one round of generation; a trainer that refills generates until the batch is full",
	}
	switch r := a.admission.refusal; {
	case r != nil && r.Kind == estimators.KindMissing:
		w.Text += ": the rule needs " + r.Text + ", which the log lacks, so that all are"
	case r != nil:
		w.Text += fmt.Sprintf(", and %s would stop: %s", a.admission.rule.Framework, r.Error())
	case v.SamplesOn:
		w.Text += ", and less than a batch is left: the trainer generates more before it trains"
	}
	if v.Note != "" {
		w.Text += ": " + v.Note
	}
	return w
}

func (a *Analysis) groupFilterAssumes() *model.Warning {
	if a.admission == nil || a.admission.verdict.Assumed == "" {
		return nil
	}
	rule := a.admission.rule
	return a.ofAll(fmt.Sprintf("are judged by %s/%s on an assumption: %s", rule.Framework, rule.Name, a.admission.verdict.Assumed),
		"log what the rule reads, or give it as an option (:option, --option)")
}

func (a *Analysis) equalRewardsAdmitted() *model.Warning {
	if a.admission == nil {
		return nil
	}
	count, first := a.admission.verdict.EqualButAdmitted(a.Rewards, a.Offsets)
	if count == 0 {
		return nil
	}
	return &model.Warning{
		Count: count, Of: a.Groups, Unit: "groups", Example: first,
		Text:   fmt.Sprintf("have equal rewards, but %s/%s admits them", a.admission.rule.Framework, a.admission.rule.Name),
		Advice: "its test is not \"all rewards are equal\": C shows the rule",
	}
}

func (a *Analysis) phantomGroups() *model.Warning {
	if a.Settings.Overlong == "" {
		return nil
	}
	phantom := func(g *Group) bool {
		return g.Admitted && g.Size() > 1 && allEqual(a.LoggedRewards[g.Start:g.End]) && !allEqual(a.Rewards[g.Start:g.End])
	}
	text := "have equal rewards before the length penalty: they train on length only"
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
	}, "have signal but are not admitted, and no other groups replace them", "widen the range of the group filter")
}
