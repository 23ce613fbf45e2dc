package tui

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"vantage/model"
	"vantage/model/diagnosis"
	"vantage/tui/cells"
	"vantage/tui/env"
	"vantage/tui/header"
)

// How many samples train stands in the step line at every width from 40 columns, in a small step and in
// the largest: how many are kept would be taken for it.
func TestStepLineAlwaysHasNonzeroAdvantages(t *testing.T) {
	t.Parallel()
	for _, ascii := range []bool{false, true} {
		name := "train "
		driveWith(t, madeRun(3), 120, 36, Options{Settings: filterSettings(), ASCII: ascii}, func(d *driver) {
			d.press("b", "m", "m")
			for w := 40; w <= 220; w++ {
				checkStepLine(t, d.app, w, fmt.Sprintf("%s%d/192", name, d.app.env.Result.Analysis.Nonzero))
			}
			large := *d.app.env.Result.Analysis
			large.Step, large.Rows, large.Nonzero, large.Kept = 100_000, 131_072, 131_000, 131_072
			large.Fates[model.FateKilled], large.Fates[model.FateShort], large.Fates[model.FateNoise] = 4000, 3000, 2000
			d.app.env.Result.Analysis = &large
			for w := 40; w <= 220; w++ {
				checkStepLine(t, d.app, w, name+"131k/131k")
			}
		})
	}
}

func checkStepLine(t *testing.T, a App, w int, want string) {
	t.Helper()
	line := ansi.Strip(header.StepLine(a.env, w))
	if !strings.Contains(line+" ", want+" ") || strings.Contains(line, "…") || cells.Width(line) != w {
		t.Errorf("%d columns: %q, want %q", w, line, want)
	}
	if strings.Contains(line, "kept") != strings.Contains(line, "kept ") {
		t.Errorf("%d columns: %q is cut", w, line)
	}
}

// Whose numbers these are and why, how fresh they are, and how much signal there is stand in the header from 60
// columns, whole, whatever the width.
func TestHeaderSaysWhoseHowFreshAndHowMuch(t *testing.T) {
	t.Parallel()
	estimators := [][2]string{{"easyr1", "grpo"}, {"verl", "reinforce_plus_plus_baseline"}, {"areal", "grpo"}}
	for _, names := range estimators {
		set := filterSettings()
		set.Framework, set.Estimator = names[0], names[1]
		e, err := set.FindEstimator()
		if err != nil {
			continue
		}
		set.Scale = e.Scales[0]
		for name, quiet := range map[string]time.Duration{"● live": time.Second, "idle 14 min": 14 * time.Minute, "ended": 50 * time.Hour} {
			driveWith(t, madeRun(30), 120, 36, Options{Settings: set}, func(d *driver) {
				idleSince(quiet)(d)
				d.app.env.Title = "runs/qwen-math-7b/a-very-long-name-of-an-experiment/rollouts"
				for _, baseline := range []bool{false, true} {
					if baseline {
						d.press("b", "m", "m")
					}
					x := d.app.env.Result.Analysis
					for w := 60; w <= 220; w++ {
						lines := header.Lines(d.app.env, w)
						for i := range lines {
							if lines[i] = ansi.Strip(lines[i]); cells.Width(lines[i]) != w {
								t.Errorf("%d columns: %q", w, lines[i])
							}
						}
						whose := "f " + d.app.env.Settings.Now.Trainer() + "  e " + d.app.env.Settings.Now.Estimator
						signal, nonzero := fmt.Sprintf("signal %d/%d", x.Signal, x.Groups), fmt.Sprintf("train %d/%d", x.Nonzero, x.Rows)
						if !strings.Contains(lines[0], name) || !strings.Contains(lines[1], signal) || !strings.Contains(lines[1], nonzero) || !baseline && w >= 72 && d.app.env.Settings.Now.Effective().Filtering() && !strings.Contains(lines[1], "kept ") ||
							!strings.Contains(lines[2], whose) || !strings.Contains(lines[2], "assumed") || strings.Contains(lines[1]+lines[2], "…") {
							t.Fatalf("%v, %d columns:\n%s", names, w, strings.Join(lines, "\n"))
						}
					}
				}
			})
		}
	}
}

// A filter that leaves little is named beside the ratios, in every view and at every size; one that leaves enough is not.
func TestHarshFilterIsSaidInEveryView(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{60, 16}, {80, 24}, {120, 36}, {200, 60}} {
		drive(t, madeRun(3), size[0], size[1], model.DefaultSettings(), func(d *driver) {
			settings := func() string { return strings.Split(ansi.Strip(d.frame()), "\n")[2] }
			if strings.Contains(settings(), "harsh") {
				t.Errorf("%v: no filter is called harsh: %q", size, settings())
			}
			d.press("=", ".", "1", "tab", ".", "1", "enter", "r")
			for _, view := range [][]string{nil, {"1"}, {"enter"}, {"esc", "S"}, {"esc", "C"}, {"esc", "3", "3"}, {"0"}} {
				d.press(view...)
				if !strings.Contains(settings(), "! harsh") {
					t.Errorf("%v, after %v: %q", size, view, settings())
				}
			}
			d.press("=", ".", "9", "tab", ".", "9", "enter")
			if strings.Contains(settings(), "harsh") {
				t.Errorf("%v: most is kept, and it is called harsh: %q", size, settings())
			}
		})
	}
}

