package check

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"vantage/model"
	"vantage/model/analysis"
)

// onePrompt returns steps of one group each, of which some have signal, with a mean reward.
func onePrompt(signal string, scores ...float64) []analysis.StepFigures {
	all := make([]analysis.StepFigures, len(signal))
	for i, c := range signal {
		all[i] = analysis.StepFigures{Step: int64(i + 1), Rows: 8, Groups: 1, Kept: 8}
		if c == '+' {
			all[i].Signal = 1
		}
		if i < len(scores) {
			all[i].Metrics = []analysis.Metric{{Name: "critic/score/mean", Value: scores[i]}}
		}
	}
	return all
}

// Of ten steps of one prompt + has signal: 3 of 10 steps, none in steps 5 to 10 but 8.
const threeOfTen = "+-+----+--"

func TestSpans(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		rule   string
		steps  []analysis.StepFigures
		passes bool
		says   string // failed steps, worst span, its value, and the value of all steps
	}{
		{"signal<20%", onePrompt(threeOfTen), false, "[2 4 5 6 7 9 10] 2-2 0/1 (0%) all "},
		{"signal<20% over all steps", onePrompt(threeOfTen), true, "[] 0-0  all 3/10 (30%)"},
		{"signal<40% over all steps", onePrompt(threeOfTen), false, "[] 0-0  all 3/10 (30%)"},
		{"signal<20% over 4 steps", onePrompt(threeOfTen), false, "[7] 4-7 0/4 (0%) all "},
		{"signal<20% over 5 steps", onePrompt(threeOfTen), true, "[] 0-0  all "},
		{"signal=0 for 4 steps", onePrompt(threeOfTen), false, "[7] 4-7 0 all "},
		{"signal=0 for 5 steps", onePrompt(threeOfTen), true, "[] 0-0  all "},
		{"signal=0 in 70% of steps", onePrompt(threeOfTen), false, "[2 4 5 6 7 9 10] 2-2 0 all 7/10 (70%)"},
		{"signal=0 in 71% of steps", onePrompt(threeOfTen), true, "[2 4 5 6 7 9 10] 2-2 0 all 7/10 (70%)"},
		{"signal=0 in 7 steps", onePrompt(threeOfTen), false, "[2 4 5 6 7 9 10] 2-2 0 all 7/10 (70%)"},
		{"signal=0 in 8 steps", onePrompt(threeOfTen), true, "[2 4 5 6 7 9 10] 2-2 0 all 7/10 (70%)"},
		// means of a metric: 0.1 0.3 | 0.3 0.2 | 0.2 0.6
		{"critic/score/mean<0.22 over 2 steps", onePrompt("----", .1, .3, .2, .6), false, "[2] 1-2 0.200 all "},
		{"critic/score/mean>0.25 over 2 steps", onePrompt("----", .1, .3, .25, .6), false, "[3 4] 3-4 0.425 all "},
		{"critic/score/mean<0.3 over all steps", onePrompt("----", .1, .3, .2, .6), true, "[] 0-0  all 0.300"},
		{"critic/score/mean<0.3 over all steps", onePrompt("---", .1, nan, .2), false, "[] 0-0  all nan"},
		// a count without a percentage is the mean of a step: 3/10
		{"signal<0.4 over all steps", onePrompt(threeOfTen), false, "[] 0-0  all 0.300"},
		{"rows<50%", withRows(256, 256, 82), false, "[3] 3-3 82/256 (32%) all "},
		{"rows<50%", withRows(256, 200, 140), true, "[] 0-0  all "},
		{"rows<100", withRows(82), false, "[1] 1-1 82 all "},
	} {
		r, err := Parse(c.rule)
		if err != nil {
			t.Error(err)
			continue
		}
		f := evaluate(r, c.steps...)
		says := fmt.Sprintf("%v %d-%d %s all %s", f.Failed, f.WorstFrom, f.WorstStep, f.WorstValue, f.Whole)
		if f.Passed() != c.passes || says != c.says || !f.Evaluated() {
			t.Errorf("%s: passes %v, %q; want %q", c.rule, f.Passed(), says, c.says)
		}
	}
}

