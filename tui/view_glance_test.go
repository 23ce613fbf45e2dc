package tui

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"vantage/model"
	"vantage/model/diagnosis"
	"vantage/tui/overview"
	"vantage/tui/view"
)

// refusingRun returns 12 steps of which the model refuses every answer of steps 5 to 8.
func refusingRun() *textSource {
	s := madeRunWithTexts(12, func(r model.Record) (model.Text, error) {
		text, err := proofText(r)
		if r.Step >= 5 && r.Step <= 8 {
			text.Response = "I can't help with that."
		}
		return text, err
	})
	for _, chunk := range s.chunks[4:8] {
		for i := range chunk.Records {
			chunk.Records[i].Reward = 0
		}
	}
	return s
}

// last written says of a run when its last row was written.
func lastWritten(s *madeSource, at time.Time) {
	for _, chunk := range s.chunks {
		chunk.Progress.LastWrite = at
	}
}

// A log that does not grow opens on the run at a glance, one that grows on the overview; what was typed
// before the log was known stays.
func TestFirstViewOfLogThatDoesNotGrow(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 14, 3, 22, 0, time.Local) // of the driver
	for quiet, want := range map[time.Duration]view.Name{time.Second: view.Overview, 14 * time.Minute: view.Glance, 50 * time.Hour: view.Glance} {
		source := madeRun(3)
		lastWritten(source, now.Add(-quiet))
		drive(t, source, 80, 24, filterSettings(), func(d *driver) {
			if d.app.position.view != want {
				t.Errorf("after %s: view %d, want %d", quiet, d.app.position.view, want)
			}
		})
	}
}

// Keys of the overview lead there from the run at a glance and do what they do there; settings are changed
// in place.
func TestKeysLeaveGlance(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(5), 100, 30, filterSettings(), func(d *driver) {
		for _, key := range []string{"1", "esc", "2", "[", "w"} {
			d.app.position.view, d.app.position.backStack = view.Glance, nil
			if d.press(key); d.app.position.view != view.Overview {
				t.Errorf("%s leads to view %d", key, d.app.position.view)
			}
		}
		if d.app.env.Result.Analysis.Step != 4 {
			t.Errorf("[ leads to step %d", d.app.env.Result.Analysis.Step)
		}
		d.press("0")
		before := d.app.views.glance.Job.Value.Glance
		if d.press("p", "p"); d.app.position.view != view.Glance || d.app.views.glance.Job.Value.Glance == before || d.app.views.glance.Job.Value.Glance.Counts == before.Counts {
			t.Error("p changes nothing at a glance")
		}
		d.press("0", "/")
		if d.app.position.view != view.Filter {
			t.Errorf("/ leads to view %d", d.app.position.view)
		}
	})
}

// Steps whose answers are refusals come first, as one, and Enter goes to the first of them, where a warning
// says so.
func TestGlanceNamesRefusals(t *testing.T) {
	t.Parallel()
	drive(t, refusingRun(), 120, 36, model.DefaultSettings(), func(d *driver) {
		d.press("0")
		d.wantText("5–8  refusals “I can't help with that…”, all wrong (96 of 96 groups)", "read answers of steps 5–8 first")
		d.press("enter")
		if d.app.env.Result.Analysis.Step != 5 || d.app.position.view != view.Overview {
			t.Errorf("step %d, view %d", d.app.env.Result.Analysis.Step, d.app.position.view)
		}
		d.wantText("24 of 24 groups are all wrong, and their answers alike: refusals")
		d.press("esc", "0", "j", "enter", "[")
		if x := d.app.env.Result.Analysis; x.Step == 5 {
			t.Error("the cursor does not move")
		}
	})
}

// Of steps whose answers are read and not alike the view does not say that they were not read.
func TestGlanceOfAnswersThatAreNotAlike(t *testing.T) {
	source, n := refusingRun(), 0
	source.text = func(model.Record) (model.Text, error) {
		n++
		return model.Text{Prompt: "p", Response: strings.Repeat(fmt.Sprint("word", n, " "), 9)}, nil
	}
	drive(t, source, 120, 36, model.DefaultSettings(), func(d *driver) {
		d.press("0")
		d.wantText("5–8  the reward is only 0 (usually 0.489), all wrong (96 of 96 groups)")
		if frame := ansi.Strip(d.frame()); strings.Contains(frame, "answers were read of") || n == 0 {
			t.Errorf("%d were read:\n%s", n, frame)
		}
	})
}

