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

// Rule is a condition under which a step fails: with "killed>5%", if more than 5 % of its
// groups are killed.
type Rule struct {
	Name    string // a fate, a count, the kind of a warning, a metric, or unreadable
	Op      string
	Limit   float64
	Percent bool // Limit is a percentage
}

// Defaults returns the default rules. A healthy run passes them.
func Defaults() []string {
	return []string{"signal=0", "killed>5%", "short>5%", "flips>10%", "noise>0", "invalid>0", "unreadable>1%"}
}

// operators lists longer ones before their prefixes; == means =.
var operators = [...]string{">=", "<=", "!=", "==", ">", "<", "="}

// Parse parses a rule.
func Parse(text string) (Rule, error) {
	text = strings.TrimSpace(text)
	for at := range text {
		for _, op := range operators {
			if !strings.HasPrefix(text[at:], op) {
				continue
			}
			r := Rule{Name: strings.TrimSpace(text[:at]), Op: strings.TrimPrefix(op, "==")}
			r.Op = cmp.Or(r.Op, "=")
			limit, percent := strings.CutSuffix(strings.TrimSpace(text[at+len(op):]), "%")
			x, err := strconv.ParseFloat(strings.TrimSpace(limit), 64)
			if err != nil || !validName(r.Name) || x-x != 0 {
				return r, fmt.Errorf("rule %q: expected a name, one of > >= < <= = !=, and a number or percentage", text)
			}
			r.Limit, r.Percent = x, percent
			return r, r.validate()
		}
	}
	return Rule{}, fmt.Errorf("rule %q has no > >= < <= = or !=, such as in killed>5%%", text)
}

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

// validate returns an error for a name that no log has, and for a percent limit on a figure that is
// not a share. A name with a slash, _ or @ may be a metric, which only a log decides.
func (r Rule) validate() error {
	_, counted := r.count(&analysis.Summary{Groups: 1, Rows: 1})
	counted = counted || r.OfLog()
	if !counted && !strings.Contains(r.Name, "/") && !strings.Contains(r.Name, "_") && !strings.Contains(r.Name, "@") {
		return fmt.Errorf("unknown name %q: a rule can check %s, a kind of warning, or a metric", r.Name, strings.Join(CountNames(), ", "))
	}
	if r.Percent && !counted {
		return fmt.Errorf("rule %q: %s is not a share, so its limit cannot be a percentage", r, r.Name)
	}
	return nil
}

// String returns the rule as Parse reads it.
func (r Rule) String() string {
	text := r.Name + r.Op + strconv.FormatFloat(r.Limit, 'g', -1, 64)
	if r.Percent {
		text += "%"
	}
	return text
}

// CountNames returns what can be counted, besides warnings.
func CountNames() []string {
	names := []string{"signal", "nonzero", "kept", "flips", unreadable}
	for _, f := range model.Fates() {
		if f != model.FateOpen {
			names = append(names, f.String())
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
	case "flips":
		return count{s.Flips.Total(), s.Kept}, true
	}
	for k, kind := range analysis.FlipKinds() {
		if r.Name == "flips/"+kind.Name {
			return count{int(s.Flips[k]), s.Kept}, true
		}
	}
	for _, f := range model.Fates() {
		if f != model.FateOpen && f.String() == r.Name {
			return count{s.Fates[f], s.Groups}, true
		}
	}
	if !slices.Contains(analysis.WarningKinds(), model.WarningKind(r.Name)) {
		return count{}, false
	}
	for _, w := range s.Warnings {
		if string(w.Kind) == r.Name {
			return count{w.Count, w.Of}, true
		}
	}
	return count{0, max(1, s.Groups)}, true
}

// Evaluate returns the rule's value in a step, and its text. It returns false if the step
// has none, or if it is NaN in one of our own metrics, which are undefined for some steps. A
// trainer's metric that is NaN counts, and fails every rule.
func (r Rule) Evaluate(s *analysis.Summary) (x float64, text string, ok bool) {
	if c, counted := r.count(s); counted {
		if r.Percent {
			return 100 * float64(c.n) / float64(max(1, c.total)), units.Fraction(c.n, c.total), c.total > 0
		}
		return float64(c.n), units.Count(c.n), true
	}
	for _, m := range s.Metrics {
		if m.Name == r.Name {
			return m.Value, units.Short(m.Value), m.Value == m.Value || !strings.HasPrefix(m.Name, "vantage/")
		}
	}
	return 0, "", false
}

// appliesTo reports whether a step has what the rule names, even if NaN.
func (r Rule) appliesTo(s *analysis.Summary) bool {
	_, counted := r.count(s)
	return counted || r.OfLog() || slices.ContainsFunc(s.Metrics, func(m analysis.Metric) bool { return m.Name == r.Name })
}

// Fails reports whether the value x fails the rule. NaN always does.
func (r Rule) Fails(x float64) bool {
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
