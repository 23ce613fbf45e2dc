package diagnosis

import (
	"fmt"
	"math"

	"vantage/model/units"
)

// Learning is by how much a reward gains over a run: the mean of its last third of steps against that of its first.
type Learning struct {
	Name  string // of the reward, as logged: sanitised
	Steps int    // that have a value
	Gain         // of all samples
	Same  *Gain  // of the prompts that come in both thirds, each against itself; nil if too few do
}

// Gain is a difference of two means with its standard error.
type Gain struct {
	By    float64
	Error float64 // NaN if there are too few values to tell
	Level float64 // the later mean
}

// When a gain, or its absence, is known.
const (
	LeastLearning = 50   // steps in which a reward should have gained
	gainErrors    = 2    // standard errors that a gain is beyond chance
	leastPower    = 0.15 // of the range of the reward: a gain of that size must show, for its absence to mean anything
	batches       = 4    // of steps in a third: their means differ by the noise, whatever it has in common from step to step
)

// String is the gain with its error, "+0.03 ± 0.02".
func (g *Gain) String() string {
	if math.IsNaN(g.Error) {
		return units.Signed(g.By)
	}
	return units.Signed(g.By) + " ± " + units.Short(g.Error)
}

// String is one line: "reward +0.03 ± 0.02 over 300 steps (same prompts: +0.01 ± 0.02)".
func (l *Learning) String() string {
	text := fmt.Sprintf("%s %s over %s", l.Name, l.Gain.String(), units.Plural(l.Steps, "steps"))
	if l.Same != nil {
		text += " (same prompts: " + l.Same.String() + ")"
	}
	return text
}

// IsGain reports whether a gain is beyond chance.
func (g *Gain) IsGain() bool { return g.By > gainErrors*g.Error }

// ShowsNone reports whether a gain is not beyond chance, though one of a good tenth of the range of the reward would be.
func (g *Gain) ShowsNone(reach float64) bool {
	return !g.IsGain() && gainErrors*g.Error <= leastPower*reach
}

// GainOf is the gain of values in order. The error is that of the means of a few batches in each third, so that noise which lasts some
// steps does not look like many witnesses.
func GainOf(values []float64) Gain {
	n := len(values)
	if n < 2 {
		return Gain{By: math.NaN(), Error: math.NaN(), Level: math.NaN()}
	}
	third := max(1, n/3)
	before, v1 := batchMean(values[:third])
	after, v2 := batchMean(values[n-third:])
	return Gain{By: after - before, Error: math.Sqrt(v1 + v2), Level: after}
}

// batchMean returns a mean and its squared standard error by batches: NaN of too few values for three of them.
func batchMean(values []float64) (mean, variance float64) {
	n := len(values)
	for _, x := range values {
		mean += x / float64(n)
	}
	k := min(batches, n)
	if k < 3 {
		return mean, math.NaN()
	}
	for b := range k {
		batch := values[b*n/k : (b+1)*n/k]
		sum := 0.0
		for _, x := range batch {
			sum += x
		}
		d := sum/float64(len(batch)) - mean
		variance += d * d
	}
	return mean, variance / float64(k*(k-1))
}

// namedByGroups finds nothing: too_hard, saturated and equal_rewards say of samples that none trains.
func namedByGroups(*evidence) ([]Finding, string) { return nil, "" }

func learnsNothing(e *evidence) ([]Finding, string) { return nil, "" }

func fallsByHalf(e *evidence) ([]Finding, string) { return nil, "" }
