package analysis

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"vantage/estimators"
	"vantage/estimators/groupfilter"
	"vantage/model"
	"vantage/model/units"
)

// The kinds of warnings, worst first.
const (
	WarnTrainerRefuses         model.WarningKind = "trainer-refuses"
	WarnStageNotApplied        model.WarningKind = "stage-not-applied"
	WarnKLInReward             model.WarningKind = "kl-in-reward"
	WarnGroupFilter            model.WarningKind = "group-filter"
	WarnOffPolicy              model.WarningKind = "off-policy"
	WarnTooFewKept             model.WarningKind = "too-few-kept"
	WarnKilledGroups           model.WarningKind = "killed-groups"
	WarnSignFlips              model.WarningKind = "sign-flips"
	WarnPhantomGroups          model.WarningKind = "phantom-groups"
	WarnGroupFilterAssumes     model.WarningKind = "group-filter-assumes"
	WarnEqualAdmitted          model.WarningKind = "equal-admitted"
	WarnLiveSkipped            model.WarningKind = "live-skipped"
	WarnUndefinedAdvantages    model.WarningKind = "undefined-advantages"
	WarnInvalidRewards         model.WarningKind = "invalid-rewards"
	WarnAnswersAlike           model.WarningKind = "answers-alike" // that answers of groups that are all wrong are alike: it is raised where texts are read
	WarnDrawnSamples           model.WarningKind = "drawn-samples"
	WarnAssumedRewards         model.WarningKind = "assumed-rewards"
	WarnPartsMissing           model.WarningKind = "parts-missing"
	WarnFloatNoise             model.WarningKind = "float-noise"
	WarnRecomputeWithoutFilter model.WarningKind = "recompute-without-filter"
	WarnPartialGroups          model.WarningKind = "partial-groups"
	WarnSingleSampleGroups     model.WarningKind = "single-sample-groups"
	WarnOneSidedPush           model.WarningKind = "one-sided-push"
	WarnEffectiveRatio         model.WarningKind = "effective-ratio"
	WarnFilterIsOurs           model.WarningKind = "filter-is-ours"
	WarnGroupingDoubt          model.WarningKind = "grouping-doubt"
	WarnRolloutsAssumed        model.WarningKind = "rollouts-assumed"
	WarnApproximateLengths     model.WarningKind = "approximate-lengths"
	WarnLoggedDiffers          model.WarningKind = "logged-differs"
)

// WarningRule is a warning: its name, how it is found, and its line of the glossary. A kind may have several rules; the first that has a
// meaning speaks for all.
type WarningRule struct {
	Kind  model.WarningKind
	Scope Scope
	Find  func(*Analysis) *model.Warning // nil if there is nothing to warn of; kind and step are filled in for it

	Unit     string // what is counted: "groups", "samples"
	Formula  string // when it is raised, with the symbols of the glossary; "" if a sentence says it better
	Meaning  string // one sentence without a full stop
	Trainers string // whom it concerns, if not all
}

// Scope is what a rule looks at where several steps are joined.
type Scope bool

// The scopes.
const (
	PerStep  Scope = true  // one step after the other, each as the batch that it was
	Together Scope = false // groups or samples, of however many steps
)

