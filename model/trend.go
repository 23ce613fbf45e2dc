package model

import (
	"context"
	"math"
)

// Trend is every step of a run under one setting.
type Trend struct {
	Revision    int // of the snapshot
	Settings    Settings
	Grouping    Grouping
	Steps       []Summary // ascending
	Pending     int       // how many of them are not computed yet
	worst, best float64   // rewards of the run
}

// Complete reports whether all steps are computed.
func (t *Trend) Complete() bool { return t.Pending == 0 }

// Trend computes all steps. Steps that have not changed since prev, computed
// under equal settings, are taken over; prev may be nil.
func (s Snapshot) Trend(ctx context.Context, set Settings, prev *Trend) (*Trend, error) {
	return s.TrendPart(ctx, set, prev, nil, s.Rows)
}

// TrendPart is Trend as far as it comes with so many samples: it takes over what it
// can of prev and computes the other steps newest first, at least one. Called again
// with what it returned it goes on, so that a screen shows the newest steps of a long
// run before the others are there. Where one step has been computed already, under
// the same settings, known is taken over too; it may be nil.
func (s Snapshot) TrendPart(ctx context.Context, set Settings, prev *Trend, known *Analysis, samples int) (*Trend, error) {
	p, err := s.plan(set)
	if err != nil {
		return nil, err
	}
	t := &Trend{Revision: s.Revision, Settings: p.set, Grouping: p.grouping, worst: p.worst, best: p.best, Steps: make([]Summary, len(s.Steps))}
	spent := 0
	for i := len(s.Steps) - 1; i >= 0; i-- {
		step, open := s.Steps[i], s.Open(i)
		old, ok := t.reuse(prev, step, open)
		switch {
		case ok:
			t.Steps[i] = old
		case known != nil && known.Step == step.Number && known.Revision == step.Revision && known.Open == open && known.Settings == p.set:
			t.Steps[i] = known.Summary
		case spent > 0 && spent+len(step.Rewards) > samples:
			t.Steps[i] = Summary{Step: step.Number, Rows: len(step.Rewards), Open: open, Pending: true}
			t.Pending++
		default:
			a, err := s.analyze(ctx, i, p, known)
			if err != nil {
				return nil, err
			}
			t.Steps[i] = a.Summary
			spent += a.Rows
		}
	}
	return t, nil
}

// reuse finds the step in an earlier trend whose every premise still holds.
func (t *Trend) reuse(prev *Trend, step Step, open bool) (Summary, bool) {
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
