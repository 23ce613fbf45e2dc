package check

import (
	"strings"
	"testing"

	"vantage/internal/testkit/modeltest"
	"vantage/model/diagnosis"
)

// A rule on what ails a run is broken by a finding of its severity, or by an alarm of its kind; one that cannot be told breaks nothing
// and is not passed either.
func TestRulesOnFindings(t *testing.T) {
	ill, well := modeltest.Ill(3, 100), &diagnosis.Diagnosis{Steps: 100}
	over := &diagnosis.Diagnosis{Steps: 100, Findings: []diagnosis.Finding{
		{Kind: diagnosis.GraderOutage, Severity: diagnosis.Over, Since: 5, Until: 8, Title: "it was down", Advice: "mend it"},
	}}
	for _, c := range []struct {
		rule  string
		found *diagnosis.Diagnosis
		fails bool
		text  string // what it says; "" for a rule that nothing has a value for
	}{
		{"alarm", ill, true, "reward hacking since step 61, the reward rises"},
		{"no alarm", ill, true, "truncation since step 62"},
		{"no-alarm", well, false, "none at 100 steps"},
		{"alarm>1", ill, true, "truncation"},
		{"alarm>2", ill, false, "truncation"},
		{"watch", ill, true, "length collapse since step 63"},
		{"watch", well, false, "none at 100 steps"},
		{"over", over, true, "grader outage steps 5 to 8, it was down"},
		{"alarm", over, false, "none at 100 steps"},
		{"watch", over, false, "none at 100 steps"},
		{"reward_hacking", ill, true, "reward hacking since step 61"},
		{"length_collapse", ill, false, "none at 100 steps"}, // it is only to be watched
		{"answer_collapse", ill, false, ""},
		{"saturated", ill, false, "none at 100 steps"},
		{"alarm", &diagnosis.Diagnosis{}, false, ""},
		{"alarm", nil, false, ""},
	} {
		rules, err := ParseAll([]string{c.rule})
		if err != nil {
			t.Fatal(err)
		}
		e := NewEvaluator(rules)
		e.AddLog(Log{Diagnosis: c.found})
		f := &e.Findings[0]
		if f.Passed() == c.fails || f.Evaluated() != (c.text != "") || !strings.Contains(f.Whole, c.text) {
			t.Errorf("%s: passed %v, %q, %q", c.rule, f.Passed(), f.Whole, f.NoValue)
		}
		if (f.Advice != "") != c.fails {
			t.Errorf("%s advises %q", c.rule, f.Advice)
		}
	}
	for rule, want := range map[string]string{
		"alarm>5%":                "alarm counts findings: write alarm",
		"reward_hacking>1x":       "reward_hacking counts findings",
		"alarm>0 over 3 steps":    "alarm is of the whole log",
		"no killed":               "has no >",
		"reward_hacking for days": "has no >",
	} {
		if _, err := Parse(rule); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", rule, err)
		}
	}
}

// While a run is followed each kind begins and ends by itself.
func TestFindingsBeginAndEndByKind(t *testing.T) {
	rules, err := ParseAll([]string{"alarm", "signal=0"})
	if err != nil {
		t.Fatal(err)
	}
	m := NewMonitor(ByKind(rules))
	var said []string
	for step, found := range []*diagnosis.Diagnosis{{Steps: 50}, modeltest.Ill(1, 100), modeltest.Ill(1, 100), modeltest.Ill(3, 100), {Steps: 103}} {
		for _, o := range m.AddLog(Log{Diagnosis: found}, int64(100+step)) {
			word := "ends"
			if o.Failing {
				word = "begins"
			}
			said = append(said, o.Rule.Name+" "+word)
		}
	}
	if got := strings.Join(said, ", "); got != "reward_hacking begins, truncation begins, reward_hacking ends, truncation ends" {
		t.Error(got)
	}
}