// WarningRules are in the order of reports, worst first.
func WarningRules() []WarningRule {
	return []WarningRule{
		{
			Kind: WarnTrainerRefuses, Scope: PerStep, Find: (*Analysis).trainerRefuses,
			Unit:    "groups",
			Meaning: "the framework's own code would raise an error for the step",
		},
		{
			Kind: WarnUndefinedAdvantages, Scope: PerStep, Find: (*Analysis).refusedGroups,
		},
		{
			Kind: WarnStageNotApplied, Scope: PerStep, Find: (*Analysis).stageNotApplied,
			Unit:    "groups",
			Meaning: "a length penalty, an off-policy rule or a loss lacks an option, lengths or log-probs, and is left out",
		},
		{
			Kind: WarnKLInReward, Scope: Together, Find: (*Analysis).klInReward,
			Unit:    "samples",
			Meaning: "the trainer's configuration subtracts a KL penalty from each reward, which no log holds: its advantages are others",
		},
		{
			Kind: WarnGroupFilter, Scope: PerStep, Find: (*Analysis).groupFilterRefuses,
			Unit: "groups", Formula: "not admitted",
			Meaning: "the group filter leaves no batch, or one that the trainer refuses",
		},
		{
			Kind: WarnOffPolicy, Scope: Together, Find: (*Analysis).unjudgedSamples,
			Unit:    "samples",
			Meaning: "samples without log-probs or versions train as without the rule, or the rule is exact only in part",
		},
		{
			Kind: WarnOffPolicy, Scope: Together, Find: (*Analysis).policyDoubt,
		},
		{
			Kind: WarnTooFewKept, Scope: Together, Find: (*Analysis).tooFewKept,
			Unit: "groups", Formula: "kept < 2, some A ≠ 0",
			Meaning: "groups with signal of which the filter keeps fewer than 2 samples",
		},
		{
			Kind: WarnKilledGroups, Scope: Together, Find: (*Analysis).killedGroups,
			Unit: "groups", Formula: "some A ≠ 0, all A′ = 0",
			Meaning: "the fate killed",
		},
		{
			Kind: WarnSignFlips, Scope: Together, Find: (*Analysis).signFlips,
			Unit: "kept samples", Formula: "flips",
			Meaning: "kept samples that recompute gives another sign",
		},
		{
			Kind: WarnPhantomGroups, Scope: Together, Find: (*Analysis).phantomGroups,
			Unit: "groups", Formula: "equal r before the length penalty, unequal after it",
			Meaning: "groups that train on length alone",
		},
		{
			Kind: WarnGroupFilterAssumes, Scope: PerStep, Find: (*Analysis).groupFilterAssumes,
			Unit:    "groups",
			Meaning: "the log lacks a value that the rule of the group filter reads, so another one is used",
		},
		{
			Kind: WarnEqualAdmitted, Scope: Together, Find: (*Analysis).equalRewardsAdmitted,
			Unit: "groups", Formula: "equal r, admitted",
			Meaning: "the rule's test is not that all rewards are equal",
		},
		{
			Kind: WarnLiveSkipped, Scope: Together, Find: (*Analysis).liveSkipped,
			Unit: "groups", Formula: "some A ≠ 0, not admitted, not refilled",
			Meaning: "signal that the group filter drops, with nothing in its place",
		},
		{
			Kind: WarnInvalidRewards, Scope: Together, Find: (*Analysis).invalidRewards,
			Unit:    "samples",
			Meaning: "rewards that are NaN, infinite or missing",
		},
		{
			Kind: WarnDrawnSamples, Scope: Together, Find: (*Analysis).drawnSamples,
			Unit:     "groups",
			Meaning:  "some samples are left out, and the trainer draws which: here the last ones",
			Trainers: "trinity rec with drop: balance",
		},
		{
			Kind: WarnAssumedRewards, Scope: Together, Find: (*Analysis).assumedRewards,
			Unit:    "samples",
			Meaning: "the sum of all numeric columns is taken for the reward, or that of parts with a penalty above 0",
		},
		{
			Kind: WarnPartsMissing, Scope: PerStep, Find: (*Analysis).partsMissing,
			Unit:    "samples",
			Meaning: "a part of the reward is NaN or missing, which others of the group have: the sum leaves it out",
		},
		{
			Kind: WarnUndefinedAdvantages, Scope: Together, Find: (*Analysis).undefinedAdvantages,
			Unit:    "groups",
			Meaning: "the formula gives no number, or the log lacks a value that it reads",
		},
		{
			Kind: WarnFloatNoise, Scope: Together, Find: (*Analysis).floatNoise,
			Unit: "groups", Formula: "equal r, some A′ ≠ 0",
			Meaning: "the fate rounding: rounding errors that train",
		},
		{
			Kind: WarnRecomputeWithoutFilter, Scope: Together, Find: (*Analysis).recomputeWithoutFilter,
			Unit: "groups", Formula: "compute_new_adv with both ratios 1",
			Meaning: "recompute changes nothing",
		},
		{
			Kind: WarnPartialGroups, Scope: Together, Find: (*Analysis).partialGroups,
			Unit: "groups",
			Meaning: "the log lacks rows of the group: the rewards without one follow from the others, or mean, std and solve rate are " +
				"not known",
		},
		{
			Kind: WarnPartialGroups, Scope: Together, Find: (*Analysis).completedGroups,
		},
		{
			Kind: WarnSingleSampleGroups, Scope: PerStep, Find: (*Analysis).singleSampleGroups,
			Unit: "groups", Formula: "n = 1",
			Meaning: "nothing to compare with",
		},
		{
			Kind: WarnOneSidedPush, Scope: Together, Find: (*Analysis).oneSidedPush,
			Unit: "kept samples", Formula: "|ΣA′| > 0.25·Σ|A′|, with a filter",
			Meaning: "the filter leaves a push to one side",
		},
		{
			Kind: WarnEffectiveRatio, Scope: Together, Find: effectiveRatio("keep_pos_ratio", "positive", 1),
			Unit: "samples of a sign", Formula: "|kept / n − ratio| > 0.1",
			Meaning: "the share that is kept is far from the ratio, since whole samples are kept",
		},
		{
			Kind: WarnEffectiveRatio, Scope: Together, Find: effectiveRatio("keep_neg_ratio", "negative", -1),
		},
		{
			Kind: WarnFilterIsOurs, Scope: Together, Find: (*Analysis).filterIsOurs,
			Unit:    "groups",
			Meaning: "the framework's trainer has no such filter: a what-if",
		},
		{
			Kind: WarnGroupingDoubt, Scope: Together, Find: (*Analysis).visitsOfKeys,
			Unit:    "groups",
			Meaning: "groups may be merged or assumed: a prompt may come twice in the step, or again in a log without steps",
		},
		{
			Kind: WarnGroupingDoubt, Scope: PerStep, Find: (*Analysis).mergedGroups,
		},
		{
			Kind: WarnRolloutsAssumed, Scope: Together, Find: (*Analysis).rolloutsAssumed,
			Unit:    "groups",
			Meaning: "how the trainer counts rollouts of several rows, or turns in rows of their own, is not known",
		},
		{
			Kind: WarnRolloutsAssumed, Scope: PerStep, Find: (*Analysis).turnsAsSamples,
		},
		{
			Kind: WarnApproximateLengths, Scope: Together, Find: (*Analysis).approximateLengths,
			Unit:    "samples",
			Meaning: "metrics that trainers weight by tokens are weighted by characters or words, or count each sample once",
		},
		{
			Kind: WarnLoggedDiffers, Scope: PerStep, Find: (*Analysis).loggedDiffers,
			Unit:    "samples",
			Meaning: "advantages in the log are not those that the estimator gives",
		},
	}
}

