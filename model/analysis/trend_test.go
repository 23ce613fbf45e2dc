package analysis

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"vantage/model"
)

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
		if diff := cmp.Diff(whole.Steps, part.Steps, cmpopts.EquateNaNs(), cmp.AllowUnexported(Summary{})); diff != "" {
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
	if first[model.WarnInvalidRewards] != 2 {
		t.Errorf("NaN first at step %d, want 2: %v", first[model.WarnInvalidRewards], first)
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
