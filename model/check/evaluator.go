package check

import (
	"cmp"
	"fmt"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/units"
)

// Finding is the result of one rule over the steps of a run.
type Finding struct {
	Rule       Rule
	Steps      int     // with a value for the rule
	Failed     []int64 // steps, ascending; of a span of several the last one
	FirstFrom  int64   // first step of the span of Failed[0]
	WorstFrom  int64   // first step of the span with the value farthest beyond the limit
	WorstStep  int64   // its last step
	WorstValue string
	Advice     string // of the matching warning at that step; "" if there is none
	Whole      string // value of the log, or of all steps, if the rule has one verdict on them
	WholeFails bool   // the verdict
	NoValue    string // why nothing has a value for the rule; "" if something has

	worst    float64
	verdicts int
}

// Passed reports whether the rule holds: for every step or span, or for the whole.
func (f *Finding) Passed() bool {
	if f.Rule.OfWhole() {
		return !f.WholeFails
	}
	return len(f.Failed) == 0
}

// Evaluated reports whether a step, or the log, has a value for the rule. Without one the rule passes,
// which means nothing.
func (f *Finding) Evaluated() bool { return f.NoValue == "" }

// Result is what a check found.
type Result struct {
	Findings []Finding // one per rule, in order
	Notes    []string  // sentences on what was left out or is doubtful
}

// Evaluator evaluates rules on one step after the other.
type Evaluator struct {
	Result
	coverage
	tallies []tally // by rule
}

// NewEvaluator returns an evaluator without steps.
func NewEvaluator(rules []Rule) *Evaluator {
	c := &Evaluator{Result: Result{Findings: make([]Finding, len(rules))}, coverage: newCoverage(rules), tallies: newTallies(rules)}
	for k, r := range rules {
		c.Findings[k].Rule, c.Findings[k].NoValue = r, "no step has a number for it"
	}
	return c
}

// Add evaluates the rules on a step, unless it is open.
func (c *Evaluator) Add(s *analysis.Summary) { c.AddGroups(s, s) }

// AddGroups is Add for some groups of a step, of which groups is the summary: nil if there are none. Rules on
// warnings and on the number of rows are about the step as a whole.
func (c *Evaluator) AddGroups(step, groups *analysis.Summary) {
	if step.Open {
		return
	}
	c.record(step)
	for k := range c.Findings {
		s := groups
		if c.Findings[k].Rule.isOfStep() {
			s = step
		}
		if s != nil {
			c.Findings[k].add(s, &c.tallies[k])
		}
	}
}

// AddLog evaluates the rules on the log as a whole.
func (c *Evaluator) AddLog(l Log) {
	for k := range c.Findings {
		f := &c.Findings[k]
		if !f.Rule.OfLog() {
			continue
		}
		x, text, ok := l.value(f.Rule)
		if !ok {
			f.NoValue = text
			continue
		}
		f.NoValue, f.Whole = "", text
		if f.WholeFails = f.Rule.fails(x); f.WholeFails {
			f.Advice = l.adviceFor(f.Rule)
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

// Failed counts the rules that fail.
func Failed(findings []Finding) int {
	n := 0
	for i := range findings {
		if !findings[i].Passed() {
			n++
		}
	}
	return n
}

// add takes the next step.
func (f *Finding) add(s *analysis.Summary, t *tally) {
	v, ok := t.add(s)
	f.Steps = t.steps
	if !ok {
		if n := int(f.Rule.Span.N); f.verdicts == 0 && t.steps > 0 {
			f.NoValue = fmt.Sprintf("%s, fewer than %d", units.Plural(t.steps, "steps"), n)
		}
		return
	}
	f.NoValue = ""
	f.verdicts++
	if f.Rule.Span.isOfAll() {
		f.Whole, f.WholeFails = v.text, v.fails
		if f.Rule.Span.Kind != AllSteps {
			f.addFailed(s, t.last)
		} else if v.fails {
			f.Advice = cmp.Or(adviceFor(f.Rule.Name, s), f.Advice)
		}
		return
	}
	f.addFailed(s, v)
}

// addFailed notes a step, or the last step of a span, if it fails.
func (f *Finding) addFailed(s *analysis.Summary, v verdict) {
	if !v.fails {
		return
	}
	if f.Failed = append(f.Failed, s.Step); len(f.Failed) == 1 {
		f.FirstFrom = v.from
	}
	if len(f.Failed) == 1 || isWorse(f.Rule, v.x, f.worst) {
		f.WorstFrom, f.WorstStep, f.WorstValue, f.worst = v.from, s.Step, v.text, v.x
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
	if name == rowsOfStep {
		return "check whether the run stopped within the step, or the file was truncated"
	}
	for _, w := range s.Warnings {
		if w.Kind == warningKind(name) {
			return w.Advice
		}
	}
	return ""
}
