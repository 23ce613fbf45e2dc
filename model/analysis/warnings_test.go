package analysis

import (
	"math"
	"slices"
	"strings"
	"testing"

	"vantage/estimators"
	"vantage/model"
)

func TestWarnings(t *testing.T) {
	binary := []float64{1, 1, 1, 1, 0, 0, 0, 0}
	tests := []struct {
		name   string
		groups [][]float64
		set    []string
		kind   model.WarningKind
		count  int // 0: not raised
		says   string
	}{
		{"quiet on a healthy step", [][]float64{binary, binary}, nil, "", 0, ""},
		{"too few kept", [][]float64{{1, 0, 0, 0}, binary}, []string{"keep_neg_ratio", "0", "compute_new_adv", "true"}, WarnTooFewKept, 1, "original values"},
		{"too few kept without recompute too", [][]float64{{1, 0, 0, 0}, binary}, []string{"keep_neg_ratio", "0"}, WarnTooFewKept, 1, "fewer than 2"},
		{"killed", [][]float64{binary, binary, {1, 1}}, []string{"keep_neg_ratio", "0", "compute_new_adv", "true"}, WarnKilledGroups, 2, "lost it"},
		{"recompute without filter", [][]float64{binary}, []string{"compute_new_adv", "true"}, WarnRecomputeWithoutFilter, 1, "only effective when sample filtering is enabled"},
		// kept: .5 .5 .8 1 1.2, of mean .8; both .5 were above the group's mean .4 and are now below, and .8 is at it
		{"flips", [][]float64{{0, 0, .5, .5, .8, 1, 0, 0, 0, 1.2}}, []string{"keep_neg_ratio", "0", "compute_new_adv", "true"}, WarnSignFlips, 3, "changed sign in recompute, 2 +→−, 1 +→0: good answers are pushed down"},
		{"no flips without recompute", [][]float64{{0, 0, .5, .5, .8, 1, 0, 0, 0, 1.2}}, []string{"keep_neg_ratio", "0"}, WarnSignFlips, 0, ""},
		// of two above and four below the mean two go, of one and one none
		{"drawn", [][]float64{{1, 0, 0, 1, 0, 0}, {1, 0}}, []string{"framework", "trinity", "estimator", "rec", "algorithm.advantage_fn_args.drop", "balance"}, WarnDrawnSamples, 1, "draws at random"},
		{"not drawn", [][]float64{{1, 0, 0, 1, 0, 0}}, []string{"framework", "trinity", "estimator", "rec"}, WarnDrawnSamples, 0, ""},
		{"invalid", [][]float64{{1, 0, math.NaN(), estimators.MissingReward()}, binary}, nil, WarnInvalidRewards, 2, "1 missing, 1 NaN"},
		{"noise", [][]float64{slices.Repeat([]float64{.7}, 8), binary}, []string{"framework", "twinkle"}, WarnFloatNoise, 1, "+6"},
		{"the trainer's own refusal", [][]float64{{1}, binary}, nil, WarnTrainerRefuses, 1, "GRPO needs rollout.n > 1."},
		{"one-sided push", [][]float64{binary}, []string{"keep_neg_ratio", "0.3"}, WarnOneSidedPush, 5, "push up"},
		// 3 of 4 positives at 0.7 would be 2.8: int(2.8) = 2
		{"nominal against effective ratio", [][]float64{binary}, []string{"keep_pos_ratio", "0.7"}, WarnEffectiveRatio, 2, "50%, although keep_pos_ratio asks for 70%"},
		{"a positional framework refuses ragged groups and computes them", [][]float64{{1, 0, 1}, binary, binary}, []string{"framework", "trl"}, WarnTrainerRefuses, 1, "would stop TRL: RuntimeError: shape '[-1, 8]' is invalid for input of size 19"},
		{"a group of one under openrlhf", [][]float64{{1}, binary}, []string{"framework", "openrlhf"}, WarnTrainerRefuses, 1, "would stop OpenRLHF"},
		{"a KL penalty in the reward", [][]float64{binary, binary}, []string{"kl_in_reward", "true"}, WarnKLInReward, 16, "groups of equal rewards then train on the KL alone"},
		{"no KL penalty in the reward", [][]float64{binary}, []string{"kl_in_reward", "false"}, WarnKLInReward, 0, ""},
		{"our filter on another framework", [][]float64{binary}, []string{"framework", "twinkle", "keep_pos_ratio", "0.5"}, WarnFilterIsOurs, 1, "pass the sample filter of EasyR1-Brian, tried on this log with the arithmetic of Twinkle: Twinkle itself has no such filter"},
	}
	for _, test := range tests {
		a := analyze(t, snapshotOf(test.groups...), settingsWith(t, test.set...))
		if test.kind == "" {
			if len(a.Warnings) != 0 {
				t.Errorf("%s: %v", test.name, a.Warnings)
			}
			continue
		}
		w, found := warningOf(a, test.kind)
		if found != (test.count > 0) || w.Count != test.count || !strings.Contains(w.Text, test.says) {
			t.Errorf("%s: %d %q, want %d … %q …", test.name, w.Count, w.Text, test.count, test.says)
		}
		if found && (w.Advice == "" || w.Step != 1) {
			t.Errorf("%s: no advice or no step: %+v", test.name, w)
		}
	}
}

func warningOf(a *Analysis, kind model.WarningKind) (model.Warning, bool) {
	for _, w := range a.Warnings {
		if w.Kind == kind {
			return w, true
		}
	}
	return model.Warning{}, false
}

// No filter keeps two samples of a group that has one, nor of one without advantages: too-few-kept speaks of neither.
func TestTooFewKeptOfWhatCanBeKept(t *testing.T) {
	a := analyze(t, snapshotOf([]float64{1, 0, 0, 0}, []float64{1}, []float64{1, 0, math.NaN(), 0}), settingsWith(t, "framework", "verl", "keep_neg_ratio", "0", "compute_new_adv", "true"))
	if w, found := warningOf(a, WarnTooFewKept); !found || w.Count != 1 || w.Example != 0 {
		t.Errorf("%+v, want one group, the first", w)
	}
}
