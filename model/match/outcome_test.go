package match

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vantage/model"
)

// step is a step of a made log: rewards of its groups, and what gives their advantages.
type step struct {
	groups     [][]float64
	advantages func([]float64) []float64
}

// logOfSteps numbers the steps from 1. Of each row keep decides whether it is in the log.
func logOfSteps(keep func(row int) bool, steps ...step) model.Snapshot {
	chunk := &model.Chunk{Format: "synthetic", Positional: true, Progress: model.Progress{CaughtUp: true}}
	n := 0
	for s, one := range steps {
		for g, rewards := range one.groups {
			for i, a := range one.advantages(rewards) {
				if n++; !keep(n) {
					continue
				}
				name := fmt.Sprintf("%d-%d", s, g)
				chunk.Records = append(chunk.Records, model.Record{Step: int64(s + 1), Group: name, Prompt: uint64(g + 1), Preview: name, Reward: rewards[i], Advantage: a, Length: -1})
			}
		}
	}
	return snapshotOf(chunk)
}

func all(int) bool { return true }

func reportOn(t *testing.T, snap model.Snapshot, change func(*model.Settings)) *Report {
	t.Helper()
	set := model.DefaultSettings()
	if change != nil {
		change(&set)
	}
	r, err := Run(context.Background(), snap, set, DefaultLimit)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// made are groups with rewards that random gives.
func made(groups, size int, reward func() float64) [][]float64 {
	all := make([][]float64, groups)
	for g := range all {
		for range size {
			all[g] = append(all[g], reward())
		}
	}
	return all
}

// The formulas of the papers, in plain arithmetic: RLOO is r − mean of the others, GRPO r − mean over the std
// with ddof 1 and 1e-4.
func rlooOf(rewards []float64) []float64 {
	sum, out := 0.0, make([]float64, len(rewards))
	for _, r := range rewards {
		sum += r
	}
	for i, r := range rewards {
		out[i] = r - (sum-r)/float64(len(rewards)-1)
	}
	return out
}

func grpoOf(ddof int, eps float64) func([]float64) []float64 {
	return func(rewards []float64) []float64 {
		mean, squares, out := 0.0, 0.0, make([]float64, len(rewards))
		for _, r := range rewards {
			mean += r / float64(len(rewards))
		}
		for _, r := range rewards {
			squares += (r - mean) * (r - mean)
		}
		for i, r := range rewards {
			if squares > 1e-12 {
				out[i] = (r - mean) / (math.Sqrt(squares/float64(len(rewards)-ddof)) + eps)
			}
		}
		return out
	}
}

func tenths(random *rand.Rand) func() float64 {
	return func() float64 { return float64(random.IntN(11)) / 10 }
}

func coin(random *rand.Rand) func() float64 { return func() float64 { return float64(random.IntN(2)) } }

// GRPO up to step 2 and RLOO from step 3: the step is named, and neither groups nor rewards are blamed.
func TestMixtureIsFoundByStep(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for name, reward := range map[string]func() float64{"tenths": tenths(random), "binary": coin(random)} {
		var steps []step
		for s := range 8 {
			steps = append(steps, step{made(6, 8, reward), grpoOf(1, 1e-4)})
			if s >= 2 {
				steps[s].advantages = rlooOf
			}
		}
		r := reportOn(t, logOfSteps(all, steps...), nil)
		if r.Outcome() != OutcomeMixture || len(r.Mixture) != 2 || r.Mixture[0].To != 2 || r.Mixture[1].From != 3 || r.Mixture[1].To != 8 || r.Mixture[1].Estimator != "rloo" {
			t.Errorf("%s: %s %+v %q", name, r.Outcome(), r.Mixture, r.Clues)
			continue
		}
		want := fmt.Sprintf("the estimator changes with the steps: %s gives steps 1 to 2, from step 3 %s", r.Mixture[0].Candidate, r.Mixture[1].Candidate)
		if len(r.Clues) != 1 || r.Clues[0] != want || !strings.Contains(want, "grpo") || !strings.Contains(want, "rloo") {
			t.Errorf("%s: %q", name, r.Clues)
		}
	}
}

// A mixture is found in rounded logs; one step that nothing gives makes none, nor does one group.
func TestMixtureNeedsEvidence(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	rounded := func(f func([]float64) []float64) func([]float64) []float64 {
		return func(rewards []float64) []float64 {
			out := f(rewards)
			for i := range out {
				out[i] = math.Round(out[i]*1e4) / 1e4
			}
			return out
		}
	}
	grpo, rloo := step{made(6, 8, tenths(random)), rounded(grpoOf(1, 1e-4))}, step{made(6, 8, tenths(random)), rounded(rlooOf)}
	if r := reportOn(t, logOfSteps(all, grpo, grpo, rloo), nil); r.Outcome() != OutcomeMixture || r.Decimals != 4 {
		t.Errorf("rounded: %s, %d decimals, %q", r.Outcome(), r.Decimals, r.Clues)
	}
	grpo.advantages, rloo.advantages = grpoOf(1, 1e-4), rlooOf
	noise := step{made(6, 8, tenths(random)), func(r []float64) []float64 { return made(1, len(r), random.NormFloat64)[0] }}
	one := step{rloo.groups[:1], rlooOf}
	for name, steps := range map[string][]step{"noise": {grpo, noise, rloo}, "one group": {grpo, grpo, one}} {
		if r := reportOn(t, logOfSteps(all, steps...), nil); r.Outcome() != OutcomeNone {
			t.Errorf("%s: %s %q", name, r.Outcome(), r.Clues)
		}
	}
}

// Rewards that are all equal fit nearly everything: that tells nothing, and is no match.
func TestEqualRewardsCannotTell(t *testing.T) {
	zero := func(rewards []float64) []float64 { return make([]float64, len(rewards)) }
	r := reportOn(t, logOfSteps(all, step{made(4, 8, func() float64 { return 1 }), zero}, step{made(4, 8, func() float64 { return 0 }), zero}), nil)
	if r.HasMatch() || r.Outcome() != OutcomeCannotTell || len(r.Clues) != 1 || !strings.Contains(r.Clues[0], "all 64 logged advantages are 0") {
		t.Errorf("%s %q, %d matches", r.Outcome(), r.Clues, len(r.Matches))
	}
	if len(r.Others) < 50 || r.Others[0].Agreeing != 64 {
		t.Errorf("%d others", len(r.Others))
	}
	// one group with signal decides
	r = reportOn(t, logOfSteps(all, step{append(made(4, 8, func() float64 { return 1 }), []float64{1, 0, 0, 0, 0, 0, 0, 0}), rlooOf}), nil)
	if !slices.ContainsFunc(r.Matches, func(v Verdict) bool { return v.Estimator == "rloo" }) {
		t.Errorf("%s %+v", r.Outcome(), r.Matches[:min(1, len(r.Matches))])
	}
	// zeros where rewards differ fit nothing
	r = reportOn(t, logOfSteps(all, step{[][]float64{{1, 0, 1, 0}, {1, 1, 1, 0}}, zero}), nil)
	if r.Outcome() != OutcomeCannotTell || !strings.Contains(r.Clues[0], "all 8 logged advantages are 0, and rewards differ within groups: ") { // max@k minus the next is 0
		t.Errorf("%s %q", r.Outcome(), r.Clues)
	}
	r = reportOn(t, logOfSteps(all, step{[][]float64{{1, 0, 0.5, 0}, {1, 0.2, 0.7, 0}}, zero}), nil)
	if r.Outcome() != OutcomeNone || !strings.Contains(strings.Join(r.Clues, " "), "every logged advantage is 0, although rewards differ") {
		t.Errorf("%s %q", r.Outcome(), r.Clues)
	}
}

// numpy 2.4.6: r = np.array([0.1, 0.7, 0.4, 0.9, 0.3, 0.3, 0.8]); (r-r.mean())/(r.std(ddof=d)+eps), and the same
// of np.array([1., 0, 0, 1, 1]). No estimator here adds 1e-3, or 1e-4 to a std of ddof 0.
func TestNumpyArithmeticIsNamed(t *testing.T) {
	rewards := [][]float64{{0.1, 0.7, 0.4, 0.9, 0.3, 0.3, 0.8}, {1, 0, 0, 1, 1}}
	for _, c := range numpyCases() {
		row := 0
		given := func([]float64) []float64 {
			row++
			return c.advantages[row-1]
		}
		r := reportOn(t, logOfSteps(all, step{rewards, given}), nil)
		text := r.Arithmetic + strings.Join(r.Clues, " ")
		if r.HasMatch() != c.near || !strings.Contains(text, c.want) || !strings.Contains(text, "to the bit") {
			t.Errorf("%s: %s, %q", c.want, r.Outcome(), text)
		}
	}
}

// Golden samples of the trainer with the filter: the ratios given are used, and those that were not are found.
func TestKeepRatios(t *testing.T) {
	for _, ratios := range [][2]float64{{0.5, 0.5}, {1, 0}, {0.3, 1}} {
		for _, recompute := range []bool{false, true} {
			snap, n := filteredGolden(t, ratios, recompute)
			given := reportOn(t, snap, func(s *model.Settings) { s.KeepPos, s.KeepNeg, s.Recompute = ratios[0], ratios[1], recompute })
			if given.Outcome() != OutcomeMatch || given.Filter == nil || given.Matches[0].Exact != given.Compared {
				t.Errorf("%v %v given, %d cases: %s %+v", ratios, recompute, n, given.Outcome(), given.Filter)
			}
			r := reportOn(t, snap, nil)
			if r.Outcome() != OutcomeFiltered || r.Found.Framework != "easyr1" || r.Found.Recompute != recompute {
				t.Errorf("%v %v, %d cases: %s %q", ratios, recompute, n, r.Outcome(), r.Clues)
				continue
			}
			if f := r.Found; !reproducesKept(ratios, f) {
				t.Errorf("%v %v: found %v", ratios, recompute, f.Filter)
			}
			if text := strings.Join(r.Clues, " "); strings.Contains(text, "KL") || strings.Contains(text, "penalty") || !strings.Contains(text, r.Found.Flags()) {
				t.Errorf("%q", text)
			}
		}
	}
}

// reproducesKept reports whether a found ratio keeps as many samples as the true one, of up to 16.
func reproducesKept(ratios [2]float64, f *FoundFilter) bool {
	near := func(x, y float64) bool { return math.Abs(x-y) < 0.35 && (x == 0) == (y == 0) && (x == 1) == (y == 1) }
	return near(ratios[0], f.KeepPos) && near(ratios[1], f.KeepNeg)
}

// filteredGolden returns all golden cases of a filter as steps of one log.
func filteredGolden(t *testing.T, ratios [2]float64, recompute bool) (snap model.Snapshot, cases int) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "estimators", "testdata", "golden", "easyr1_brian_grpo.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []struct {
			Rewards, Advantages []any
			Groups              []int
			Params              map[string]any
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	chunk := &model.Chunk{Format: "synthetic", Progress: model.Progress{CaughtUp: true}}
	for k, c := range file.Cases {
		if c.Params["keep_pos_ratio"] != ratios[0] || c.Params["keep_neg_ratio"] != ratios[1] || c.Params["compute_new_adv"] != recompute || len(c.Advantages) != len(c.Groups) {
			continue
		}
		var records []model.Record
		for i, g := range c.Groups {
			reward, ok := c.Rewards[i].(float64)
			advantage, alsoOK := c.Advantages[i].(float64)
			if !ok || !alsoOK {
				records = nil
				break
			}
			records = append(records, model.Record{Step: int64(k), Group: fmt.Sprint(k, "-", g), Reward: reward, Advantage: advantage, Length: -1})
		}
		if len(records) > 0 {
			cases++
		}
		chunk.Records = append(chunk.Records, records...)
	}
	if cases < 3 {
		t.Fatalf("%d golden cases of %v", cases, ratios)
	}
	return snapshotOf(chunk), cases
}

