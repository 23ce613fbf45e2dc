package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// policy is a made learner: of each of its prompts the solve rate rises with the step.
type policy struct{ rates []float64 }

func newPolicy(random *rand.Rand, prompts int) policy {
	p := policy{make([]float64, prompts)}
	for i := range p.rates {
		p.rates[i] = random.Float64()
		if i%4 == 0 { // many are too hard or too easy
			p.rates[i] = math.Round(p.rates[i])
		}
	}
	return p
}

func (p policy) solveRate(prompt, step int) float64 {
	return min(1, p.rates[prompt]+0.01*float64(step))
}

// draw lets the policy train for some steps, with half of the prompts, in an order of its own, in each two.
func (p policy) draw(t *testing.T, random *rand.Rand, steps, samplesPerPrompt int) Run {
	t.Helper()
	var samples []sample
	half := len(p.rates) / 2
	for first := 1; first <= steps; first += 2 {
		order := random.Perm(len(p.rates))
		for i, prompt := range order {
			step := first + i/half
			for range samplesPerPrompt {
				reward := 0.0
				if random.Float64() < p.solveRate(prompt, step) {
					reward = 1
				}
				samples = append(samples, sample{int64(step), fmt.Sprint(prompt), reward})
			}
		}
	}
	return runOf(t, false, samples...)
}

// Of two runs of one policy the p-value is uniform and no difficulty has a slope, however much longer one
// of them ran, and however many samples it drew. A sign test has discrete p-values; drawn uniformly
// between each and the next smaller one they are uniform under the null hypothesis, without remainder.
func TestNullRunsShowNothing(t *testing.T) {
	const runs, prompts = 200, 48
	for _, c := range []struct {
		name                           string
		stepsA, stepsB, drawsA, drawsB int
	}{
		{"alike", 6, 6, 8, 8},
		{"one stopped early", 20, 6, 8, 8},
		{"other group sizes", 6, 6, 4, 16},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(1, 2))
			var pValues []float64
			var slopes, deltas moments
			for range runs {
				p := newPolicy(random, prompts)
				r := compared(t, p.draw(t, random, c.stepsA, c.drawsA), p.draw(t, random, c.stepsB, c.drawsB))
				if len(r.Pairs) != prompts || r.Steps != min(c.stepsA, c.stepsB) {
					t.Fatalf("%d pairs in %d steps", len(r.Pairs), r.Steps)
				}
				below := 0.0 // the p-value of the next more uneven outcome
				if k := min(r.Wins, r.Losses); k > 0 {
					below = SignTest(k-1, r.Wins+r.Losses-k+1)
				}
				pValues = append(pValues, below+random.Float64()*(r.PValue-below))
				slopes.add(slope(r.Bins))
				deltas.add(r.Delta)
			}
			if d := kolmogorovSmirnov(pValues); d > 1.63/math.Sqrt(runs) { // critical at 1 %
				t.Errorf("p-values are %.3f from uniform", d)
			}
			for name, m := range map[string]moments{"slope": slopes, "mean difference": deltas} {
				if z := m.mean() / m.stdErr(); math.Abs(z) > 3 {
					t.Errorf("%s %+.4f, %.1f standard errors from 0", name, m.mean(), z)
				}
			}
		})
	}
}

// slope is that of the line of least squares through the bins, weighted by their pairs.
func slope(bins []Bin) float64 {
	var n, sx, sy, sxx, sxy float64
	for _, b := range bins {
		if b.Pairs == 0 {
			continue
		}
		w, x := float64(b.Pairs), (b.Lo+b.Hi)/2
		n, sx, sy, sxx, sxy = n+w, sx+w*x, sy+w*b.Delta, sxx+w*x*x, sxy+w*x*b.Delta
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

// kolmogorovSmirnov is the largest distance of the empirical distribution from the uniform one.
func kolmogorovSmirnov(values []float64) float64 {
	slices.Sort(values)
	largest, n := 0.0, float64(len(values))
	for i, x := range values {
		largest = max(largest, math.Abs(x-float64(i)/n), math.Abs(x-float64(i+1)/n))
	}
	return largest
}
