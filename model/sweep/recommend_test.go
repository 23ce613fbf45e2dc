package sweep

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vantage/internal/testkit/modeltest"
	"vantage/internal/testkit/repotest"
	"vantage/model"
	"vantage/model/analysis"
)

func TestMain(m *testing.M) { repotest.Run(m) }

// checkAdvice fails if a setting raises a warning at a step of a snapshot that the log does not raise
// without a filter.
func checkAdvice(t rapid.TB, snap model.Snapshot, set model.Settings) {
	t.Helper()
	for i := range snap.Steps {
		with, err := analysis.Analyze(context.Background(), snap, i, set)
		if err != nil {
			t.Fatal(err)
		}
		set.KeepPos, set.KeepNeg, set.Recompute = 1, 1, false
		without, err := analysis.Analyze(context.Background(), snap, i, set)
		if err != nil {
			t.Fatal(err)
		}
		set = with.Settings
		for _, w := range with.Warnings {
			if !slices.ContainsFunc(without.Warnings, func(o model.Warning) bool { return o.Kind == w.Kind }) {
				t.Fatalf("keep %v %v, recompute %v at step %d: %s", set.KeepPos, set.KeepNeg, set.Recompute, w.Step, w.Sentence())
			}
		}
	}
}

// goals are all goals, and one with another share.
func goals() []Goal {
	all := []Goal{{Name: "cost", Least: 0.3}}
	for _, name := range GoalNames() {
		all = append(all, Goal{Name: name, Least: DefaultLeast})
	}
	return all
}

// What is recommended raises no warning, on small logs of all kinds of rewards.
func TestAdviceRaisesNoWarning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		snap := drawSnapshot(t)
		grid, err := Run(context.Background(), snap, []int{0}, model.DefaultSettings(), DefaultRatios())
		if err != nil {
			t.Skip(err)
		}
		for i, goal := range goals() {
			for j, recompute := range [][]bool{{false, true}, {false}, {true}} {
				if (i+j)%3 >= repotest.Times(1, 3) {
					continue
				}
				if a := grid.Recommend(goal, recompute...); a.Cell != nil {
					checkAdvice(t, snap, a.Cell.Apply(grid.Settings))
				}
			}
		}
	})
}

// trainingLog is a log of steps of 32 groups with the rewards of a trainer: kind is solved, graded or
// judged.
func trainingLog(kind string, steps, size int, hardness float64) model.Snapshot {
	random := rand.New(rand.NewPCG(11, uint64(size)))
	store := model.NewStore()
	for step := range steps {
		chunk := &model.Chunk{Files: []string{"x"}, HasTruth: true}
		for g := range 32 {
			rate := math.Pow(random.Float64(), hardness)
			for range size {
				r := 0.0
				switch {
				case kind == "judged":
					r = rate + 0.2*random.NormFloat64()
				case random.Float64() < rate:
					r = 1
				case kind == "graded" && random.Float64() < 0.5:
					r = 0.2
				}
				chunk.Records = append(chunk.Records, model.Record{Step: int64(step), Prompt: uint64(step*32 + g + 1), Reward: r, Advantage: math.NaN(), Length: -1})
			}
		}
		store.Append(chunk)
	}
	return store.Snapshot()
}

// On logs like those of trainers advice raises no warning at any step, and each goal gets the best of
// what it asks for: no other setting without a warning is better.
func TestAdviceOnLogs(t *testing.T) {
	repotest.Slow(t)
	filters := 0
	for _, kind := range []string{"solved", "graded", "judged"} {
		for _, size := range []int{2, 4, 8, 16} {
			for _, hardness := range []float64{1, 3} {
				snap := trainingLog(kind, 3, size, hardness)
				grid, err := Run(t.Context(), snap, []int{0, 1, 2}, model.DefaultSettings(), DefaultRatios())
				if err != nil {
					t.Fatal(err)
				}
				for _, goal := range goals() {
					a := grid.Recommend(goal, false, true)
					checkAdvice(t, snap, a.Cell.Apply(grid.Settings))
					checkBest(t, grid, a)
					if a.Cell.Filtering() {
						filters++
					}
				}
			}
		}
	}
	if filters == 0 {
		t.Error("no goal ever gets a filter")
	}
}

