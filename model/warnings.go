package model

import (
	"fmt"
	"math"
	"slices"

	"vantage/estimators"
	"vantage/model/units"
)

// A mean processed advantage of more than this share of the mean absolute one
// pushes all samples of the batch one way.
const oneSided = 0.25

// A kept share that differs by more than this from its ratio deserves a word.
const ratioSlack = 0.1

// warnings lists what is doubtful about the step, worst first.
func (a *Analysis) warnings(entry *estimators.Estimator, refusal *estimators.Refusal, sums *tally) []Warning {
	var all []Warning
	add := func(w Warning, ok bool) {
		if ok {
			w.Step = a.Step
			all = append(all, w)
		}
	}
	add(a.warnRefusal(refusal))
	add(a.warnShort(sums))
	add(a.warnKilled(sums))
	add(a.warnFlips(sums))
	add(a.warnInvalid())
	add(a.warnUndefined())
	add(a.warnNoise(sums))
	add(a.warnIdle())
	add(a.warnSingles(refusal, sums))
	add(a.warnOneSided(sums))
	add(a.warnEffective("keep_pos_ratio", "positive", a.Settings.KeepPos, sums.keptPos, a.origin.up))
	add(a.warnEffective("keep_neg_ratio", "negative", a.Settings.KeepNeg, sums.keptNeg, a.origin.down))
	add(a.warnOurs(entry))
	add(a.warnMerged())
	add(a.warnLengths(entry))
	add(a.warnLogged(entry))
	return all
}

// where counts the groups that satisfy is, and returns the first.
func (a *Analysis) where(is func(*Group) bool) (count, example int) {
	example = -1
	for i := range a.Groups {
		if g := a.Group(i); !is(&g) {
			continue
		}
		if count == 0 {
			example = i
		}
		count++
	}
	return count, example
}

// groups is a warning about the groups that satisfy is.
func (a *Analysis) groups(kind WarningKind, is func(*Group) bool, text, advice string) (Warning, bool) {
	count, example := a.where(is)
	return Warning{Kind: kind, Count: count, Of: a.Groups, Unit: "groups", Example: example, Text: text, Advice: advice}, count > 0
}

// counted is a warning about groups that were counted on the way.
func (a *Analysis) counted(f few, kind WarningKind, text, advice string) (Warning, bool) {
	return Warning{Kind: kind, Count: f.count, Of: a.Groups, Unit: "groups", Example: f.example, Text: text, Advice: advice}, f.count > 0
}

func (a *Analysis) warnRefusal(r *estimators.Refusal) (Warning, bool) {
	if r == nil {
		return Warning{}, false
	}
	if r.Kind == estimators.KindMissing {
		return Warning{
			Kind: WarnUndefined, Count: a.Groups, Of: a.Groups, Unit: "groups", Example: -1,
			Text:   fmt.Sprintf("have no advantages: the step holds no %s, which %s %s reads", r.Text, a.Settings.Framework, a.Settings.Estimator),
			Advice: "find out why the trainer left them out at this step, or take another estimator (e)",
		}, true
	}
	w := Warning{
		Kind: WarnRefused, Count: max(1, len(r.Groups)), Of: a.Groups, Unit: "groups", Example: -1,
		Text:   fmt.Sprintf("would stop %s: %s", a.Settings.Framework, r.Error()),
		Advice: "the other groups are computed all the same; check that the groups are right",
	}
	if len(r.Groups) > 0 {
		w.Example = r.Groups[0]
	}
	return w, true
}

func (a *Analysis) warnShort(sums *tally) (Warning, bool) {
	if !a.Settings.Filtering() {
		return Warning{}, false
	}
	text, advice := "kept fewer than 2 samples", "raise keep_pos_ratio (P) or keep_neg_ratio (M)"
	if a.Settings.Recompute {
		text = "kept fewer than 2 samples: recompute leaves their original values"
		advice += ", or turn recompute off (r)"
	}
	return a.counted(sums.short, WarnShort, text, advice)
}

func (a *Analysis) warnKilled(sums *tally) (Warning, bool) {
	text, advice := "had signal before the filter and none after it", "raise keep_pos_ratio (P) or keep_neg_ratio (M)"
	if a.Settings.Recompute {
		text = "had signal and lost it: the rewards that are kept are all equal, so recompute gives 0"
		advice = "keep some of both signs (P, M), or turn recompute off (r)"
	}
	return a.counted(sums.fates[FateKilled], WarnKilled, text, advice)
}

func (a *Analysis) warnFlips(sums *tally) (Warning, bool) {
	if a.Flips == 0 {
		return Warning{}, false
	}
	return Warning{
		Kind: WarnFlips, Count: a.Flips, Of: a.Kept, Unit: "kept samples", Example: sums.flipped.example,
		Text:   "changed sign in recompute: good answers are pushed down, or bad ones up",
		Advice: "keep more of the other sign (P, M), or turn recompute off (r)",
	}, true
}

