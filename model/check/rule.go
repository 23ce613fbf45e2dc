package check

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/units"
)

// Rule is a condition under which a run fails: with "killed>5%", if at some step more than 5 % of the
// groups are killed; with "killed>5% over 10 steps", if they are in some 10 steps in a row together.
type Rule struct {
	Name  string // a fate, a count, the kind of a warning, a metric, rows, unreadable, or stall
	Op    string
	Limit float64
	Unit  string // of Limit: "", "%", or for stall "x", "s", "m" or "h"
	Span  Span
}

// Defaults returns the default rules. A healthy run passes them.
func Defaults() []string {
	return []string{"signal=0", "killed>5%", "short>5%", "flips>10%", "noise>0", "invalid>0", "rows<50%", "unreadable>1%"}
}

// operators lists longer ones before their prefixes; == means =.
var operators = [...]string{">=", "<=", "!=", "==", ">", "<", "="}

// Parse parses a rule. The error is a sentence with an example.
func Parse(text string) (Rule, error) {
	text = strings.TrimSpace(text)
	for at := range text {
		for _, op := range operators {
			if !strings.HasPrefix(text[at:], op) {
				continue
			}
			r := Rule{Name: strings.TrimSpace(text[:at]), Op: cmp.Or(strings.TrimPrefix(op, "=="), "=")}
			number, words := cutSpan(text[at+len(op):])
			var ok bool
			if r.Limit, r.Unit, ok = parseLimit(number); !ok || !validName(r.Name) {
				return r, fmt.Errorf("rule %q: expected a name, one of > >= < <= = !=, and a number or percentage, such as killed>5%% or killed>5%% for 3 steps", text)
			}
			var err error
			if r.Span, err = parseSpan(words); err != nil {
				return r, fmt.Errorf("rule %q: %w", text, err)
			}
			return r, r.validate()
		}
	}
	return Rule{}, fmt.Errorf("rule %q has no > >= < <= = or !=, such as in killed>5%%", text)
}

// parseLimit parses a number with its unit; false if it is none.
func parseLimit(text string) (x float64, unit string, ok bool) {
	text = strings.Replace(text, "×", "x", 1)
	for _, u := range []string{"%", "x", "s", "m", "h"} {
		if number, found := strings.CutSuffix(text, u); found {
			text, unit = number, u
			break
		}
	}
	x, err := strconv.ParseFloat(text, 64)
	return x, unit, err == nil && x-x == 0
}

// rowsOfStep is the name of the rows of a step: a percentage is of the usual number.
const rowsOfStep = "rows"

// ParseAll parses several rules.
func ParseAll(texts []string) ([]Rule, error) {
	rules := make([]Rule, len(texts))
	for i, text := range texts {
		var err error
		if rules[i], err = Parse(text); err != nil {
			return nil, err
		}
	}
	return rules, nil
}

// validName reports whether name is one word of letters, digits and / _ @ - .
func validName(name string) bool {
	invalid := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("/_@-.", r)
	}
	return name != "" && !strings.ContainsFunc(name, invalid)
}

// validate returns an error for a name that no log has, for a unit that the name cannot have, and for
// words on steps where a rule is on the log. A name with a slash, _ or @ may be a metric, which only a
// log decides.
func (r Rule) validate() error {
	if r.OfLog() {
		return r.validateOfLog()
	}
	_, counted := r.count(&analysis.Summary{Groups: 1, Rows: 1})
	if !counted && !strings.ContainsAny(r.Name, "/_@") {
		return fmt.Errorf("rule %q: unknown name %q: a rule can check %s, a kind of warning, or a metric, such as killed>5%%", r, r.Name, strings.Join(CountNames(), ", "))
	}
	if r.Unit == "%" && !counted {
		return fmt.Errorf("rule %q: %s is not a share, so its limit cannot be a percentage: write a number, such as %s%s%g", r, r.Name, r.Name, r.Op, r.Limit/100)
	}
	if r.Unit != "" && r.Unit != "%" {
		return fmt.Errorf("rule %q: only %s has a limit in %s: write a number or a percentage, such as killed>5%%", r, stall, r.Unit)
	}
	return nil
}

// validateOfLog is validate for a rule on the log.
func (r Rule) validateOfLog() error {
	if r.Span != (Span{}) {
		return fmt.Errorf("rule %q: %s is of the whole log, so no steps can follow the number: write %s", r, r.Name, Rule{Name: r.Name, Op: r.Op, Limit: r.Limit, Unit: r.Unit})
	}
	timed := r.Unit != "" && r.Unit != "%"
	if timed != (r.Name == stall) {
		if timed {
			return fmt.Errorf("rule %q: only %s has a limit in %s: write a number or a percentage, such as unreadable>1%%", r, stall, r.Unit)
		}
		return fmt.Errorf("rule %q: %s needs x, times the usual time between steps, or s, m or h behind the number, such as stall>6x or stall>30m", r, stall)
	}
	return nil
}

