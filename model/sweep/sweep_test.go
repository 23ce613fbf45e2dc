package sweep

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"vantage/estimators"
	"vantage/internal/testkit/modeltest"
	"vantage/model"
	"vantage/model/analysis"
)

// Every cell equals an analysis under its settings, for every estimator with a filter.
func TestCellsEqualAnalyses(t *testing.T) {
	var entries []*estimators.Estimator
	for _, e := range estimators.All() {
		if e.CanFilter && e.Computable() && !e.Needs.Baselines && !e.Needs.Components {
			entries = append(entries, e)
		}
	}
	ratios := Ratios{[]float64{0, 0.3, 0.5, 0.95, 1}, []float64{0, 0.05, 0.5, 0.7, 1}}
	rapid.Check(t, func(t *rapid.T) {
		e := rapid.SampledFrom(entries).Draw(t, "estimator")
		set := model.DefaultSettings().WithFramework(e.Framework).WithEstimator(e.Name)
		set.Scale = rapid.SampledFrom(e.Scales).Draw(t, "scale")
		var statuses []model.Status
		if rapid.Bool().Draw(t, "statuses") {
			statuses = []model.Status{model.StatusTrains, model.StatusMasked, model.StatusDropped}
		}
		snap := drawSnapshot(t, statuses...)
		grid, err := Run(context.Background(), snap, []int{0}, set, ratios)
		if err != nil {
			t.Skip(err)
		}
		checkGrid(t, grid, snap)
	})
}

// checkGrid compares each cell of a grid of one step with an analysis.
func checkGrid(t rapid.TB, grid *Grid, snap model.Snapshot) {
	t.Helper()
	whole := 1.0 // of Σ|A|, what is left without a filter: sweeps are of what the off-policy rule leaves
	if grid.Settings.OffPolicy != "" {
		a, err := analysis.Analyze(context.Background(), snap, 0, grid.Settings)
		if err != nil {
			t.Fatal(err)
		}
		whole = a.Metric("vantage/abs_advantage_ratio")
	}
	for i := range grid.Pos {
		for j := range grid.Neg {
			for _, recompute := range []bool{false, true} {
				c := grid.At(recompute, i, j)
				a, err := analysis.Analyze(context.Background(), snap, 0, c.Apply(grid.Settings))
				if err != nil {
					t.Fatal(err)
				}
				checkCell(t, c, a, whole)
			}
		}
	}
}

func checkCell(t rapid.TB, c *Cell, a *analysis.Analysis, whole float64) {
	t.Helper()
	processed := make([]float64, a.Rows)
	for i := range processed {
		if a.Moves(i) { // not what float arithmetic leaves
			processed[i] = a.Processed[i]
		}
	}
	where := fmt.Sprintf("%s %s %s, keep %v %v, recompute %v: rewards %v, advantages %v, processed %v",
		a.Settings.Framework, a.Settings.Estimator, a.Settings.Scale, c.KeepPos, c.KeepNeg, c.Recompute, a.Batch.Rewards, a.Unfiltered, processed)
	got := []int{c.Samples, c.Groups, c.Kept, c.Signal, c.Killed, c.Short, c.Flips, c.Trained}
	want := []int{a.Rows, a.Groups, a.Kept, a.Signal, a.Fates[model.FateKilled], a.Fates[model.FateShort], a.Flips.Total(), a.Nonzero}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("samples, groups, kept, signal, killed, short, flips, trained\n got %v\nwant %v\n%s", got, want, where)
	}
	sum, squares := 0.0, 0.0
	for _, x := range processed {
		sum += x
	}
	mean := sum / float64(a.Rows)
	for _, x := range processed {
		squares += (x - mean) * (x - mean)
	}
	checkNear(t, where, "mean", c.Mean(), mean)
	checkNear(t, where, "std", c.Std(), math.Sqrt(squares/float64(a.Rows-1)))
	checkNear(t, where, "Σ|A|", c.AbsRatio(), a.Metric("vantage/abs_advantage_ratio")/whole)
	checkNear(t, where, "effective samples", c.Effective(), a.Metric("vantage/effective_samples"))
	checkWarnings(t, where, c, a)
}