func (a *Analysis) warnInvalid() (Warning, bool) {
	count, missing := a.ground.invalid, a.ground.missing
	if count == 0 {
		return Warning{}, false
	}
	_, example := a.where(func(g *Group) bool { return g.Invalid > 0 })
	text := "have a NaN or infinite reward"
	if missing > 0 {
		text = fmt.Sprintf("have no usable reward (%d missing, %d NaN or infinite)", missing, count-missing)
	}
	return Warning{
		Kind: WarnInvalid, Count: count, Of: a.Rows, Unit: "samples", Example: example,
		Text: text, Advice: "find out why the reward function failed; " + a.invalidBecomes(),
	}, true
}

// invalidBecomes says what the framework makes of a reward that is none, by the
// first of them.
func (a *Analysis) invalidBecomes() string {
	i := slices.IndexFunc(a.Logged, func(r float64) bool { return !finite(r) })
	switch {
	case i < 0:
		return ""
	case finite(a.Rewards[i]):
		return "the trainer counts it as reward " + units.Short(a.Rewards[i])
	case a.Original[i] == 0:
		return "the trainer leaves it out and gives it 0"
	}
	return "one such sample makes its whole group NaN"
}

func (a *Analysis) warnNoise(sums *tally) (Warning, bool) {
	text, noise := "have equal rewards and yet advantages that are not zero: float residue", sums.fates[FateNoise]
	if noise.count > 0 {
		text += fmt.Sprintf(" of %+.2g and the like", a.Processed(a.Members(noise.example).Start))
	}
	return a.counted(noise, WarnNoise, text, "the trainer does train on it: drop constant groups, or use rewards that float32 holds exactly")
}

func (a *Analysis) warnIdle() (Warning, bool) {
	return Warning{
		Kind: WarnIdle, Count: a.Groups, Of: a.Groups, Unit: "groups", Example: -1,
		Text:   "are unchanged by recompute: " + a.Settings.TrainerWarns(),
		Advice: "lower keep_pos_ratio (p) or keep_neg_ratio (m), or turn recompute off (r)",
	}, a.Settings.Recompute && !a.Settings.Filtering()
}

func (a *Analysis) warnSingles(refusal *estimators.Refusal, sums *tally) (Warning, bool) {
	if refusal != nil {
		return Warning{}, false
	}
	return a.counted(sums.fates[FateSingle], WarnSingles, "have one sample, so nothing to compare it with", "check how the groups were found, or raise the number of generations")
}

func (a *Analysis) warnOneSided(t *tally) (Warning, bool) {
	share := t.sum / t.abs
	way := "up"
	if share < 0 {
		way = "down"
	}
	return Warning{
		Kind: WarnOneSided, Count: a.Kept, Of: a.Rows, Unit: "kept samples", Example: -1,
		Text:   fmt.Sprintf("push %s on the whole: mean advantage %+.2f of mean |A| %.2f", way, t.sum/float64(a.Rows), t.abs/float64(a.Rows)),
		Advice: "bring keep_pos_ratio (p, P) and keep_neg_ratio (m, M) closer together",
	}, a.Settings.Filtering() && math.Abs(share) > oneSided
}

func (a *Analysis) warnEffective(option, word string, ratio float64, kept, all int) (Warning, bool) {
	share := float64(kept) / float64(all)
	return Warning{
		Kind: WarnEffective, Count: kept, Of: all, Unit: word + " samples", Example: -1,
		Text:   fmt.Sprintf("are kept, %.0f%% where %s says %.0f%%: each group keeps max(1, int(n·ratio))", share*100, option, ratio*100),
		Advice: "in small groups choose a ratio that gives whole samples",
	}, ratio > 0 && ratio < 1 && math.Abs(share-ratio) > ratioSlack
}

func (a *Analysis) warnOurs(entry *estimators.Estimator) (Warning, bool) {
	return Warning{
		Kind: WarnOurs, Count: a.Groups, Of: a.Groups, Unit: "groups", Example: -1,
		Text:   fmt.Sprintf("are filtered by easyr1's rule with %s's arithmetic: %s itself has no such filter", a.Settings.Framework, a.Settings.Framework),
		Advice: "take it as a what-if; only easyr1 (f) trains like this",
	}, !entry.TrainerFilters && a.Settings.Filtering()
}

// warnMerged looks for groups a whole multiple larger than the usual one: tasks
// that share a prompt and that the log gives no way to tell apart.
func (a *Analysis) warnMerged() (Warning, bool) {
	if a.Grouping.By != GroupByPrompt || a.Grouping.Doubt == "" {
		return Warning{}, false
	}
	usual := a.usualSize()
	return a.groups(WarnGrouping, func(g *Group) bool { return usual > 1 && g.Size() > usual && g.Size()%usual == 0 },
		fmt.Sprintf("are a multiple of the usual %d samples: %s", usual, a.Grouping.Doubt),
		"log the ground truth or a group id beside the prompt")
}

// usualSize is the most common group size, the smaller of equals.
func (a *Analysis) usualSize() int {
	sizes := map[int]int{}
	for i := range a.Groups {
		sizes[a.Members(i).Size()]++
	}
	usual := 0
	for size, n := range sizes {
		if n > sizes[usual] || n == sizes[usual] && size < usual {
			usual = size
		}
	}
	return usual
}
