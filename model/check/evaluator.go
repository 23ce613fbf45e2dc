package check

import (
	"fmt"

	"vantage/model"
	"vantage/model/analysis"
)

// Finding is the result of one rule over the steps of a run.
type Finding struct {
	Rule       Rule
	Steps      int     // with a value for the rule
	Failed     []int64 // steps, ascending
	WorstStep  int64   // the step with the value farthest beyond the limit
	WorstValue string
	Advice     string // of the matching warning at that step; "" if there is none
	Rows       int    // of the log, if the rule is of the log
	LogFails   bool   // the rule is of the log, and the log fails it

	worst float64
}

// Passed reports whether no step fails the rule, nor the log.
func (f *Finding) Passed() bool { return len(f.Failed) == 0 && !f.LogFails }

// Evaluated reports whether a step, or the log, has a value for the rule. Without one the rule passes,
// which means nothing.
func (f *Finding) Evaluated() bool { return f.Steps > 0 || f.Rows > 0 }

// Result is what a check found.
type Result struct {
	Findings []Finding // one per rule, in order
	Notes    []string  // sentences on what was left out or is doubtful
}

// Evaluator evaluates rules on one step after the other.
type Evaluator struct {
	Result
	coverage
}

// NewEvaluator returns an evaluator without steps.
func NewEvaluator(rules []Rule) *Evaluator {
	c := &Evaluator{Result: Result{Findings: make([]Finding, len(rules))}, coverage: newCoverage(rules)}
	for k, r := range rules {
		c.Findings[k].Rule = r
	}
	return c
}

// Add evaluates the rules on a step, unless it is open.
func (c *Evaluator) Add(s *analysis.Summary) {
	if s.Open {
		return
	}
	c.record(s)
	for k := range c.Findings {
		c.Findings[k].add(s)
	}
}

// AddLog evaluates the rules on the log as a whole.
func (c *Evaluator) AddLog(l Log) {
	for k := range c.Findings {
		f := &c.Findings[k]
		if !f.Rule.OfLog() {
			continue
		}
		x, text := l.value(f.Rule)
		f.Rows, f.WorstValue = l.Rows, text
		if f.LogFails = f.Rule.Fails(x); f.LogFails && l.Unreadable > 0 {
			f.Advice = l.Advice
		}
	}
}

// coverage records which rules name something that a step has, even if NaN.
type coverage struct {
	rules   []Rule
	matched []bool
	steps   int

	noSolved string // of a step: see analysis.Summary.NoSolved
}

func newCoverage(rules []Rule) coverage {
	return coverage{rules: rules, matched: make([]bool, len(rules))}
}

func (l *coverage) record(s *analysis.Summary) {
	l.steps++
	if s.NoSolved != "" {
		l.noSolved = s.NoSolved
	}
	for k, r := range l.rules {
		l.matched[k] = l.matched[k] || r.appliesTo(s)
	}
}

// CheckNames fails if a rule names something that no step had: it is probably misspelt, and
// a rule that can never fail must not pass silently.
func (l *coverage) CheckNames() error {
	for k, matched := range l.matched {
		if !matched && l.steps > 0 {
			r := l.rules[k]
			if l.noSolved != "" && analysis.IsSolveMetric(r.Name) {
				return fmt.Errorf("rule %s: this log has no %s: %s", r, r.Name, l.noSolved)
			}
			return fmt.Errorf("rule %s: no step of this log has a metric %q; `vantage report PATH --last 1` lists its metrics", r, r.Name)
		}
	}
	return nil
}

// Failed counts the rules that a step fails.
func Failed(findings []Finding) int {
	n := 0
	for i := range findings {
		if !findings[i].Passed() {
			n++
		}
	}
	return n
}

func (f *Finding) add(s *analysis.Summary) {
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

// isWorse reports whether x is farther beyond the limit than y. NaN is the worst.
func isWorse(r Rule, x, y float64) bool {
	if x != x || y != y {
		return y == y
	}
	if r.Op == "<" || r.Op == "<=" {
		return x < y
	}
	return x > y
}

// warningKind returns the kind of warning whose advice fits a rule's name.
func warningKind(name string) model.WarningKind {
	switch name {
	case "killed":
		return model.WarnKilledGroups
	case "short":
		return model.WarnTooFewKept
	case "flips":
		return model.WarnSignFlips
	case "noise":
		return model.WarnFloatNoise
	case "invalid":
		return model.WarnInvalidRewards
	case "single":
		return model.WarnSingleSampleGroups
	}
	return model.WarningKind(name)
}

func adviceFor(name string, s *analysis.Summary) string {
	for _, w := range s.Warnings {
		if w.Kind == warningKind(name) {
			return w.Advice
		}
	}
	return ""
}
