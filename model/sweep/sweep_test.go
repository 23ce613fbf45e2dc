package sweep

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"vantage/estimators"
	"vantage/model"
)

// Every cell counts what the same settings count by themselves, for every estimator
// that can be filtered.
func TestCellsAreAnalyses(t *testing.T) {
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
		snap := drawSnapshot(t)
		grid, err := Run(context.Background(), snap, []int{0}, set, ratios)
		if err != nil {
			t.Skip(err)
		}
		for i, pos := range ratios.Pos {
			for j, neg := range ratios.Neg {
				for _, recompute := range []bool{false, true} {
					set.KeepPos, set.KeepNeg, set.Recompute = pos, neg, recompute
					a, err := snap.Analyze(context.Background(), 0, set)
					if err != nil {
						t.Fatal(err)
					}
					compare(t, grid.At(recompute, i, j), a)
				}
			}
		}
	})
}

// failing is a test, of whichever kind.
type failing interface {
	Helper()
	Fatalf(format string, args ...any)
}

func compare(t failing, c *Cell, a *model.Analysis) {
	t.Helper()
	processed := make([]float64, a.Rows)
	for i := range processed {
		processed[i] = a.Processed(i)
	}
	got := []int{c.Samples, c.Groups, c.Kept, c.Signal, c.Killed, c.Short, c.Flips}
	want := []int{a.Rows, a.Groups, a.Kept, a.Signal, a.Fates[model.FateKilled], a.Fates[model.FateShort], a.Flips}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("%s %s %s, keep %v %v, recompute %v:\nsamples, groups, kept, signal, killed, short, flips\n got %v\nwant %v\nrewards %v\nadvantages %v\n%v",
			a.Settings.Framework, a.Settings.Estimator, a.Settings.Scale, c.KeepPos, c.KeepNeg, c.Recompute, got, want, a.Rewards, a.Original, processed)
	}
	where := fmt.Sprintf("%s %s %s, keep %v %v, recompute %v: rewards %v, processed %v", a.Settings.Framework, a.Settings.Estimator, a.Settings.Scale, c.KeepPos, c.KeepNeg, c.Recompute, a.Rewards, processed)
	sum, squares := 0.0, 0.0
	for _, x := range processed {
		sum += x
	}
	mean := sum / float64(a.Rows)
	for _, x := range processed {
		squares += (x - mean) * (x - mean)
	}
	near(t, where, "mean", c.Mean(), mean)
	near(t, where, "std", c.Std(), math.Sqrt(squares/float64(a.Rows-1)))
	near(t, where, "Σ|A|", c.AbsRatio(), a.Metric("vantage/abs_advantage_ratio"))
}

func near(t failing, where, what string, got, want float64) {
	t.Helper()
	if got != want && math.Abs(got-want) > 1e-6*(1+math.Abs(want)) && got == got {
		t.Fatalf("%s %v, want %v: %s", what, got, want, where)
	}
}

// drawSnapshot is a step of ragged or even groups with rewards of all kinds: binary,
// in tenths, continuous, constant, missing.
func drawSnapshot(t *rapid.T) model.Snapshot {
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
				Length: int32(1 + 7*i), Offset: int64(len(records)),
			})
		}
	}
	s := model.NewStore()
	s.Append(&model.Chunk{Files: []string{"x"}, Records: records, HasTruth: true, LengthUnit: model.LengthTokens})
	return s.Snapshot()
}

