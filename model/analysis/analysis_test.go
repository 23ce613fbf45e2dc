package analysis

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"vantage/estimators"
	"vantage/internal/testkit/repotest"
	"vantage/model"
)

func TestMain(m *testing.M) { repotest.Run(m) }

// randomStep is a step of groups of the given sizes, whose rows are interleaved. Some of the first
// groups have a NaN reward.
func randomStep(groups int, size func(g int) int) model.Snapshot {
	random := rand.New(rand.NewPCG(3, 4))
	s := model.NewStore()
	c := &model.Chunk{Format: "made", Files: []string{"x"}, LengthUnit: model.LengthTokens}
	for round := range 12 {
		for g := range groups {
			if round >= size(g) {
				continue
			}
			reward := float64(random.IntN(4)) / 3
			if g%17 == 0 {
				reward = 1
			}
			if g%301 == 5 && g < 4000 && round == 2 {
				reward = math.NaN()
			}
			c.Records = append(c.Records, model.Record{
				Step: 1, Group: fmt.Sprint(g), Reward: reward, Length: int32(random.IntN(900)), Advantage: math.NaN(),
			})
		}
	}
	s.Append(c)
	return s.Snapshot()
}

// Whatever an analysis reuses of the previous one, it equals one that reuses nothing.
func TestAnalyzeAfterEqualsAnalyze(t *testing.T) {
	snap := randomStep(repotest.Times(20, 60), unevenSize)
	rapid.Check(t, func(t *rapid.T) {
		var previous *Analysis
		for range repotest.Times(2, 9) {
			set := model.DefaultSettings()
			e := rapid.SampledFrom([][2]string{{"easyr1", "grpo"}, {"twinkle", "grpo"}, {"trl", "grpo"}, {"verl", "rloo"}}).Draw(t, "estimator")
			set = set.WithFramework(e[0]).WithEstimator(e[1])
			set.KeepPos = rapid.SampledFrom([]float64{0, 0.3, 0.5, 1}).Draw(t, "pos")
			set.KeepNeg = rapid.SampledFrom([]float64{0.2, 1}).Draw(t, "neg")
			set.Recompute = rapid.Bool().Draw(t, "recompute")
			set.GroupFilter = rapid.SampledFrom([]string{"", "verl/filter_groups", "skyrl/zero_variance_filter", "prime-rl/filter_zero_advantages"}).Draw(t, "filter")
			set.Loss = rapid.SampledFrom([]string{"", "verl/token-mean", "prime-rl/default", "trl/dr_grpo"}).Draw(t, "loss")
			set.Overlong = rapid.SampledFrom([]string{"", "trl/soft_overlong_punishment"}).Draw(t, "penalty")
			for _, option := range rapid.SliceOfDistinct(rapid.SampledFrom([]string{"max_completion_len=800", "max_completion_length=700", "soft_punish_cache=300", "zero_variance_filter_tol=0.4"}), rapid.ID).Draw(t, "options") {
				key, value, _ := strings.Cut(option, "=")
				set.StageOptions = set.StageOptions.With(key, value)
			}
			after, err := analyzeAfter(context.Background(), snap, 0, set, previous)
			alone, aloneErr := Analyze(context.Background(), snap, 0, set)
			if diff := cmp.Diff(alone, after, cmpopts.EquateNaNs(), cmpopts.IgnoreUnexported(Analysis{})); diff != "" || (err == nil) != (aloneErr == nil) {
				t.Fatalf("%+v, after another: %v, %v -alone +after\n%s", set, aloneErr, err, diff)
			}
			previous = after
		}
	})
}

// When a log grows, a step that did not change is reused, and one that did is computed again.
func TestAnalyzeAfterTheLogHasGrown(t *testing.T) {
	store, set := model.NewStore(), settingsWith(t, "keep_pos_ratio", "0.5")
	store.Append(chunkOf(1, []float64{1, 0, 1, 0}, []float64{1, 1, 0, 0}))
	previous := analyze(t, store.Snapshot(), set)
	for _, step := range []int64{2, 1} {
		store.Append(chunkOf(step, []float64{1, 0, 0, 0}))
		snap := store.Snapshot()
		got, err := analyzeAfter(context.Background(), snap, 0, set, previous)
		if err != nil {
			t.Fatal(err)
		}
		isReused := &got.LoggedRewards[0] == &previous.LoggedRewards[0]
		if diff := cmp.Diff(analyze(t, snap, set), got, cmpopts.EquateNaNs(), cmpopts.IgnoreUnexported(Analysis{})); diff != "" || isReused != (step == 2) {
			t.Errorf("after a chunk of step %d, reused %v:\n%s", step, isReused, diff)
		}
		if again, err := analyzeAfter(context.Background(), snap, 0, set, got); err != nil || again != got {
			t.Errorf("equal settings of an equal step are computed again: %v", err)
		}
	}
}

