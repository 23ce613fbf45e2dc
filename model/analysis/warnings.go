package analysis

import (
	"fmt"
	"math"
	"slices"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/units"
)

// A mean processed advantage of more than this share of the mean absolute one
// pushes all samples of the batch one way.
const oneSided = 0.25

// A kept share that differs by more than this from its ratio deserves a word.
const ratioSlack = 0.1

// warnings lists what is doubtful about the step, worst first.
func (a *Analysis) warnings(entry *estimators.Estimator, refusal *estimators.Refusal, stats *statistics) []model.Warning {
	var all []model.Warning
	add := func(w model.Warning, ok bool) {
		if ok {
			w.Step = a.Step
			all = append(all, w)
		}
	}
	add(a.warnRefusal(refusal))
	add(a.warnShort())
	add(a.warnKilled())
	add(a.warnFlips())
	add(a.warnInvalid())
	add(a.warnUndefined())
	add(a.warnNoise())
	add(a.warnIdle())
	add(a.warnSingles(refusal))
	add(a.warnOneSided(stats))
	add(a.warnEffective("keep_pos_ratio", "positive", a.Settings.KeepPos, 1))
	add(a.warnEffective("keep_neg_ratio", "negative", a.Settings.KeepNeg, -1))
	add(a.warnOurs(entry))
	add(a.warnMerged())
	add(a.warnLengths(entry))
	add(a.warnLogged(entry))
	return all
}

// groups is a warning about the groups that satisfy is.
func (a *Analysis) groups(kind model.WarningKind, is func(*Group) bool, text, advice string) (model.Warning, bool) {
	w := model.Warning{Kind: kind, Of: a.Groups, Unit: "groups", Example: -1, Text: text, Advice: advice}
	for i := range a.Table {
		if is(&a.Table[i]) {
			if w.Count == 0 {
				w.Example = i
			}
			w.Count++
		}
	}
	return w, w.Count > 0
}

// fated is a warning about the groups of a fate.
func (a *Analysis) fated(fate model.Fate, kind model.WarningKind, text, advice string) (model.Warning, bool) {
	return a.groups(kind, func(g *Group) bool { return g.Fate == fate }, text, advice)
}

// firstGroup is the index of the first group that satisfies is, -1 if none does.
func (a *Analysis) firstGroup(is func(Group) bool) int { return slices.IndexFunc(a.Table, is) }

func (a *Analysis) warnRefusal(r *estimators.Refusal) (model.Warning, bool) {
	if r == nil {
		return model.Warning{}, false
	}
	if r.Kind == estimators.KindMissing {
		return model.Warning{
			Kind: model.WarnUndefined, Count: a.Groups, Of: a.Groups, Unit: "groups", Example: -1,
			Text:   fmt.Sprintf("have no advantages: the step holds no %s, which %s %s reads", r.Text, a.Settings.Framework, a.Settings.Estimator),
			Advice: "find out why the trainer left them out at this step, or take another estimator (e)",
		}, true
	}
	w := model.Warning{
		Kind: model.WarnRefused, Count: max(1, len(r.Groups)), Of: a.Groups, Unit: "groups", Example: -1,
		Text:   fmt.Sprintf("would stop %s: %s", a.Settings.Framework, r.Error()),
		Advice: "the other groups are computed all the same; check that the groups are right",
	}
	if len(r.Groups) > 0 {
		w.Example = r.Groups[0]
	}
	return w, true
}

func (a *Analysis) warnShort() (model.Warning, bool) {
	if !a.Settings.Filtering() {
		return model.Warning{}, false
	}
	text, advice := "kept fewer than 2 samples", "raise keep_pos_ratio (P) or keep_neg_ratio (M)"
	if a.Settings.Recompute {
		text = "kept fewer than 2 samples: recompute leaves their original values"
		advice += ", or turn recompute off (r)"
	}
	short := func(g *Group) bool {
		return g.Kept() < 2 && slices.ContainsFunc(a.Original[g.Start:g.End], func(x float64) bool { return x != 0 })
	}
	return a.groups(model.WarnShort, short, text, advice)
}

func (a *Analysis) warnKilled() (model.Warning, bool) {
	text, advice := "had signal before the filter and none after it", "raise keep_pos_ratio (P) or keep_neg_ratio (M)"
	if a.Settings.Recompute {
		text = "had signal and lost it: the rewards that are kept are all equal, so recompute gives 0"
		advice = "keep some of both signs (P, M), or turn recompute off (r)"
	}
	return a.fated(model.FateKilled, model.WarnKilled, text, advice)
}

func (a *Analysis) warnFlips() (model.Warning, bool) {
	if a.Flips == 0 {
		return model.Warning{}, false
	}
	return model.Warning{
		Kind: model.WarnFlips, Count: a.Flips, Of: a.Kept, Unit: "kept samples", Example: a.firstGroup(func(g Group) bool { return g.Flips > 0 }),
		Text:   "changed sign in recompute: good answers are pushed down, or bad ones up",
		Advice: "keep more of the other sign (P, M), or turn recompute off (r)",
	}, true
}

