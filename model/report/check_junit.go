package report

import (
	"encoding/xml"
	"io"
	"strings"

	"vantage/model/check"
	"vantage/model/choice"
	"vantage/model/sanitize"
)

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

// properties are the estimator and, if they had to be chosen, the columns of the reward.
func properties(chosen choice.Choice) []junitProperty {
	all := []junitProperty{{Name: "estimator", Value: chosen.WithScale()}}
	if chosen.Rewards.IsChoice() {
		all = append(all, junitProperty{Name: "reward", Value: sanitize.Line(chosen.Rewards.String())})
	}
	return all
}

// CheckJUnit writes a test suite with a case per rule. A rule that nothing has a value for is skipped.
func CheckJUnit(w io.Writer, result check.Result, chosen choice.Choice) error {
	findings := result.Findings
	suite := junitSuite{
		Properties: properties(chosen),
		Name:       suiteName, Tests: len(findings), Failures: check.Failed(findings), Notes: strings.Join(result.Notes, "\n"),
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

// suiteName is the name of the test suite.
const suiteName = "vantage check"

func (s junitSuite) write(w io.Writer) error {
	text, err := xml.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, xml.Header+string(text)+"\n")
	return err
}