// checkWarnings compares the kinds of warnings that the settings of a cell raise.
func checkWarnings(t rapid.TB, where string, c *Cell, a *analysis.Analysis) {
	t.Helper()
	raised := map[model.WarningKind]int{}
	for _, w := range a.Warnings {
		switch w.Kind {
		case analysis.WarnTooFewKept, analysis.WarnKilledGroups, analysis.WarnSignFlips, analysis.WarnRecomputeWithoutFilter, analysis.WarnOneSidedPush, analysis.WarnEffectiveRatio:
			raised[w.Kind] = 1
		default:
		}
	}
	counted := map[model.WarningKind]int{}
	for _, k := range c.Warned.Kinds() {
		counted[k.Kind] = k.Steps
	}
	if math.Abs(math.Abs(c.Push())-0.25) < 1e-4 {
		delete(raised, analysis.WarnOneSidedPush) // at the limit the last digits decide
		delete(counted, analysis.WarnOneSidedPush)
	}
	if !maps.Equal(raised, counted) {
		t.Fatalf("warnings %v, want %v: %s", counted, raised, where)
	}
}

func checkNear(t rapid.TB, where, what string, got, want float64) {
	t.Helper()
	if got != want && math.Abs(got-want) > 1e-5*(1+math.Abs(want)) && got == got {
		t.Fatalf("%s %v, want %v: %s", what, got, want, where)
	}
}

// drawSnapshot draws a step of groups with rewards of all kinds: binary, in tenths,
// continuous, constant, missing.
func drawSnapshot(t *rapid.T, statuses ...model.Status) model.Snapshot {
	var records []model.Record
	size := rapid.IntRange(1, 9).Draw(t, "size")
	for g := range rapid.IntRange(1, 5).Draw(t, "groups") {
		kind := rapid.IntRange(0, 4).Draw(t, "kind")
		for i := range size {
			reward := rapid.SampledFrom([]float64{0, 1}).Draw(t, "reward")
			switch kind {
			case 1:
				reward = float64(rapid.IntRange(0, 10).Draw(t, "tenths")) / 10
			case 2:
				reward = rapid.Float64Range(-2, 2).Draw(t, "any")
			case 3:
				reward = 0.1
			}
			if rapid.IntRange(0, 60).Draw(t, "missing") == 0 {
				reward = math.NaN()
			}
			records = append(records, model.Record{
				Step: 1, Prompt: uint64(g + 1), Reward: reward, Advantage: math.NaN(),
				Length: int32(1 + 7*i), Offset: int64(len(records)), Status: rapid.SampledFrom(append(statuses, model.StatusTrains)).Draw(t, "status"),
			})
		}
	}
	s := model.NewStore()
	s.Append(&model.Chunk{Files: []string{"x"}, Records: records, HasTruth: true, LengthUnit: model.LengthTokens})
	return s.Snapshot()
}