// checkBest looks for a cell that suits the goal better than the choice, without a warning.
func checkBest(t *testing.T, g *Grid, a Recommendation) {
	t.Helper()
	g.eachCell(func(c *Cell) {
		better := c.AbsRatio() > a.Cell.AbsRatio()+1e-4
		switch a.Goal.Name {
		case "cost":
			better = c.Trained < a.Cell.Trained && c.AbsRatio() > a.Goal.Least+1e-4
		case "balance":
			better = math.Abs(c.Push()) < math.Abs(a.Cell.Push())-0.005-1e-4 && c.AbsRatio() > a.Goal.Least+1e-4
		}
		if better && len(c.Warned.Kinds()) == 0 {
			t.Errorf("goal %s gets %s, but %s is better", a.Goal, a.Cell.Sentence(), c.Sentence())
		}
	})
}

// For the most signal nothing is better than no filter, where a group's rewards are 0 or 1.
func TestNoFilterIsAnAnswer(t *testing.T) {
	grid, err := Run(t.Context(), trainingLog("solved", 2, 8, 1), []int{0, 1}, model.DefaultSettings(), DefaultRatios())
	if err != nil {
		t.Fatal(err)
	}
	if a := grid.Recommend(DefaultGoal(), false, true); a.Cell.Name() != "no filter" || len(a.Front) != 1 {
		t.Errorf("%s, front of %d", a.Cell.Name(), len(a.Front))
	}
}

// A front has no cell that another beats, and every other cell is beaten by one of it or equal to one.
func TestFront(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		grid, err := Run(context.Background(), drawSnapshot(t), []int{0}, model.DefaultSettings(), Ratios{[]float64{0, 0.3, 0.5, 0.7, 1}, []float64{0, 0.3, 0.5, 0.7, 1}})
		if err != nil {
			t.Skip(err)
		}
		for _, goal := range goals() {
			a := grid.Recommend(goal, false, true)
			for _, c := range a.Front {
				grid.eachCell(func(o *Cell) {
					if (goal.Name == "signal" || o.AbsRatio() >= goal.Least) && beats(goal, o, c) {
						t.Fatalf("%s: %s beats %s of the front", goal, o.Sentence(), c.Sentence())
					}
				})
			}
			if a.Cell == nil {
				continue
			}
			grid.eachCell(func(o *Cell) {
				if (goal.Name != "signal" && o.AbsRatio() < goal.Least+1e-4) || o.AbsRatio() != o.AbsRatio() || o.Effective() != o.Effective() {
					return
				}
				if !slices.ContainsFunc(a.Front, func(c *Cell) bool {
					return criteriaOf(o, goal.kind()).isBeatenBy(criteriaOf(c, goal.kind())) || criteriaOf(c, goal.kind()).compare(criteriaOf(o, goal.kind())) == 0
				}) {
					t.Fatalf("%s: nothing beats %s, and it is not on the front", goal, o.Sentence())
				}
			})
		}
	})
}

// beats reports whether c is better than o in something, and worse in nothing.
func beats(goal Goal, c, o *Cell) bool {
	better, worse := false, false
	judge := func(x, y float64) {
		margin := 1e-4 * max(1, math.Abs(x), math.Abs(y))
		better, worse = better || x > y+margin, worse || x < y-1e-12 // well better
	}
	judge(c.AbsRatio(), o.AbsRatio())
	judge(c.Effective(), o.Effective())
	judge(float64(o.Flips), float64(c.Flips))
	judge(float64(o.Killed+o.Short), float64(c.Killed+c.Short))
	switch goal.Name {
	case "cost":
		judge(float64(o.Trained), float64(c.Trained))
	case "balance":
		judge(math.Abs(o.Push()), math.Abs(c.Push()))
	}
	return better && !worse
}

