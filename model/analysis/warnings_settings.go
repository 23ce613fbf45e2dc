package analysis

import (
	"fmt"
	"math"
	"slices"

	"vantage/estimators"
	"vantage/model"
)

func (a *Analysis) trainerRefuses() *model.Warning {
	r := a.refusal
	if r == nil || r.Kind == estimators.KindMissing {
		return nil
	}
	w := &model.Warning{
		Count: max(1, len(r.Groups)), Of: a.Groups, Unit: "groups", Example: -1,
		Text:   fmt.Sprintf("would stop %s: %s", a.Settings.Framework, r.Error()),
		Advice: "the other groups are still computed; check that the groups are right",
	}
	if len(r.Groups) > 0 {
		w.Example = r.Groups[0]
	}
	return w
}

func (a *Analysis) klInReward() *model.Warning {
	if !a.Settings.KLInReward {
		return nil
	}
	return a.ofSamples(a.Rows,
		"have other advantages in the trainer: by its configuration it subtracts a KL penalty from each reward, which no log holds; groups of equal rewards then train on the KL alone",
		"read fates and shares as those of the scores; with the KL in the loss (EasyR1 use_kl_loss: true, verl use_kl_in_reward: False) advantages are as here")
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
		return g.KeptCounted < 2 && slices.ContainsFunc(a.Original[g.Start:g.End], func(x float64) bool { return x != 0 })
	}, text, advice)
}

func (a *Analysis) drawnSamples() *model.Warning {
	if !a.plan.estimator.Draws {
		return nil
	}
	return a.ofGroups(func(g *Group) bool { return g.KeptCounted > 0 && g.KeptCounted < g.Counted },
		fmt.Sprintf("lose samples that %s draws at random; here the last ones are left out", a.Settings.Framework),
		"the number of dropped samples is the trainer's, the choice is not: where their rewards differ, other draws give other advantages")
}

func (a *Analysis) killedGroups() *model.Warning {
	text, advice := "had signal before the filter and none after it", "raise keep_pos_ratio (P) or keep_neg_ratio (M)"
	if a.Settings.Recompute {
		text = "had signal and lost it: the rewards that are kept are all equal, so recompute gives 0"
		advice = "keep some of both signs (P, M), or turn recompute off (r)"
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
	s, n := &a.sums, float64(a.Rows)
	if !a.Settings.Filtering() || !IsOneSided(s.sumProcessed, s.sumAbsProcessed) {
		return nil
	}
	direction := "up"
	if s.sumProcessed < 0 {
		direction = "down"
	}
	return &model.Warning{
		Count: a.Kept, Of: a.Rows, Unit: "kept samples", Example: -1,
		Text:   fmt.Sprintf("push %s overall: mean advantage %+.2f, mean |A| %.2f", direction, s.sumProcessed/n, s.sumAbsProcessed/n),
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
		ratio, kept, all := a.Settings.KeepPos, 0, 0
		if sign < 0 {
			ratio = a.Settings.KeepNeg
		}
		for i, x := range a.perRollout.original {
			n := count01(x*sign > 0)
			all += n
			kept += n & count01(a.perRollout.keep[i])
		}
		if !IsFarFromRatio(ratio, kept, all) {
			return nil
		}
		return &model.Warning{
			Count: kept, Of: all, Unit: signName + " samples", Example: -1,
			Text:   fmt.Sprintf("are kept: %.0f%%, although %s asks for %.0f%%, since each group keeps max(1, int(n·ratio))", 100*float64(kept)/float64(all), name, ratio*100),
			Advice: "for small groups use a ratio that gives whole samples",
		}
	}
}

func (a *Analysis) filterIsOurs() *model.Warning {
	if a.plan.estimator.TrainerFilters || !a.Settings.Filtering() {
		return nil
	}
	framework := a.Settings.Framework
	return a.ofAll(fmt.Sprintf("are filtered by easyr1's rule with %s's arithmetic: %s itself has no such filter", framework, framework),
		"treat it as a what-if; only easyr1 (f) has this filter")
}