// WarningKinds are all kinds of warnings that a step can raise.
func WarningKinds() []model.WarningKind {
	var kinds []model.WarningKind
	for _, r := range WarningRules() {
		if !slices.Contains(kinds, r.Kind) {
			kinds = append(kinds, r.Kind)
		}
	}
	return kinds
}

// warnings are those of the step. A step that is still being written raises none.
func (a *Analysis) warnings() []model.Warning {
	if a.Open {
		return nil
	}
	var warnings []model.Warning
	add := func(w *model.Warning) {
		if w != nil {
			warnings = append(warnings, *w)
		}
	}
	rules, shares := a.plan.rules, len(a.shaped.blocks)
	if shares < 2 { // a step of one block is not worth a goroutine
		for k := range rules {
			add(a.warningOf(&rules[k]))
		}
		return warnings
	}
	found := make([]*model.Warning, len(rules))
	model.InParallel(context.Background(), workers(), shares, func(share int) {
		for k := share; k < len(rules); k += shares {
			found[k] = a.warningOf(&rules[k])
		}
	})
	for _, w := range found {
		add(w)
	}
	return warnings
}

// warningOf is what a rule warns of, nil if of nothing.
func (a *Analysis) warningOf(r *WarningRule) (w *model.Warning) {
	if r.Scope == PerStep && a.steps != nil {
		w = a.joinWarnings(r.Find)
	} else {
		w = r.Find(a)
	}
	if w != nil {
		w.Kind, w.Step = r.Kind, a.Step
	}
	return w
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
	first := a.firstGroup(holds)
	if first < 0 {
		return nil
	}
	w := &model.Warning{Of: a.Groups, Unit: "groups", Example: first, Text: text, Advice: advice}
	for i := range a.Table {
		w.Count += model.Count01(holds(&a.Table[i]))
	}
	return w
}

