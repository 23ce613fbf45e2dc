package check

import (
	"slices"

	"vantage/model/analysis"
	"vantage/model/units"
)

// tally follows the value of a rule from step to step.
type tally struct {
	rule   Rule
	recent []measured // the steps with a value that the span needs, the newest last
	sum    measured   // of all steps, for AllSteps
	steps  int        // with a value
	failed int        // of these, by themselves
	last   verdict    // of the newest step with a value, by itself
	rows   []int      // of the last steps, for the usual number of rows
}

func newTallies(rules []Rule) []tally {
	all := make([]tally, len(rules))
	for k, r := range rules {
		all[k].rule = r
	}
	return all
}

// measured is the value of a rule in a step, or of several steps together.
type measured struct {
	step    int64
	counted bool
	count   count
	value   float64 // if not counted
	fails   bool    // by itself
}

// verdict is what a rule says at a step.
type verdict struct {
	from  int64 // first step that is judged
	fails bool
	x     float64
	text  string
}

// add takes the next step. It returns false if the rule says nothing at it: the step has no value, or
// the span needs more steps.
func (t *tally) add(s *analysis.Summary) (verdict, bool) {
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

// measure returns the value in a step.
func (t *tally) measure(s *analysis.Summary) (measured, bool) {
	m, ok := t.rule.measure(s)
	if t.rule.Name == rowsOfStep {
		ok = ok && t.usualRows(&m, s.Rows)
	}
	return m, ok
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
	m.count.total = before[len(before)/2]
	return true
}

// judge returns the verdict after a step with a value.
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

// add adds the value of a step.
func (m *measured) add(more measured) {
	m.counted = more.counted
	m.count.n += more.count.n
	m.count.total += more.count.total
	m.value += more.value
}
