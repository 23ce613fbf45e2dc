package report

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"vantage/model/check"
	"vantage/model/choice"
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
	if chosen.Rewards.IsChoice() {
		fmt.Fprintf(out, "reward %s\n", sanitize.Line(chosen.Rewards.String()))
	}
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

// CheckJSON writes {"schema": "vantage/check@1", "rules": [{"rule": "killed>5%", "passed": false, "steps": 30,
// "failed": [12, 13], "worst_step": 13, "value": "9/128 (7%)", "advice": "…"}], "passed": false,
// "estimator": {…}, "reward": {…}}, both as in [JSON]. A rule has 0 steps if none has a value for it, or if
// its scope is "log"; of the scope "run" is a rule with one verdict on all steps, whose value is of all.
// Where a rule judges several steps in a row together, failed and worst_step are the last of them, and
// worst_from is the first. "notes" says what was left out.
func CheckJSON(w io.Writer, result check.Result, chosen choice.Choice) error {
	findings := result.Findings
	type rule struct {
		Rule   string  `json:"rule"`
		Passed bool    `json:"passed"`
		Scope  string  `json:"scope,omitempty"`
		Steps  int     `json:"steps"`
		Failed []int64 `json:"failed"`
		From   *int64  `json:"worst_from,omitempty"`
		Worst  *int64  `json:"worst_step,omitempty"`
		Value  string  `json:"value,omitempty"`
		Advice string  `json:"advice,omitempty"`
	}
	out := struct {
		Schema    string      `json:"schema"`
		Rules     []rule      `json:"rules"`
		Notes     []string    `json:"notes,omitempty"`
		Passed    bool        `json:"passed"`
		Estimator *choiceJSON `json:"estimator,omitempty"`
		Reward    *rewardJSON `json:"reward,omitempty"`
	}{"vantage/check@1", []rule{}, result.Notes, check.Failed(findings) == 0, newChoiceJSON(chosen), newRewardJSON(chosen.Rewards)}
	for i := range findings {
		f := &findings[i]
		r := rule{
			Rule: f.Rule.String(), Passed: f.Passed(), Steps: f.Steps, Failed: append([]int64{}, f.Failed...),
			Value: cmp.Or(f.Whole, f.WorstValue), Advice: withoutKeys(f.Advice),
		}
		switch {
		case f.Rule.OfLog():
			r.Scope = "log"
		case f.Rule.OfWhole():
			r.Scope = "run"
		}
		if len(f.Failed) > 0 {
			r.Worst = &f.WorstStep
			if f.WorstFrom != f.WorstStep {
				r.From = &f.WorstFrom
			}
		}
		out.Rules = append(out.Rules, r)
	}
	return writeJSON(w, out)
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
			annotate(out, "error", f.Rule.String(), text)
		}
	}
	for _, note := range result.Notes {
		annotate(out, "notice", "vantage check", note)
	}
	fmt.Fprintln(out, checkTotal(findings))
	return out.Flush()
}

// annotate writes a workflow command. It escapes what would end or change it, or its title.
func annotate(out io.Writer, level, name, text string) {
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	title := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	fmt.Fprintf(out, "::%s title=%s::%s\n", level, title.Replace(name), data.Replace(text))
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

// TransitionJSON writes {"schema":"vantage/transition@1","rule":"killed>5%","step":13,"failed":true,"value":"9/128 (7%)"}
// and a line break.
func TransitionJSON(w io.Writer, o check.Transition) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(struct {
		Schema string `json:"schema"`
		Rule   string `json:"rule"`
		Step   int64  `json:"step"`
		Failed bool   `json:"failed"`
		Value  string `json:"value"`
	}{"vantage/transition@1", o.Rule.String(), o.Step, o.Failing, o.Value})
}

// TransitionGitHub writes an annotation: an error if the rule begins to fail, a notice if
// it passes again.
func TransitionGitHub(w io.Writer, o check.Transition) error {
	var b strings.Builder
	level := "notice"
	if o.Failing {
		level = "error"
	}
	annotate(&b, level, o.Rule.String(), fmt.Sprintf("%s at step %d", o.Value, o.Step))
	_, err := io.WriteString(w, b.String())
	return err
}
