package check

import (
	"fmt"
	"strings"
	"testing"

	"vantage/model"
)

// steps are three by hand: nothing wrong, a tenth killed, and one that is still open.
func steps() []model.Summary {
	one := model.Summary{Step: 1, Rows: 100, Groups: 10, Kept: 50, Signal: 8}
	one.Fates[model.FateAlive] = 8
	one.Metrics = []model.Metric{{Name: "critic/score/mean", Value: 0.5}}
	two := one
	two.Step, two.Flips = 2, 6
	two.Fates[model.FateKilled] = 1
	two.Warnings = []model.Warning{{Kind: model.WarnKilled, Count: 1, Of: 10, Advice: "keep more"}}
	open := two
	open.Step, open.Open = 3, true
	open.Fates[model.FateKilled] = 9
	return []model.Summary{one, two, open}
}

func TestRun(t *testing.T) {
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
		"no/such/metric>0":      "[] worst 0:  ",
	} {
		r, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		f := Run(steps(), []Rule{r}, 0)[0]
		if got := fmt.Sprintf("%v worst %d: %s %s", f.Failed, f.Worst, f.Value, f.Advice); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	r, _ := Parse("killed<1")
	if f := Run(steps(), []Rule{r}, 1)[0]; f.Steps != 1 || !f.Passed() {
		t.Errorf("the last complete step alone: %+v", f)
	}
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"killed":     "has no > >=",
		"killed>":    "expected a name",
		">5":         "expected a name",
		"loss>5":     `nothing called "loss"`,
		"pass@1>5%":  "no share of anything",
		"killed>nan": "expected a name",
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

// An onset is told once, when it comes and when it goes.
func TestWatch(t *testing.T) {
	r, _ := Parse("killed>0")
	w := NewWatch([]Rule{r})
	all := steps()
	all[2].Open, all[2].Fates[model.FateKilled] = false, 0
	var told []string
	for n := range len(all) + 1 {
		for _, o := range w.Next(all[:n]) {
			told = append(told, fmt.Sprint(o.Step, o.Failed))
		}
	}
	if fmt.Sprint(told) != "[2 true 3 false]" || w.Failing() {
		t.Error(told, w.Failing())
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range append(Defaults(), "a/b>=1e300%", "!==", "%") {
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
