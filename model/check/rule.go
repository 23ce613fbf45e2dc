package check

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/diagnosis"
	"vantage/model/figures"
	"vantage/model/units"
)

// Rule is a condition under which a run fails: with "killed>5%", if at some step more than 5 % of the
// groups are killed; with "killed>5% over 10 steps", if they are in some 10 steps in a row together.
type Rule struct {
	Name  string // a fate, a count, the kind of a warning, a metric, rows, unreadable, stall, alarm, watch, over, or a kind of what ails a run
	Op    string
	Limit float64
	Unit  string // of Limit: "", "%", or for stall "x", "s", "m" or "h"
	Span  Span
}

// Defaults returns the default rules. A healthy run passes them, unless it has so few groups a step that some have no signal.
func Defaults() []string {
	return []string{
		"alarm>0", "signal=0", "killed>5%", "too-few-kept>5%", "flips>10%", "noise>0", "invalid>0", "invalid-rewards>0",
		"rows<50%", "unreadable>1%",
	}
}

// operators lists longer ones before their prefixes; == means =.
var operators = [...]string{">=", "<=", "!=", "==", ">", "<", "="}

// Parse parses a rule. What ails a run needs no number: "alarm", "reward_hacking"; "no alarm" is the same as alarm. The error is a
// sentence with an example.
func Parse(text string) (Rule, error) {
	text = strings.TrimSpace(text)
	if name := strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(text, "no-"), "no ")); isFinding(name) {
		text = name + ">0"
	}
	for at := range text {
		for _, op := range operators {
			if !strings.HasPrefix(text[at:], op) {
				continue
			}
			r := Rule{Name: strings.TrimSpace(text[:at]), Op: cmp.Or(strings.TrimPrefix(op, "=="), "=")}
			number, words := cutSpan(text[at+len(op):])
			var ok bool
			if r.Limit, r.Unit, ok = parseLimit(number); !ok || !validName(r.Name) {
				return r, fmt.Errorf("rule %q: expected a name, one of > >= < <= = !=, and a number or percentage, such as killed>5%% or "+
					"killed>5%% for 3 steps", text)
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

func parseLimit(text string) (x float64, unit string, ok bool) {
	text = strings.Replace(text, "×", "x", 1)
	for _, u := range []string{"%", "x", "s", "m", "h"} {
		if number, found := strings.CutSuffix(text, u); found {
			text, unit = number, u
			break
		}
	}
	x, err := strconv.ParseFloat(text, 64)
	return x, unit, err == nil && units.IsFinite(x)
}

// rowsOfStep is the name of the rows of a step: a percentage is of the usual number.
const rowsOfStep = "rows"

// ParseAll parses several rules.
func ParseAll(texts []string) (rules []Rule, err error) {
	for _, text := range texts {
		r, err := Parse(text)
		if err != nil {
			return nil, err
		}
		rules = append(rules, r)
	}
	return rules, nil
}

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
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("rule %q: "+format, append([]any{r}, args...)...)
	}
	counted, timed := countNamed(r.Name) != nil, r.Unit != "" && r.Unit != "%"
	switch {
	case r.OfFindings() && r.Unit != "":
		return wrong("%s counts findings: write %s, or a number without a unit", r.Name, r.Name)
	case r.OfLog() && r.Span != (Span{}):
		return wrong("%s is of the whole log, so no steps can follow the number: write %s", r.Name,
			Rule{Name: r.Name, Op: r.Op, Limit: r.Limit, Unit: r.Unit})
	case r.Name == stall && !timed:
		return wrong("%s needs x, times the usual time between steps, or s, m or h behind the number, such as stall>6x or stall>30m", stall)
	case r.Name == unreadable && timed:
		return wrong("only %s has a limit in %s: write a number or a percentage, such as unreadable>1%%", stall, r.Unit)
	case r.OfLog():
	case !counted && !strings.ContainsAny(r.Name, "/_@"):
		return wrong("unknown name %q: a rule can check %s, a kind of alarm such as %s, a kind of warning, or a metric, such as killed>5%%",
			r.Name, strings.Join(CountNames(), ", "), diagnosis.RewardHacking)
	case r.Unit == "%" && !counted:
		return wrong("%s is not a share, so its limit cannot be a percentage: write a number, such as %s%s%g", r.Name, r.Name, r.Op,
			r.Limit/100)
	case timed:
		return wrong("only %s has a limit in %s: write a number or a percentage, such as killed>5%%", stall, r.Unit)
	}
	return nil
}

// String returns the rule as Parse reads it.
func (r Rule) String() string {
	return strings.TrimSpace(r.Name + r.Op + strconv.FormatFloat(r.Limit, 'g', -1, 64) + r.Unit + " " + r.Span.String())
}

// CountNames returns what can be counted, besides warnings.
func CountNames() []string {
	names := []string{
		"signal", "nonzero", "kept", "flips", rowsOfStep, unreadable, stall, string(diagnosis.Alarm), string(diagnosis.Watch),
		string(diagnosis.Over),
	}
	for _, f := range model.Fates() {
		if f != model.FateOpen {
			names = append(names, f.Key())
		}
	}
	return names
}

// countNamed returns how a rule reads what it counts off a step, and of how many that is; nil if the name is of no count.
func countNamed(name string) func(*analysis.StepFigures) figures.Number {
	switch {
	case name == rowsOfStep: // of how many as usual: see tally.usualRows
		return func(s *analysis.StepFigures) figures.Number { return figures.CountOf(s.Rows, s.Rows) }
	case slices.Contains(warningKinds(), model.WarningKind(name)):
		return func(s *analysis.StepFigures) figures.Number {
			c := figures.CountOf(0, max(1, s.Groups))
			for _, w := range s.Warnings {
				if string(w.Kind) == name && w.Count > c.N { // a step may raise a kind twice, for either ratio
					c = figures.CountOf(w.Count, w.Of)
				}
			}
			return c
		}
	}
	figure, _ := figures.Find(figures.Steps(), name)
	if slices.Contains(CountNames(), name) || strings.HasPrefix(name, "flips/") || strings.Contains(figure.Unit, "share of") {
		return figure.Value
	}
	return nil
}

// warningKinds are the kinds of warnings that rules can name: those that a step raises, and those about texts, which the caller adds.
func warningKinds() []model.WarningKind {
	return append(analysis.WarningKinds(), analysis.WarnAnswersAlike)
}

// isOfStep reports whether the rule is about a step as a whole, not about its groups.
func (r Rule) isOfStep() bool {
	return r.Name == rowsOfStep || slices.Contains(warningKinds(), model.WarningKind(r.Name))
}

// valueOf returns what the rule compares with its limit, of the sum over some steps: a share of all, or the mean of a step.
func (r Rule) valueOf(m measured, steps int) float64 {
	switch {
	case m.counted && r.Unit == "%":
		return 100 * float64(m.N) / float64(max(1, m.Of))
	case m.counted:
		return float64(m.N) / float64(steps)
	case steps == 1:
		return m.X
	}
	return m.metric.OfAStep()
}

// textOf is the text of that value.
func (r Rule) textOf(m measured, steps int) string {
	switch {
	case m.counted && r.Unit == "%":
		return units.Fraction(m.N, m.Of)
	case m.counted && steps == 1:
		return units.Count(m.N)
	}
	return units.Short(r.valueOf(m, steps))
}

func (r Rule) fails(x float64) bool { return math.IsNaN(x) || figures.Holds(x, r.Op, r.Limit) }

// Span is the steps that a rule judges together.
type Span struct {
	Kind SpanKind
	N    float64 // steps, or with ShareOfSteps a percentage
}

// SpanKind is a kind of span.
type SpanKind int

// The kinds of spans.
const (
	EachStep     SpanKind = iota // no words: the run fails if one step does
	AllSteps                     // "over all steps": the mean of all steps
	MeanOfSteps                  // "over 10 steps": the mean of any 10 steps in a row
	StepsInARow                  // "for 3 steps": any 3 steps in a row fail
	NumberOf                     // "in 5 steps": 5 or more steps fail
	ShareOfSteps                 // "in 20% of steps": 20 % or more of the steps fail
)

// spanWords says which words may follow the number of a rule, with examples.
const spanWords = "over all steps, over 10 steps, for 3 steps, in 5 steps or in 20% of steps"

// String returns the words that follow the number, "" for each step.
func (s Span) String() string {
	n := strconv.FormatFloat(s.N, 'g', -1, 64)
	switch s.Kind {
	case AllSteps:
		return "over all steps"
	case MeanOfSteps:
		return "over " + n + " steps"
	case StepsInARow:
		return "for " + n + " steps"
	case NumberOf:
		return "in " + n + " steps"
	case ShareOfSteps:
		return "in " + n + "% of steps"
	case EachStep:
	}
	return ""
}

func (s Span) isOfAll() bool {
	return s.Kind == AllSteps || s.Kind == NumberOf || s.Kind == ShareOfSteps
}

// cutSpan divides what follows the operator of a rule into the number and the words of the span.
func cutSpan(text string) (number string, words []string) {
	fields, at := strings.Fields(text), 0
	for at < len(fields) && !slices.Contains([]string{"over", "for", "in"}, fields[at]) {
		at++
	}
	return strings.Join(fields[:at], ""), fields[at:]
}

// parseSpan parses the words of a span. Words between, as in "in at least 20% of the steps", may be
// left out. It fails if they are none of spanWords.
func parseSpan(words []string) (Span, error) {
	if len(words) == 0 {
		return Span{}, nil
	}
	fillers := map[string][]string{"over": {"the", "whole"}, "for": {"in", "a", "row"}, "in": {"at", "least", "all", "of", "the"}}[words[0]]
	rest := slices.DeleteFunc(slices.Clone(words[1:]), func(w string) bool {
		return w == "steps" || w == "step" || slices.Contains(fillers, w)
	})
	if len(rest) == 1 {
		if words[0] == "over" && (rest[0] == "all" || rest[0] == "run") {
			return Span{Kind: AllSteps}, nil
		}
		digits, percent := strings.CutSuffix(rest[0], "%")
		kind := map[string]SpanKind{"over": MeanOfSteps, "for": StepsInARow, "in": NumberOf}[words[0]]
		if percent && kind == NumberOf {
			if x, err := strconv.ParseFloat(digits, 64); err == nil && x > 0 && x <= 100 {
				return Span{ShareOfSteps, x}, nil
			}
		} else if n, err := strconv.Atoi(rest[0]); err == nil && n > 0 && n <= maxSpan {
			return Span{kind, float64(n)}, nil
		}
	}
	return Span{}, fmt.Errorf("%q is not understood: after the number, use %s, such as killed>5%% for 3 steps", strings.Join(words, " "),
		spanWords)
}

const maxSpan = 1_000_000
