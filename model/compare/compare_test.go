package compare

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vantage/model"
)

// Expected values are computed by hand: two-sided, k or fewer of n.
func TestSignTest(t *testing.T) {
	for _, c := range []struct {
		wins, losses int
		want         float64
	}{
		{0, 0, 1}, {1, 0, 1}, {5, 0, 0.0625}, {8, 2, 0.109375}, {2, 8, 0.109375}, {10, 10, 1}, {15, 5, 0.04138947},
	} {
		if got := SignTest(c.wins, c.losses); math.Abs(got-c.want) > 1e-8 {
			t.Errorf("%d wins, %d losses: %v, want %v", c.wins, c.losses, got, c.want)
		}
	}
}

// sample is a row of a made run.
type sample struct {
	step   int64
	prompt string
	reward float64
}

func runOf(t interface{ Helper() }, open bool, samples ...sample) Run {
	t.Helper()
	chunk := &model.Chunk{Format: "synthetic", Progress: model.Progress{CaughtUp: true, Open: open}}
	for _, s := range samples {
		h := fnv.New64a()
		_, _ = h.Write([]byte(s.prompt))
		chunk.Records = append(chunk.Records, model.Record{
			Step: s.step, Prompt: h.Sum64(), Preview: s.prompt, Reward: s.reward, Advantage: math.NaN(), Length: -1,
		})
	}
	store := model.NewStore()
	store.Append(chunk)
	return Run{Snap: store.Snapshot(), Set: model.DefaultSettings()}
}

