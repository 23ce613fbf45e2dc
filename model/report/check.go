package report

import (
	"bufio"
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/check"
	"vantage/model/match"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// CheckText writes the estimator, then a line per rule; for one that fails the steps, the worst value and
// advice.
func CheckText(w io.Writer, result check.Result, chosen match.Choice) error {
	out := bufio.NewWriter(w)
	findings := result.Findings
	writeComputedAs(out, chosen)
	for i := range findings {
		f := &findings[i]
		word, text := "ok", checkedText(f)
		switch {
		case !f.Passed():
			word, text = "FAIL", failureText(f)
		case !f.Evaluated():
			word, text = "none", f.NoValue
		}
		fmt.Fprintf(out, "%-5s %-28s %s\n", word, f.Rule, text)
		if !f.Passed() && f.Advice != "" {
			fmt.Fprintf(out, "      %s\n", withoutKeys(f.Advice))
		}
	}
	for _, note := range result.Notes {
		fmt.Fprintf(out, "note  %s\n", sanitize.Line(note))
	}
	fmt.Fprintln(out, checkTotal(findings))
	return out.Flush()
}

// writeComputedAs writes the estimator, and the columns of the reward if they had to be chosen.
func writeComputedAs(out io.Writer, chosen match.Choice) {
	if chosen.Origin == "" {
		return // averages of steps are as they were logged
	}
	fmt.Fprintf(out, "computed as %s\n", chosen.WithScale())
	writeFacts(out, 0, fact("reward", chosen.Rewards.String()))
}

// checkTotal is the last line: without it the list was cut.
func checkTotal(findings []check.Finding) string {
	return fmt.Sprintf("%s, %d failed", units.Plural(len(findings), "rules"), check.Failed(findings))
}

// checkedText says on how much a rule was evaluated, and what a rule on the whole found.
func checkedText(f *check.Finding) string {
	switch {
	case f.Rule.Name == "unreadable":
		return f.Whole + " of all rows"
	case f.Rule.OfLog():
		return f.Whole
	case f.Rule.Span.Kind == check.AllSteps:
		return fmt.Sprintf("%s over %s", f.Whole, units.Plural(f.Steps, "steps"))
	case f.Rule.OfWhole():
		return f.Whole + " of the steps"
	}
	return units.Plural(f.Steps, "steps")
}

// shownStretches is how many stretches a line lists: JSON has all.
const shownStretches = 12

// stretchesText lists the steps at which a rule fails: "3–20, 25, 30–45".
func stretchesText(f *check.Finding) string {
	all := f.Stretches
	parts := model.Mapped(all[:min(shownStretches, len(all))], check.Stretch.String)
	if more := len(all) - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("%d more up to %d", more, all[len(all)-1].To))
	}
	return strings.Join(parts, ", ")
}

// failureText says at which steps a rule fails, and which is the worst.
func failureText(f *check.Finding) string {
	switch span := f.Rule.Span; span.Kind {
	case check.EachStep:
		if f.Rule.OfLog() {
			return checkedText(f)
		}
		return fmt.Sprintf("%d of %s: %s; worst is %s at step %d", len(f.Failed), units.Plural(f.Steps, "steps"), stretchesText(f),
			f.WorstValue, f.WorstStep)
	case check.MeanOfSteps:
		return fmt.Sprintf("over steps %s; worst is %s over steps %d to %d", stretchesText(f), f.WorstValue, f.WorstFrom, f.WorstStep)
	case check.StepsInARow:
		return fmt.Sprintf("at steps %s; worst is %s at step %d", stretchesText(f), f.WorstValue, f.WorstStep)
	case check.NumberOf, check.ShareOfSteps:
		return fmt.Sprintf("%s: %s; worst is %s at step %d", checkedText(f), stretchesText(f), f.WorstValue, f.WorstStep)
	default:
		return checkedText(f)
	}
}

// CheckJSON writes the object that the schema check@2 describes. Where a rule judges several steps in a row together, failed
// and worst_step are the last of them, and worst_from is the first.
func CheckJSON(w io.Writer, result check.Result, chosen match.Choice) error {
	rules := []object{}
	for i := range result.Findings {
		f := &result.Findings[i]
		scope := ""
		switch {
		case f.Rule.OfLog():
			scope = "log"
		case f.Rule.OfWhole():
			scope = "run"
		}
		rule := object{
			{"rule", f.Rule.String()},
			{"passed", f.Passed()},
			{"scope", some(scope)},
			{"steps", f.Steps},
			{"failed", append([]int64{}, f.Failed...)},
			{"stretches", some(model.Mapped(f.Stretches, func(x check.Stretch) object { return object{{"from", x.From}, {"to", x.To}} }))},
		}
		if len(f.Failed) > 0 && f.WorstFrom != f.WorstStep {
			rule = append(rule, member{"worst_from", f.WorstFrom})
		}
		if len(f.Failed) > 0 {
			rule = append(rule, member{"worst_step", f.WorstStep})
		}
		rules = append(rules, append(rule,
			object{{"value", some(cmp.Or(f.Whole, f.WorstValue))}, {"advice", some(withoutKeys(f.Advice))}}...))
	}
	return slices.Concat(object{
		{"schema", "vantage/check@2"},
		{"rules", rules},
		{"notes", some(result.Notes)},
		{"passed", check.Failed(result.Findings) == 0},
	}, diagnosisJSON(result.Diagnosis), choiceJSON(chosen)).writeIndented(w)
}