// A trainer without keep ratios has another's filter tried on its log: whose it is stands beside the ratios from the first key on.
func TestBorrowedFilterIsNamed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		w    int
		want string
	}{{80, "as EasyR1-Brian"}, {120, "EasyR1-Brian's filter, tried on this log"}, {200, "EasyR1-Brian's filter, tried on this log"}} {
		drive(t, madeRun(3), test.w, 36, model.DefaultSettings().WithFramework("trl"), func(d *driver) {
			settings := func() string { return strings.Split(ansi.Strip(d.frame()), "\n")[2] }
			if strings.Contains(settings(), "EasyR1") {
				t.Errorf("%d: no filter is tried: %q", test.w, settings())
			}
			d.press("p")
			if !strings.Contains(settings(), test.want) || !strings.Contains(settings(), "0.95") {
				t.Errorf("%d: %q, want %q and the ratio", test.w, settings(), test.want)
			}
		})
	}
}

// A trainer without keep ratios has none in the settings until one is tried; their place is for the stages that it has.
func TestRatiosOfATrainerWithoutThem(t *testing.T) {
	t.Parallel()
	for _, w := range []int{80, 120, 200} {
		drive(t, madeRun(3), w, 36, model.DefaultSettings().WithFramework("verl"), func(d *driver) {
			settings := func() string { return strings.TrimRight(strings.Split(ansi.Strip(d.frame()), "\n")[2], " ") }
			hasRatio := func() bool { return strings.Contains(settings(), " p ") || strings.Contains(settings(), "1.00") }
			if hasRatio() {
				t.Errorf("%d: verl has no keep ratios: %q", w, settings())
			}
			d.app = d.app.change(func(s *env.State) { s.Now.GroupFilter, s.Now.Loss = "verl/filter_groups", "verl/token-mean" })
			if want := "C verl/filter_groups verl/token-mean"; !strings.Contains(settings(), want) || hasRatio() {
				t.Errorf("%d: %q, want %q and no ratios", w, settings(), want)
			}
			d.press("p")
			if !strings.Contains(settings(), "0.95") {
				t.Errorf("%d: a ratio was tried, and is not shown: %q", w, settings())
			}
			d.press("P", "r")
			if !hasRatio() {
				t.Errorf("%d: recompute was tried, and is not shown: %q", w, settings())
			}
		})
	}
}

// When the last row was written stands in the header or not, by the width alone: it does not go while a log grows or falls ill.
func TestWrittenStays(t *testing.T) {
	t.Parallel()
	for _, steps := range []int{1, 9, 99} {
		source := madeRun(steps)
		lastWritten(source, time.Date(2026, 1, 2, 14, 3, 20, 0, time.Local))
		drive(t, source, 120, 36, filterSettings(), func(d *driver) {
			for _, ill := range []*diagnosis.Diagnosis{d.app.env.Diagnosis(), manyFindings()} {
				d.app.env.Findings.Job.Value.Look = &diagnosis.Look{Diagnosis: ill}
				for w := 60; w <= 220; w++ {
					line := ansi.Strip(header.RunLine(d.app.env, w))
					if has, want := strings.Contains(line, "written 14:03:20"), w >= 100; has != want {
						t.Errorf("%d steps, %d columns: %q", steps, w, line)
					}
				}
			}
		})
	}
}

// manyFindings is a diagnosis of the longest words.
func manyFindings() *diagnosis.Diagnosis {
	d := &diagnosis.Diagnosis{Steps: 100, Grounds: diagnosis.Grounds{SampleSteps: 100, Groups: 800}}
	for _, k := range diagnosis.Kinds() {
		d.Findings = append(d.Findings, diagnosis.Finding{Kind: k.Name, Severity: diagnosis.Alarm, Since: 12345, Lasting: true, Title: "made for a test"})
	}
	return d
}

// The course of the reward is in the header of every step or of none, at steps with a NaN too.
func TestCourseOfTheRewardStays(t *testing.T) {
	t.Parallel()
	driveDemo(t, model.DefaultSettings().WithFramework("verl"), 110, 31, func(d *driver) {
		d.press("1")
		for range 24 {
			for w := 60; w <= 220; w += 10 {
				line := ansi.Strip(header.StepLine(d.app.env, w))
				if has, want := strings.ContainsAny(line, "▁▂▃▄▅▆▇█"), w >= 110; has != want {
					t.Errorf("%d columns: %q", w, line)
				}
			}
			d.press("[")
		}
	})
}

// Of an evaluation no view says that samples train: the header, the panes and the glance agree.
func TestNothingOfAnEvaluationTrains(t *testing.T) {
	t.Parallel()
	for _, evaluates := range []bool{true, false} {
		source := madeRun(3)
		for _, chunk := range source.chunks {
			chunk.Evaluates = evaluates
		}
		drive(t, source, 120, 36, filterSettings(), func(d *driver) {
			for _, keys := range [][]string{{"1"}, {"3", "3"}, {"esc", "0"}} {
				d.press(keys...)
				frame := ansi.Strip(d.frame())
				if got := strings.Contains(frame, "train none (evaluation)"); got != evaluates {
					t.Errorf("%v, evaluation %v:\n%s", keys, evaluates, frame)
				}
				if evaluates && regexp.MustCompile(`train +[1-9]|/192 \(\d+%\) train`).MatchString(frame) {
					t.Errorf("%v: samples of an evaluation train:\n%s", keys, frame)
				}
			}
		})
	}
}
