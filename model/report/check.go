package report

import (
	"bufio"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"vantage/model/check"
	"vantage/model/units"
)

// CheckText writes a line per rule, and of those that fail where, how far and what to
// do.
func CheckText(w io.Writer, found []check.Finding) error {
	out := bufio.NewWriter(w)
	failed := 0
	for i := range found {
		f := &found[i]
		if f.Passed() {
			fmt.Fprintf(out, "ok    %-28s %s\n", f.Rule, units.Plural(f.Steps, "steps"))
			continue
		}
		failed++
		fmt.Fprintf(out, "FAIL  %-28s %s\n", f.Rule, failure(f))
		if f.Advice != "" {
			fmt.Fprintf(out, "      %s\n", f.Advice)
		}
	}
	fmt.Fprintf(out, "%s, %d failed\n", units.Plural(len(found), "rules"), failed)
	return out.Flush()
}

// failure says in a sentence which steps fail, and the worst.
func failure(f *check.Finding) string {
	return fmt.Sprintf("%d of %s, from step %d; worst is %s at step %d", len(f.Failed), units.Plural(f.Steps, "steps"), f.Failed[0], f.Value, f.Worst)
}

// CheckJSON writes {"rules": [{"rule": "killed>5%", "passed": false, "steps": 30,
// "failed": [12, 13], "worst_step": 13, "value": "9/128 (7%)", "advice": "…"}], "passed": false}.
func CheckJSON(w io.Writer, found []check.Finding) error {
	type rule struct {
		Rule   string  `json:"rule"`
		Passed bool    `json:"passed"`
		Steps  int     `json:"steps"`
		Failed []int64 `json:"failed"`
		Worst  *int64  `json:"worst_step,omitempty"`
		Value  string  `json:"value,omitempty"`
		Advice string  `json:"advice,omitempty"`
	}
	out := struct {
		Rules  []rule `json:"rules"`
		Passed bool   `json:"passed"`
	}{[]rule{}, true}
	for i := range found {
		f := &found[i]
		r := rule{Rule: f.Rule.String(), Passed: f.Passed(), Steps: f.Steps, Failed: append([]int64{}, f.Failed...), Value: f.Value, Advice: f.Advice}
		if !f.Passed() {
			r.Worst, out.Passed = &f.Worst, false
		}
		out.Rules = append(out.Rules, r)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}

// CheckJUnit writes a test suite with a case per rule, for those who collect such.
func CheckJUnit(w io.Writer, found []check.Finding) error {
	type failed struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
	type testcase struct {
		Class   string  `xml:"classname,attr"`
		Name    string  `xml:"name,attr"`
		Failure *failed `xml:"failure,omitempty"`
	}
	suite := struct {
		XMLName  xml.Name   `xml:"testsuite"`
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Cases    []testcase `xml:"testcase"`
	}{Name: "vantage check", Tests: len(found)}
	for i := range found {
		f := &found[i]
		c := testcase{Class: "vantage.check", Name: f.Rule.String()}
		if !f.Passed() {
			suite.Failures++
			c.Failure = &failed{Message: failure(f), Text: f.Advice}
		}
		suite.Cases = append(suite.Cases, c)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(suite); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// CheckGitHub writes an annotation for each rule that fails, as workflow commands.
func CheckGitHub(w io.Writer, found []check.Finding) error {
	escape := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	title := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	for i := range found {
		f := &found[i]
		if f.Passed() {
			continue
		}
		text := failure(f)
		if f.Advice != "" {
			text += ". " + f.Advice
		}
		if _, err := fmt.Fprintf(w, "::error title=%s::%s\n", title.Replace(f.Rule.String()), escape.Replace(text)); err != nil {
			return err
		}
	}
	return nil
}

// OnsetLine says in a line that a rule begins to fail, or is kept again.
func OnsetLine(w io.Writer, o check.Onset) error {
	word := "ok   "
	if o.Failed {
		word = "FAIL "
	}
	_, err := fmt.Fprintf(w, "%s %s: %s at step %d\n", word, o.Rule, o.Value, o.Step)
	return err
}
