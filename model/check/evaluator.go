// Package check evaluates rules with thresholds, such as killed>5%, on the analysed steps
// of a run. Rules go in as text, then step after step; findings per rule come out of an
// [Evaluator], transitions between passing and failing out of a [Monitor]. The check
// command calls it, for scripts that decide by an exit code.
package check

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/diagnosis"
	"vantage/model/figures"
	"vantage/model/units"
)

// Finding is the result of one rule over the steps of a run.
type Finding struct {
	Rule       Rule
	Steps      int       // with a value for the rule
	Failed     []int64   // steps, ascending; of a span of several the last one
	Stretches  []Stretch // of steps that fail one after the other, ascending; of spans all their steps
	WorstFrom  int64     // first step of the span with the value farthest beyond the limit
	WorstStep  int64     // its last step
	WorstValue string
	Advice     string // of the matching warning at that step; "" if there is none
	Whole      string // value of the log, or of all steps, if the rule has one verdict on them
	WholeFails bool   // the verdict
	NoValue    string // why nothing has a value for the rule; "" if something has

	worst     float64
	verdicts  int
	isFailing bool // at the step added last
}

// Stretch is some steps of a run, one after the other.
type Stretch struct{ From, To int64 }

// String returns the step, or the first and the last: "7", "3–20".
func (s Stretch) String() string {
	if s.From == s.To {
		return strconv.FormatInt(s.From, 10)
	}
	return fmt.Sprintf("%d–%d", s.From, s.To)
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
	Findings  []Finding            // one per rule, in order
	Notes     []string             // sentences on what was left out or is doubtful
	Diagnosis *diagnosis.Diagnosis // what ails the run; nil if no rule asks
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
		c.Findings[k].Rule, c.Findings[k].NoValue = r, "no step has a number for it"
	}
	return c
}

// Add evaluates the rules on a step, unless it is open.
func (c *Evaluator) Add(s *analysis.StepFigures) { c.AddGroups(s, s) }

// AddGroups is Add for some groups of a step, of which groups is the summary: nil if there are none. Rules on
// warnings and on the number of rows are about the step as a whole.
func (c *Evaluator) AddGroups(step, groups *analysis.StepFigures) {
	if step.Open {
		return
	}
	c.record(step)
	for k := range c.Findings {
		s := groups
		if c.tallies[k].ofStep {
			s = step
		}
		if s != nil {
			c.Findings[k].add(s, &c.tallies[k])
		}
	}
}