func (a *Analysis) warnInvalid() (model.Warning, bool) {
	count, missing := a.input.invalid, a.input.missing
	if count == 0 {
		return model.Warning{}, false
	}
	text := "have a NaN or infinite reward"
	if missing > 0 {
		text = fmt.Sprintf("have no usable reward (%d missing, %d NaN or infinite)", missing, count-missing)
	}
	return model.Warning{
		Kind: model.WarnInvalid, Count: count, Of: a.Rows, Unit: "samples", Example: a.firstGroup(func(g Group) bool { return g.Invalid > 0 }),
		Text: text, Advice: "find out why the reward function failed; " + a.invalidBecomes(),
	}, true
}

// invalidBecomes says what the framework makes of a reward that is none, by the
// first of them.
func (a *Analysis) invalidBecomes() string {
	i := slices.IndexFunc(a.LoggedRewards, func(r float64) bool { return !isFinite(r) })
	switch {
	case i < 0:
		return ""
	case isFinite(a.Rewards[i]):
		return "the trainer counts it as reward " + units.Short(a.Rewards[i])
	case a.Original[i] == 0:
		return "the trainer leaves it out and gives it 0"
	}
	return "one such sample makes its whole group NaN"
}

func (a *Analysis) warnNoise() (model.Warning, bool) {
	w, ok := a.fated(model.FateNoise, model.WarnNoise, "have equal rewards and yet advantages that are not zero: float residue",
		"the trainer does train on it: drop constant groups, or use rewards that float32 holds exactly")
	if ok {
		w.Text += fmt.Sprintf(" of %+.2g and the like", a.Processed[a.Table[w.Example].Start])
	}
	return w, ok
}

func (a *Analysis) warnIdle() (model.Warning, bool) {
	return model.Warning{
		Kind: model.WarnIdle, Count: a.Groups, Of: a.Groups, Unit: "groups", Example: -1,
		Text:   "are unchanged by recompute: " + a.Settings.TrainerWarns(),
		Advice: "lower keep_pos_ratio (p) or keep_neg_ratio (m), or turn recompute off (r)",
	}, a.Settings.Recompute && !a.Settings.Filtering()
}

func (a *Analysis) warnSingles(refusal *estimators.Refusal) (model.Warning, bool) {
	if refusal != nil {
		return model.Warning{}, false
	}
	return a.fated(model.FateSingle, model.WarnSingles, "have one sample, so nothing to compare it with", "check how the groups were found, or raise the number of generations")
}

func (a *Analysis) warnOneSided(s *statistics) (model.Warning, bool) {
	share := s.sum / s.absProcessed
	way := "up"
	if share < 0 {
		way = "down"
	}
	return model.Warning{
		Kind: model.WarnOneSided, Count: a.Kept, Of: a.Rows, Unit: "kept samples", Example: -1,
		Text:   fmt.Sprintf("push %s on the whole: mean advantage %+.2f of mean |A| %.2f", way, s.sum/float64(a.Rows), s.absProcessed/float64(a.Rows)),
		Advice: "bring keep_pos_ratio (p, P) and keep_neg_ratio (m, M) closer together",
	}, a.Settings.Filtering() && math.Abs(share) > oneSided
}

// warnEffective is about the samples whose advantage has a sign, 1 or -1.
func (a *Analysis) warnEffective(option, word string, ratio, sign float64) (model.Warning, bool) {
	kept, all := 0, 0
	for i, x := range a.Original {
		n := one(x*sign > 0)
		all += n
		kept += n & one(a.Keep[i])
	}
	share := float64(kept) / float64(all)
	return model.Warning{
		Kind: model.WarnEffective, Count: kept, Of: all, Unit: word + " samples", Example: -1,
		Text:   fmt.Sprintf("are kept, %.0f%% where %s says %.0f%%: each group keeps max(1, int(n·ratio))", share*100, option, ratio*100),
		Advice: "in small groups choose a ratio that gives whole samples",
	}, ratio > 0 && ratio < 1 && math.Abs(share-ratio) > ratioSlack
}

func (a *Analysis) warnOurs(entry *estimators.Estimator) (model.Warning, bool) {
	return model.Warning{
		Kind: model.WarnOurs, Count: a.Groups, Of: a.Groups, Unit: "groups", Example: -1,
		Text:   fmt.Sprintf("are filtered by easyr1's rule with %s's arithmetic: %s itself has no such filter", a.Settings.Framework, a.Settings.Framework),
		Advice: "take it as a what-if; only easyr1 (f) trains like this",
	}, !entry.TrainerFilters && a.Settings.Filtering()
}

// warnMerged looks for groups a whole multiple larger than the usual one: tasks
// that share a prompt and that the log gives no way to tell apart.
func (a *Analysis) warnMerged() (model.Warning, bool) {
	if a.Grouping.By != model.GroupByPrompt || a.Grouping.Doubt == "" {
		return model.Warning{}, false
	}
	usual := a.usualSize()
	return a.groups(model.WarnGrouping, func(g *Group) bool { return usual > 1 && g.Size() > usual && g.Size()%usual == 0 },
		fmt.Sprintf("are a multiple of the usual %d samples: %s", usual, a.Grouping.Doubt),
		"log the ground truth or a group id beside the prompt")
}

// usualSize is the most common group size, the smaller of equals.
func (a *Analysis) usualSize() int {
	sizes := map[int]int{}
	for i := range a.Table {
		sizes[a.Table[i].Size()]++
	}
	usual := 0
	for size, n := range sizes {
		if n > sizes[usual] || n == sizes[usual] && size < usual {
			usual = size
		}
	}
	return usual
}
