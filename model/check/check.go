package check

import "vantage/model"

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

// Run holds the rules against the last steps that are complete; last 0 means all.
func Run(steps []model.Summary, rules []Rule, last int) []Finding {
	var whole []*model.Summary
	for i := range steps {
		if !steps[i].Open {
			whole = append(whole, &steps[i])
		}
	}
	if last > 0 && len(whole) > last {
		whole = whole[len(whole)-last:]
	}
	all := make([]Finding, len(rules))
	for k, r := range rules {
		all[k].Rule = r
		for _, s := range whole {
			all[k].add(s)
		}
	}
	return all
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

// beyond reports whether x is worse than y.
func beyond(r Rule, x, y float64) bool {
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

// Onset is a rule that begins to fail at a step, or that is kept again.
type Onset struct {
	Rule   Rule
	Step   int64
	Failed bool
	Value  string
}

// Watch tells onsets as steps become complete, each once.
type Watch struct {
	rules  []Rule
	failed []bool
	seen   map[int64]bool
}

// NewWatch holds steps against rules, one after the other.
func NewWatch(rules []Rule) *Watch {
	return &Watch{rules: rules, failed: make([]bool, len(rules)), seen: map[int64]bool{}}
}

// Next looks at the steps that have become complete since the last look.
func (w *Watch) Next(steps []model.Summary) []Onset {
	var all []Onset
	for i := range steps {
		s := &steps[i]
		if s.Open || w.seen[s.Step] {
			continue
		}
		w.seen[s.Step] = true
		for k, r := range w.rules {
			x, says, ok := r.Value(s)
			if !ok || r.Fails(x) == w.failed[k] {
				continue
			}
			w.failed[k] = !w.failed[k]
			all = append(all, Onset{r, s.Step, w.failed[k], says})
		}
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