// ofFate is a warning about the groups of a fate, nil if there are none.
func (a *Analysis) ofFate(fate model.Fate, text, advice string) *model.Warning {
	if a.Fates[fate] == 0 {
		return nil
	}
	return a.ofGroups(func(g *Group) bool { return g.Fate == fate }, text, advice)
}

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

func (a *Analysis) trainerRefuses() *model.Warning {
	text := a.Refusal()
	if text == "" {
		return nil
	}
	w := &model.Warning{
		Count: max(1, len(a.refusal.Groups)), Of: a.Groups, Unit: "groups", Example: -1,
		Text:   fmt.Sprintf("would stop %s: %s", a.Settings.Trainer(), text),
		Advice: "the other groups are still computed; check that the groups are right",
	}
	if len(a.refusal.Groups) > 0 {
		w.Example = a.refusal.Groups[0]
	}
	return w
}

func (a *Analysis) klInReward() *model.Warning {
	if !a.Settings.KLInReward {
		return nil
	}
	return a.ofSamples(a.Rows,
		"have other advantages in the trainer: by its configuration it subtracts a KL penalty from each reward, which no log holds; "+
			"groups of equal rewards then train on the KL alone",
		"read fates and shares as those of the scores; with the KL in the loss (EasyR1 use_kl_loss: true, verl use_kl_in_reward: False) "+
			"advantages are as here")
}

// tooFewKept warns of groups that had signal and of which fewer than 2 samples are kept.
func (a *Analysis) tooFewKept() *model.Warning {
	if !a.Settings.Filtering() {
		return nil
	}
	text, advice := "kept fewer than 2 samples", "raise keep_pos_ratio (P) or keep_neg_ratio (M)"
	if a.Settings.Recompute {
		text = "kept fewer than 2 samples: recompute leaves their original values"
		advice += ", or turn recompute off (r)"
	}
	return a.ofGroups(func(g *Group) bool {
		for i := g.Start; i < g.End && g.KeptCounted < 2 && g.CanKeepTwo(); i++ {
			if a.Unfiltered[i] != 0 && a.StatusOf(i).Trains() {
				return true
			}
		}
		return false
	}, text, advice)
}

func (a *Analysis) drawnSamples() *model.Warning {
	if !a.plan.estimator.Draws {
		return nil
	}
	return a.ofGroups(func(g *Group) bool { return g.KeptCounted > 0 && g.KeptCounted < g.Counted },
		fmt.Sprintf("lose samples that %s draws at random; here the last ones are left out", a.Settings.Trainer()),
		"the number of dropped samples is the trainer's, the choice is not: where their rewards differ, other draws give other advantages")
}

func (a *Analysis) killedGroups() *model.Warning {
	text, advice := "had signal before the filter and none after it", "raise keep_pos_ratio (P) or keep_neg_ratio (M)"
	if a.Settings.Recompute {
		text = "had signal and lost it: the rewards that are kept are all equal, so recompute gives 0"
		advice = "keep some of both signs (P, M), or turn recompute off (r)"
	}
	if a.corrected.removed > 0 {
		text = "had signal, and none after " + a.Settings.OffPolicy
		advice = "widen its bound (:option, --option), or take another rule (:off-policy)"
		if a.Settings.Filtering() {
			text += " and the keep ratios"
			advice += ", or raise keep_pos_ratio (P) or keep_neg_ratio (M)"
		}
	}
	return a.ofFate(model.FateKilled, text, advice)
}

func (a *Analysis) signFlips() *model.Warning {
	if a.Flips.Total() == 0 {
		return nil
	}
	return &model.Warning{
		Count: a.Flips.Total(), Of: a.Kept, Unit: "kept samples", Example: a.firstGroup(func(g *Group) bool { return g.Flips.Total() > 0 }),
		Text:   fmt.Sprintf("changed sign in recompute, %s: %s", a.Flips, a.Flips.meaning()),
		Advice: "keep more of the other sign (P, M), or turn recompute off (r)",
	}
}

