package groupsize

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"vantage/internal/testkit/modeltest"
	"vantage/model"
)

// counted are 32 groups of 8.
func counted() []Count {
	return []Count{{8, 0, 9}, {8, 1, 5}, {8, 2, 4}, {8, 3, 3}, {8, 4, 2}, {8, 5, 2}, {8, 6, 2}, {8, 7, 1}, {8, 8, 4}}
}

// The prior is that which scipy 1.17 finds by Nelder-Mead for Σ log betabinom and the density of a and b,
// for equal sizes and for mixed ones.
func TestFitIsThatOfScipy(t *testing.T) {
	for _, c := range []struct {
		counts []Count
		want   Prior
	}{
		{counted(), Prior{0.40865032, 0.68021882}},
		{[]Count{{4, 0, 3}, {4, 2, 2}, {6, 6, 1}, {6, 1, 2}, {16, 9, 1}}, Prior{0.50932771, 0.88469103}},
	} {
		got := fitPrior(c.counts)
		if math.Abs(got.A-c.want.A) > 1e-4 || math.Abs(got.B-c.want.B) > 1e-4 {
			t.Errorf("%+v, want %+v", got, c.want)
		}
	}
}

// Shares of groups are those of scipy.stats.betabinom under the posterior of each group. The range is
// that of numpy: the variance of independent chances and that of the fit, by the inverse of its Hessian.
func TestEstimatesAreThoseOfScipy(t *testing.T) {
	f := fitPrior(counted())
	for _, want := range []struct {
		size                       int
		none, all, low, high, cost float64
	}{
		{4, 0.4024841377, 0.1536007645, 0.42374164, 0.68842816, 9.01073205},
		{8, 0.3022034667, 0.1020880446, 0.27325734, 0.53532568, 13.42938728},
		{16, 0.2241281894, 0.0683903898, 0.16313625, 0.42190090, 22.61543488},
		{64, 0.1240749283, 0.0294591373, 0.03406257, 0.27300556, 75.60847684},
	} {
		got := estimate(counted(), f, want.size)
		for _, x := range [][2]float64{{got.NoneSolved, want.none}, {got.AllSolved, want.all}, {got.Cost(), want.cost}, {got.LowDead, want.low}, {got.HighDead, want.high}} {
			if math.Abs(x[0]-x[1]) > 1e-5*max(1, x[1]) {
				t.Errorf("size %d: %v, want %v", want.size, x[0], x[1])
			}
		}
	}
}

// One group of two, one solved, under a uniform prior: the posterior is Beta(2, 2), and by hand
// E[p²] = 2·3/(4·5) = 0.3, twice. Its chance of 0.6 has the variance 0.24.
func TestEstimateByHand(t *testing.T) {
	got := estimate([]Count{{2, 1, 1}}, fit{Prior: Prior{1, 1}}, 2)
	if math.Abs(got.AllSolved-0.3) > 1e-12 || math.Abs(got.NoneSolved-0.3) > 1e-12 || math.Abs(got.Cost()-5) > 1e-9 || got.LowDead != 0 || got.HighDead != 1 {
		t.Errorf("%+v", got)
	}
	got = estimate([]Count{{2, 1, 100}}, fit{Prior: Prior{1, 1}}, 2) // 0.6 ± 1.645·√(0.24/100)
	if low, high := got.CostRange(); math.Abs(got.LowDead-0.51942) > 1e-5 || math.Abs(got.HighDead-0.68058) > 1e-5 || math.Abs(low-4.16163) > 1e-4 || math.Abs(high-6.26134) > 1e-4 {
		t.Errorf("%+v, %v to %v", got, low, high)
	}
}

// A run that no sample solves does not prove that none can be, and one with a single rate is fitted.
func TestFitAtTheBounds(t *testing.T) {
	for _, counts := range [][]Count{{{8, 0, 16}}, {{8, 8, 16}}, {{8, 4, 16}}, {{8, 0, 8}, {8, 8, 8}}, {{1, 1, 1}}} {
		p := fitPrior(counts)
		e := estimate(counts, p, 16)
		if !(p.A > 0 && p.B > 0 && p.Mean() > 0 && p.Mean() < 1) || !(e.Dead() > 0 && e.Dead() < 1) || !(e.LowDead <= e.HighDead) {
			t.Errorf("%v: %+v, %+v", counts, p, e)
		}
	}
}

// On prompts whose rates are known the estimates from one round of groups hold in the next: the share of
// dead groups lies in the range in about 9 of 10 rounds, also at another size.
func TestRangesHold(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const rounds, prompts, seen = 200, 48, 8
	for _, size := range []int{4, 8, 32} {
		inside := 0
		for range rounds {
			rates := make([]float64, prompts)
			counts := map[int]int{}
			for i := range rates {
				rates[i] = math.Pow(random.Float64(), 2)
				counts[drawSolved(random, rates[i], seen)]++
			}
			var all []Count
			for solved, n := range counts {
				all = append(all, Count{seen, solved, n})
			}
			dead := 0.0
			for _, rate := range rates {
				if s := drawSolved(random, rate, size); s == 0 || s == size {
					dead++
				}
			}
			if e := estimate(all, fitPrior(all), size); dead/prompts >= e.LowDead && dead/prompts <= e.HighDead {
				inside++
			}
		}
		t.Logf("size %d: %d of %d rounds are in the range", size, inside, rounds)
		if share := float64(inside) / rounds; share < 0.86 || share > 0.98 {
			t.Errorf("size %d: %.2f of rounds are in the range of 0.9", size, share)
		}
	}
}

func drawSolved(random *rand.Rand, rate float64, size int) (solved int) {
	for range size {
		if random.Float64() < rate {
			solved++
		}
	}
	return solved
}

func TestRun(t *testing.T) {
	nan := math.NaN()
	r, err := Run(t.Context(), modeltest.Snapshot([]float64{1, 1, 0, 0}, []float64{1, 1, 1, 1}, []float64{0, 0, 0, 0.5}, []float64{0, 0, 0, 0}, []float64{1, 0, 0, nan}), model.DefaultSettings(), []int{8, 2})
	if err != nil {
		t.Fatal(err)
	}
	if r.Steps != 1 || r.Groups != 4 || r.Dead != 3 || r.Partial != 1 || r.LeftOut != 1 || r.OwnSize() != 4 || len(r.Sizes) != 3 || r.Sizes[1].Size != 4 {
		t.Errorf("%+v", r)
	}
}

// Where nothing tells how often prompts are solved, one sentence says why.
func TestNothingTells(t *testing.T) {
	for want, groups := range map[string][][]float64{
		"rewards are continuous":          {{0.1, 0.2, 0.3, 0.41}, {0.5, 0.6, 0.7, 0.8}},
		"none of the 4 samples is solved": {{0, 0}, {0, 0}},
		"all of the 4 samples are solved": {{1, 1}, {1, 1}},
		"every group is of one sample":    {{1}, {0}},
		"no reward is a finite number":    {{math.NaN(), math.NaN()}},
	} {
		_, err := Run(t.Context(), modeltest.Snapshot(groups...), model.DefaultSettings(), DefaultSizes())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