// Steps that fail one after the other are one stretch, and spans that overlap too: of ten steps of one prompt 2, 4 to 7, 9 and 10 have no signal.
// Means over three steps are 1/3 of signal at 4, 0 at 6 and 7, and 1/3 at 8, 9 and 10: a third is not below 30%.
func TestStretches(t *testing.T) {
	for text, want := range map[string]string{
		"signal=0":                  "[2 4–7 9–10]",
		"signal<20% over 3 steps":   "[4–7]",
		"signal<60% over 2 steps":   "[1–10]",
		"signal=0 for 2 steps":      "[4–7 9–10]",
		"signal=0 in 70% of steps":  "[2 4–7 9–10]",
		"signal=0 in 8 steps":       "[2 4–7 9–10]",
		"signal<40% over all steps": "[]",
		"signal>1":                  "[]",
	} {
		r, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(evaluate(r, onePrompt(threeOfTen)...).Stretches); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func withRows(rows ...int) (all []analysis.StepFigures) {
	for i, n := range rows {
		all = append(all, analysis.StepFigures{Step: int64(i + 1), Rows: n, Groups: 1})
	}
	return all
}

// A span of more steps than there are has no value, and neither has the share of the usual rows of a
// single step.
func TestSpanNeedsSteps(t *testing.T) {
	for text, want := range map[string]string{
		"signal=0 for 4 steps":     "3 steps, fewer than 4",
		"signal<20% over 10 steps": "3 steps, fewer than 10",
	} {
		r, _ := Parse(text)
		if f := evaluate(r, onePrompt("+-+")...); f.NoValue != want || !f.Passed() {
			t.Errorf("%s: %q", text, f.NoValue)
		}
	}
	r, _ := Parse("rows<50%")
	if f := evaluate(r, withRows(4)...); f.Evaluated() {
		t.Errorf("%+v", f)
	}
}

// The words behind the number as a person may write them, and how the rule is shown.
func TestSpanWords(t *testing.T) {
	for text, want := range map[string]string{
		"signal<20% over all steps":              "signal<20% over all steps",
		"signal < 20 % over all":                 "signal<20% over all steps",
		"signal<20% over the whole run":          "signal<20% over all steps",
		"signal<20% over 10 steps":               "signal<20% over 10 steps",
		"signal<20% over 10":                     "signal<20% over 10 steps",
		"killed>5% for 3 steps in a row":         "killed>5% for 3 steps",
		"killed>5% for 3":                        "killed>5% for 3 steps",
		"killed>5% in 20% of steps":              "killed>5% in 20% of steps",
		"killed>5% in at least 20% of the steps": "killed>5% in 20% of steps",
		"killed>5% in 5 steps":                   "killed>5% in 5 steps",
		"stall>6x":                               "stall>6x",
		"stall > 6×":                             "stall>6x",
		"stall>30m":                              "stall>30m",
	} {
		r, err := Parse(text)
		if err != nil || r.String() != want {
			t.Errorf("%s: %q, %v", text, r, err)
		}
	}
}

// A wrong rule gets one sentence with an example.
func TestWrongSpans(t *testing.T) {
	for text, want := range map[string]string{
		"killed>5% every 3 steps":       "expected a name",
		"killed>5% over ten steps":      "after the number, use over all steps, over 10 steps, for 3 steps, in 5 steps or in 20% of steps, such as killed>5% for 3 steps",
		"killed>5% for 0 steps":         "such as killed>5% for 3 steps",
		"killed>5% in more than 20% of": "such as killed>5% for 3 steps",
		"killed>5% in 120% of steps":    "such as killed>5% for 3 steps",
		"killed>5% over":                "such as killed>5% for 3 steps",
		"killed>5% over 3% of steps":    "such as killed>5% for 3 steps",
		"killed>6x":                     "only stall has a limit in x",
		"unreadable>6x":                 "only stall has a limit in x: write a number or a percentage, such as unreadable>1%",
		"unreadable>1% over all steps":  "unreadable is of the whole log, so no steps can follow the number: write unreadable>1%",
		"stall>6":                       "such as stall>6x or stall>30m",
		"stall>6%":                      "such as stall>6x or stall>30m",
		"pass@1>5%":                     "pass@1 is not a share, so its limit cannot be a percentage: write a number, such as pass@1>0.05",
		"loss>5":                        "such as killed>5%",
	} {
		_, err := Parse(text)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Watching reports when a rule on several steps begins to fail and when it passes again.
func TestMonitorOfSpans(t *testing.T) {
	for text, want := range map[string]string{
		"signal=0 for 3 steps":      "[6 true 0] [8 false 1]",
		"signal<30% over 4 steps":   "[5 true 1/4 (25%)]",
		"signal<40% over all steps": "[6 true 2/6 (33%)]",
		"signal=0 in 60% of steps":  "[5 true 3/5 (60%)]",
	} {
		r, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, o := range transitions(NewMonitor([]Rule{r}), onePrompt(threeOfTen)) {
			got = append(got, fmt.Sprintf("[%d %v %s]", o.Step, o.Failing, o.Value))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %s, want %s", text, strings.Join(got, " "), want)
		}
	}
}

// A log stalls when no row came for so many times the usual time of a step, or for a time.
func TestStall(t *testing.T) {
	log := func(quiet, step time.Duration) Log {
		snap := logWith(4)
		snap.Run.Progress = model.Progress{BytesAll: 1, LastWrite: written, StepTime: step}
		return LogOf(snap, written.Add(quiet))
	}
	for _, c := range []struct {
		rule        string
		log         Log
		passes      bool
		whole, none string
	}{
		{"stall>6x", log(12*time.Minute, 2*time.Minute), true, "no row for 12 min, 6.00× the usual 2 min between steps", ""},
		{"stall>6x", log(13*time.Minute, 2*time.Minute), false, "no row for 13 min, 6.50× the usual 2 min between steps", ""},
		{"stall>30m", log(31*time.Minute, 0), false, "no row for 31 min", ""},
		{"stall>1h", log(31*time.Minute, 0), true, "no row for 31 min", ""},
		{"stall>6x", log(31*time.Minute, 0), true, "", "the usual time between steps is unknown: give a time, such as stall>30m"},
		{"stall>6x", LogOf(logWith(4), written), true, "", "the log is not a file, so the time of its last row is unknown"},
	} {
		r, err := Parse(c.rule)
		if err != nil {
			t.Fatal(err)
		}
		e := NewEvaluator([]Rule{r})
		e.AddLog(c.log)
		f := e.Findings[0]
		if f.Passed() != c.passes || f.Whole != c.whole || c.none != "" && f.NoValue != c.none {
			t.Errorf("%s: %+v", c.rule, f)
		}
	}
}
