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

	"vantage/model"
)

// stepsOf is a run whose step k+1 has steps[k].
func stepsOf(steps ...*model.Chunk) model.Snapshot {
	store := model.NewStore()
	for _, chunk := range steps {
		store.Append(chunk)
	}
	return store.Snapshot()
}

func analyzeSteps(t *testing.T, snap model.Snapshot, set model.Settings, steps ...int) *Analysis {
	t.Helper()
	a, err := AnalyzeSteps(context.Background(), snap, steps, set, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Counts and metrics of three joined steps, by hand.
func TestJoinedSteps(t *testing.T) {
	snap := stepsOf(chunkOf(1, []float64{1, 0}), chunkOf(2, []float64{1, 1}), chunkOf(3, []float64{0, 0, 0, 1}), chunkOf(4, []float64{0, 0}))
	a := analyzeSteps(t, snap, settingsWith(t, "keep_neg_ratio", "0.5"), 0, 1, 2)
	if a.Step != 3 || a.Groups != 3 || a.Rows != 8 || a.Signal != 2 || a.Kept != 2+2+2 || a.Nonzero != 2+2 ||
		a.Fates[model.FateAlive] != 2 || a.Fates[model.FateAllCorrect] != 1 || a.Open {
		t.Errorf("%+v", a.StepFigures)
	}
	for name, want := range map[string]float64{
		"critic/score/mean": 4.0 / 8, "sample_distribution/num_positive": 2, "sample_distribution/num_negative": 4,
		"vantage/signal": 2.0 / 3, "vantage/kept": 6.0 / 8, "vantage/nonzero_advantages": 4, "frac_reward_zero_std": 2.0 / 8,
		"pass@1": (0.5 + 1 + 0.25) / 3, "vantage/solve_rate/100": 1,
		// each step has a longest response of its own: 11, 11 and 13
		"response_length/max": 13, "response_length/clip_ratio": 3.0 / 8, "response_length_no_cutoff/count": 5,
	} {
		if got := a.Metric(name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	for i, want := range []struct {
		step       int64
		start, end int
	}{{1, 0, 2}, {2, 2, 4}, {3, 4, 8}} {
		if g := a.Table[i]; g.Step != want.step || g.Start != want.start || g.End != want.end || a.Offsets[i] != want.start {
			t.Errorf("group %d: %+v", i, g)
		}
		if of, k := a.PartOf(i); of.Step != want.step || k != 0 {
			t.Errorf("group %d is group %d of step %d", i, k, of.Step)
		}
	}
	if got := a.Cause(1); got != "all correct (2/2 at 1): zero variance at the best reward of the run" {
		t.Error(got)
	}
	// of 2 positive and 4 negative samples 2 each are kept: ΣA is 1.5 − 0.5 and Σ|A| 1.5 + 0.5 + 2·0.7071
	if w := a.Warnings; len(w) != 1 || w[0].Kind != WarnOneSidedPush || w[0].Count != 6 || !strings.Contains(w[0].Text, "ΣA / Σ|A| is +0.29") {
		t.Errorf("%+v", w)
	}
}

// A rule about a batch counts over the joined steps, in the words of the step where it finds most.
func TestJoinedWarningsOfBatches(t *testing.T) {
	snap := stepsOf(chunkOf(1, []float64{1}, []float64{1, 0}), chunkOf(2, []float64{1, 0}), chunkOf(3, []float64{0}, []float64{1}, []float64{0, 1}))
	a := analyzeSteps(t, snap, model.DefaultSettings(), 0, 1, 2)
	refused := model.Warning{
		Kind: WarnTrainerRefuses, Step: 3, Count: 3, Of: 6, Unit: "groups", Example: 3,
		Text:   "would stop EasyR1 (Brian's fork): " + analyzeSteps(t, snap, model.DefaultSettings(), 2).Refusal() + ", at step 3 and 1 other step",
		Advice: "the other groups are still computed; check that the groups are right",
	}
	if diff := cmp.Diff(refused, a.Warnings[0]); diff != "" {
		t.Error(diff)
	}
}

// randomRun is a run of some steps, of up to four groups of up to five samples.
func randomRun(t *rapid.T) model.Snapshot {
	random := rand.New(rand.NewPCG(5, rapid.Uint64Range(1, 1000).Draw(t, "seed")))
	store := model.NewStore()
	for step := range rapid.IntRange(2, 6).Draw(t, "steps") {
		var groups [][]float64
		for range 1 + random.IntN(4) {
			rewards := make([]float64, 1+random.IntN(5))
			for i := range rewards {
				rewards[i] = float64(random.IntN(3)) / 2
			}
			groups = append(groups, rewards)
		}
		store.Append(chunkOf(int64(step+1), groups...))
	}
	return store.Snapshot()
}

// Advantages, kept samples and fates of joined steps are those of each step alone, whatever is reused;
// counts are their sums. A window that moves reuses the steps that stay.
func TestJoinedStepsAreTheirSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		snap := randomRun(t)
		var previous *Analysis
		for range 6 {
			set := model.DefaultSettings()
			e := rapid.SampledFrom([][3]string{{"easyr1", "grpo", "group"}, {"trl", "grpo", "batch"}, {"verl", "rloo", "none"}}).Draw(t, "estimator")
			set = set.WithFramework(e[0]).WithEstimator(e[1])
			var err error
			if set, err = set.Set("scale", e[2]); err != nil {
				t.Fatal(err)
			}
			set.KeepPos, set.Recompute = rapid.SampledFrom([]float64{0.3, 1}).Draw(t, "pos"), rapid.Bool().Draw(t, "recompute")
			set.GroupFilter = rapid.SampledFrom([]string{"", "verl/filter_groups"}).Draw(t, "filter")
			set.Loss = rapid.SampledFrom([]string{"", "verl/token-mean"}).Draw(t, "loss")
			from := rapid.IntRange(0, len(snap.Steps)-1).Draw(t, "from")
			var steps []int
			for i := from; i < len(snap.Steps) && len(steps) < 4; i++ {
				steps = append(steps, i)
			}
			a, err := AnalyzeSteps(context.Background(), snap, steps, set, previous)
			if err != nil {
				t.Fatal(err)
			}
			checkJoined(t, snap, set, steps, a)
			again, err := AnalyzeSteps(context.Background(), snap, steps, set, a)
			if err != nil || again != a {
				t.Fatalf("the same again is computed anew: %v", err)
			}
			previous = a
		}
	})
}

// checkJoined compares joined steps with each alone.
func checkJoined(t *rapid.T, snap model.Snapshot, set model.Settings, steps []int, a *Analysis) {
	group, sample := 0, 0
	var sum StepFigures
	for _, i := range steps {
		alone, err := Analyze(context.Background(), snap, i, set)
		if err != nil {
			t.Fatal(err)
		}
		for g := range alone.Table {
			want, got := alone.Table[g], a.Table[group+g]
			got.Start, got.End = got.Start-sample, got.End-sample
			if diff := cmp.Diff(want, got, cmpopts.EquateNaNs()); diff != "" || a.WhySkipped(group+g) != alone.WhySkipped(g) || a.Cause(group+g) != alone.Cause(g) {
				t.Fatal(diff)
			}
		}
		for j := range alone.Unfiltered {
			k := sample + j
			same := func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) }
			if !same(a.Unfiltered[k], alone.Unfiltered[j]) || !same(a.Processed[k], alone.Processed[j]) || a.Keep[k] != alone.Keep[j] ||
				a.InputRow[k] != alone.InputRow[j] || a.Lengths[k] != alone.Lengths[j] || a.Trains(k) != alone.Trains(j) ||
				alone.LossWeights != nil && !same(a.LossWeights[k], alone.LossWeights[j]) {
				t.Fatalf("sample %d of step %d", j, alone.Step)
			}
		}
		group, sample = group+alone.Groups, sample+alone.Rows
		sum.Signal, sum.Kept, sum.Nonzero, sum.AdmittedGroups = sum.Signal+alone.Signal, sum.Kept+alone.Kept, sum.Nonzero+alone.Nonzero, sum.AdmittedGroups+alone.AdmittedGroups
	}
	if a.Groups != group || a.Rows != sample || a.Signal != sum.Signal || a.Kept != sum.Kept || a.Nonzero != sum.Nonzero || a.AdmittedGroups != sum.AdmittedGroups {
		t.Fatalf("%+v, want the sums %+v", a.StepFigures, sum)
	}
}