func (a *Analysis) floatNoise() *model.Warning {
	w := a.ofFate(model.FateNoise, "have equal rewards but advantages other than 0: float rounding error",
		"the trainer trains on this noise: drop groups with equal rewards, or use rewards that float32 represents exactly")
	if w != nil {
		w.Text += fmt.Sprintf(" of %+.2g and the like", a.Processed[a.Table[w.Example].Start])
	}
	return w
}

func (a *Analysis) recomputeWithoutFilter() *model.Warning {
	if !a.Settings.Recompute || a.Settings.Filtering() {
		return nil
	}
	return a.ofAll("are unchanged by recompute: "+a.Settings.TrainerWarning(),
		"lower keep_pos_ratio (p) or keep_neg_ratio (m), or turn recompute off (r)")
}

// oneSidedShare is the share of the mean absolute advantage above which the mean advantage pushes
// all samples of the batch one way.
const oneSidedShare = 0.25

// IsOneSided reports whether processed advantages of a filtered step push one way on the whole, given
// ΣA and Σ|A|.
func IsOneSided(sum, sumAbs float64) bool { return math.Abs(sum/sumAbs) > oneSidedShare }

func (a *Analysis) oneSidedPush() *model.Warning {
	s := &a.sums
	if !a.Settings.Filtering() || !IsOneSided(s.sumProcessed, s.sumAbsProcessed) {
		return nil
	}
	direction := "up"
	if s.sumProcessed < 0 {
		direction = "down"
	}
	return &model.Warning{
		Count: a.Kept, Of: a.Rows, Unit: "samples", Example: -1,
		Text:   fmt.Sprintf("are kept, and push %s overall: ΣA / Σ|A| is %+.2f, 0 is even", direction, s.sumProcessed/s.sumAbsProcessed),
		Advice: "bring keep_pos_ratio (p, P) and keep_neg_ratio (m, M) closer together",
	}
}

// ratioSlack is how far the share that is kept may be from its ratio.
const ratioSlack = 0.1

// IsFarFromRatio reports whether a ratio between 0 and 1 keeps another share of the samples of its
// sign than it says.
func IsFarFromRatio(ratio float64, kept, all int) bool {
	share := float64(kept) / float64(all)
	return ratio > 0 && ratio < 1 && math.Abs(share-ratio) > ratioSlack
}

// effectiveRatio compares a ratio with the share of the samples of a sign, 1 or -1, that is kept.
func effectiveRatio(name, signName string, sign float64) func(*Analysis) *model.Warning {
	return func(a *Analysis) *model.Warning {
		if !a.Settings.Filtering() && a.admitted.rule == nil {
			return nil // all are kept
		}
		ratio, kept, all := a.Settings.KeepPos, a.sums.keptPositive, a.sums.positive.n
		if sign < 0 {
			ratio, kept, all = a.Settings.KeepNeg, a.sums.keptNegative, a.sums.negative.n
		}
		isOfAll := a.sums.unfiltered.n == a.Rows && a.Status == nil && len(a.unfiltered.advantages) >= a.Rows
		if !isOfAll || a.corrected.judgements != nil { // these are not of all that count, or also of what the off-policy rule removes
			kept, all = 0, 0
			for i, x := range a.unfiltered.advantages {
				if x*sign > 0 && a.StatusOf(a.shaped.countedRollouts.sample(i)).Trains() {
					all++
					kept += model.Count01(a.kept.counted[i])
				}
			}
		}
		if !IsFarFromRatio(ratio, kept, all) {
			return nil
		}
		return &model.Warning{
			Count: kept, Of: all, Unit: signName + " samples", Example: -1,
			Text: fmt.Sprintf("are kept: %.0f%%, although %s asks for %.0f%%, because each group keeps max(1, int(n·ratio))",
				100*float64(kept)/float64(all), name, ratio*100),
			Advice: "for small groups use a ratio that gives whole samples",
		}
	}
}

