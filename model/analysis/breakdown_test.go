package analysis

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"vantage/estimators/lossweight"
	"vantage/model"
)

// breakdownBy divides a step and returns its parts by name.
func breakdownBy(t *testing.T, a *Analysis, by string, read TextFunc) (Breakdown, map[string]Part) {
	t.Helper()
	names, err := a.PartNames(t.Context(), by, read)
	if err != nil {
		t.Fatal(err)
	}
	var b Breakdown
	b.Add(a, names)
	parts := map[string]Part{}
	for _, p := range b.Parts {
		name := p.Name
		p.Name = ""
		parts[name] = p
	}
	return b, parts
}

// By hand: one of four samples of a is solved, of which the mean is 1/4 and the std 1/2, so that the
// advantages are 1.5 and three of -0.5, and the filter keeps the first two; all of b are solved, and their
// advantages are 0. Each group has lengths of 10 to 13 tokens, 92 together.
func TestBreakdownByHand(t *testing.T) {
	set := settingsWith(t, "keep_neg_ratio", "0.34", "loss", "verl/token-mean")
	a := analyze(t, snapshotOf([]float64{1, 0, 0, 0}, []float64{1, 1, 1, 1}), set)
	near := cmp.Options{cmpopts.EquateApprox(0, 1e-5), cmpopts.IgnoreUnexported(Breakdown{})}
	hard := Part{
		Samples: 4, Groups: 1, Signal: 1, Admitted: 1, Kept: 2, Nonzero: 2, Solved: 1, Judged: 4, RewardSum: 1, Rewards: 4, Tokens: 46,
		AbsUnfiltered: 3, AbsProcessed: 2, Push: 1,
		Mass: lossweight.Mass{Rows: 4, Live: 2, Weight: 46. / 92, LiveWeight: 21. / 92, Positive: 15. / 92, Negative: 5.5 / 92},
	}
	easy := Part{
		Samples: 4, Groups: 1, Admitted: 1, Kept: 4, Solved: 4, Judged: 4, RewardSum: 4, Rewards: 4, Tokens: 46,
		Mass: lossweight.Mass{Rows: 4, Weight: 46. / 92},
	}
	all := Part{
		Samples: 8, Groups: 2, Signal: 1, Admitted: 2, Kept: 6, Nonzero: 2, Solved: 5, Judged: 8, RewardSum: 5, Rewards: 8, Tokens: 92,
		AbsUnfiltered: 3, AbsProcessed: 2, Push: 1,
		Mass: lossweight.Mass{Rows: 8, Live: 2, Weight: 1, LiveWeight: 21. / 92, Positive: 15. / 92, Negative: 5.5 / 92},
	}
	// of the length 10 one sample is of a, with 1.5, and one of b; of 11 that of a has -0.5
	shortest := Part{
		Samples: 2, Groups: 2, Signal: 1, Admitted: 2, Kept: 2, Nonzero: 1, Solved: 2, Judged: 2, RewardSum: 2, Rewards: 2, Tokens: 20,
		AbsUnfiltered: 1.5, AbsProcessed: 1.5, Push: 1.5,
		Mass: lossweight.Mass{Rows: 2, Live: 1, Weight: 20. / 92, LiveWeight: 10. / 92, Positive: 15. / 92},
	}
	longest := Part{
		Samples: 2, Groups: 2, Signal: 1, Admitted: 2, Kept: 1, Solved: 1, Judged: 2, RewardSum: 1, Rewards: 2, Tokens: 26,
		AbsUnfiltered: 0.5, Mass: lossweight.Mass{Rows: 2, Weight: 26. / 92},
	}
	for by, want := range map[string]map[string]Part{
		"difficulty": {"up to 25% solved": hard, "all solved": easy},
		"fate":       {"alive": hard, "all correct": easy},
		"step":       {"1": all},
	} {
		b, parts := breakdownBy(t, a, by, nil)
		if diff := cmp.Diff(want, parts, near); diff != "" {
			t.Errorf("by %s: %s", by, diff)
		}
		if diff := cmp.Diff(all, b.All, near); diff != "" || b.Steps != 1 {
			t.Errorf("by %s, all of %d steps: %s", by, b.Steps, diff)
		}
	}
	b, parts := breakdownBy(t, a, "length", nil)
	if diff := cmp.Diff(shortest, parts["shortest quarter"], near); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(longest, parts["longest quarter"], near); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(all, b.All, near); diff != "" || len(parts) != 4 {
		t.Errorf("%d parts, all: %s", len(parts), diff)
	}
}