// Two positive and two negative samples by hand: at 0.5 one of each stays.
func TestByHand(t *testing.T) {
	s := model.NewStore()
	chunk := &model.Chunk{Files: []string{"x"}, HasTruth: true}
	for i, r := range []float64{1, 1, 0, 0} {
		chunk.Records = append(chunk.Records, model.Record{Step: 1, Prompt: 1, Reward: r, Advantage: math.NaN(), Length: -1, Offset: int64(i)})
	}
	s.Append(chunk)
	grid, err := Run(context.Background(), s.Snapshot(), []int{0}, model.DefaultSettings(), Ratios{[]float64{0, 0.5, 1}, []float64{0, 0.5, 1}})
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
		{0, 1, true, 1, 1, 0, 1}, // one kept: original values
		{0, 2, true, 2, 0, 1, 0}, // two kept, both wrong: nothing to learn
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
			const n = 1 << 20
			s := model.NewStore()
			chunk := &model.Chunk{Files: []string{"x"}, HasTruth: true}
			for i := range n {
				chunk.Records = append(chunk.Records, model.Record{Step: 1, Prompt: uint64(i/16 + 1), Reward: reward(i), Advantage: math.NaN(), Length: -1})
			}
			s.Append(chunk)
			snap := s.Snapshot()
			set := model.DefaultSettings()
			a, err := snap.Analyze(context.Background(), 0, set)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				r := Usual()
				g := &Grid{Ratios: r, Settings: set, off: make([]Cell, 441), on: make([]Cell, 441)}
				if err := g.step(context.Background(), a, a.Table()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The cells of some groups are those of a step that holds no others, where a group's
// advantages depend on nothing but the group; and a grid stays as it was when a step is
// added to another one made of it.
func TestSomeGroups(t *testing.T) {
	rewards := [][]float64{{1, 1, 0, 0}, {0.3, 0.9, 0.1, 0.5}, {1, 0, 0, 0}}
	chunk := func(step int64, groups ...int) *model.Chunk {
		c := &model.Chunk{Files: []string{"x"}, HasTruth: true}
		for _, g := range groups {
			for _, r := range rewards[g] {
				c.Records = append(c.Records, model.Record{Step: step, Prompt: uint64(g + 1), Reward: r, Advantage: math.NaN(), Length: -1})
			}
		}
		return c
	}
	whole, part := model.NewStore(), model.NewStore()
	whole.Append(chunk(1, 0, 1, 2))
	part.Append(chunk(1, 0, 2))
	none, err := New(model.DefaultSettings(), Usual())
	if err != nil {
		t.Fatal(err)
	}
	some, err := none.With(context.Background(), whole.Snapshot(), []int{0}, []int{0, 2})
	if err != nil {
		t.Fatal(err)
	}
	alone, err := none.With(context.Background(), part.Snapshot(), []int{0}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range some.Pos {
		for j := range some.Neg {
			for _, on := range []bool{false, true} {
				if got, want := *some.At(on, i, j), *alone.At(on, i, j); got != want {
					t.Fatalf("got %+v, want %+v", got, want)
				}
			}
		}
	}
	if none.Steps != 0 || none.At(false, 0, 0).Groups != 0 {
		t.Error("the grid has changed")
	}
}

// Groups as they come from a reward model, many at once: sums tell what the estimator
// tells, under every law and where there is none; with rewards that lie on the mean of
// those that are kept, or a hair beside it.
func TestManyGroups(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	chunk := &model.Chunk{Files: []string{"x"}, HasTruth: true}
	for g := range 400 {
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
			chunk.Records = append(chunk.Records, model.Record{Step: 1, Prompt: uint64(g + 1), Reward: r, Advantage: math.NaN(), Length: -1})
		}
	}
	store := model.NewStore()
	store.Append(chunk)
	snap := store.Snapshot()
	ratios := Ratios{[]float64{0, 0.15, 0.4, 0.75, 1}, []float64{0, 0.3, 0.55, 0.9, 1}}
	for _, name := range [][3]string{
		{"easyr1", "grpo", "group"},
		{"trl", "grpo", "group"},
		{"verl", "grpo", "none"},
		{"twinkle", "grpo", "group"},
		{"open-instruct", "standard", "group"},
		{"nemo-rl", "grpo", "group"},
		{"trl", "grpo", "batch"},
	} {
		set := model.DefaultSettings().WithFramework(name[0]).WithEstimator(name[1])
		set.Scale = estimators.Scale(name[2])
		grid, err := Run(context.Background(), snap, []int{0}, set, ratios)
		if err != nil {
			t.Fatal(err)
		}
		for i, pos := range ratios.Pos {
			for j, neg := range ratios.Neg {
				for _, recompute := range []bool{false, true} {
					set.KeepPos, set.KeepNeg, set.Recompute = pos, neg, recompute
					a, err := snap.Analyze(context.Background(), 0, set)
					if err != nil {
						t.Fatal(err)
					}
					compare(t, grid.At(recompute, i, j), a)
				}
			}
		}
	}
}
