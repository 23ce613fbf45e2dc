package plan

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"vantage/internal/testkit/modeltest"
	"vantage/internal/testkit/repotest"
	"vantage/model"
)

// prompts are solve rates of a world, a function of a number from 0 to 1 and a random one.
type prompts func(at float64, random *rand.Rand) float64

// middling is a rate around a half, as of Beta(5, 5): the fifth smallest of nine uniform numbers.
func middling(random *rand.Rand) float64 {
	var all [9]float64
	for i := range all {
		all[i] = random.Float64()
	}
	slices.Sort(all[:])
	return all[4]
}

// group draws the rewards of a group.
func group(random *rand.Rand, rate float64, size int) []float64 {
	rewards := make([]float64, size)
	for i := range rewards {
		if random.Float64() < rate {
			rewards[i] = 1
		}
	}
	return rewards
}

// effective is the share of samples that push as evenly, Σ|A| and the share of groups with signal, by the
// formula of GRPO in float64: (r − mean)/(std + 1e-6).
func effective(groups [][]float64) (share, abs, alive float64) {
	samples, squares := 0.0, 0.0
	for _, g := range groups {
		n, mean, variance := float64(len(g)), 0.0, 0.0
		for _, r := range g {
			mean += r / n
		}
		for _, r := range g {
			variance += (r - mean) * (r - mean) / (n - 1)
		}
		samples += n
		if variance > 0 {
			alive += 1 / float64(len(groups))
		}
		for _, r := range g {
			x := (r - mean) / (math.Sqrt(variance) + 1e-6)
			abs += math.Abs(x)
			squares += x * x
		}
	}
	return abs * abs / squares / samples, abs, alive
}

func settings(t *testing.T) model.Settings {
	t.Helper()
	set := model.DefaultSettings().WithFramework("verl")
	set.Estimator, set.Scale = "grpo", "group"
	return set
}

// In worlds whose best setting is known by how they are made it is found, and gives what was said, on groups
// drawn anew from the true rates.
func TestPlantedWorlds(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	rounds := repotest.Times(1, 30)
	lines := []string{"| prompts | groups of | best | found | promised | given |", "|---|---|---|---|---|---|"}
	for _, w := range []struct {
		name, best string
		size       int
		rates      prompts
	}{
		{"half never solved, a fifth always, the others half the time", "drop both", 8, func(at float64, r *rand.Rand) float64 {
			if at < 0.5 {
				return 0
			} else if at < 0.7 {
				return 1
			}
			return middling(r)
		}},
		{"two in five always solved", "drop solved", 8, func(at float64, r *rand.Rand) float64 {
			if at < 0.4 {
				return 1
			}
			return middling(r)
		}},
		{"two in five never solved", "drop hopeless", 8, func(at float64, r *rand.Rand) float64 {
			if at < 0.4 {
				return 0
			}
			return middling(r)
		}},
		{"all solved about half the time", "groups of", 2, func(_ float64, r *rand.Rand) float64 { return middling(r) }},
		{"all solved about half the time", "nothing", 16, func(_ float64, r *rand.Rand) float64 { return middling(r) }},
		{"uniform rates from 0.1 to 0.9", "nothing", 32, func(_ float64, r *rand.Rand) float64 { return 0.1 + 0.8*r.Float64() }},
	} {
		found, promised, given := 0, 0.0, 0.0
		for range rounds {
			var rates []float64
			log := make([][][]float64, max(1, 24/w.size)) // tries of a prompt tell its state
			for i := range 300 {
				rates = append(rates, w.rates((float64(i)+0.5)/300, random))
				for pass := range log {
					log[pass] = append(log[pass], group(random, rates[i], w.size))
				}
			}
			p, err := New(t.Context(), modeltest.Passes(log...), settings(t), []int{4, 8, 16, 32, 64})
			if err != nil {
				t.Fatal(err)
			}
			best := p.Rows[p.Best]
			is := strings.HasPrefix(best.Name, w.best) || w.best == "nothing" && p.Best == 0
			if is {
				found++
			} else {
				t.Logf("%s: %s, %.2f", w.name, best.Name, best.Yield.Value)
			}
			// the next launch: as run, and as recommended
			size := w.size
			if best.Kind == Size || best.Kind == Both {
				size = best.Settings.NumGenerations
			}
			var asRun, asBest [][]float64
			for range 10 {
				for i, rate := range rates {
					asRun = append(asRun, group(random, rate, w.size))
					solved := 0.0
					for _, pass := range log {
						solved += sum(pass[i])
					}
					none, all := solved == 0, solved == float64(w.size*len(log))
					name, _, _ := strings.Cut(best.Name, ",")
					drops := none && (name == "drop both" || name == "drop hopeless") || all && (name == "drop both" || name == "drop solved")
					if !drops {
						asBest = append(asBest, group(random, rate, size))
					}
				}
			}
			x, _, _ := effective(asBest)
			y, _, _ := effective(asRun)
			promised += best.Yield.Value / float64(rounds)
			given += x / y / float64(rounds)
		}
		lines = append(lines, fmt.Sprintf("| %s | %d | %s | %d of %d | %.2f× | %.2f× |", w.name, w.size, w.best, found, rounds, promised, given))
		if float64(found) < 0.9*float64(rounds) || math.Abs(promised/given-1) > 0.1 {
			t.Errorf("%s: %s is found %d of %d times; %.2f× is promised, %.2f× given", w.name, w.best, found, rounds, promised, given)
		}
	}
	t.Log("\n" + strings.Join(lines, "\n"))
	if rounds > 10 {
		repotest.Part(t, ".github/docs/plan.md", "worlds", strings.Join(lines, "\n"))
	}
}