// Samples of which the function gives no name count nowhere, nor do groups of which it names none.
func TestBreakdownOfSome(t *testing.T) {
	a := analyze(t, snapshotOf([]float64{1, 0, 0, 0}, []float64{1, 1, 1, 1}), model.DefaultSettings())
	var b Breakdown
	b.Add(a, func(g, i int) string {
		if g == 0 && a.Unfiltered[i] < 0 {
			return "down"
		}
		return ""
	})
	if len(b.Parts) != 1 || b.All.Samples != 3 || b.All.Groups != 1 || math.Abs(b.All.Push+1.5) > 1e-5 || b.Parts[0].Reward() != 0 {
		t.Errorf("%+v", b)
	}
}

// Parts with an order have it.
func TestPartOrder(t *testing.T) {
	names := []string{"longest quarter", "all solved", "gsm8k", "none solved", "shortest quarter", "up to 50% solved"}
	slices.SortStableFunc(names, func(x, y string) int { return PartOrder(x) - PartOrder(y) })
	if want := []string{"gsm8k", "none solved", "up to 50% solved", "all solved", "shortest quarter", "longest quarter"}; !slices.Equal(names, want) {
		t.Error(names)
	}
}

// Without a solve rate and without lengths the parts say so.
func TestPartsOfWhatIsUnknown(t *testing.T) {
	chunk := chunkOf(1, []float64{0.11, 0.72, 0.33}, []float64{0.94, 0.05, 0.26})
	for i := range chunk.Records {
		chunk.Records[i].Length = -1
	}
	a := analyze(t, stepsOf(chunk), model.DefaultSettings())
	for by, want := range map[string]string{"difficulty": "solve rate unknown", "length": "length unknown"} {
		if b, _ := breakdownBy(t, a, by, nil); len(b.Parts) != 1 || b.Parts[0].Name != want || b.All.Tokens != 0 {
			t.Errorf("by %s: %+v", by, b.Parts)
		}
	}
}

// Columns of the log: numbers are in memory; others are read, in every row.
func TestPartsByColumn(t *testing.T) {
	chunk := chunkOf(1, []float64{1, 0, 0, 0}, []float64{1, 1, 1, 0})
	chunk.ComponentNames = []string{"level"}
	for i := range chunk.Records {
		chunk.Records[i].Components = []float64{float64(i % 2)}
		chunk.Records[i].Offset = int64(i)
	}
	chunk.Records[7].Components[0] = math.NaN()
	a := analyze(t, stepsOf(chunk), model.DefaultSettings())
	sources := []string{"gsm", "?", "?", "gsm", "math", "code", "", "code"}
	reads := 0
	read := func(_ context.Context, at model.Place) (model.Text, error) {
		reads++
		return model.Text{Fields: []model.Field{{Name: "step", Value: "1"}, {Name: "source", Value: sources[at.Offset]}, {Name: "env", Value: `{"name":"wordle","task":{"id":7},"v":null}`}}}, nil
	}
	counts := func(by string) map[string]int {
		_, parts := breakdownBy(t, a, by, read)
		n := map[string]int{}
		for name, p := range parts {
			n[name] = p.Samples
		}
		return n
	}
	if diff := cmp.Diff(map[string]int{"0": 4, "1": 3, "empty": 1}, counts("level")); diff != "" || reads != 0 {
		t.Errorf("%d reads: %s", reads, diff)
	}
	if diff := cmp.Diff(map[string]int{"gsm": 2, "?": 2, "math": 1, "code": 2, "empty": 1}, counts("source")); diff != "" || reads != 8 {
		t.Errorf("%d reads: %s", reads, diff)
	}
	for by, want := range map[string]string{"env": "wordle", "env.name": "wordle", "env.task": "7", "env.task.id": "7", "env.v": "empty"} {
		if diff := cmp.Diff(map[string]int{want: 8}, counts(by)); diff != "" {
			t.Errorf("by %s: %s", by, diff)
		}
	}
	if _, err := a.PartNames(t.Context(), "nope", read); !errors.Is(err, ErrNoColumn) || err.Error() != "the log has no such column, but step, source, env; by difficulty, length, fate, step it goes without one" {
		t.Error(err)
	}
	gone := errors.New("gone")
	if _, err := a.PartNames(t.Context(), "source", func(context.Context, model.Place) (model.Text, error) { return model.Text{}, gone }); !errors.Is(err, gone) {
		t.Error(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.PartNames(ended, "source", read); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