// CheckGitHub writes the estimator, a workflow command per failing rule, which becomes an
// annotation, and the total.
func CheckGitHub(w io.Writer, result check.Result, chosen match.Choice) error {
	findings := result.Findings
	out := bufio.NewWriter(w)
	writeComputedAs(out, chosen)
	for i := range findings {
		if f := &findings[i]; !f.Passed() {
			text := failureText(f)
			if f.Advice != "" {
				text += ". " + withoutKeys(f.Advice)
			}
			_ = annotate(out, "error", f.Rule.String(), text)
		}
	}
	for _, note := range result.Notes {
		_ = annotate(out, "notice", "vantage check", note)
	}
	fmt.Fprintln(out, checkTotal(findings))
	return out.Flush()
}

// annotate writes a workflow command. It escapes what would end or change it, or its title.
func annotate(out io.Writer, level, name, text string) error {
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	title := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	_, err := fmt.Fprintf(out, "::%s title=%s::%s\n", level, title.Replace(name), data.Replace(text))
	return err
}

// TransitionText writes a line: the rule begins to fail, or passes again.
func TransitionText(w io.Writer, o check.Transition) error {
	word := "ok  "
	if o.Failing {
		word = "FAIL"
	}
	_, err := fmt.Fprintf(w, "%s  %s: %s at step %d\n", word, o.Rule, o.Value, o.Step)
	return err
}

// TransitionJSON writes the object that the schema transition@1 describes, in one line.
func TransitionJSON(w io.Writer, o check.Transition) error {
	_, err := w.Write(object{
		{"schema", "vantage/transition@1"}, {"rule", o.Rule.String()}, {"step", o.Step}, {"failed", o.Failing}, {"value", o.Value},
	}.line())
	return err
}

// TransitionGitHub writes an annotation: an error if the rule begins to fail, a notice if
// it passes again.
func TransitionGitHub(w io.Writer, o check.Transition) error {
	level := "notice"
	if o.Failing {
		level = "error"
	}
	return annotate(w, level, o.Rule.String(), fmt.Sprintf("%s at step %d", o.Value, o.Step))
}

// The elements of a JUnit file.
type (
	junitSuite struct {
		XMLName    xml.Name        `xml:"testsuite"`
		Name       string          `xml:"name,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Skipped    int             `xml:"skipped,attr"`
		Properties []junitProperty `xml:"properties>property,omitempty"`
		Cases      []junitCase     `xml:"testcase"`
		Notes      string          `xml:"system-out,omitempty"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Class   string     `xml:"classname,attr"`
		Name    string     `xml:"name,attr"`
		Failure *junitNote `xml:"failure,omitempty"`
		Error   *junitNote `xml:"error,omitempty"`
		Skipped *junitNote `xml:"skipped,omitempty"`
	}
	junitNote struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// CheckJUnit writes a test suite with a case per rule. A rule that nothing has a value for is skipped.
func CheckJUnit(w io.Writer, result check.Result, chosen match.Choice) error {
	findings := result.Findings
	suite := junitSuite{
		Properties: []junitProperty{{Name: "estimator", Value: chosen.WithScale()}},
		Name:       suiteName, Tests: len(findings), Failures: check.Failed(findings), Notes: strings.Join(result.Notes, "\n"),
	}
	if text := chosen.Rewards.String(); text != "" {
		suite.Properties = append(suite.Properties, junitProperty{Name: "reward", Value: sanitize.Line(text)})
	}
	for i := range findings {
		f := &findings[i]
		c := junitCase{Class: "vantage.check", Name: f.Rule.String()}
		switch {
		case !f.Passed():
			c.Failure = &junitNote{Message: failureText(f), Text: withoutKeys(f.Advice)}
		case !f.Evaluated():
			suite.Skipped++
			c.Skipped = &junitNote{Message: f.NoValue}
		}
		suite.Cases = append(suite.Cases, c)
	}
	return suite.write(w)
}

// CheckErrorJUnit writes a test suite with one case, which has the error for which no rule was checked: a CI system that finds
// no file says nothing, or shows the one of the run before.
func CheckErrorJUnit(w io.Writer, why error) error {
	failed := junitCase{Class: "vantage.check", Name: "check", Error: &junitNote{Message: sanitize.Line(why.Error())}}
	return junitSuite{Name: suiteName, Tests: 1, Errors: 1, Cases: []junitCase{failed}}.write(w)
}

const suiteName = "vantage check"

func (s junitSuite) write(w io.Writer) error {
	text, err := xml.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, xml.Header+string(text)+"\n")
	return err
}