func (a *Analysis) filterIsOurs() *model.Warning {
	if a.plan.estimator.TrainerFilters || !a.Settings.Filtering() {
		return nil
	}
	trainer := a.Settings.Trainer()
	text := fmt.Sprintf("pass the sample filter of EasyR1-Brian, tried on this log with the arithmetic of %s: %[1]s itself has no such "+
		"filter", trainer)
	return a.ofAll(text, "treat it as a what-if; only the framework easyr1 (f), EasyR1-Brian, has this filter")
}

func (a *Analysis) stageNotApplied() *model.Warning {
	missing := slices.DeleteFunc([]string{a.shaped.whyNot, a.corrected.whyNone, a.NoLoss}, func(why string) bool { return why == "" })
	if len(missing) == 0 {
		return nil
	}
	return a.ofAll("are computed without a stage that is set: "+strings.Join(missing, "; "),
		"give the option (:option KEY=VALUE, --option), log the lengths, or turn the stage off (C)")
}

// groupFilterRefuses warns of what the trainer would raise for the step, or of what it does with a
// batch of too few groups.
func (a *Analysis) groupFilterRefuses() *model.Warning {
	v := a.admitted.verdict
	hasWords := a.admitted.refusal != nil || v.Note != "" || v.SamplesOn
	if a.admitted.rule == nil || !hasWords {
		return nil
	}
	w := &model.Warning{
		Count: a.Groups - a.AdmittedGroups, Of: a.Groups, Unit: "groups", Example: a.firstGroup(func(g *Group) bool { return !g.Admitted }),
		Text: "are not admitted", Advice: "the log has one round of generation; a trainer that refills generates until the batch is full",
	}
	switch r := a.admitted.refusal; {
	case r != nil && r.Kind == estimators.KindMissing:
		w.Text += ": the rule needs " + r.Text + ", which the log lacks, so that all are"
	case r != nil:
		w.Text += fmt.Sprintf(", and %s would stop: %s", estimators.Title(a.admitted.rule.Framework), r.Error())
	case v.SamplesOn:
		w.Text += ", and less than a batch is left: the trainer generates more before it trains"
	}
	if v.Note != "" {
		w.Text += ": " + v.Note
	}
	return w
}

func (a *Analysis) groupFilterAssumes() *model.Warning {
	if a.admitted.rule == nil || a.admitted.verdict.Assumed == "" {
		return nil
	}
	rule := a.admitted.rule
	return a.ofAll(fmt.Sprintf("are judged by %s/%s on an assumption: %s", rule.Framework, rule.Name, a.admitted.verdict.Assumed),
		"log the value that the rule reads, or give it as an option (:option, --option)")
}

func (a *Analysis) equalRewardsAdmitted() *model.Warning {
	if a.admitted.rule == nil {
		return nil
	}
	count, first := a.admitted.verdict.EqualButAdmitted(a.Rewards, a.Offsets)
	if count == 0 {
		return nil
	}
	return &model.Warning{
		Count: count, Of: a.Groups, Unit: "groups", Example: first,
		Text:   fmt.Sprintf("have equal rewards, but %s/%s admits them", a.admitted.rule.Framework, a.admitted.rule.Name),
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
	if a.admitted.rule != nil {
		text += fmt.Sprintf(", and %s/%s admits them", a.admitted.rule.Framework, a.admitted.rule.Name)
	}
	return a.ofGroups(phantom, text,
		"filter groups by the reward before the penalty, where the trainer has a metric for it (verl: metric acc)")
}

// liveSkipped warns of groups that have signal and that a rule drops without others in their place.
func (a *Analysis) liveSkipped() *model.Warning {
	if a.admitted.rule == nil || a.admitted.rule.Dropped == groupfilter.Refilled {
		return nil
	}
	hasSignal := func(a float64) bool { return a != 0 && a == a }
	return a.ofGroups(func(g *Group) bool {
		return !g.Admitted && !g.IsResidue && slices.ContainsFunc(a.Unfiltered[g.Start:g.End], hasSignal)
	}, "have signal but are not admitted, and no other groups replace them", "widen the range of the group filter")
}
