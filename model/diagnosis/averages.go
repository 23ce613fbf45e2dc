package diagnosis

import (
	"math"
	"slices"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/units"
)

// Averages are figures of the samples of each step that trainers average too.
type Averages struct {
	Steps  []Averaged
	snap   model.Snapshot
	set    model.Settings
	detail map[int]*Detail // of steps that were asked for
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
	a := &Averages{snap: o.snap, set: o.set, detail: map[int]*Detail{}, Steps: make([]Averaged, 0, len(o.Steps))}
	for i := range o.Steps {
		s := &o.Steps[i]
		x := Averaged{
			Step: s.Step, Rows: s.Rows, Groups: len(s.Groups), Mean: s.Reward.mean(), Low: s.Level.Low, High: s.Level.High, index: s.Index,
			Alive: s.fates[model.FateAlive],
		}
		for k := range s.Groups {
			x.Many += model.Count01(s.Groups[k].N > 1)
		}
		equal := s.shareOf(equalFates())
		x.Equal = equal.mean()
		a.Steps = append(a.Steps, x)
	}
	return a
}

// Detail is what fewer trainers average of a step, which costs a pass over its rows.
type Detail struct {
	Spread      float64               // mean over groups of two and more of the standard deviation of the rewards, with one degree of freedom less
	Whole       float64               // the same of all rewards of the step
	Parts       map[string]PartOfStep // by name of the reward column
	Length      float64               // mean in tokens
	Short, Long float64               // the least and the greatest
	AtLong      float64               // share of the answers that are as long as the longest
}

// PartOfStep is what the finite values of a reward column are at a step: their mean, standard deviation with one degree of freedom less,
// and range.
type PartOfStep struct{ Mean, Spread, Low, High float64 }

// Detail returns the details of a step; NaN for what its rows do not tell. Nothing is told of rows that are turns of answers: which of
// them a trainer averages is its own.
func (a *Averages) Detail(i int) *Detail {
	d := a.detail[i]
	if d == nil {
		d = a.detailOf(a.Steps[i].index)
		a.detail[i] = d
	}
	return d
}

func (a *Averages) detailOf(index int) *Detail {
	nan := math.NaN()
	d := &Detail{Spread: nan, Whole: nan, Length: nan, Short: nan, Long: nan, AtLong: nan, Parts: map[string]PartOfStep{}}
	step := a.snap.Steps[index]
	g, err := analysis.GroupStep(a.snap, index, a.set)
	if err != nil || step.FirstOutputs != nil {
		return d
	}
	var whole, spreads Moments
	for k := range len(g.Offsets) - 1 {
		var group Moments
		for _, x := range g.LoggedRewards[g.Offsets[k]:g.Offsets[k+1]] {
			group.add(x) // one that is not finite leaves nothing to compare
		}
		whole.join(group)
		if group.N > 1 {
			spreads.add(group.deviation())
		}
	}
	d.Spread, d.Whole = spreads.mean(), whole.deviation()
	for c, name := range a.snap.Run.ComponentNames {
		var part Moments
		low, high := math.Inf(1), math.Inf(-1)
		for _, x := range step.Component(g.InputRow, c) {
			if units.IsFinite(x) {
				part.add(x)
				low, high = min(low, x), max(high, x)
			}
		}
		if part.N > 0 {
			d.Parts[name] = PartOfStep{part.mean(), part.deviation(), low, high}
		}
	}
	if a.snap.Run.LengthUnit == model.LengthTokens {
		d.takeLengths(g.Lengths)
	}
	return d
}

// deviation is the standard deviation with one degree of freedom less.
func (m Moments) deviation() float64 {
	n := float64(m.N)
	return math.Sqrt(max(0, m.Squares-m.Sum*m.Sum/n) / (n - 1))
}

func (d *Detail) takeLengths(lengths []int32) {
	if len(lengths) == 0 || slices.Min(lengths) <= 0 { // some are not known
		return
	}
	sum, long, at := 0.0, slices.Max(lengths), 0
	for _, n := range lengths {
		sum += float64(n)
		at += model.Count01(n == long)
	}
	n := float64(len(lengths))
	d.Length, d.Short, d.Long, d.AtLong = sum/n, float64(slices.Min(lengths)), float64(long), float64(at)/n
}

// Ruled are the advantages of a step as the rule of the settings gives them.
type Ruled struct {
	Low, High float64
	Zero      float64 // share of those that are 0
	Mean      float64 // over the tokens of the answers; NaN if their lengths are not known
}

// Advantages returns what the rule of the settings gives at a step; false if it cannot be applied.
func (a *Averages) Advantages(i int) (r Ruled, ok bool) {
	e, err := a.set.FindEstimator()
	if err != nil || a.snap.Missing(e) != nil {
		return r, false
	}
	g, err := analysis.GroupStep(a.snap, a.Steps[i].index, a.set)
	if err != nil {
		return r, false
	}
	advantages := g.Advantages(e, a.set.Scale)
	tokens, knows := 0.0, a.snap.Run.LengthUnit == model.LengthTokens
	r.Low, r.High = math.Inf(1), math.Inf(-1)
	for k, x := range advantages {
		if !units.IsFinite(x) {
			return r, false
		}
		r.Low, r.High, r.Zero = min(r.Low, x), max(r.High, x), r.Zero+float64(model.Count01(math.Abs(x) < noAdvantage))
		n := float64(g.Lengths[k])
		knows = knows && n > 0
		r.Mean, tokens = r.Mean+n*x, tokens+n
	}
	if r.Zero, r.Mean = r.Zero/float64(len(advantages)), r.Mean/tokens; !knows {
		r.Mean = math.NaN()
	}
	return r, len(advantages) > 0
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
