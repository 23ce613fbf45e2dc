package check

import (
	"fmt"

	"vantage/model"
)

// Finding is a rule held against the steps.
type Finding struct {
	Rule   Rule
	Steps  int     // that it was held against
	Failed []int64 // those that fail it, ascending
	Worst  int64   // the step whose value is farthest beyond the limit
	Value  string  // there, as a person reads it
	Advice string  // of the warning that goes with it, "" if there is none

	value float64
}

// Passed reports whether no step fails the rule.
func (f *Finding) Passed() bool { return len(f.Failed) == 0 }

// Held reports whether some step has what the rule looks at. A rule that nothing was
// held against is kept, and says nothing.
func (f *Finding) Held() bool { return f.Steps > 0 }

// Check holds steps against rules, one step after the other.
type Check struct {
	Findings []Finding // one per rule, in their order
	ledger
}

// New begins a check.
func New(rules []Rule) *Check {
	c := &Check{Findings: make([]Finding, len(rules)), ledger: newLedger(rules)}
	for k, r := range rules {
		c.Findings[k].Rule = r
	}
	return c
}

// Add holds a step against the rules, unless it is open.
func (c *Check) Add(s *model.Summary) {
	if s.Open {
		return
	}
	c.note(s)
	for k := range c.Findings {
		c.Findings[k].add(s)
	}
}

// ledger is which rules name what some step has, if only as NaN.
type ledger struct {
	rules []Rule
	met   []bool
	steps int
}

func newLedger(rules []Rule) ledger {
	return ledger{rules: rules, met: make([]bool, len(rules))}
}

func (l *ledger) note(s *model.Summary) {
	l.steps++
	for k, r := range l.rules {
		l.met[k] = l.met[k] || r.met(s)
	}
}

// Unknown fails if a rule names what no step has had: most often it is misspelt, and
// a rule that can never fail must not pass for one that is kept.
func (l *ledger) Unknown() error {
	for k, met := range l.met {
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
	x, says, ok := f.Rule.Value(s)
	if !ok {
		return
	}
	f.Steps++
	if !f.Rule.Fails(x) {
		return
	}
	f.Failed = append(f.Failed, s.Step)
	if len(f.Failed) == 1 || beyond(f.Rule, x, f.value) {
		f.Worst, f.Value, f.value = s.Step, says, x
		f.Advice = advice(f.Rule.Name, s)
	}
}

// beyond reports whether x is worse than y; nothing is worse than NaN.
func beyond(r Rule, x, y float64) bool {
	if x != x || y != y {
		return y == y
	}
	if r.Op == "<" || r.Op == "<=" {
		return x < y
	}
	return x > y
}

// warningOf is the kind of warning that says what to do about a fate.
func warningOf(name string) model.WarningKind {
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

func advice(name string, s *model.Summary) string {
	for _, w := range s.Warnings {
		if w.Kind == warningOf(name) {
			return w.Advice
		}
	}
	return ""
}

// Transition is a rule that begins to fail at a step, or that is kept again.
type Transition struct {
	Rule   Rule
	Step   int64
	Failed bool
	Value  string
}

// Watch tells onsets as steps become complete, each once.
type Watch struct {
	ledger
	failed []bool
	seen   map[int64]bool
}

// NewWatch holds steps against rules, one after the other.
func NewWatch(rules []Rule) *Watch {
	return &Watch{ledger: newLedger(rules), failed: make([]bool, len(rules)), seen: map[int64]bool{}}
}

// Seen reports whether a step was looked at already.
func (w *Watch) Seen(step int64) bool { return w.seen[step] }

// Next looks at a step, unless it is open or was looked at already.
func (w *Watch) Next(s *model.Summary) []Transition {
	if s.Open || w.seen[s.Step] {
		return nil
	}
	w.seen[s.Step] = true
	w.note(s)
	var all []Transition
	for k, r := range w.rules {
		x, says, ok := r.Value(s)
		if !ok || r.Fails(x) == w.failed[k] {
			continue
		}
		w.failed[k] = !w.failed[k]
		all = append(all, Transition{r, s.Step, w.failed[k], says})
	}
	return all
}

// Failing reports whether some rule fails at the newest step.
func (w *Watch) Failing() bool {
	for _, f := range w.failed {
		if f {
			return true
		}
	}
	return false
}