// Two positive and two negative samples by hand: a ratio of 0.5 keeps one of each.
func TestCountsOfOneGroup(t *testing.T) {
	grid, err := Run(context.Background(), modeltest.Snapshot([]float64{1, 1, 0, 0}), []int{0}, model.DefaultSettings(), Ratios{[]float64{0, 0.5, 1}, []float64{0, 0.5, 1}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		i, j                        int
		recompute                   bool
		kept, signal, killed, short int
	}{
		{0, 0, false, 0, 0, 1, 0},
		{1, 1, false, 2, 1, 0, 0},
		{2, 2, false, 4, 1, 0, 0},
		{0, 1, true, 1, 1, 0, 1}, // one kept: unfiltered advantages
		{0, 2, true, 2, 0, 1, 0}, // two kept, both wrong: no signal
		{1, 1, true, 2, 1, 0, 0},
		{2, 2, true, 4, 1, 0, 0},
	} {
		got := grid.At(c.recompute, c.i, c.j)
		if got.Kept != c.kept || got.Signal != c.signal || got.Killed != c.killed || got.Short != c.short {
			t.Errorf("%+v: got %+v", c, got)
		}
	}
}

func BenchmarkRun(b *testing.B) {
	for name, reward := range map[string]func(i int) float64{
		"binary":     func(i int) float64 { return float64(i * 7919 % 13 % 2) },
		"tenths":     func(i int) float64 { return float64(i*7919%101%11) / 10 },
		"continuous": func(i int) float64 { return math.Mod(float64(i)*0.6180339887, 1) },
	} {
		b.Run(name, func(b *testing.B) {
			groups := make([][]float64, 1<<16)
			for g := range groups {
				for i := range 16 {
					groups[g] = append(groups[g], reward(16*g+i))
				}
			}
			snap := modeltest.Snapshot(groups...)
			set := model.DefaultSettings()
			a, err := analysis.Analyze(context.Background(), snap, 0, set)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				g, err := New(set, DefaultRatios())
				if err != nil {
					b.Fatal(err)
				}
				if err := g.addStep(context.Background(), g.newStep(), a, nil, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A grid of some groups equals that of a step without the others, if groups are computed
// alone; and WithSteps does not change its receiver.
func TestWithStepsOfSomeGroups(t *testing.T) {
	first, second, third := []float64{1, 1, 0, 0}, []float64{0.3, 0.9, 0.1, 0.5}, []float64{1, 0, 0, 0}
	empty, err := New(model.DefaultSettings(), DefaultRatios())
	if err != nil {
		t.Fatal(err)
	}
	subset, err := empty.WithSteps(context.Background(), modeltest.Snapshot(first, second, third), []int{0}, []int{0, 2})
	if err != nil {
		t.Fatal(err)
	}
	alone, err := empty.WithSteps(context.Background(), modeltest.Snapshot(first, third), []int{0}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range subset.Pos {
		for j := range subset.Neg {
			for _, recompute := range []bool{false, true} {
				if got, want := *subset.At(recompute, i, j), *alone.At(recompute, i, j); got != want {
					t.Fatalf("got %+v, want %+v", got, want)
				}
			}
		}
	}
	if empty.Steps != 0 || empty.At(false, 0, 0).Groups != 0 {
		t.Error("the receiver has changed")
	}
}

// Two runs of one sweep agree in every bit, whatever the order of maps.
func TestRunIsDeterministic(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	groups := make([][]float64, 50)
	for g := range groups {
		for range 4 + g%9 {
			groups[g] = append(groups[g], random.Float64())
		}
	}
	snap := modeltest.Snapshot(groups...)
	first, err := Run(context.Background(), snap, []int{0}, model.DefaultSettings(), DefaultRatios())
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		again, err := Run(context.Background(), snap, []int{0}, model.DefaultSettings(), DefaultRatios())
		if err != nil || !slices.Equal(again.filtered, first.filtered) || !slices.Equal(again.recomputed, first.recomputed) {
			t.Fatalf("the cells differ (%v)", err)
		}
	}
}

// Groups that a group filter does not admit count among the groups, and nothing of them is kept or trains:
// here the second, whose mean score is beyond 1.
func TestSweepOfAdmittedGroups(t *testing.T) {
	snap := modeltest.Snapshot([]float64{1, 1, 0, 0, 0, 1, 0, 0}, []float64{3, 1, 2, 0, 3, 3, 0, 1}, []float64{1, 0, 0, 0, 0, 0, 0, 0})
	set := model.DefaultSettings()
	set.GroupFilter = "openrlhf/dynamic_filtering"
	grid, err := Run(t.Context(), snap, []int{0}, set, Ratios{[]float64{0.5, 1}, []float64{0, 0.5, 1}})
	if err != nil {
		t.Fatal(err)
	}
	grid.eachCell(func(c *Cell) {
		a, err := analysis.Analyze(t.Context(), snap, 0, c.Apply(set))
		if err != nil {
			t.Fatal(err)
		}
		trained := 0
		for _, x := range a.Processed {
			if x > 0 || x < 0 {
				trained++
			}
		}
		got, want := []int{c.Samples, c.Groups, c.Kept, c.Signal, c.Killed, c.Trained}, []int{a.Rows, a.Groups, a.Kept, a.Signal, a.Fates[model.FateKilled], trained}
		if !slices.Equal(got, want) || a.AdmittedGroups != 2 {
			t.Errorf("%s: %v, want %v of %d groups", c.Name(), got, want, a.AdmittedGroups)
		}
		checkNear(t, c.Name(), "effective samples", c.Effective(), a.Metric("vantage/effective_samples"))
	})
	if best := grid.Recommend(DefaultGoal(), false, true).Cell; best.AbsRatio() != 1 || best.Trained != 16 {
		t.Errorf("%s", best.Sentence())
	}
}

// Many groups as of a reward model: closed forms agree with the estimators, also where
// kept rewards lie on their mean or within float32 rounding of it, and so do estimators
// without one.
func TestManyGroups(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	groups := make([][]float64, 400)
	for g := range groups {
		for i := range 4 + g%13 {
			r := random.Float64()
			switch g % 5 {
			case 1:
				r = float64(random.IntN(11)) / 10
			case 2:
				r = float64(i%3) + float64(random.IntN(3)-1)*0x1p-23
			case 3:
				r = 100 + random.NormFloat64()
			}
			groups[g] = append(groups[g], r)
		}
	}
	snap := modeltest.Snapshot(groups...)
	ratios := Ratios{[]float64{0, 0.15, 0.4, 0.75, 1}, []float64{0, 0.3, 0.55, 0.9, 1}}
	for i, name := range [][3]string{
		{"easyr1", "grpo", "group"},
		{"trl", "grpo", "group"},
		{"verl", "grpo", "none"},
		{"twinkle", "grpo", "group"},
		{"open-instruct", "standard", "group"},
		{"nemo-rl", "grpo", "group"},
		{"trl", "grpo", "batch"},
	} {
		if testing.Short() && i > 0 {
			break // goroutines share the cells of any
		}
		set := model.DefaultSettings().WithFramework(name[0]).WithEstimator(name[1])
		set.Scale = estimators.Scale(name[2])
		grid, err := Run(context.Background(), snap, []int{0}, set, ratios)
		if err != nil {
			t.Fatal(err)
		}
		checkGrid(t, grid, snap)
	}
}

// A sweep counts each rollout once, as the estimator does.
func TestSweepOfRollouts(t *testing.T) {
	chunks := [2]*model.Chunk{{Format: "verl", Files: []string{"1"}}, {Format: "verl", Files: []string{"1"}}} // all rows; the last of each rollout
	for i := range 64 {
		r := model.Record{Step: 1, Group: string(rune('a' + i/8)), Reward: float64(i * i % 7), Advantage: math.NaN(), Length: 1, Rollout: model.Rollout{Number: int32(i%8) + 1}}
		for range i % 3 {
			earlier := r
			earlier.Reward = 100
			chunks[0].Records = append(chunks[0].Records, earlier)
			r.Rollout.Output++
		}
		chunks[0].Records = append(chunks[0].Records, r)
		r.Rollout = model.Rollout{}
		chunks[1].Records = append(chunks[1].Records, r)
	}
	var grids [2]*Grid
	for i, c := range chunks {
		store := model.NewStore()
		store.Append(c)
		g, err := New(model.DefaultSettings().WithFramework("verl"), Ratios{Pos: []float64{0.2, 0.5, 1}, Neg: []float64{0.2, 0.5, 1}})
		if err == nil {
			grids[i], err = g.WithSteps(t.Context(), store.Snapshot(), []int{0}, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(grids[0].filtered, grids[1].filtered) || !slices.Equal(grids[0].recomputed, grids[1].recomputed) {
		t.Errorf("%+v, want as of the last rows %+v", grids[0].recomputed, grids[1].recomputed)
	}
}

// Cells of an estimator that knows which rows are of one rollout equal its analyses too.
func TestSweepOfEstimatorsThatKnowRollouts(t *testing.T) {
	chunk := &model.Chunk{Format: "verl", Files: []string{"1"}}
	for i := range 48 {
		r := model.Record{Step: 1, Group: string(rune('a' + i/8)), Reward: float64(i * i % 5), Advantage: math.NaN(), Length: 1, Rollout: model.Rollout{Number: int32(i%8) + 1}}
		for range 1 + i%3 {
			chunk.Records = append(chunk.Records, r)
			r.Rollout.Output++
		}
	}
	store := model.NewStore()
	store.Append(chunk)
	ratios := Ratios{[]float64{0, 0.3, 0.5, 1}, []float64{0, 0.3, 0.5, 1}}
	for _, e := range estimators.All() {
		if e.Outputs != estimators.ByRollout || !e.CanFilter {
			continue
		}
		for _, options := range []estimators.Options{"", estimators.Options("algorithm.advantage_mode=trajectory").Of(e.Options)} {
			set := model.DefaultSettings().WithFramework(e.Framework).WithEstimator(e.Name)
			set.Options = options
			grid, err := Run(t.Context(), store.Snapshot(), []int{0}, set, ratios)
			if err != nil {
				t.Fatal(err)
			}
			checkGrid(t, grid, store.Snapshot())
		}
	}
}
