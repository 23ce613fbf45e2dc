package diagnosis

import (
	"math"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/units"
)

// Averages are figures of the samples of each step that trainers average too.
type Averages struct {
	Steps []Averaged
	snap  model.Snapshot
	set   model.Settings
}

// Averaged is a step.
type Averaged struct {
	Step      int64
	Rows      int // rollouts
	Groups    int
	Many      int     // groups of two and more
	Alive     int     // groups whose rewards differ
	Mean      float64 // of the finite rewards
	Low, High float64 // of these
	Equal     float64 // share of the groups of two and more that have equal rewards; NaN without any
	index     int     // in the snapshot
}

func (o *Observations) averages() *Averages {
	a := &Averages{snap: o.snap, set: o.set, Steps: make([]Averaged, 0, len(o.Steps))}
	for i := range o.Steps {
		s := &o.Steps[i]
		x := Averaged{Step: s.Step, Rows: s.Rows, Groups: len(s.Groups), Mean: s.Reward.mean(), Low: s.Level.Low, High: s.Level.High, index: s.Index}
		for k := range s.Groups {
			x.Many += model.Count01(s.Groups[k].N > 1)
			x.Alive += model.Count01(s.Groups[k].Fate == model.FateAlive)
		}
		equal := s.shareOf(equalFates())
		x.Equal = equal.mean()
		a.Steps = append(a.Steps, x)
	}
	return a
}

// Advantages returns the least and the greatest advantage of a step, and which share of them is 0, as the rule of the settings gives them;
// false if it cannot be applied.
func (a *Averages) Advantages(i int) (low, high, zero float64, ok bool) {
	e, err := a.set.FindEstimator()
	if err != nil || a.snap.Missing(e) != nil {
		return 0, 0, 0, false
	}
	g, err := analysis.GroupStep(a.snap, a.Steps[i].index, a.set)
	if err != nil {
		return 0, 0, 0, false
	}
	low, high = math.Inf(1), math.Inf(-1)
	advantages := g.Advantages(e, a.set.Scale)
	for _, x := range advantages {
		if !units.IsFinite(x) {
			return 0, 0, 0, false
		}
		low, high, zero = min(low, x), max(high, x), zero+float64(model.Count01(math.Abs(x) < noAdvantage))
	}
	return low, high, zero / float64(len(advantages)), len(advantages) > 0
}

// noAdvantage is the size below which trainers count an advantage as 0.
const noAdvantage = 1e-8

// Rule names the rule of [Averages.Advantages]: "grpo with scale group".
func (a *Averages) Rule() string {
	return a.set.Framework + " " + a.set.Estimator + " with scale " + string(a.set.Scale)
}

// Reach is the range of the rewards.
func (a *Averages) Reach() float64 {
	low, high := math.NaN(), math.NaN()
	for i := range a.Steps {
		if x := &a.Steps[i]; units.IsFinite(x.Mean) {
			low, high = fmin(low, x.Low), fmax(high, x.High)
		}
	}
	return high - low
}
