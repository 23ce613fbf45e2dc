package report

import (
	"bufio"
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/check"
	"vantage/model/choice"
	"vantage/model/diagnosis"
	"vantage/model/figures"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// CheckText writes the estimator, then a line per rule; for one that fails the steps, the worst value and
// advice.
func CheckText(w io.Writer, result check.Result, chosen choice.Choice) error {
	out := bufio.NewWriter(w)
	findings := result.Findings
	writeComputedAs(out, chosen)
	for i := range findings {
		f := &findings[i]
		if f.Passed() && !f.Evaluated() {
			fmt.Fprintf(out, "none  %-28s %s\n", f.Rule, f.NoValue)
			continue
		}
		if f.Passed() {
			fmt.Fprintf(out, "ok    %-28s %s\n", f.Rule, checkedText(f))
			continue
		}
		fmt.Fprintf(out, "FAIL  %-28s %s\n", f.Rule, failureText(f))
		if f.Advice != "" {
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
func writeComputedAs(out io.Writer, chosen choice.Choice) {
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

// failureText says how many steps fail, and which is the worst.
func failureText(f *check.Finding) string {
	switch span := f.Rule.Span; span.Kind {
	case check.EachStep:
		if f.Rule.OfLog() {
			return checkedText(f)
		}
		return fmt.Sprintf("%d of %s, from step %d; worst is %s at step %d", len(f.Failed), units.Plural(f.Steps, "steps"), f.Failed[0], f.WorstValue, f.WorstStep)
	case check.MeanOfSteps:
		return fmt.Sprintf("first over steps %d to %d; worst is %s over steps %d to %d", f.FirstFrom, f.Failed[0], f.WorstValue, f.WorstFrom, f.WorstStep)
	case check.StepsInARow:
		return fmt.Sprintf("first at steps %d to %d; worst is %s at step %d", f.FirstFrom, f.Failed[0], f.WorstValue, f.WorstStep)
	case check.NumberOf, check.ShareOfSteps:
		return fmt.Sprintf("%s, from step %d; worst is %s at step %d", checkedText(f), f.Failed[0], f.WorstValue, f.WorstStep)
	default:
		return checkedText(f)
	}
}

// CheckJSON writes the object that the schema check@1 describes. Where a rule judges several steps in a row together, failed
// and worst_step are the last of them, and worst_from is the first.
func CheckJSON(w io.Writer, result check.Result, chosen choice.Choice) error {
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
			{"rule", f.Rule.String()}, {"passed", f.Passed()}, {"scope", some(scope)}, {"steps", f.Steps}, {"failed", append([]int64{}, f.Failed...)},
		}
		if len(f.Failed) > 0 && f.WorstFrom != f.WorstStep {
			rule = append(rule, member{"worst_from", f.WorstFrom})
		}
		if len(f.Failed) > 0 {
			rule = append(rule, member{"worst_step", f.WorstStep})
		}
		rules = append(rules, append(rule, object{{"value", some(cmp.Or(f.Whole, f.WorstValue))}, {"advice", some(withoutKeys(f.Advice))}}...))
	}
	return jsonEncoder(w, "").Encode(slices.Concat(object{
		{"schema", "vantage/check@1"},
		{"rules", rules},
		{"notes", some(result.Notes)},
		{"passed", check.Failed(result.Findings) == 0},
	}, diagnosisJSON(result.Diagnosis), choiceJSON(chosen)))
}

// CheckGitHub writes the estimator, a workflow command per failing rule, which becomes an
// annotation, and the total.
func CheckGitHub(w io.Writer, result check.Result, chosen choice.Choice) error {
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
	_, err := w.Write(encode(object{
		{"schema", "vantage/transition@1"}, {"rule", o.Rule.String()}, {"step", o.Step}, {"failed", o.Failing}, {"value", o.Value},
	}))
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
func CheckJUnit(w io.Writer, result check.Result, chosen choice.Choice) error {
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

// CheckState is what a check found, for [CheckPrometheus].
type CheckState struct {
	Path   string
	Result check.Result // without findings if the log could not be checked
	Log    check.Log
	Newest *analysis.StepFigures // the newest complete step; nil if there is none
}

// CheckPrometheus writes gauges in the text format of Prometheus, version 0.0.4, for the textfile collector of
// node_exporter, which reads files that end in .prom and takes no time stamps: it exports their time of change itself,
// as node_textfile_mtime_seconds. Every sample has the label path. A rule that nothing has a value for has no sample.
func CheckPrometheus(w io.Writer, s *CheckState) error {
	out := bufio.NewWriter(w)
	for _, g := range s.gauges() {
		if len(g.samples) == 0 {
			continue
		}
		fmt.Fprintf(out, "# HELP %s %s\n# TYPE %s gauge\n", g.name, g.help, g.name)
		for _, x := range g.samples {
			labels := labelOf("path", s.Path)
			for _, l := range x.labels {
				labels += "," + labelOf(l[0], l[1])
			}
			fmt.Fprintf(out, "%s{%s} %s\n", g.name, labels, strconv.FormatFloat(x.value, 'g', -1, 64))
		}
	}
	return out.Flush()
}

type gauge struct {
	name, help string
	samples    []gaugeSample
}

// gaugeSample is a value, of what labels say, each a name and a value.
type gaugeSample struct {
	value  float64
	labels [][2]string
}

func labelOf(name, value string) string {
	return name + `="` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(sanitize.Line(value)) + `"`
}

// foundGauge is what ails the run, the first of each kind and severity.
func foundGauge(d *diagnosis.Diagnosis) gauge {
	found := gauge{name: "vantage_finding", help: "The step since which something ails the run, by kind and severity."}
	for i := range d.Findings {
		f := &d.Findings[i]
		if !slices.ContainsFunc(d.Findings[:i], func(o diagnosis.Finding) bool { return o.Kind == f.Kind && o.Severity == f.Severity }) {
			found.samples = append(found.samples, gaugeSample{float64(f.Since), [][2]string{{"kind", string(f.Kind)}, {"severity", string(f.Severity)}}})
		}
	}
	return found
}

func (s *CheckState) gauges() []gauge {
	one := func(name, help string, x float64) gauge { return gauge{name, help, []gaugeSample{{value: x}}} }
	const success, successHelp = "vantage_check_success", "Whether the log could be read and checked, whatever the result of the rules."
	if len(s.Result.Findings) == 0 {
		return []gauge{one(success, successHelp, 0)}
	}
	failed := gauge{name: "vantage_rule_failed", help: "Whether a rule of the check fails."}
	steps := gauge{name: "vantage_rule_failed_steps", help: "Steps at which a rule of the check fails."}
	seen := map[string]bool{} // the same sample twice would make node_exporter refuse the file
	for i := range s.Result.Findings {
		f := &s.Result.Findings[i]
		rule, x := f.Rule.String(), 0.0
		if f.Passed() && !f.Evaluated() || seen[rule] {
			continue
		}
		if seen[rule] = true; !f.Passed() {
			x = 1
		}
		failed.samples = append(failed.samples, gaugeSample{x, [][2]string{{"rule", rule}}})
		steps.samples = append(steps.samples, gaugeSample{float64(len(f.Failed)), [][2]string{{"rule", rule}}})
	}
	all := []gauge{
		one(success, successHelp, 1), failed, steps,
		one("vantage_log_rows", "Rows of the log, with those that could not be read.", float64(s.Log.Rows)),
		one("vantage_log_unreadable_rows", "Rows of the log that could not be read.", float64(s.Log.Unreadable)),
	}
	if d := s.Log.Diagnosis; d != nil {
		all = append(all, one("vantage_alarms", "How many alarms there are.", float64(d.Alarms())), foundGauge(d))
	}
	if !s.Log.LastWrite.IsZero() {
		all = append(all, one("vantage_log_last_write_timestamp_seconds", "When the log was last written, in seconds since 1970.", float64(s.Log.LastWrite.UnixMilli())/1000))
	}
	if s.Newest == nil {
		return all
	}
	for _, g := range []struct{ figure, name, help string }{
		{"step", "vantage_step", "Number of the newest complete step."},
		{"samples", "vantage_step_samples", "Samples of the newest complete step."},
		{"nonzero_samples", "vantage_step_nonzero_samples", "Samples of the newest complete step that train: their advantage is not 0."},
		{"groups", "vantage_step_groups", "Groups of the newest complete step."},
		{"signal_groups", "vantage_step_signal_groups", "Groups of the newest complete step that carry signal."},
		{"", "vantage_step_groups_by_fate", "Groups of the newest complete step by what became of them."},
		{"reward_mean", "vantage_step_reward_mean", "Mean reward of the samples of the newest complete step that the log holds."},
		{"length_mean", "vantage_step_length_mean", "Mean length of the responses of the newest complete step, in the unit of the log."},
	} {
		if g.figure == "" {
			fates := gauge{name: g.name, help: g.help}
			for _, f := range model.Fates() {
				fates.samples = append(fates.samples, gaugeSample{float64(s.Newest.Fates[f]), [][2]string{{"fate", f.Key()}}})
			}
			all = append(all, fates)
		} else if x := figures.Select(figures.Steps(), g.figure)[0].Value(s.Newest).Float(); x == x { // the log may have none
			all = append(all, one(g.name, g.help, x))
		}
	}
	return all
}
