package model

import "context"

// Trend is every step of a run under one setting.
type Trend struct {
	Revision int // of the snapshot
	Settings Settings
	Grouping Grouping
	Steps    []Summary // ascending
	lo, hi   float64
}

// Trend computes all steps. Steps that have not changed since prev, computed
// under equal settings, are taken over; prev may be nil.
func (s Snapshot) Trend(ctx context.Context, set Settings, prev *Trend) (*Trend, error) {
	return s.TrendBeside(ctx, set, prev, nil)
}

// TrendBeside is Trend where one step has been computed already, under the same
// settings: it is taken over.
func (s Snapshot) TrendBeside(ctx context.Context, set Settings, prev *Trend, known *Analysis) (*Trend, error) {
	p, err := s.plan(set)
	if err != nil {
		return nil, err
	}
	t := &Trend{Revision: s.Revision, Settings: p.set, Grouping: p.grouping, lo: p.lo, hi: p.hi, Steps: make([]Summary, len(s.Steps))}
	for i, step := range s.Steps {
		if old, ok := t.reuse(prev, step, s.Open(i)); ok {
			t.Steps[i] = old
			continue
		}
		if known != nil && known.Step == step.Number && known.Revision == step.Revision && known.Open == s.Open(i) && known.Settings == p.set {
			t.Steps[i] = known.Summary
			continue
		}
		a, err := s.analyze(ctx, i, p)
		if err != nil {
			return nil, err
		}
		t.Steps[i] = a.Summary
	}
	return t, nil
}

// reuse finds the step in an earlier trend whose every premise still holds.
func (t *Trend) reuse(prev *Trend, step Step, open bool) (Summary, bool) {
	if prev == nil || prev.Settings != t.Settings || prev.lo != t.lo || prev.hi != t.hi ||
		prev.Grouping.By != t.Grouping.By || prev.Grouping.Size != t.Grouping.Size {
		return Summary{}, false
	}
	at, ok := prev.find(step.Number)
	if !ok || prev.Steps[at].Revision != step.Revision || prev.Steps[at].Open != open {
		return Summary{}, false
	}
	return prev.Steps[at], true
}

func (t *Trend) find(number int64) (int, bool) {
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