// AddLog evaluates the rules on the log as a whole.
func (c *Evaluator) AddLog(l Log) {
	if c.Diagnosis = l.Diagnosis; l.Diagnosis != nil {
		c.Notes = append(c.Notes, "health: "+l.Diagnosis.HealthReason())
		if text := l.Diagnosis.NotChecked(); text != "" {
			c.Notes = append(c.Notes, text)
		}
	}
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

// coverage follows some rules from step to step, and which of them name something that a step has, even if NaN.
type coverage struct {
	rules   []Rule
	tallies []tally // by rule
	matched []bool
	steps   int

	noSolved string // of a step: see analysis.StepFigures.NoSolved
}

func newCoverage(rules []Rule) coverage {
	return coverage{rules: rules, tallies: newTallies(rules), matched: make([]bool, len(rules))}
}

func (l *coverage) record(s *analysis.StepFigures) {
	l.steps++
	if s.NoSolved != "" {
		l.noSolved = s.NoSolved
	}
	for k, r := range l.rules {
		isMetric := func(m analysis.Metric) bool { return m.Name == r.Name }
		l.matched[k] = l.matched[k] || l.tallies[k].count != nil || r.OfLog() || slices.ContainsFunc(s.Metrics, isMetric)
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
func Failed(findings []Finding) (n int) {
	for i := range findings {
		if !findings[i].Passed() {
			n++
		}
	}
	return n
}

func (f *Finding) add(s *analysis.StepFigures, t *tally) {
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
func (f *Finding) addFailed(s *analysis.StepFigures, v verdict) {
	goesOn := f.isFailing
	if f.isFailing = v.fails; !v.fails {
		return
	}
	f.Failed = append(f.Failed, s.Step)
	if n := len(f.Stretches); n > 0 && (goesOn || v.from <= f.Stretches[n-1].To) {
		f.Stretches[n-1].To = s.Step
	} else {
		f.Stretches = append(f.Stretches, Stretch{v.from, s.Step})
	}
	if len(f.Failed) == 1 || isWorse(f.Rule, v.x, f.worst) {
		f.WorstFrom, f.WorstStep, f.WorstValue, f.worst = v.from, s.Step, v.text, v.x
		f.Advice = adviceFor(f.Rule.Name, s)
	}
}

// isWorse reports whether x is farther beyond the limit than y. NaN is the worst.
func isWorse(r Rule, x, y float64) bool {
	switch {
	case x != x || y != y:
		return y == y
	case strings.HasPrefix(r.Op, "<"):
		return x < y
	}
	return x > y
}

// adviceFor returns the advice of the warning of a step that fits a rule's name, "" if there is none.
func adviceFor(name string, s *analysis.StepFigures) string {
	if name == rowsOfStep {
		return "check whether the run stopped within the step, or the file was truncated"
	}
	kind := cmp.Or(map[string]model.WarningKind{
		"killed": analysis.WarnKilledGroups, "short": analysis.WarnTooFewKept, "flips": analysis.WarnSignFlips,
		"noise": analysis.WarnFloatNoise, "invalid": analysis.WarnInvalidRewards, "single": analysis.WarnSingleSampleGroups,
	}[name], model.WarningKind(name))
	for _, w := range s.Warnings {
		if w.Kind == kind {
			return w.Advice
		}
	}
	return ""
}

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
	failing []bool
	added   map[int64]bool
}

// NewMonitor returns a monitor without steps.
func NewMonitor(rules []Rule) *Monitor {
	return &Monitor{coverage: newCoverage(rules), failing: make([]bool, len(rules)), added: map[int64]bool{}}
}

// Added reports whether the step was added before.
func (w *Monitor) Added(step int64) bool { return w.added[step] }

// Add evaluates the rules on a step, unless it is open or was added before.
func (w *Monitor) Add(s *analysis.StepFigures) (all []Transition) {
	if s.Open || w.added[s.Step] {
		return nil
	}
	w.added[s.Step] = true
	w.record(s)
	for k := range w.rules {
		if v, ok := w.tallies[k].add(s); ok {
			all = w.turn(all, k, s.Step, v.fails, v.text)
		}
	}
	return all
}

func (w *Monitor) turn(all []Transition, k int, step int64, fails bool, value string) []Transition {
	if fails == w.failing[k] {
		return all
	}
	w.failing[k] = fails
	return append(all, Transition{w.rules[k], step, fails, value})
}

// StartAgain makes steps count as new that were added before, and rules on several steps start with the
// next one: the run was started again.
func (w *Monitor) StartAgain() {
	clear(w.added)
	w.tallies = newTallies(w.rules)
}

// AddLog evaluates the rules on the log as a whole, whose newest step is given.
func (w *Monitor) AddLog(l Log, step int64) (all []Transition) {
	for k, r := range w.rules {
		if !r.OfLog() {
			continue
		}
		if x, text, ok := l.value(r); ok {
			all = w.turn(all, k, step, r.fails(x), text)
		}
	}
	return all
}

// Rules returns the rules.
func (w *Monitor) Rules() []Rule { return w.rules }

// Failing reports whether a rule fails at the step added last, or by the log.
func (w *Monitor) Failing() bool { return slices.Contains(w.failing, true) }

// tally follows the value of a rule from step to step.
type tally struct {
	rule   Rule
	ofStep bool                                       // see Rule.isOfStep
	count  func(*analysis.StepFigures) figures.Number // what the rule counts; nil of a metric
	recent []measured                                 // the steps with a value that the span needs, the newest last
	sum    measured                                   // of all steps, for AllSteps
	steps  int                                        // with a value
	failed int                                        // of these, by themselves
	last   verdict                                    // of the newest step with a value, by itself
	rows   []int                                      // of the last steps, for the usual number of rows
}

func newTallies(rules []Rule) []tally {
	all := make([]tally, len(rules))
	for k, r := range rules {
		all[k] = tally{rule: r, ofStep: r.isOfStep(), count: countNamed(r.Name)}
	}
	return all
}

// measured is the value of a rule in a step, or of several steps together.
type measured struct {
	step    int64
	counted bool // else a metric
	fails   bool // by itself
	figures.Number
	metric figures.RunMetric // over several steps
}

type verdict struct {
	from  int64 // first step that is judged
	fails bool
	x     float64
	text  string
}

// add takes the next step. It returns false if the rule says nothing at it: the step has no value, or
// the span needs more steps.
func (t *tally) add(s *analysis.StepFigures) (verdict, bool) {
	m, ok := t.measure(s)
	if !ok {
		return verdict{}, false
	}
	x, text := t.rule.valueOf(m, 1)
	t.last = verdict{s.Step, t.rule.fails(x), x, text}
	t.steps++
	if t.last.fails {
		t.failed++
	}
	return t.judge(m)
}

// measure returns the value in a step. It returns false if the step has none, or if it is NaN in one of our own metrics,
// which are undefined for some steps. A trainer's metric that is NaN counts, and fails every rule.
func (t *tally) measure(s *analysis.StepFigures) (m measured, ok bool) {
	m.step, m.counted = s.Step, t.count != nil
	if m.counted {
		m.Number = t.count(s)
		ok = t.rule.Unit != "%" || m.Of > 0
		return m, ok && (t.rule.Name != rowsOfStep || t.usualRows(&m, s.Rows))
	}
	for _, metric := range s.Metrics {
		if metric.Name == t.rule.Name {
			m.Number = figures.Mean(metric.Value)
			m.metric = figures.MetricOf(s, metric.Name)
			return m, !m.IsMissing() || !strings.HasPrefix(metric.Name, "vantage/")
		}
	}
	return m, false
}

// usualRows makes a count of rows one of the median of the steps before, for a rule on the share of it. It
// returns false if there is none.
func (t *tally) usualRows(m *measured, rows int) bool {
	before := slices.Sorted(slices.Values(t.rows))
	t.rows = append(t.rows, rows)
	t.rows = t.rows[max(0, len(t.rows)-stepsCompared):]
	if t.rule.Unit != "%" {
		return true
	}
	if len(before) == 0 {
		return false
	}
	m.Of = before[len(before)/2]
	return true
}

func (t *tally) judge(m measured) (v verdict, ok bool) {
	switch span := t.rule.Span; span.Kind {
	case EachStep:
		return t.last, true
	case AllSteps:
		t.sum.add(m)
		v.x, v.text = t.rule.valueOf(t.sum, t.steps)
		v.fails = t.rule.fails(v.x)
		return v, true
	case NumberOf, ShareOfSteps:
		v.x, v.text = float64(t.failed), units.Fraction(t.failed, t.steps)
		if span.Kind == ShareOfSteps {
			v.x = 100 * v.x / float64(t.steps)
		}
		v.fails = v.x >= span.N
		return v, true
	default:
		return t.judgeRow(m, int(span.N))
	}
}

// judgeRow returns the verdict on the last n steps, false if there are fewer.
func (t *tally) judgeRow(m measured, n int) (v verdict, ok bool) {
	m.fails = t.last.fails
	t.recent = append(t.recent, m)
	t.recent = t.recent[max(0, len(t.recent)-n):]
	if len(t.recent) < n {
		return v, false
	}
	if t.rule.Span.Kind == StepsInARow {
		v = t.last
		v.fails = !slices.ContainsFunc(t.recent, func(m measured) bool { return !m.fails })
	} else {
		var sum measured
		for _, m := range t.recent {
			sum.add(m)
		}
		v.x, v.text = t.rule.valueOf(sum, n)
		v.fails = t.rule.fails(v.x)
	}
	v.from = t.recent[0].step
	return v, true
}

func (m *measured) add(more measured) {
	m.counted = more.counted
	m.N += more.N
	m.Of += more.Of
	m.X += more.X
	m.metric.Join(more.metric)
}