// A tenth of all rows is missing: where enough groups are whole these match; and where none is, but rewards
// are binary, the log still shows it.
func TestMissingRowsAreNamed(t *testing.T) {
	for _, c := range []struct {
		size, groups int
		match        bool
	}{{8, 12, true}, {16, 24, true}, {64, 8, false}} {
		random := rand.New(rand.NewPCG(5, 6))
		var steps []step
		for range 8 {
			steps = append(steps, step{made(c.groups, c.size, coin(random)), grpoOf(1, 1e-4)})
		}
		kept := 0
		r := reportOn(t, logOfSteps(func(int) bool {
			keep := random.IntN(10) > 0
			if keep {
				kept++
			}
			return keep
		}, steps...), nil)
		missing := 8*c.groups*c.size - kept
		switch {
		case c.match && (r.Outcome() != OutcomeMatch || r.MissingRows != missing || r.Compared+r.LeftOut != kept || r.AllGroups != 8*c.groups):
			t.Errorf("%d: %s, %d of %d rows missing, %q", c.size, r.Outcome(), r.MissingRows, missing, r.Clues)
		case !c.match && (r.Outcome() != OutcomeNone || len(r.Clues) != 1 || !strings.Contains(r.Clues[0], "rows are missing: no group can be compared, but with 64 rows in each") || !strings.Contains(r.Clues[0], fmt.Sprintf("%d/%d", missing, 8*c.groups*c.size))):
			t.Errorf("%d: %s, %d missing, %q", c.size, r.Outcome(), missing, r.Clues)
		}
	}
}