func unevenSize(g int) int { return 4 + g%9 }

func evenSize(int) int { return 8 }

// A step of several blocks has the advantages of the whole.
func TestBlocksEqualTheWholeBatch(t *testing.T) {
	for _, size := range []func(int) int{unevenSize, evenSize} {
		snap := randomStep(9_000, size)
		for _, estimator := range [][3]string{{"easyr1", "grpo"}, {"easyr1", "grpo", "recompute"}, {"twinkle", "grpo", "recompute"}, {"trl", "grpo", "recompute"}, {"verl", "grpo_passk", "recompute"}} {
			set := model.DefaultSettings().WithFramework(estimator[0]).WithEstimator(estimator[1])
			set.KeepPos, set.KeepNeg, set.Recompute = 0.5, 0.7, estimator[2] != ""
			a, err := Analyze(context.Background(), snap, 0, set)
			if err != nil || len(a.shaped.blocks) < 3 {
				t.Fatal(err, len(a.shaped.blocks))
			}
			entry, _ := set.FindEstimator()
			want := estimators.Result{Unfiltered: make([]float64, len(a.Batch.Rewards))}
			refused := entry.Compute(want.Unfiltered, a.Batch, a.Settings.Scale)
			if err := want.Filter(entry, a.Batch, a.Settings.Scale, a.Settings.KeepPos, a.Settings.KeepNeg, a.Settings.Recompute); err != nil {
				t.Fatal(err)
			}
			if (refused != nil) != (a.unfiltered.refusal != nil) {
				t.Errorf("%v: refused %v, of the whole %v", estimator, a.unfiltered.refusal, refused)
			}
			checkEqual(t, a, &want)
		}
	}
}

// checkEqual compares an analysis with the result of the whole batch.
func checkEqual(t *testing.T, a *Analysis, want *estimators.Result) {
	t.Helper()
	kept := 0
	var flips Flips
	for i := range want.Kept {
		if a.Keep[i] != want.Kept[i] || math.Float64bits(a.Processed[i]) != math.Float64bits(want.Processed[i]) {
			t.Fatalf("sample %d: %v %v, want %v %v", i, a.Keep[i], a.Processed[i], want.Kept[i], want.Processed[i])
		}
		if want.Kept[i] {
			kept++
			for k, kind := range FlipKinds() {
				if FlipOf(want.Unfiltered[i], want.Processed[i]) == kind.Label {
					flips[k]++
				}
			}
		}
	}
	if a.Kept != kept || a.Flips != flips {
		t.Errorf("%d kept, flips %v, want %d and %v", a.Kept, a.Flips, kept, flips)
	}
}

func TestAnalyzeFailsIfTheContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Analyze(ctx, snapshotOf([]float64{1, 0}), 0, model.DefaultSettings()); err == nil {
		t.Error("no error after the context ended")
	}
}