func compared(t interface {
	Helper()
	Fatal(...any)
}, a, b Run,
) *Result {
	t.Helper()
	r, err := Runs(context.Background(), a, b)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Prompt x: 0 against 1/2. y: 1/2 against 1/2. z: 1 against 3/4. By hand, also the standard error: the
// differences 1/2, 0 and -1/4 have the variance 7/48.
func TestRuns(t *testing.T) {
	a := runOf(t, false, sample{1, "x", 0}, sample{1, "x", 0}, sample{1, "y", 1}, sample{1, "y", 0}, sample{2, "z", 1}, sample{2, "z", 1}, sample{2, "z", 1}, sample{2, "z", 1}, sample{2, "only", 1})
	b := runOf(t, false, sample{1, "x", 0}, sample{1, "x", 1}, sample{1, "y", 1}, sample{1, "y", 0}, sample{2, "z", 1}, sample{2, "z", 1}, sample{2, "z", 1}, sample{2, "z", 0}, sample{1, "other", 1})
	r := compared(t, a, b)
	if r.Wins != 1 || r.Losses != 1 || r.Ties != 1 || r.Steps != 2 || r.OtherSteps != 0 || math.Abs(r.Delta-0.25/3) > 1e-12 || math.Abs(r.StdErr-math.Sqrt(7./48/3)) > 1e-12 {
		t.Errorf("%+v", r)
	}
	if r.Pairs[0].Delta() != -0.25 || r.Pairs[2].Delta() != 0.5 || r.Pairs[0].Samples != 4 {
		t.Errorf("%+v", r.Pairs)
	}
	// difficulties 1/4, 1/2 and 7/8 in five bins of width 1/8
	if len(r.Bins) != 5 || r.Bins[0].Pairs != 1 || r.Bins[0].Delta != 0.5 || r.Bins[2].Pairs != 1 || r.Bins[4].Delta != -0.25 {
		t.Errorf("%+v", r.Bins)
	}
	if s := r.Baseline; s.LeftOutPrompts != 1 || s.Prompts != 4 || s.LeftOutSamples != 1 || s.Samples != 9 || s.LeftOutSteps != 0 {
		t.Errorf("%+v", s)
	}
}

// Only steps of both count, and of each prompt as many samples, spread over those of the run.
func TestOnlyWhatBothHave(t *testing.T) {
	a := runOf(t, false, sample{1, "x", 1}, sample{1, "x", 0}, sample{5, "x", 1}, sample{5, "x", 1}, sample{5, "late", 1})
	b := runOf(t, true, sample{1, "x", 1}, sample{1, "x", 1}, sample{1, "x", 0}, sample{1, "x", 0}, sample{1, "x", math.NaN()}, sample{2, "x", 0}, sample{5, "x", 0})
	r := compared(t, a, b)
	if r.Steps != 1 || len(r.Pairs) != 1 || r.Pairs[0].Baseline != 0.5 || r.Pairs[0].Candidate != 0.5 || r.Pairs[0].Samples != 2 || r.Pairs[0].OfCandidate != 4 {
		t.Fatalf("%+v", r)
	}
	want := Scope{Steps: 2, LeftOutSteps: 1, First: 1, Last: 5, Prompts: 2, LeftOutPrompts: 1, Samples: 5, LeftOutSamples: 3}
	if r.Baseline != want {
		t.Errorf("baseline %+v", r.Baseline)
	}
	want = Scope{Steps: 3, LeftOutSteps: 2, OpenSteps: 1, First: 1, Last: 5, Prompts: 1, Samples: 7, LeftOutSamples: 5, InvalidSamples: 1, SurplusSamples: 2}
	if r.Candidate != want {
		t.Errorf("candidate %+v", r.Candidate)
	}
}

// A prompt that the runs saw at different steps is compared, and counted.
func TestOtherSteps(t *testing.T) {
	a := runOf(t, false, sample{1, "x", 1}, sample{2, "y", 0})
	b := runOf(t, false, sample{2, "x", 1}, sample{1, "y", 0})
	if r := compared(t, a, b); len(r.Pairs) != 2 || r.OtherSteps != 2 {
		t.Errorf("%+v", r)
	}
}

func TestWhyNothing(t *testing.T) {
	a := runOf(t, false, sample{1, "x", 1}, sample{2, "x", 1})
	for _, c := range []struct {
		b    Run
		want string
	}{
		{runOf(t, false, sample{7, "x", 1}), "the runs have no step in common: first run has steps 1 to 2, second run step 7"},
		{runOf(t, false, sample{1, "y", 1}), "the runs saw no prompt in common in the 1 step that both have"},
		{runOf(t, true, sample{2, "x", 1}), "the runs have no complete step in common yet: first run has steps 1 to 2, second run step 2"},
		{a, ""},
	} {
		if got := compared(t, a, c.b).WhyNothing(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestDifferentScales(t *testing.T) {
	a := runOf(t, false, sample{1, "x", 1}, sample{1, "x", 0})
	b := runOf(t, false, sample{1, "x", 1}, sample{1, "x", -1})
	if r := compared(t, a, b); !strings.Contains(r.Scales, "first run has 0 for wrong and 1 for solved, second run -1 and 1") {
		t.Errorf("%q", r.Scales)
	}
	if r := compared(t, a, a); r.Scales != "" {
		t.Errorf("%q", r.Scales)
	}
}

// Swapping the runs swaps wins and losses, negates the difference and keeps the p-value.
func TestSwappedRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) Run {
			samples := []sample{{1, "always", 1}}
			for prompt := range 12 {
				for range rapid.IntRange(0, 3).Draw(t, name) {
					step := rapid.Int64Range(1, 3).Draw(t, name)
					samples = append(samples, sample{step, fmt.Sprint(prompt), float64(rapid.IntRange(0, 4).Draw(t, name)) / 4})
				}
			}
			return runOf(t, false, samples...)
		}
		a, b := draw("a"), draw("b")
		r, s := compared(t, a, b), compared(t, b, a)
		if r.Wins != s.Losses || r.Losses != s.Wins || r.Ties != s.Ties || r.PValue != s.PValue || r.Baseline != s.Candidate {
			t.Fatalf("%+v\n%+v", r, s)
		}
		if math.Abs(r.Delta+s.Delta) > 1e-12 {
			t.Fatalf("%v and %v", r.Delta, s.Delta)
		}
	})
}
