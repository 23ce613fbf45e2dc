package tui

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"vantage/model"
	"vantage/model/report"
	"vantage/tui/breakdown"
	"vantage/tui/job"
	"vantage/tui/view"
)

// The view follows the settings, the step and what divides the samples: parts add up to the step.
func TestBreakdownFollows(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(3), 120, 36, filterSettings(), func(d *driver) {
		d.press("C", "i")
		before := d.app.views.breakdown.Job.Value
		if before == nil || before.By != "difficulty" || before.Parts.All.Samples != 192 || before.Parts.Steps != 1 {
			t.Fatalf("%+v", before)
		}
		d.press("m", "m", "m")
		after := d.app.views.breakdown.Job.Value
		if after.Settings.KeepNeg >= before.Settings.KeepNeg || after.Parts.All.Kept >= before.Parts.All.Kept {
			t.Errorf("kept %d under %.2f, before %d", after.Parts.All.Kept, after.Settings.KeepNeg, before.Parts.All.Kept)
		}
		d.press(">", ">") // the last steps, then all
		if all := d.app.views.breakdown.Job.Value.Parts; all.Steps != 3 || all.All.Samples != 3*192 {
			t.Errorf("%d steps, %d samples", all.Steps, all.All.Samples)
		}
		d.press("<", "<", "l", "l")
		d.press("[")
		if b := d.app.views.breakdown.Job.Value; b.By != "fate" || d.app.views.breakdown.Job.Key.Analysis.Step != 2 {
			t.Errorf("by %s of step %d", b.By, d.app.views.breakdown.Job.Key.Analysis.Step)
		}
		d.press("esc", "esc")
		if d.app.position.view != view.Overview {
			t.Error("Esc does not lead back")
		}
	})
}

// The filter of the screen selects the samples, as --where does.
func TestBreakdownOfTheFilter(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(3), 120, 36, filterSettings(), func(d *driver) {
		d.press(append(withText("/", "fate:alive"), "enter")...)
		d.press(append(withText(":", "by fate"), "enter")...)
		text := ansi.Strip(d.frame())
		if !strings.Contains(text, "breakdown by fate — step 3, where fate:alive") || len(d.app.views.breakdown.Job.Value.Parts.Parts) != 1 {
			t.Error(text)
		}
		d.press("esc")
		d.press(append(withText("/", " size>99"), "enter")...)
		d.press(append(withText(":", "by fate"), "enter")...)
		if text := ansi.Strip(d.frame()); !strings.Contains(text, "no samples match fate:alive size>99") {
			t.Error(text)
		}
	})
}

// Columns of the log are read again, hostile values do nothing, and an error is a sentence.
func TestBreakdownByColumn(t *testing.T) {
	t.Parallel()
	source := madeRunWithTexts(3, func(r model.Record) (model.Text, error) {
		if r.Step == 2 {
			return model.Text{}, errors.New("made.jsonl was removed")
		}
		return model.Text{Fields: []model.Field{{Name: "data_source", Value: fmt.Sprintf("\x1b]0;title\x07part %d", r.Prompt%2)}}}, nil
	})
	drive(t, source, 120, 36, filterSettings(), func(d *driver) {
		for _, c := range []struct{ command, want string }{
			{"by data_source", "␛]0;title␇part 1"},
			{"by nope", "by nope: the log has no such column, but data_source"},
			{"by rewards/format", "\n│ 1  "},
			{"by", "by takes difficulty, length, fate, step, or a column of the log"},
		} {
			d.press(append(withText(":", c.command), "enter")...)
			frame := d.frame()
			if text := ansi.Strip(frame); !strings.Contains(text, c.want) || strings.Contains(frame, "\x1b]0") {
				t.Errorf("%s: no %q in\n%s", c.command, c.want, text)
			}
		}
		d.press("esc", "esc")
		d.press(append(withText(":", "by data_source"), "enter", "[")...)
		if text := ansi.Strip(d.frame()); !strings.Contains(text, "made.jsonl was removed") {
			t.Error(text)
		}
	})
	drive(t, madeRun(3), 120, 36, filterSettings(), func(d *driver) {
		d.press(append(withText(":", "by data_source"), "enter")...)
		if text := ansi.Strip(d.frame()); !strings.Contains(text, "the samples of this source cannot be") {
			t.Error(text)
		}
	})
}

// An answer to an older request is dropped.
func TestLateBreakdownIsDropped(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(3), 120, 36, filterSettings(), func(d *driver) {
		d.press("C", "i")
		now := d.app.views.breakdown.Job
		late := func(number int) tea.Msg {
			return job.Answer[breakdown.Key, *report.Breakdown]{Number: number, Err: errors.New("late")}
		}
		d.send(late(now.Number - 1))
		if d.app.views.breakdown.Job.Err != nil || d.app.views.breakdown.Job.Value != now.Value {
			t.Error("a late answer is shown")
		}
		d.press("esc")
		if d.app.views.breakdown.Job.Key != (breakdown.Key{}) || d.app.views.breakdown.Job.Value == nil {
			t.Error("a view that was left keeps its analysis, or loses its figures")
		}
		d.send(late(now.Number))
		d.press("i")
		if b := d.app.views.breakdown.Job; b.Err != nil || b.Busy() || b.Key.Analysis == nil {
			t.Errorf("%+v", b)
		}
	})
}

// The line completes what is known without reading the log.
func TestBreakdownCompletions(t *testing.T) {
	t.Parallel()
	drive(t, madeRunWithTexts(3, proofText), 120, 36, filterSettings(), func(d *driver) {
		d.press(withText(":", "by ")...)
		if _, words := completions(d.app.env, d.app.overlays.input.line(d.app.views.command.text)); strings.Join(words, " ") != "difficulty length fate step accuracy rewards/format" {
			t.Error(words)
		}
	})
}
