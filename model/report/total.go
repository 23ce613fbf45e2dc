package report

import (
	"math"
	"slices"

	"vantage/model"
	"vantage/model/analysis"
)

// runTotal sums counts over the complete steps, and averages each metric over those with a finite value.
type runTotal struct {
	Steps int     // all
	Open  []int64 // numbers of those that are still being written

	Rows, Rollouts, Groups, Signal, Kept, Nonzero int
	Flips                                         analysis.Flips

	fates        []int // by fate
	metricNames  []string
	sums         []float64
	counts       []int
	warningSpans []warningSpan
}

// warningSpan is the steps at which a kind of warning occurs.
type warningSpan struct {
	Kind  model.WarningKind `json:"kind"`
	First int64             `json:"first_step"`
	Steps int               `json:"steps"`
}

func newRunTotal(names []string) runTotal {
	return runTotal{metricNames: names, fates: make([]int, len(model.Fates())), sums: make([]float64, len(names)), counts: make([]int, len(names))}
}

func (t *runTotal) add(s *analysis.Summary) {
	t.Steps++
	if s.Open {
		t.Open = append(t.Open, s.Step)
		return
	}
	t.Rows += s.Rows
	t.Rollouts += s.Rollouts
	t.Groups += s.Groups
	t.Signal += s.Signal
	t.Kept += s.Kept
	t.Nonzero += s.Nonzero
	t.Flips.Add(&s.Flips)
	for f, n := range s.Fates {
		t.fates[f] += n
	}
	for i, name := range t.metricNames {
		if x := s.Metric(name); x-x == 0 {
			t.sums[i] += x
			t.counts[i]++
		}
	}
	for i, w := range s.Warnings {
		repeats := func(before model.Warning) bool { return before.Kind == w.Kind }
		if !slices.ContainsFunc(s.Warnings[:i], repeats) { // steps are counted: one may warn of both ratios
			t.addWarning(w)
		}
	}
}

func (t *runTotal) addWarning(w model.Warning) {
	for i := range t.warningSpans {
		if t.warningSpans[i].Kind == w.Kind {
			t.warningSpans[i].Steps++
			return
		}
	}
	t.warningSpans = append(t.warningSpans, warningSpan{w.Kind, w.Step, 1})
}

// summary returns the total in the form of a step.
func (t *runTotal) summary() *analysis.Summary {
	s := &analysis.Summary{Rows: t.Rows, Rollouts: t.Rollouts, Groups: t.Groups, Signal: t.Signal, Kept: t.Kept, Nonzero: t.Nonzero, Flips: t.Flips}
	copy(s.Fates[:], t.fates)
	for i, name := range t.metricNames {
		mean := math.NaN()
		if t.counts[i] > 0 {
			mean = t.sums[i] / float64(t.counts[i])
		}
		s.Metrics = append(s.Metrics, analysis.Metric{Name: name, Value: mean})
	}
	return s
}
