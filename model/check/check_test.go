package check

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"vantage/model"
	"vantage/model/analysis"
)

// steps returns three steps: one healthy, one with a tenth of its groups killed, one open.
func steps() []analysis.StepFigures {
	one := analysis.StepFigures{Step: 1, Rows: 100, Groups: 10, Kept: 50, Signal: 8}
	one.Fates[model.FateAlive] = 8
	one.Metrics = []analysis.Metric{{Name: "critic/score/mean", Value: 0.5}}
	two := one
	two.Step, two.Flips[0], two.Flips[4] = 2, 4, 2
	two.Fates[model.FateKilled] = 1
	two.Warnings = []model.Warning{{Kind: analysis.WarnKilledGroups, Count: 1, Of: 10, Advice: "keep more"}}
	open := two
	open.Step, open.Open = 3, true
	open.Fates[model.FateKilled] = 9
	return []analysis.StepFigures{one, two, open}
}

func TestEvaluator(t *testing.T) {
	for text, want := range map[string]string{
		"killed>5%":             "[2] worst 2: 1/10 (10%) keep more",
		"killed>10%":            "[] worst 0:  ",
		"killed>=10%":           "[2] worst 2: 1/10 (10%) keep more",
		"killed>0":              "[2] worst 2: 1 keep more",
		"killed-groups>0":       "[2] worst 2: 1 keep more",
		"signal<90%":            "[1 2] worst 1: 8/10 (80%) ",
		"flips > 10 %":          "[2] worst 2: 6/50 (12%) ",
		"critic/score/mean<0.6": "[1 2] worst 1: 0.500 ",
		"kept=50":               "[1 2] worst 1: 50 ",
		"kept==50":              "[1 2] worst 1: 50 ",
	} {
		r, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		f := evaluate(r, steps()...)
		if got := fmt.Sprintf("%v worst %d: %s %s", f.Failed, f.WorstStep, f.WorstValue, f.Advice); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func evaluate(r Rule, all ...analysis.StepFigures) Finding {
	c := NewEvaluator([]Rule{r})
	for i := range all {
		c.Add(&all[i])
	}
	return c.Findings[0]
}

// A trainer's metric that is NaN fails and is the worst; one of ours that is NaN is ignored.
func TestNaN(t *testing.T) {
	all := steps()[:2]
	all[0].Metrics = []analysis.Metric{{Name: "critic/score/mean", Value: math.NaN()}, {Name: "vantage/length_correlation", Value: math.NaN()}}
	all[1].Metrics = []analysis.Metric{{Name: "critic/score/mean", Value: 9}}
	r, _ := Parse("critic/score/mean>1")
	if f := evaluate(r, all...); fmt.Sprintf("%v %d %s", f.Failed, f.WorstStep, f.WorstValue) != "[1 2] 1 nan" {
		t.Errorf("a metric of the trainer: %+v", f)
	}
	r, _ = Parse("vantage/length_correlation>0.5")
	if f := evaluate(r, all...); f.Evaluated() || !f.Passed() {
		t.Errorf("a metric of ours: %+v", f)
	}
}

// A name that no step has is an error.
func TestCheckNames(t *testing.T) {
	for text, want := range map[string]bool{"critic/score/mean<0": false, "critic/scoer/mean<0": true, "killed-groups>0": false} {
		r, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		c, all := NewEvaluator([]Rule{r}), steps()
		if err := c.CheckNames(); err != nil {
			t.Errorf("%s, before any step: %v", text, err)
		}
		c.Add(&all[0])
		w := NewMonitor([]Rule{r})
		for i := range all {
			w.Add(&all[i])
		}
		if (c.CheckNames() != nil) != want || (w.CheckNames() != nil) != want {
			t.Errorf("%s: %v, %v", text, c.CheckNames(), w.CheckNames())
		}
	}
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"killed":     "has no > >=",
		"killed>":    "expected a name",
		">5":         "expected a name",
		"loss>5":     `unknown name "loss"`,
		"pass@1>5%":  "is not a share",
		"killed>nan": "expected a name",
		"killed>inf": "expected a name",
		"a b>1":      "expected a name",
		"\x1b[m/>1":  "expected a name",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range Defaults() {
		r, err := Parse(text)
		if err != nil || r.String() != text {
			t.Errorf("%s: %s, %v", text, r, err)
		}
	}
}

// A transition is reported once, when a rule begins to fail and when it passes again.
func TestMonitor(t *testing.T) {
	r, _ := Parse("killed>0")
	w := NewMonitor([]Rule{r})
	all := steps()
	all[2].Open, all[2].Fates[model.FateKilled] = false, 0
	var got []string
	for n := range len(all) + 1 {
		for _, o := range transitions(w, all[:n]) {
			got = append(got, fmt.Sprint(o.Step, o.Failing))
		}
	}
	if fmt.Sprint(got) != "[2 true 3 false]" || w.Failing() {
		t.Error(got, w.Failing())
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range append(Defaults(), "a/b>=1e300%", "!==", "%", "signal<20% over all steps", "a/b>1 for 3 steps", "killed>0 in 20% of steps", "stall>6x") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(r.String())
		if err != nil || again != r {
			t.Errorf("%q is %q, which is %+v, %v", text, r, again, err)
		}
	})
}

// transitions adds the steps to the monitor and returns what it reports.
func transitions(w *Monitor, steps []analysis.StepFigures) (all []Transition) {
	for i := range steps {
		all = append(all, w.Add(&steps[i])...)
	}
	return all
}

// Of some groups of a step: rules on groups read theirs, rules on rows and warnings the step's, and where no
// group is selected only these have a verdict.
func TestGroupsOfAStep(t *testing.T) {
	var rules []Rule
	for _, text := range []string{"killed>0", "killed-groups>0", "signal<90%"} {
		r, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		rules = append(rules, r)
	}
	all := steps()
	some := analysis.StepFigures{Step: 2, Rows: 20, Groups: 2, Signal: 2}
	c := NewEvaluator(rules)
	c.AddGroups(&all[0], nil)
	c.AddGroups(&all[1], &some)
	c.AddGroups(&all[2], &some) // open
	for k, want := range []string{"[] of 1", "[2] of 2", "[] of 1"} {
		if got := fmt.Sprintf("%v of %d", c.Findings[k].Failed, c.Findings[k].Steps); got != want {
			t.Errorf("%s: %s, want %s", rules[k], got, want)
		}
	}
}
