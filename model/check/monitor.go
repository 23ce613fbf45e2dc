package check

import (
	"vantage/model/analysis"
)

// Transition is a rule that begins to fail at a step, or passes again.
type Transition struct {
	Rule    Rule
	Step    int64
	Failing bool
	Value   string
}

// Monitor reports transitions as steps become complete.
type Monitor struct {
	coverage
	tallies []tally // by rule
	failing []bool
	added   map[int64]bool
}

// NewMonitor returns a monitor without steps.
func NewMonitor(rules []Rule) *Monitor {
	return &Monitor{coverage: newCoverage(rules), tallies: newTallies(rules), failing: make([]bool, len(rules)), added: map[int64]bool{}}
}

// Added reports whether the step was added before.
func (w *Monitor) Added(step int64) bool { return w.added[step] }

// Add evaluates the rules on a step, unless it is open or was added before.
func (w *Monitor) Add(s *analysis.Summary) []Transition {
	if s.Open || w.added[s.Step] {
		return nil
	}
	w.added[s.Step] = true
	w.record(s)
	var all []Transition
	for k, r := range w.rules {
		v, ok := w.tallies[k].add(s)
		if !ok || v.fails == w.failing[k] {
			continue
		}
		w.failing[k] = !w.failing[k]
		all = append(all, Transition{r, s.Step, w.failing[k], v.text})
	}
	return all
}

// StartAgain makes steps count as new that were added before, and rules on several steps start with the
// next one: the run was started again.
func (w *Monitor) StartAgain() {
	clear(w.added)
	w.tallies = newTallies(w.rules)
}

// AddLog evaluates the rules on the log as a whole, whose newest step is given.
func (w *Monitor) AddLog(l Log, step int64) []Transition {
	var all []Transition
	for k, r := range w.rules {
		if !r.OfLog() {
			continue
		}
		if x, text, ok := l.value(r); ok && r.fails(x) != w.failing[k] {
			w.failing[k] = !w.failing[k]
			all = append(all, Transition{r, step, w.failing[k], text})
		}
	}
	return all
}

// Rules returns the rules.
func (w *Monitor) Rules() []Rule { return w.rules }

// Failing reports whether a rule fails at the step added last, or by the log.
func (w *Monitor) Failing() bool {
	for _, f := range w.failing {
		if f {
			return true
		}
	}
	return false
}