// BenchmarkAnalyze computes a step for the first time, and after a change of a setting.
func BenchmarkAnalyze(b *testing.B) {
	for _, samples := range []int{2_048, 16_384, 131_072, 1 << 20} {
		snap, set := gradedStep(samples), model.DefaultSettings()
		set.KeepPos, set.KeepNeg = 0.7, 0.5
		ratio, recompute := set, set
		ratio.KeepPos, recompute.Recompute = 0.6, true
		weighed := ratio
		weighed.Loss = "verl/token-mean"
		recomputedRatio := recompute
		recomputedRatio.KeepPos = 0.6
		previous := map[bool]*Analysis{}
		for _, before := range []model.Settings{set, recompute} {
			a, err := Analyze(context.Background(), snap, 0, before)
			if err != nil {
				b.Fatal(err)
			}
			previous[before.Recompute] = a
		}
		for _, c := range []struct {
			name     string
			set      model.Settings
			previous *Analysis
		}{
			{"first", set, nil},
			{"ratio", ratio, previous[false]},
			{"ratio-loss", weighed, previous[false]},
			{"recompute", recompute, previous[false]},
			{"recomputed-ratio", recomputedRatio, previous[true]},
			{"estimator", set.WithEstimator("rloo"), previous[false]},
			{"framework", set.WithFramework("trl"), previous[false]},
		} {
			b.Run(fmt.Sprintf("%s/%d", c.name, samples), func(b *testing.B) {
				for b.Loop() {
					if _, err := analyzeAfter(context.Background(), snap, 0, c.set, c.previous); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// gradedStep is a step of groups of 16 with rewards of 11 levels.
func gradedStep(samples int) model.Snapshot {
	block := model.Block{Prompts: []model.Prompt{{}}}
	for i := range samples {
		if i%16 == 0 {
			block.Prompts = append(block.Prompts, model.Prompt{Hash: uint64(i + 1)})
		}
		block.Step, block.Offset = append(block.Step, 1), append(block.Offset, int64(i)*100)
		block.Reward, block.Length = append(block.Reward, float64(i*7919%11)/10), append(block.Length, int32(i%4096))
		block.Prompt = append(block.Prompt, int32(i/16+1))
	}
	s := model.NewStore()
	s.Append(&model.Chunk{Format: "made", Files: []string{"x"}, LengthUnit: model.LengthTokens, HasTruth: true, Blocks: []model.Block{block}})
	return s.Snapshot()
}

// Three groups: one of equal rewards, one of mean 0.9 outside OpenRLHF's range, one that stays.
func chainRewards() [][]float64 {
	return [][]float64{{1, 1, 1, 1}, {1, 1, 1, 0.6}, {1, 0, 0, 1}}
}

func TestGroupFilterSkipsGroups(t *testing.T) {
	a := analyze(t, snapshotOf(chainRewards()...), settingsWith(t, "framework", "openrlhf", "estimator", "group_norm", "group_filter", "openrlhf/dynamic_filtering", "option", "algo.dynamic_filtering_range=0 0.85"))
	if a.AdmittedGroups != 1 || a.Fates[model.FateSkipped] != 2 || a.Signal != 1 || a.Kept != 4 {
		t.Errorf("admitted %d, fates %v, signal %d, kept %d", a.AdmittedGroups, a.Fates, a.Signal, a.Kept)
	}
	if x := a.Metric("vantage/refill"); x != 3 {
		t.Errorf("refill %v, want 3 groups for one", x)
	}
	for i := range 8 {
		if a.Processed[i] != 0 || a.Keep[i] || a.Trains(i) {
			t.Errorf("sample %d of a skipped group trains", i)
		}
	}
	if a.Unfiltered[4] == 0 {
		t.Error("the advantages before the filter are those of all groups")
	}
	if why := a.Cause(1); why != "not admitted by openrlhf/dynamic_filtering: too easy: mean 0.9; replaced by another prompt" {
		t.Errorf("%q", why)
	}
}

// Under scale batch the std is that of the admitted groups alone: rewards 1 0 0 1 have mean 0.5 and a
// std, ddof 1, of √(1/3), where those of all three groups have another.
func TestSkippedGroupsAreNotInTheBatch(t *testing.T) {
	set := settingsWith(t, "framework", "trl", "estimator", "grpo", "scale", "batch")
	all := analyze(t, snapshotOf(chainRewards()...), set)
	set.GroupFilter = "openrlhf/dynamic_filtering"
	set.StageOptions = "algo.dynamic_filtering_range=0 0.85"
	a := analyze(t, snapshotOf(chainRewards()...), set)
	want := 0.5 / (math.Sqrt(1./3) + 1e-4)
	if math.Abs(a.Processed[8]-want) > 1e-6 || math.Abs(a.Processed[9]+want) > 1e-6 {
		t.Errorf("%v, want ±%v", a.Processed[8:], want)
	}
	if math.Abs(all.Processed[8]-want) < 0.1 {
		t.Errorf("without the filter it is %v too", all.Processed[8])
	}
}

// The keep ratios act on what the group filter leaves.
func TestKeepRatiosAfterGroupFilter(t *testing.T) {
	a := analyze(t, snapshotOf(chainRewards()...), settingsWith(t, "group_filter", "verl/filter_groups", "keep_pos_ratio", "0.5"))
	if a.AdmittedGroups != 2 || !slices.Equal(a.Keep, []bool{false, false, false, false, true, false, false, true, true, true, true, false}) {
		t.Errorf("admitted %d, kept %v", a.AdmittedGroups, a.Keep)
	}
}

// verl's DAPO manager with 10 of 20 tokens as buffer: a response of 15 tokens loses 0.5, one of 10 nothing.
func TestOverlongMakesPhantomGroups(t *testing.T) {
	store := model.NewStore()
	chunk := &model.Chunk{LengthUnit: model.LengthTokens}
	for i, length := range []int32{10, 15, 20, 10} {
		chunk.Records = append(chunk.Records, model.Record{Step: 1, Prompt: 1, Reward: 1, Advantage: math.NaN(), Length: length, Offset: int64(i)})
	}
	store.Append(chunk)
	set := settingsWith(t, "framework", "verl", "overlong", "verl/dapo", "group_filter", "verl/filter_groups",
		"option", "reward.reward_kwargs.overlong_buffer_cfg.len=10", "option", "reward.reward_kwargs.overlong_buffer_cfg.penalty_factor=1", "option", "reward.reward_kwargs.max_resp_len=20")
	a := analyze(t, store.Snapshot(), set)
	if !slices.Equal(a.Rewards, []float64{1, 0.5, 0, 1}) || a.Shaped() != 2 || a.LoggedMean() != 1 {
		t.Errorf("%v, %d lowered, logged mean %v", a.Rewards, a.Shaped(), a.LoggedMean())
	}
	if w, found := warningOf(a, WarnPhantomGroups); !found || w.Count != 1 {
		t.Errorf("%+v", a.Warnings)
	}
	set.StageOptions = set.StageOptions.Without("reward.reward_kwargs.max_resp_len")
	a = analyze(t, store.Snapshot(), set)
	if w, found := warningOf(a, WarnStageNotApplied); !found || a.Fates[model.FateSkipped] != 1 {
		t.Errorf("%v %+v", found, w)
	}
}

// numpy's std of 0.1 three times is 1.4e-17, not 0, so SkyRL's filter keeps such a group.
func TestEqualRewardsThatAreAdmitted(t *testing.T) {
	a := analyze(t, snapshotOf([]float64{0.1, 0.1, 0.1}, []float64{0.5, 0.5, 0.5}), settingsWith(t, "group_filter", "skyrl/dynamic_sampling_filter"))
	if w, found := warningOf(a, WarnEqualAdmitted); !found || w.Count != 1 || a.AdmittedGroups != 1 {
		t.Errorf("%v %+v, %d admitted", found, w, a.AdmittedGroups)
	}
}

// An analysis that passes in the memory of others holds what one that stays does, whatever was there before.
func TestPassingAnalysesAreTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		chunk := &model.Chunk{Format: "made", LengthUnit: model.LengthTokens, HasTruth: true}
		for step := range rapid.IntRange(1, 12).Draw(t, "steps") {
			for prompt := range rapid.IntRange(1, 5).Draw(t, "groups") {
				for range rapid.IntRange(1, 9).Draw(t, "size") {
					chunk.Records = append(chunk.Records, model.Record{
						Step: int64(step), Prompt: uint64(prompt + 1), Reward: float64(rapid.IntRange(0, 3).Draw(t, "reward")), Advantage: math.NaN(),
						Length: rapid.Int32Range(-1, 3).Draw(t, "length"),
					})
				}
			}
		}
		snap, set := stepsOf(chunk), model.DefaultSettings()
		set.KeepPos, set.KeepNeg = rapid.Float64Range(0, 1).Draw(t, "pos"), rapid.Float64Range(0, 1).Draw(t, "neg")
		set.Recompute = rapid.Bool().Draw(t, "recompute")
		var want []Analysis
		if err := Each(context.Background(), snap, set, func(a *Analysis) error {
			want = append(want, *a)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		at := 0
		err := EachPassing(context.Background(), snap, set, func(a *Analysis) error {
			a.NameGroups()
			for what, values := range map[string][2]any{
				"figures": {want[at].StepFigures, a.StepFigures}, "groups": {want[at].Table, a.Table}, "columns": {want[at].Columns, a.Columns},
				"original": {want[at].Unfiltered, a.Unfiltered}, "processed": {want[at].Processed, a.Processed}, "kept": {want[at].Keep, a.Keep},
			} {
				if diff := cmp.Diff(values[0], values[1], cmpopts.EquateNaNs()); diff != "" {
					t.Fatalf("%s of step %d: %s", what, a.Step, diff)
				}
			}
			at++
			return nil
		})
		if err != nil || at != len(want) {
			t.Fatalf("%d of %d steps, %v", at, len(want), err)
		}
	})
}
