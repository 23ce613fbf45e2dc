package analysis

import (
	"context"
	"math"

	"vantage/model"
)

// Trend is every step of a run under one setting.
type Trend struct {
	Settings    model.Settings
	Grouping    model.Grouping
	Steps       []Summary // ascending
	Pending     int       // how many of them are not computed yet
	worst, best float64   // rewards of the run
}

// Complete reports whether all steps are computed.
func (t *Trend) Complete() bool { return t.Pending == 0 }

// ComputeTrend computes the steps newest first, at least one and as many as have maxSamples
// samples; the others are pending. What has not changed since previous, a trend that may be nil,
// is taken over from it, so that a call with what the last one returned goes on from there. So is
// the step of known, an analysis that may be nil, if its settings are these.
func ComputeTrend(ctx context.Context, snap model.Snapshot, set model.Settings, previous *Trend, known *Analysis, maxSamples int) (*Trend, error) {
	p, err := newPlan(snap, set)
	if err != nil {
		return nil, err
	}
	t := &Trend{Settings: p.settings, Grouping: p.grouping, worst: p.worst, best: p.best, Steps: make([]Summary, len(snap.Steps))}
	computed := 0 // samples
	for i := len(snap.Steps) - 1; i >= 0; i-- {
		step, open := snap.Steps[i], snap.Open(i)
		old, ok := t.reuse(previous, step, open)
		switch {
		case ok:
			t.Steps[i] = old
		case known != nil && known.Step == step.Number && known.Revision == step.Revision && known.Open == open && known.Settings == p.settings:
			t.Steps[i] = known.Summary
		case computed > 0 && computed+len(step.Rewards) > maxSamples:
			t.Steps[i] = Summary{Step: step.Number, Rows: len(step.Rewards), Open: open, Pending: true}
			t.Pending++
		default:
			a, err := p.analyze(ctx, i, known)
			if err != nil {
				return nil, err
			}
			t.Steps[i] = a.Summary
			computed += a.Rows
		}
	}
	return t, nil
}

// reuse finds the step in an earlier trend, if nothing that it depends on has changed.
func (t *Trend) reuse(prev *Trend, step model.Step, open bool) (Summary, bool) {
	if prev == nil || prev.Settings != t.Settings || prev.worst != t.worst || prev.best != t.best ||
		prev.Grouping.By != t.Grouping.By || prev.Grouping.Size != t.Grouping.Size {
		return Summary{}, false
	}
	at, ok := prev.Find(step.Number)
	if !ok || prev.Steps[at].Pending || prev.Steps[at].Revision != step.Revision || prev.Steps[at].Open != open {
		return Summary{}, false
	}
	return prev.Steps[at], true
}

// Find returns the index of the step with the given number, or where it would be.
func (t *Trend) Find(number int64) (int, bool) {
	lo, hi := 0, len(t.Steps)
	for lo < hi {
		mid := (lo + hi) / 2
		if t.Steps[mid].Step < number {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, lo < len(t.Steps) && t.Steps[lo].Step == number
}

// Series is a figure over all steps: NaN where there is none, where the step is not
// computed yet, and at a step that is still being written, which would bend a line.
func (t *Trend) Series(metric string) []float64 {
	values := make([]float64, len(t.Steps))
	at := 0 // where the step before has it: a hint, for steps list their figures in one order
	for i := range t.Steps {
		values[i] = math.NaN()
		if s := &t.Steps[i]; !s.Open {
			values[i], at = s.metricNear(metric, at)
		}
	}
	return values
}