// When a log grows, joined steps keep no older snapshot in memory, and each is as it was; the trend takes
// steps from them.
func TestJoinedStepsOfAGrowingLog(t *testing.T) {
	store, set := model.NewStore(), settingsWith(t, "loss", "verl/token-mean")
	store.Append(chunkOf(1, []float64{1, 0}))
	store.Append(chunkOf(2, []float64{1, 0, 0}))
	before := analyzeSteps(t, store.Snapshot(), set, 0, 1)
	store.Append(chunkOf(3, []float64{1, 1, 0}))
	snap := store.Snapshot()
	a, err := AnalyzeSteps(context.Background(), snap, []int{0, 1, 2}, set, before)
	if err != nil {
		t.Fatal(err)
	}
	for k, p := range a.Parts() {
		if p.plan.snap.Revision != snap.Revision || p.grouped.snap.Revision != snap.Revision || k < 2 && &p.Unfiltered[0] != &before.Parts()[k].Unfiltered[0] {
			t.Errorf("step %d has an older snapshot, or was computed again", p.Step)
		}
	}
	set.KeepPos = 0.5
	next, err := AnalyzeSteps(context.Background(), snap, []int{0, 1, 2}, set, a)
	if err != nil || &next.Parts()[0].Unfiltered[0] != &a.Parts()[0].Unfiltered[0] {
		t.Errorf("a change of the filter computes the advantages again: %v", err)
	}
	trend, err := ComputeTrend(context.Background(), snap, set, nil, next, 1)
	if err != nil || trend.Pending != 0 {
		t.Fatalf("%d steps are pending, although all are known: %v", trend.Pending, err)
	}
	for i, s := range trend.Steps {
		if s.Groups != 1 || s.Step != int64(i+1) {
			t.Errorf("step %d of the trend: %+v", i, s)
		}
	}
}

