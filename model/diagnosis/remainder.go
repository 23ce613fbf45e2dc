package diagnosis

import (
	"context"
	"runtime"

	"vantage/model"
)

// restName names what a sum leaves of the reward. It is judged as a reward column is.
const restName = "what no column holds"

// takeRest notes in each step what the sum of the parts leaves of the reward: nothing if there is no such sum, or it is exact.
func (o *Observations) takeRest(ctx context.Context) {
	for i := range o.Steps {
		o.Steps[i].rest = Part{}
	}
	if o.total == nil || o.total.IsExact() {
		return
	}
	model.InParallel(ctx, runtime.GOMAXPROCS(0), len(o.Steps), func(i int) { o.Steps[i].rest = o.restOf(i) })
	gain := GainOf(o.seriesOf(restMoments).known())
	o.total.Rest = &gain
}

func restMoments(s *Observed) Moments { return s.rest.Moments }

// restOf is what the sum leaves of the rewards of step i, of rows that have all of its parts.
func (o *Observations) restOf(i int) (left Part) {
	step := o.snap.Steps[o.Steps[i].Index]
	order, _, rewards, err := o.rewardsOf(i)
	if err != nil {
		return left
	}
	if step.FirstOutputs != nil {
		order, rewards = lastOutputs(&step, order, rewards)
	}
	columns := model.Mapped(o.total.terms, func(t term) []float64 { return step.Component(order, t.column) })
	for k, x := range rewards {
		for i, t := range o.total.terms {
			x -= t.weight * columns[i][k]
		}
		left.take(x)
	}
	return left
}

// judged is a reward column, or what no column holds, over the steps.
type judged struct {
	name string
	of   func(*Observed) Part
}

// isUnexplained reports whether the log has a reward of its own that is no sum of its columns: then all of it is what no column holds.
func (o *Observations) isUnexplained() bool { return o.total == nil && !o.isMade() && len(o.Parts) > 0 }

// isMade reports whether the reward is what the program makes of columns.
func (o *Observations) isMade() bool {
	return o.snap.Run.SumsComponents || o.set.Reward != "" || o.set.Weights != ""
}

// judgedParts are the reward columns, and what no column holds if something is left.
func (o *Observations) judgedParts() (all []judged) {
	for c, name := range o.Parts {
		all = append(all, judged{name: name, of: func(s *Observed) Part { return s.part(c) }})
	}
	if o.total != nil && o.total.Rest != nil {
		all = append(all, judged{name: restName, of: func(s *Observed) Part { return s.rest }})
	}
	return all
}