// No answer is read twice, whatever is set and shown.
func TestAnswersAreReadOnce(t *testing.T) {
	t.Parallel()
	source, reads := refusingRun(), map[string]int{}
	text := source.text
	source.text = func(r model.Record) (model.Text, error) {
		reads[fmt.Sprint(r.Step, "/", r.Line)]++
		return text(r)
	}
	drive(t, source, 120, 36, model.DefaultSettings(), func(d *driver) {
		d.press("0", "p", "P", "j", "esc", "0")
		d.press(":")
		d.typeText("solved 0.5")
		d.press("enter", "0")
		d.wantText("5–8  refusals “I can't help with that…”, all wrong (96 of 96 groups)")
		d.press(":")
		d.typeText("scale none")
		d.press("enter", "0")
		d.wantText("5–8  refusals “I can't help with that…”, all wrong (96 of 96 groups)")
		if len(reads) < 4*16 {
			t.Errorf("%d answers are read", len(reads))
		}
		for at, n := range reads {
			if n > 1 {
				t.Errorf("%s is read %d times", at, n)
			}
		}
	})
}

// While steps are computed the view says how many are.
func TestGlanceOfHalfARun(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(30), 100, 30, filterSettings(), func(d *driver) {
		computeHalfTheTrend(d)
		d.press("0")
		d.wantText("11 of 30 steps so far")
	})
}

// That there are no warnings is said when the whole run was looked at; until then it is said how far that is.
func TestNoneIsSaidWhenAllWasLookedAt(t *testing.T) {
	t.Parallel()
	drive(t, madeRunWithTexts(30, proofText), 120, 36, filterSettings(), func(d *driver) {
		says := func(a App, want string) {
			t.Helper()
			if text := ansi.Strip(strings.Join(overview.NoWarnings(a.env, 100), " ")); strings.TrimSpace(text) != want {
				t.Errorf("%q, want %q", text, want)
			}
		}
		says(d.app, "none at this step")
		a := d.app // of which the look at all that was read is on its way
		a.env.Findings.Job.Value.Look, a.env.Findings.Job.Cancel = nil, func() {}
		says(a, "reading answers (steps 1 to 30)")
		partly := *a.env.Result.Trend
		partly.Pending = 10
		a.env.Result.Trend = &partly
		says(a, "reading answers (steps 1 to 20 of 30)")
		a = d.app // of which four steps were there when it was looked at first
		a.env.Findings.Job.Value.Look, a.env.Findings.Job.Cancel = &diagnosis.Look{Diagnosis: &diagnosis.Diagnosis{Steps: 4}}, func() {}
		says(a, "reading answers (steps 1 to 4 of 30)")
		a = d.app
		a.env.Findings.Job.Value.Look, a.env.Findings.Job.Cancel = nil, nil
		a.env.Snap.Run.Progress.CaughtUp, a.env.Snap.Run.Progress.BytesAll, a.env.SourceState.Ended = false, 100, false
		says(a, "reading the log (steps 1 to 30 so far)")
	})
}

// The glance and the sweep recommend keep ratios for one goal, and the same ones for the same steps.
func TestGlanceAndSweepHaveOneGoal(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(1), 120, 36, filterSettings(), func(d *driver) {
		const goal = "fewest samples, 80%+ of Σ|A|"
		d.press("0")
		_, ratios, found := strings.Cut(strings.Join(strings.Fields(ansi.Strip(d.frame())), " "), goal+": ")
		name, _, _ := strings.Cut(ratios, ":")
		if !found || name == "" {
			t.Fatalf("no goal on the glance:\n%s", ansi.Strip(d.frame()))
		}
		d.press("S")
		d.wantText(goal, "★ "+name)
	})
}

// Shares of thousands of groups are whole among the worst steps.
func TestWorstStepsOfManyGroups(t *testing.T) {
	t.Parallel()
	source := &madeSource{}
	for step := range 2 {
		chunk := &model.Chunk{Format: "made", LengthUnit: model.LengthTokens, Progress: model.Progress{Files: 1, CaughtUp: true}}
		for i := range 2560 {
			chunk.Records = append(chunk.Records, model.Record{
				Step: int64(step + 1), Prompt: uint64(i/2 + 1), Reward: float64(i % 2 * min(1, i/2%5)), Length: 9, Line: int64(i), Advantage: math.NaN(),
			})
		}
		source.chunks = append(source.chunks, chunk)
	}
	drive(t, source, 120, 36, filterSettings(), func(d *driver) {
		d.press("0")
		d.wantText("signal 1024/1280 (80%)")
	})
}