// One right answer of four: A is 1.5 and three times −0.5, so Σ|A| is 3 and ΣA² is 3. Without two of
// the wrong ones Σ|A| is 2, ΣA² 2.5 and ΣA 1.
func TestFiguresByHand(t *testing.T) {
	grid, err := Run(t.Context(), modeltest.Snapshot([]float64{1, 0, 0, 0}), []int{0}, model.DefaultSettings(), Ratios{[]float64{1}, []float64{0.34, 1}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		cell                   *Cell
		abs, effective, push   float64
		trained                int
		mass, sentence, versus string
	}{
		{grid.NoFilter(), 1, 3, 0, 4, "50:50", "no filter: keeps 100% of Σ|A|, trains on 4/4 samples (100%), kills 0, flips 0", "trains on 4 instead of 4 samples (+0%), with 100% of its Σ|A| and 100% of its effective samples; positive and negative mass are 50:50, not 50:50"},
		{grid.At(false, 0, 0), 2. / 3, 1.6, 0.5, 2, "75:25", "1.00/0.34 recompute off: keeps 67% of Σ|A|, trains on 2/4 samples (50%), kills 0, flips 0", "trains on 2 instead of 4 samples (-50%), with 67% of its Σ|A| and 53% of its effective samples; positive and negative mass are 75:25, not 50:50"},
	} {
		checkNear(t, "", "Σ|A|", c.cell.AbsRatio(), c.abs)
		checkNear(t, "", "effective", c.cell.Effective(), c.effective)
		checkNear(t, "", "push", c.cell.Push(), c.push)
		if c.cell.Trained != c.trained || c.cell.MassText() != c.mass || c.cell.Sentence() != c.sentence || c.cell.Against(grid.NoFilter()) != c.versus {
			t.Errorf("%d %s\n%s\n%s", c.cell.Trained, c.cell.MassText(), c.cell.Sentence(), c.cell.Against(grid.NoFilter()))
		}
	}
}

// Without signal there is nothing to recommend, whatever the goal.
func TestNoSignalNoAdvice(t *testing.T) {
	grid, err := Run(t.Context(), modeltest.Snapshot([]float64{1, 1}, []float64{0, 0}), []int{0}, model.DefaultSettings(), DefaultRatios())
	if err != nil {
		t.Fatal(err)
	}
	for _, goal := range goals() {
		if a := grid.Recommend(goal, false, true); a.Cell != nil || a.Front != nil || a.Reason != "no signal in 2 groups of 1 step: no setting changes anything" {
			t.Errorf("%+v", a)
		}
	}
}

// Only EasyR1 has the filter: for another trainer there is nothing to set.
func TestATrainerWithoutTheFilterGetsNone(t *testing.T) {
	grid, err := Run(t.Context(), trainingLog("solved", 1, 8, 1), []int{0}, model.DefaultSettings().WithFramework("trl"), DefaultRatios())
	if err != nil {
		t.Fatal(err)
	}
	if a := grid.Recommend(Goal{Name: "cost", Least: 0.5}, false, true); a.Cell != grid.NoFilter() || !strings.HasPrefix(a.Reason, "TRL has no such filter") {
		t.Errorf("%+v", a)
	}
}

// Of ratios that keep the same samples the nearest to what they keep is named: one of three positive
// samples is 0.35 rather than 0.05 or 0.65.
func TestRatiosThatDoTheSame(t *testing.T) {
	grid, err := Run(t.Context(), modeltest.Snapshot([]float64{1, 1, 1, 0, 0, 0}), []int{0}, model.DefaultSettings(), DefaultRatios())
	if err != nil {
		t.Fatal(err)
	}
	var named []float64
	for _, i := range grid.pos.distinct(grid.Pos) {
		named = append(named, grid.Pos[i])
	}
	if !slices.Equal(named, []float64{0, 0.35, 0.7, 1}) {
		t.Errorf("%v", named)
	}
}

func TestParseGoal(t *testing.T) {
	for text, want := range map[string]Goal{"signal": {"signal", 0.8}, "cost": {"cost", 0.8}, "cost:0.9": {"cost", 0.9}, " balance 1 ": {"balance", 1}} {
		g, err := ParseGoal(text)
		if err != nil || g != want {
			t.Errorf("%s: %+v, %v", text, g, err)
		}
		if again, err := ParseGoal(g.String()); err != nil || again != g {
			t.Errorf("%s: %+v, %v", g, again, err)
		}
	}
	for _, text := range []string{"", "speed", "cost:0", "cost:1.1", "cost:", "cost:nan", "cost:x", "signal:0.5"} {
		if g, err := ParseGoal(text); err == nil {
			t.Errorf("%q is %+v", text, g)
		}
	}
}
