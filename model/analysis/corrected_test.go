package analysis

import (
	"context"
	"math"
	"strings"
	"testing"

	"vantage/model"
)

// judgedSnapshot is a step of groups of two samples, of which a rule makes what is given; of samples that are not given it makes nothing.
func judgedSnapshot(t *testing.T, set model.Settings, rewards [][]float64, judgements ...model.Judgement) model.Snapshot {
	t.Helper()
	chunk, of := &model.Chunk{Files: []string{"x"}, LengthUnit: model.LengthTokens}, map[model.Place]model.Judgement{}
	for g, group := range rewards {
		for _, r := range group {
			at := model.Place{Offset: int64(len(chunk.Records))}
			if n := len(chunk.Records); n < len(judgements) {
				of[at] = judgements[n]
			}
			chunk.Records = append(chunk.Records, model.Record{
				Step: 1, Prompt: uint64(g + 1), Reward: r, Advantage: math.NaN(), Length: 100, Offset: at.Offset,
			})
		}
	}
	store := model.NewStore()
	store.Append(chunk)
	store.SetJudged(model.NewJudged(set.RuleKey(), of))
	return store.Snapshot()
}

// whatever is the judgement of a sample of so many tokens of which a rule leaves so much, whatever its advantage.
func whatever(tokens int32, left, weight float32) model.Judgement {
	share := model.Share{Left: left, Weight: weight}
	return model.Judgement{Tokens: tokens, BySign: [3]model.Share{share, share, share}}
}

// plainSettings have advantages r − μ: half the distance of two rewards.
func plainSettings(t *testing.T, pairs ...string) model.Settings {
	t.Helper()
	return settingsWith(t, append([]string{"framework", "twinkle", "scale", "none"}, pairs...)...)
}