func sum(x []float64) (s float64) {
	for _, v := range x {
		s += v
	}
	return s
}

// Half of a log predicts the other half: what groups of half the size do, from half the samples of each
// group, and what the same setting does in the other steps.
func TestHalvesPredict(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	rounds := repotest.Times(2, 40)
	lines := []string{"| metric | predicted from | mean error | within the range |", "|---|---|---|---|"}
	errors, within := map[string]float64{}, map[string]int{}
	note := func(what string, r Range, truth float64) {
		errors[what] += 100 * math.Abs(r.Value/truth-1) / float64(rounds)
		if truth >= r.Low && truth <= r.High {
			within[what]++
		}
	}
	for range rounds {
		a, b, never := 0.3+2*random.Float64(), 0.3+2*random.Float64(), 0.4*random.Float64()
		var first, other, wide [][]float64
		for range 400 {
			rate := math.Pow(random.Float64(), 1/a) // Kumaraswamy's distribution: no Beta
			rate = 1 - math.Pow(1-rate, 1/b)
			if random.Float64() < never {
				rate = 0
			}
			first, other = append(first, group(random, rate, 8)), append(other, group(random, rate, 8))
			wide = append(wide, group(random, rate, 32))
		}
		p, err := New(t.Context(), modeltest.Snapshot(first...), settings(t), []int{32})
		if err != nil {
			t.Fatal(err)
		}
		e8, abs8, alive8 := effective(other)
		e32, abs32, alive32 := effective(wide)
		own, size := p.Rows[0], p.Rows[slices.IndexFunc(p.Rows, func(r Row) bool { return r.Kind == Size })]
		note("groups with signal, 8 samples | 8 other samples of each prompt", own.Alive, alive8)
		note("groups with signal, 32 samples | 8 of them", size.Alive, alive32)
		note("effective samples, 32 samples | 8 of them", size.Effective, e32)
		note("Σ\\|A\\| against the run, 32 samples | 8 of them", size.Abs, abs32/abs8)
		note("yield against the run, 32 samples | 8 of them", size.Yield, e32/e8)
	}
	for _, what := range slices.Sorted(func(yield func(string) bool) {
		for k := range errors {
			if !yield(k) {
				return
			}
		}
	}) {
		lines = append(lines, fmt.Sprintf("| %s | %.1f%% | %.0f%% |", what, errors[what], 100*float64(within[what])/float64(rounds)))
	}
	t.Log("\n" + strings.Join(lines, "\n"))
	if rounds > 10 {
		repotest.Part(t, ".github/docs/plan.md", "halves", strings.Join(lines, "\n"))
	}
}

// By hand, for verl's GRPO without a scale: in groups of 2 the advantages are ±½, 0 or 0. Two groups of
// four are alive: as many samples push evenly as are in them.
func TestAsRunByHand(t *testing.T) {
	set := settings(t)
	set.Scale = "none"
	p, err := New(t.Context(), modeltest.Snapshot([]float64{1, 0}, []float64{0, 1}, []float64{1, 1}, []float64{0, 0}), set, []int{4})
	if err != nil {
		t.Fatal(err)
	}
	run := p.Rows[0]
	if run.Alive.Value != 0.5 || run.Effective.Value != 0.5 || run.Yield.Value != 1 || run.Abs.Value != 1 || run.Generated.Value != 1 || p.Signal != 2 || p.Groups != 4 {
		t.Errorf("%+v", run)
	}
	for _, r := range p.Rows {
		switch {
		case r.Kind == Filter && (r.Batch.Value != 0.5 || r.Yield.Value != 1):
			t.Errorf("the filter leaves half of the samples to the step, and the yield as it is: %+v", r)
		case r.Kind == Scale && !math.IsNaN(r.Abs.Value):
			t.Errorf("advantages of another scale are of another size: %+v", r)
		}
	}
}

// A group of three of which one is solved has, without a scale, advantages of 2/3, −1/3 and −1/3: Σ|A| 4/3
// and ΣA² 2/3.
func TestProfileByHand(t *testing.T) {
	set := settings(t)
	e, err := set.FindEstimator()
	if err != nil {
		t.Fatal(err)
	}
	got := profile(e, "none", 3)
	if len(got) != 4 || got[0].abs != 0 || got[3].alive != 0 || math.Abs(got[1].abs-4./3) > 1e-6 || math.Abs(got[1].squares-2./3) > 1e-6 || got[1].alive != 1 {
		t.Errorf("%+v", got)
	}
}

// Where the log cannot answer a sentence says why, and the other settings stay.
func TestNotAsked(t *testing.T) {
	for want, groups := range map[string][][]float64{
		"don't show which samples are solved": {{0.1, 0.2, 0.3, 0.41}, {0.5, 0.6, 0.7, 0.8}},
		"no prompt has solved samples":        {{1, 1}, {0, 0}},
		"every group is of one sample":        {{1}, {0}},
	} {
		p, err := New(t.Context(), modeltest.Snapshot(groups...), settings(t), DefaultSizes())
		if err != nil || !strings.Contains(strings.Join(p.Missing, "\n"), want) || p.Rows[0].Kind != Run || p.Best != 0 {
			t.Errorf("%v, %+v, want %s", err, p, want)
		}
	}
}
