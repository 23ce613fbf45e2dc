package check

import (
	"strings"
	"testing"

	"vantage/model/analysis"
)

// A rule on pass@k of a log whose rewards do not say what is solved is an error that says why.
func TestRuleOnAbsentSolveRateSaysWhy(t *testing.T) {
	rules, err := ParseAll([]string{"pass@1<0.5", "vantage/solve_rate/100<1"})
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range rules {
		e := NewEvaluator([]Rule{rule})
		e.Add(&analysis.StepFigures{Groups: 1, Rows: 4, NoSolved: "rewards are continuous"})
		if err := e.CheckNames(); err == nil || !strings.Contains(err.Error(), "rewards are continuous") {
			t.Errorf("%s: %v", rule, err)
		}
	}
}
