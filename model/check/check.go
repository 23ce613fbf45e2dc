package check

import (
	"fmt"

	"vantage/model"
)

// Finding is a rule held against the steps.
type Finding struct {
	Rule       Rule
	Steps      int     // that it was held against
	Failed     []int64 // those that fail it, ascending
	WorstStep  int64   // the step whose value is farthest beyond the limit
	WorstValue string  // there, as a person reads it
	Advice     string  // of the warning that goes with it, "" if there is none

	worst float64
}

// Passed reports whether no step fails the rule.
func (f *Finding) Passed() bool { return len(f.Failed) == 0 }

// Evaluated reports whether some step has what the rule looks at. A rule that nothing was
// held against is kept, and says nothing.
func (f *Finding) Evaluated() bool { return f.Steps > 0 }

// Evaluator holds steps against rules, one step after the other.
type Evaluator struct {
	Findings []Finding // one per rule, in their order
	coverage
}

// NewEvaluator begins a check.
func NewEvaluator(rules []Rule) *Evaluator {
	c := &Evaluator{Findings: make([]Finding, len(rules)), coverage: newCoverage(rules)}
	for k, r := range rules {
		c.Findings[k].Rule = r
	}
	return c
}

// Add holds a step against the rules, unless it is open.
func (c *Evaluator) Add(s *model.Summary) {
	if s.Open {
		return
	}
	c.record(s)
	for k := range c.Findings {
		c.Findings[k].add(s)
	}
}

// coverage is which rules name what some step has, if only as NaN.
type coverage struct {
	rules   []Rule
	matched []bool
	steps   int
}

func newCoverage(rules []Rule) coverage {
	return coverage{rules: rules, matched: make([]bool, len(rules))}
}

func (l *coverage) record(s *model.Summary) {
	l.steps++
	for k, r := range l.rules {
		l.matched[k] = l.matched[k] || r.appliesTo(s)
	}
}

// UnknownName fails if a rule names what no step has had: most often it is misspelt, and
// a rule that can never fail must not pass for one that is kept.
func (l *coverage) UnknownName() error {
	for k, met := range l.matched {
		if !met && l.steps > 0 {
			r := l.rules[k]
			return fmt.Errorf("rule %s: no step of this log has a metric %q; `vantage report PATH --last 1` lists those that it has", r, r.Name)
		}
	}
	return nil
}

// Failed counts the rules that some step fails.
func Failed(found []Finding) int {
	n := 0
	for i := range found {
		if !found[i].Passed() {
			n++
		}
	}
	return n
}

func (f *Finding) add(s *model.Summary) {
	x, text, ok := f.Rule.Evaluate(s)
	if !ok {
		return
	}
	f.Steps++
	if !f.Rule.Fails(x) {
		return
	}
	f.Failed = append(f.Failed, s.Step)
	if len(f.Failed) == 1 || isWorse(f.Rule, x, f.worst) {
		f.WorstStep, f.WorstValue, f.worst = s.Step, text, x
		f.Advice = adviceFor(f.Rule.Name, s)
	}
}

// isWorse reports whether x is worse than y; nothing is worse than NaN.
func isWorse(r Rule, x, y float64) bool {
	if x != x || y != y {
		return y == y
	}
	if r.Op == "<" || r.Op == "<=" {
		return x < y
	}
	return x > y
}

// warningKind is the kind of warning that says what to do about a fate.
func warningKind(name string) model.WarningKind {
	switch name {
	case "killed":
		return model.WarnKilled
	case "short":
		return model.WarnShort
	case "flips":
		return model.WarnFlips
	case "noise":
		return model.WarnNoise
	case "invalid":
		return model.WarnInvalid
	case "single":
		return model.WarnSingles
	}
	return model.WarningKind(name)
}

func adviceFor(name string, s *model.Summary) string {
	for _, w := range s.Warnings {
		if w.Kind == warningKind(name) {
			return w.Advice
		}
	}
	return ""
}

// Transition is a rule that begins to fail at a step, or that is kept again.
type Transition struct {
	Rule    Rule
	Step    int64
	Failing bool
	Value   string
}

// Monitor tells onsets as steps become complete, each once.
type Monitor struct {
	coverage
	failing []bool
	added   map[int64]bool
}

// NewMonitor holds steps against rules, one after the other.
func NewMonitor(rules []Rule) *Monitor {
	return &Monitor{coverage: newCoverage(rules), failing: make([]bool, len(rules)), added: map[int64]bool{}}
}

// Added reports whether a step was looked at already.
func (w *Monitor) Added(step int64) bool { return w.added[step] }

// Add looks at a step, unless it is open or was looked at already.
func (w *Monitor) Add(s *model.Summary) []Transition {
	if s.Open || w.added[s.Step] {
		return nil
	}
	w.added[s.Step] = true
	w.record(s)
	var all []Transition
	for k, r := range w.rules {
		x, text, ok := r.Evaluate(s)
		if !ok || r.Fails(x) == w.failing[k] {
			continue
		}
		w.failing[k] = !w.failing[k]
		all = append(all, Transition{r, s.Step, w.failing[k], text})
	}
	return all
}

// Failing reports whether some rule fails at the newest step.
func (w *Monitor) Failing() bool {
	for _, f := range w.failing {
		if f {
			return true
		}
	}
	return false
}