// What a rule leaves shows in everything that trains. By hand, of advantages ±0.5:
//
//	group 1: +0.5 removed, −0.5 with a mean weight of 0.25 on half of its tokens: −0.125
//	group 2: +0.5 with weight 2: 1, −0.5 without log-probs: −0.5
//	group 3: both removed
//
// Σ|A| is 1.625 of 3, ΣA² 0.015625 + 1 + 0.25, so (Σ|A|)²/ΣA² = 2.640625 / 1.265625.
func TestAnOffPolicyRuleShowsInWhatTrains(t *testing.T) {
	set := plainSettings(t, "off_policy", "verl/rollout_is")
	snap := judgedSnapshot(t, set, [][]float64{{1, 0}, {1, 0}, {1, 0}},
		whatever(10, 0, 0), whatever(10, 0.5, 0.25), whatever(10, 1, 2), model.Judgement{}, whatever(10, 0, 0), whatever(10, 0, 0))
	a := analyze(t, snap, set)
	want := []float64{0, -0.125, 1, -0.5, 0, 0}
	for i, x := range a.Processed {
		if x != want[i] || a.Unfiltered[i] != []float64{0.5, -0.5}[i%2] {
			t.Errorf("sample %d: %v of %v, want %v", i, x, a.Unfiltered[i], want[i])
		}
	}
	if a.Nonzero != 3 || a.Kept != 3 || a.Signal != 2 || a.Fates[model.FateKilled] != 1 {
		t.Errorf("%d train, %d kept, %d with signal, %d killed: want 3, 3, 2, 1", a.Nonzero, a.Kept, a.Signal, a.Fates[model.FateKilled])
	}
	for name, want := range map[string]float64{
		"vantage/abs_advantage_ratio": 1.625 / 3, "vantage/effective_samples": 2.640625 / 1.265625, "vantage/off_policy/removed": 3,
		"vantage/off_policy/unjudged": 1, "vantage/off_policy/tokens_kept": 15. / 50, "vantage/off_policy/mean_weight": 22.5 / 15,
	} {
		if got := a.Metric(name); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if text := a.Cause(2); !strings.Contains(text, "verl/rollout_is drops all 2 samples") {
		t.Errorf("group 3: %s", text)
	}
	warned := map[model.WarningKind]model.Warning{}
	for _, w := range a.Warnings {
		warned[w.Kind] = w
	}
	if w := warned[WarnOffPolicy]; w.Count != 1 || !strings.Contains(w.Text, "train as without it") {
		t.Errorf("of the sample without log-probs: %+v", w)
	}
	if w := warned[WarnKilledGroups]; w.Count != 1 || !strings.Contains(w.Text, "none after verl/rollout_is") {
		t.Errorf("of the group that is emptied: %+v", w)
	}
}

// The keep rule comes first: what it drops the rule does not bring back. Of three samples 2, 1, 0 of a group with advantages 1, 0, −1
// keep_neg_ratio 0 drops the last, and recompute over the others gives ±0.5; the rule then looks at these.
func TestKeepRatiosAndAnOffPolicyRule(t *testing.T) {
	set := plainSettings(t, "off_policy", "verl/rollout_is", "keep_neg_ratio", "0", "compute_new_adv", "true")
	up := whatever(10, 1, 1)
	up.BySign[2] = model.Share{Left: 0.5, Weight: 0.5} // of positive advantages
	up.BySign[0] = model.Share{Left: 1, Weight: 3}     // of negative ones
	snap := judgedSnapshot(t, set, [][]float64{{2, 1, 0}}, up, up, up)
	a := analyze(t, snap, set)
	for i, want := range []float64{0.25, -1.5, 0} {
		if a.Processed[i] != want {
			t.Errorf("sample %d: %v, want %v", i, a.Processed[i], want)
		}
	}
	if a.Kept != 2 || a.Keep[2] {
		t.Errorf("%d samples are kept, want 2: %v", a.Kept, a.Keep)
	}
}

// Tokens that leave the mask no longer count in the denominator of the loss where the trainer divides by the mask of afterwards, and count
// where it does not. Of two samples of 100 tokens a rule removes half of the tokens of the second: a token of the rest weighs 1/150 or 1/200,
// and the second sample 50/150 or 50/200 of its advantage.
func TestAnOffPolicyRuleInTheLoss(t *testing.T) {
	for rule, want := range map[string][2]float64{"verl/rollout_rs": {100. / 150, 50. / 150}, "verl/rollout_is": {100. / 200, 50. / 200}} {
		set := plainSettings(t, "off_policy", rule, "loss", "verl/token-mean")
		a := analyze(t, judgedSnapshot(t, set, [][]float64{{1, 0}}, whatever(10, 1, 1), whatever(10, 0.5, 0.5)), set)
		for i, x := range a.Processed {
			advantage := []float64{0.5, -0.5}[i]
			if got := a.LossWeights[i] * x / advantage; math.Abs(got-want[i]) > 1e-6 {
				t.Errorf("%s: sample %d weighs %v of its advantage, want %v", rule, i, got, want[i])
			}
		}
	}
}

// A rule that has not been asked yet, or that nothing can be read for, changes nothing and says so. Once it was asked, the stages from its own
// on are computed again.
func TestARuleThatIsNotAskedYet(t *testing.T) {
	set := plainSettings(t, "off_policy", "verl/rollout_is")
	judged := judgedSnapshot(t, set, [][]float64{{1, 0}}, whatever(10, 0, 0))
	before := analyze(t, judged.WithJudged(), set)
	if before.Kept != 2 || before.WhyUncorrected() != "verl/rollout_is: its log-probs are not read yet" {
		t.Errorf("%d kept: %s", before.Kept, before.WhyUncorrected())
	}
	after, err := AnalyzeSteps(context.Background(), judged, []int{0}, set, before)
	if err != nil || after.Kept != 1 {
		t.Errorf("%v after it was asked: %v", after, err)
	}
	none := analyze(t, judged.WithJudged(&model.Judged{RuleKey: set.RuleKey(), WhyNone: "no log-probs"}), set)
	if none.Kept != 2 || none.WhyUncorrected() != "no log-probs" {
		t.Errorf("%d kept: %s", none.Kept, none.WhyUncorrected())
	}
	set.OffPolicy = ""
	if plain := analyze(t, judged, set); plain.Kept != 2 || plain.WhyUncorrected() != "" {
		t.Errorf("without a rule %d kept: %s", plain.Kept, plain.WhyUncorrected())
	}
}

// Steps that are joined, and some of their groups, have what the rule makes of their samples.
func TestAnOffPolicyRuleOfSeveralSteps(t *testing.T) {
	set := plainSettings(t, "off_policy", "verl/rollout_is")
	chunk, of := &model.Chunk{Files: []string{"x"}}, map[model.Place]model.Judgement{}
	for i := range 8 {
		at := model.Place{Offset: int64(i)}
		chunk.Records = append(chunk.Records, model.Record{
			Step: int64(i / 4), Prompt: uint64(1 + i/2%2), Reward: float64(i % 2), Advantage: math.NaN(), Length: -1, Offset: at.Offset,
		})
		of[at] = whatever(10, float32(i%4/3), float32(i%4/3)) // the last sample of a step stays
	}
	store := model.NewStore()
	store.Append(chunk)
	snap := store.Snapshot().WithJudged(model.NewJudged(set.RuleKey(), of))
	a, err := AnalyzeSteps(context.Background(), snap, []int{0, 1}, set, nil)
	if err != nil {
		t.Fatal(err)
	}
	if a.Kept != 2 || a.Fates[model.FateKilled] != 2 || a.Metric("vantage/off_policy/removed") != 6 {
		t.Errorf("%d kept, %d groups killed, %v removed: want 2, 2, 6", a.Kept, a.Fates[model.FateKilled], a.Metric("vantage/off_policy/removed"))
	}
	if sub := a.Subset([]int{0}); sub.Kept != 0 || sub.Metric("vantage/off_policy/removed") != 2 {
		t.Errorf("of the first group %d kept, %v removed: want 0, 2", sub.Kept, sub.Metric("vantage/off_policy/removed"))
	}
}