// Counts of rollouts, and which one a sample is of, are those of its own step.
func TestJoinedRollouts(t *testing.T) {
	chunk := func(step int64) *model.Chunk {
		c := chunkOf(step, []float64{1, 0, 0})
		for i := range c.Records {
			c.Records[i].Rollout = model.Rollout{Number: int32(1 + min(i, 1)), Output: int32(max(0, i-1))}
		}
		return c
	}
	a := analyzeSteps(t, stepsOf(chunk(1), chunk(2)), model.DefaultSettings(), 0, 1)
	for i, want := range []int{0, 1, 1, 0, 1, 1} {
		rollout, last, ok := a.RolloutOf(&a.Table[i/3], i)
		if rollout != want || last != (i%3 != 1) || !ok {
			t.Errorf("sample %d: rollout %d, last %v, %v", i, rollout, last, ok)
		}
	}
}

// BenchmarkAnalyzeSteps changes a ratio of joined steps.
func BenchmarkAnalyzeSteps(b *testing.B) {
	for _, c := range [][2]int{{10, 6}, {300, 6}, {2048, 6}, {10, 4096}, {64, 4096}} {
		b.Run(fmt.Sprintf("%dx%d", c[0], c[1]), func(b *testing.B) {
			store := model.NewStore()
			var steps []int
			for i := range c[0] {
				var groups [][]float64
				for range max(1, c[1]/16) {
					groups = append(groups, []float64{1, 0, 1, 0, 1, 0.5, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1}[:min(c[1], 16)])
				}
				store.Append(chunkOf(int64(i+1), groups...))
				steps = append(steps, i)
			}
			snap, set := store.Snapshot(), model.DefaultSettings()
			var a *Analysis
			for i := 0; b.Loop(); i++ {
				set.KeepPos = float64(3+i%5) / 10
				var err error
				if a, err = AnalyzeSteps(context.Background(), snap, steps, set, a); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// All groups have the metrics of the step; two of three have those of a step of these, by hand.
func TestSubsetIsAStepOfItsGroups(t *testing.T) {
	snap := snapshotOf([]float64{1, 0, 1, 0}, []float64{1, 1}, []float64{0, 0, 0, 1})
	a := analyze(t, snap, settingsWith(t, "keep_neg_ratio", "0.5"))
	if diff := cmp.Diff(a.Metrics, a.Subset([]int{0, 1, 2}).Metrics, cmpopts.EquateNaNs()); diff != "" {
		t.Error(diff)
	}
	some := a.Subset([]int{0, 2})
	if some.Groups != 2 || some.Rows != 8 || some.Signal != 2 || some.Fates[model.FateAllCorrect] != 0 {
		t.Errorf("%+v", some)
	}
	// of 2 and 3 negative samples one each stays, and all 3 positive ones
	for name, want := range map[string]float64{
		"critic/score/mean": 3.0 / 8, "sample_distribution/num_positive": 3, "sample_distribution/num_negative": 5,
		"sample_distribution/kept_total": 5, "vantage/kept": 5.0 / 8, "vantage/signal": 1, "frac_reward_zero_std": 0,
		"response_length/max": 13, "pass@1": (0.5 + 0.25) / 2,
	} {
		if got := some.Metric(name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if none := a.Subset(nil); none.Rows != 0 || none.Groups != 0 {
		t.Errorf("%+v", none)
	}
}

// The weights in the loss of a subset are those within the whole step: by hand, of lengths 10 to 13 twice
// the group that trains has 46 of 92 tokens, its positive mass is 1.5·10/92, and its negative 0.5·36/92.
func TestSubsetKeepsTheWeights(t *testing.T) {
	a := analyze(t, snapshotOf([]float64{1, 0, 0, 0}, []float64{1, 1, 1, 1}), settingsWith(t, "loss", "verl/token-mean"))
	some := a.Subset([]int{0})
	for name, want := range map[string]float64{"vantage/loss/mass": 33. / 92, "vantage/loss/negative_to_positive": 18. / 15, "vantage/loss/dilution": 1} {
		if got := some.Metric(name); math.Abs(got-want) > 1e-5 {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}

// A trend that is computed in parts, the newest steps first, equals one computed at once.
func TestTrendInPartsEqualsTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		store := model.NewStore()
		steps := rapid.IntRange(1, 9).Draw(t, "steps")
		for step := range steps {
			store.Append(chunkOf(int64(step+1), []float64{1, 0, float64(step)}, []float64{1, 1}))
		}
		set, snap := model.DefaultSettings(), store.Snapshot()
		whole := allSteps(t, store, set, nil)
		var part *Trend
		var err error
		for left := steps; left > 0; left = part.Pending {
			samples := rapid.IntRange(0, 20).Draw(t, "samples")
			if part, err = ComputeTrend(context.Background(), snap, set, part, nil, samples); err != nil {
				t.Fatal(err)
			}
			if want := left - max(1, samples/5); part.Pending != max(0, want) { // five samples a step
				t.Fatalf("%d steps left of %d after %d samples", part.Pending, left, samples)
			}
			for i := range part.Steps {
				if pending := i < part.Pending; part.Steps[i].Pending != pending {
					t.Fatalf("step %d of %d with %d left: pending is %v", i+1, steps, part.Pending, !pending)
				}
			}
		}
		if diff := cmp.Diff(whole.Steps, part.Steps, cmpopts.EquateNaNs(), cmp.AllowUnexported(StepFigures{})); diff != "" {
			t.Error(diff)
		}
	})
}

// All that a trend of means has is what a whole trend has, but for the metrics that it lacks.
func TestMeansAreThoseOfTheTrend(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		random := rand.New(rand.NewPCG(9, rapid.Uint64Range(1, 1000).Draw(t, "seed")))
		store := model.NewStore()
		for step := range 3 {
			chunk := chunkOf(int64(step+1), []float64{1, 0, 0.5}, []float64{1, 1, 1}, []float64{0, -1})
			for i := range chunk.Records {
				switch r := &chunk.Records[i]; random.IntN(12) {
				case 0:
					r.Reward = math.NaN()
				case 1:
					r.Status = model.StatusErrored
				case 2:
					r.Length = -1
				}
			}
			store.Append(chunk)
		}
		set := model.DefaultSettings()
		set.KeepNeg = rapid.SampledFrom([]float64{0.3, 1}).Draw(t, "neg")
		set.Loss = rapid.SampledFrom([]string{"", "verl/token-mean"}).Draw(t, "loss")
		means, err := ComputeMeans(context.Background(), store.Snapshot(), set)
		if err != nil {
			t.Fatal(err)
		}
		whole := allSteps(t, store, set, nil)
		for i, s := range means.Steps {
			for _, m := range s.Metrics {
				if want := whole.Steps[i].Metric(m.Name); m.Value != want && !(math.IsNaN(m.Value) && math.IsNaN(want)) {
					t.Errorf("%s of step %d is %v, in a whole trend %v", m.Name, s.Step, m.Value, want)
				}
			}
			for _, name := range []string{"critic/score/mean", "response_length/mean", "response_length/clip_ratio"} {
				if isMissing := !slices.ContainsFunc(s.Metrics, func(m Metric) bool { return m.Name == name }); isMissing {
					t.Errorf("step %d lacks %s", s.Step, name)
				}
			}
		}
		ignored := cmpopts.IgnoreFields(StepFigures{}, "Metrics", "AbsUnfiltered", "AbsProcessed", "Squares")
		if diff := cmp.Diff(whole.Steps, means.Steps, cmpopts.EquateNaNs(), cmp.AllowUnexported(StepFigures{}), ignored); diff != "" {
			t.Error(diff)
		}
	})
}

// While a log grows, computed steps stay, even if a part does not reach down to them.
func TestTrendKeepsOlderSteps(t *testing.T) {
	store := model.NewStore()
	store.Append(chunkOf(1, []float64{1, 0}))
	set := model.DefaultSettings()
	old := allSteps(t, store, set, nil)
	for step := int64(2); step <= 4; step++ {
		store.Append(chunkOf(step, []float64{1, 0}))
	}
	part, err := ComputeTrend(context.Background(), store.Snapshot(), set, old, nil, 2)
	if err != nil {
		t.Fatal(err)
	}
	var pending []bool
	for i := range part.Steps {
		pending = append(pending, part.Steps[i].Pending)
	}
	if diff := cmp.Diff([]bool{false, true, true, false}, pending); diff != "" || part.Pending != 2 {
		t.Errorf("%d left: %s", part.Pending, diff)
	}
	if first := part.FirstWarnings(); len(first) > 0 && first[len(first)-1].StepIndex > 0 {
		t.Errorf("a first warning after a pending step: %+v", first)
	}
	if v := part.Series("critic/score/mean"); v[0] != 0.5 || !math.IsNaN(v[1]) || v[3] != 0.5 {
		t.Errorf("reward over the steps: %v", v)
	}
}

// Each kind of warning has one first step.
func TestFirstWarnings(t *testing.T) {
	store := model.NewStore()
	store.Append(chunkOf(1, []float64{1, 0, 0, 0}, []float64{1, 0, 1, 0}))
	store.Append(chunkOf(2, []float64{1, 0, math.NaN(), 0}, []float64{1, 0, 1, 0}))
	store.Append(chunkOf(5, []float64{1, 0, math.NaN(), 0}, []float64{1, 0, 0}))
	trend := allSteps(t, store, model.DefaultSettings(), nil)
	first := map[model.WarningKind]int64{}
	for _, o := range trend.FirstWarnings() {
		if _, twice := first[o.Kind]; twice {
			t.Errorf("%s is first twice", o.Kind)
		}
		if first[o.Kind] = o.Step; trend.Steps[o.StepIndex].Step != o.Step {
			t.Errorf("%s: step %d is not at %d", o.Kind, o.Step, o.StepIndex)
		}
	}
	if first[WarnInvalidRewards] != 2 {
		t.Errorf("NaN first at step %d, want 2: %v", first[WarnInvalidRewards], first)
	}
}

// allSteps is the whole trend of a store.
func allSteps(t testingT, store *model.Store, set model.Settings, previous *Trend) *Trend {
	t.Helper()
	snap := store.Snapshot()
	trend, err := ComputeTrend(context.Background(), snap, set, previous, nil, snap.Rows)
	if err != nil {
		t.Fatal(err)
	}
	return trend
}

// testingT is testing.T or rapid.T.
type testingT interface {
	Helper()
	Fatal(args ...any)
}

func TestTrendTakesOverWhatHasNotChanged(t *testing.T) {
	store := model.NewStore()
	store.Append(chunkOf(1, []float64{1, 0}))
	store.Append(chunkOf(2, []float64{1, 0}))
	set := model.DefaultSettings()
	before := allSteps(t, store, set, nil)
	before.Steps[0].Metrics[0].Value = 42 // a mark that a computation would not leave
	store.Append(chunkOf(2, []float64{1, 1}))
	after := allSteps(t, store, set, before)
	if after.Steps[0].Metrics[0].Value != 42 || after.Steps[1].Rows != 4 {
		t.Errorf("step 1 %v, step 2 %d rows: want step 1 taken over and step 2 computed", after.Steps[0].Metrics[0], after.Steps[1].Rows)
	}
	if other := allSteps(t, store, set.WithEstimator("rloo"), after); other.Steps[0].Metrics[0].Value == 42 {
		t.Error("other settings took over a step")
	}
}

// A run of 1,000 steps with 2,048 samples each: all of it, the part that the screen
// waits for, and what new settings cost where nothing has changed.
func BenchmarkTrend(b *testing.B) {
	snap := runOf(1000, 128, 16)
	set := model.DefaultSettings()
	set.KeepPos, set.KeepNeg, set.Recompute = 0.7, 0.5, true
	trend := func(b *testing.B, prev *Trend, samples int) *Trend {
		b.Helper()
		t, err := ComputeTrend(context.Background(), snap, set, prev, nil, samples)
		if err != nil {
			b.Fatal(err)
		}
		return t
	}
	whole := trend(b, nil, snap.Rows)
	for name, c := range map[string]struct {
		prev    *Trend
		samples int
	}{"all": {nil, snap.Rows}, "first-part": {nil, 1 << 16}, "unchanged": {whole, snap.Rows}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				trend(b, c.prev, c.samples)
			}
		})
	}
	b.Run("series", func(b *testing.B) {
		for b.Loop() {
			whole.Series("vantage/abs_advantage_ratio")
		}
	})
	b.Run("onsets", func(b *testing.B) {
		for b.Loop() {
			whole.FirstWarnings()
		}
	})
}

// runOf is a run of random steps with groups of size samples.
func runOf(steps, groups, size int) model.Snapshot {
	random := rand.New(rand.NewPCG(3, 4))
	store := model.NewStore()
	for step := range steps {
		rewards := make([][]float64, groups)
		for g := range rewards {
			rewards[g] = make([]float64, size)
			solves := random.Float64()
			for i := range rewards[g] {
				if random.Float64() < solves {
					rewards[g][i] = 1
				}
			}
		}
		store.Append(chunkOf(int64(step+1), rewards...))
	}
	return store.Snapshot()
}