// String returns the rule as Parse reads it.
func (r Rule) String() string {
	return strings.TrimSpace(r.Name + r.Op + strconv.FormatFloat(r.Limit, 'g', -1, 64) + r.Unit + " " + r.Span.String())
}

// CountNames returns what can be counted, besides warnings.
func CountNames() []string {
	names := []string{"signal", "nonzero", "kept", "flips", rowsOfStep, unreadable, stall}
	for _, f := range model.Fates() {
		if f != model.FateOpen {
			names = append(names, f.Key())
		}
	}
	return names
}

// count is n out of total.
type count struct{ n, total int }

// count returns what the rule counts in a step, false if it names no count.
func (r Rule) count(s *analysis.Summary) (count, bool) {
	switch r.Name {
	case "signal":
		return count{s.Signal, s.Groups}, true
	case "kept":
		return count{s.Kept, s.Rows}, true
	case "nonzero":
		return count{s.Nonzero, s.Rows}, true
	case rowsOfStep:
		return count{s.Rows, s.Rows}, true // of how many as usual: see tally.usualRows
	case "flips":
		return count{s.Flips.Total(), s.Kept}, true
	}
	for k, kind := range analysis.FlipKinds() {
		if r.Name == "flips/"+kind.Name {
			return count{int(s.Flips[k]), s.Kept}, true
		}
	}
	for _, f := range model.Fates() {
		if f != model.FateOpen && f.Key() == r.Name {
			return count{s.Fates[f], s.Groups}, true
		}
	}
	if !slices.Contains(warningKinds(), model.WarningKind(r.Name)) {
		return count{}, false
	}
	c := count{0, max(1, s.Groups)}
	for _, w := range s.Warnings {
		if string(w.Kind) == r.Name && w.Count > c.n { // a step may raise a kind twice, for either ratio
			c = count{w.Count, w.Of}
		}
	}
	return c, true
}

// warningKinds are the kinds of warnings that rules can name: those that a step raises, and those about texts, which the caller adds.
func warningKinds() []model.WarningKind {
	return append(analysis.WarningKinds(), model.WarnAnswersAlike)
}

// isOfStep reports whether the rule is about a step as a whole, not about its groups.
func (r Rule) isOfStep() bool {
	return r.Name == rowsOfStep || slices.Contains(warningKinds(), model.WarningKind(r.Name))
}

// measure returns the rule's value in a step. It returns false if the step has none, or if it is NaN in
// one of our own metrics, which are undefined for some steps. A trainer's metric that is NaN counts, and
// fails every rule.
func (r Rule) measure(s *analysis.Summary) (m measured, ok bool) {
	m.step = s.Step
	if m.count, m.counted = r.count(s); m.counted {
		return m, r.Unit != "%" || m.count.total > 0
	}
	for _, metric := range s.Metrics {
		if metric.Name == r.Name {
			m.value = metric.Value
			return m, m.value == m.value || !strings.HasPrefix(r.Name, "vantage/")
		}
	}
	return m, false
}

// valueOf returns what the rule compares with its limit, and its text, of the sum over some steps: a share
// of all, or the mean of a step.
func (r Rule) valueOf(m measured, steps int) (x float64, text string) {
	switch {
	case m.counted && r.Unit == "%":
		return 100 * float64(m.count.n) / float64(max(1, m.count.total)), units.Fraction(m.count.n, m.count.total)
	case m.counted && steps == 1:
		return float64(m.count.n), units.Count(m.count.n)
	case m.counted:
		x = float64(m.count.n) / float64(steps)
	default:
		x = m.value / float64(steps)
	}
	return x, units.Short(x)
}

// appliesTo reports whether a step has what the rule names, even if NaN.
func (r Rule) appliesTo(s *analysis.Summary) bool {
	_, counted := r.count(s)
	return counted || r.OfLog() || slices.ContainsFunc(s.Metrics, func(m analysis.Metric) bool { return m.Name == r.Name })
}

// fails reports whether the value x fails the rule. NaN always does.
func (r Rule) fails(x float64) bool {
	if x != x {
		return true
	}
	switch r.Op {
	case ">":
		return x > r.Limit
	case ">=":
		return x >= r.Limit
	case "<":
		return x < r.Limit
	case "<=":
		return x <= r.Limit
	case "!=":
		return x != r.Limit
	}
	return x == r.Limit
}