// Numbers that fit nothing get no cause: neither a key nor a penalty nor a second normalisation.
func TestNoiseHasNoCause(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	normal := func(r []float64) []float64 { return made(1, len(r), random.NormFloat64)[0] }
	for name, advantages := range map[string]func([]float64) []float64{
		"normal":              normal,
		"uniform":             func(r []float64) []float64 { return made(1, len(r), random.Float64)[0] },
		"normalised by group": func(r []float64) []float64 { return grpoOf(1, 0)(normal(r)) },
		"of the negated reward": func(r []float64) []float64 {
			x := rlooOf(r)
			for i := range x {
				x[i] *= -x[i] * x[i]
			}
			return x
		},
	} {
		for rewards, reward := range map[string]func() float64{"tenths": tenths(random), "binary": coin(random)} {
			var steps []step
			for range 8 {
				steps = append(steps, step{made(12, 8, reward), advantages})
			}
			r := reportOn(t, logOfSteps(all, steps...), nil)
			text := strings.Join(r.Clues, "; ")
			for _, cause := range []string{"key", "KL", "penalty", "normalised", "took", "scaled", "missing", "belong", "changes", "filter"} {
				if strings.Contains(text, cause) {
					t.Errorf("%s, %s: %q", name, rewards, text)
				}
			}
			if r.Outcome() != OutcomeNone || text == "" {
				t.Errorf("%s, %s: %s %q", name, rewards, r.Outcome(), text)
			}
		}
	}
}
