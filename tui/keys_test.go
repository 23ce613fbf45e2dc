package tui

import (
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/tui/env"
	"vantage/tui/header"
	"vantage/tui/job"
	"vantage/tui/overview"
	"vantage/tui/view"
)

func TestKeysAreDocumentedAndUnique(t *testing.T) {
	t.Parallel()
	for i, s := range allKeys() {
		seen := map[string]string{}
		if i >= view.Count { // a view's own keys win over common ones, which must not clash
			for _, s := range commonKeys()[:i-view.Count] {
				for _, b := range s.Bindings {
					for _, key := range b.Keys {
						seen[key] = b.Doc
					}
				}
			}
		}
		for _, b := range s.Bindings {
			if b.Doc == "" || b.Label == "" || b.Do == nil {
				t.Errorf("%v has no help or does nothing", b.Keys)
			}
			for _, key := range b.Keys {
				if other, twice := seen[key]; twice {
					t.Errorf("%q is bound to %q and to %q", key, other, b.Doc)
				}
				seen[key] = b.Doc
			}
		}
	}
}

func TestSettingsChangeLive(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(2), 120, 36, model.DefaultSettings(), func(d *driver) {
		kept := d.app.env.Result.Analysis.Kept
		d.press("p", "p", "m")
		set := d.app.env.Settings.Now
		if set.KeepPos != 0.9 || set.KeepNeg != 0.95 {
			t.Fatalf("keep_pos %v, keep_neg %v, want 0.9 and 0.95", set.KeepPos, set.KeepNeg)
		}
		if d.app.env.Result.Analysis.Kept >= kept || d.app.env.Result.Trend.Settings != set {
			t.Error("the analysis did not follow the settings")
		}
		d.press("P", "M", "r")
		if set := d.app.env.Settings.Now; set.KeepPos != 0.95 || set.KeepNeg != 1 || !set.Recompute {
			t.Errorf("%+v", set)
		}
		d.press("u", "u", "ctrl+r")
		if set := d.app.env.Settings.Now; set.Recompute || set.KeepNeg != 1 {
			t.Errorf("after two undos and a redo: %+v", set)
		}
	})
}

func TestRatioStopsAtItsBounds(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(1), 120, 36, model.DefaultSettings(), func(d *driver) {
		d.press("P")
		if len(d.app.env.Settings.Past) != 0 || d.app.env.Settings.Now.KeepPos != 1 {
			t.Error("a ratio of 1 went up")
		}
		for range 30 {
			d.press("p")
		}
		if d.app.env.Settings.Now.KeepPos != 0 {
			t.Errorf("keep_pos %v after 30 steps down", d.app.env.Settings.Now.KeepPos)
		}
	})
}

func TestTypedValueIsCheckedAndApplied(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(1), 120, 36, model.DefaultSettings(), func(d *driver) {
		d.press("=", "0", ".", "3", "3", "enter")
		d.press("=", "tab", ".", "5", "x", "enter")
		if set := d.app.env.Settings.Now; set.KeepPos != 0.33 || set.KeepNeg != 0.5 {
			t.Errorf("%+v", set)
		}
		d.press("=", "7", "enter")
		if d.app.position.view != view.Ratios || !strings.Contains(d.app.overlays.notice, "keep_pos_ratio must be in the range [0.0, 1.0]. Got keep_pos_ratio=7.0") {
			t.Errorf("7 is answered with %q", d.app.overlays.notice)
		}
		d.press("esc")
		if d.app.position.view == view.Ratios || d.app.env.Settings.Now.KeepNeg != 0.5 {
			t.Error("Esc did not leave the prompt")
		}
		d.press("=", "0", ".", "1", "tab", "0", ".", "2", "enter") // both at once
		if set := d.app.env.Settings.Now; set.KeepPos != 0.1 || set.KeepNeg != 0.2 {
			t.Errorf("both ratios: %v and %v", set.KeepPos, set.KeepNeg)
		}
	})
}

// A key for settings that the trainer refuses shows the trainer's message.
func TestRefusedControlsQuoteTheTrainer(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(1), 120, 36, filterSettings(), func(d *driver) {
		d.press("e")
		if d.app.env.Settings.Now.Estimator != "rloo" {
			t.Fatalf("e went to %s", d.app.env.Settings.Now.Estimator)
		}
		before := d.app.env.Settings.Now
		d.press("p")
		if d.app.env.Settings.Now != before || !strings.HasPrefix(d.app.overlays.notice, "keep_neg_ratio and keep_pos_ratio are currently only supported for grpo algorithm. Got adv_estimator='rloo'") {
			t.Errorf("p under rloo: %q", d.app.overlays.notice)
		}
		if line := ansi.Strip(header.SettingsLine(d.app.env, 120)); !strings.Contains(line, "keep_pos —") {
			t.Errorf("the control does not look disabled: %q", line)
		}
		d.press("e")
		if d.app.env.Settings.Now.KeepPos != 0.7 || d.app.overlays.notice != "" {
			t.Error("back at grpo the ratios are gone")
		}
	})
}

func TestStepKeysMoveAndFollow(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(15), 120, 36, filterSettings(), func(d *driver) {
		at := func() int64 { return d.app.env.Result.Analysis.Step }
		if at() != 15 {
			t.Fatalf("starts at step %d, want the newest, 15", at())
		}
		d.press("[", "[")
		if at() != 13 || d.app.env.Place.Follow {
			t.Errorf("[[ goes to %d", at())
		}
		d.press("{")
		if at() != 3 {
			t.Errorf("{ goes to %d", at())
		}
		d.press("]", "}", "}")
		if at() != 15 || d.app.env.Place.Follow {
			t.Errorf("]}} goes to %d", at())
		}
		d.press("[", "F")
		if at() != 15 || !d.app.env.Place.Follow {
			t.Errorf("F goes to %d", at())
		}
	})
}

// w goes through the warnings and puts the cursor on the example of each.
func TestWarningKeysGoToTheirExamples(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(1), 120, 36, filterSettings(), func(d *driver) {
		d.press("w")
		n := len(d.app.env.Result.Analysis.Warnings)
		if n < 2 || d.app.views.panes.Warning != 0 {
			t.Fatalf("%d warnings, at %d", n, d.app.views.panes.Warning)
		}
		for i, w := range d.app.env.Result.Analysis.Warnings {
			if w.Example >= 0 && d.app.env.Result.Rows[d.app.env.Place.Row] != w.Example {
				t.Errorf("warning %d: the cursor is not on its example", i)
			}
			d.press("w")
		}
		if d.app.views.panes.Warning != 0 {
			t.Error("w does not come around")
		}
	})
}

// Enter on a warning opens the group that shows it, also one that the filter hides; one of the log opens how the
// log was read, and one that no group shows says so.
func TestEnterOnAWarningOpensItsGroup(t *testing.T) {
	t.Parallel()
	source := madeRun(2)
	source.chunks[1].Notes = []string{"12 rows of validation steps are kept apart"}
	set := filterSettings()
	drive(t, source, 120, 36, set, func(d *driver) {
		d.press("w")
		for i, w := range overview.WarningLines(d.app.env) {
			d.app.views.panes.Warning = i
			d.press("enter")
			switch {
			case w.Group >= 0:
				if g := d.app.env.SelectedGroup(); d.app.position.view != view.Group || g != &d.app.env.Result.Analysis.Table[w.Group] {
					t.Errorf("%q opens view %d, group %+v", w.Text, d.app.position.view, g)
				}
				d.press("esc")
			case w.OfSettings:
				if !strings.Contains(d.app.overlays.notice, "of the whole step") || !strings.Contains(d.app.overlays.notice, w.Advice) {
					t.Errorf("%q says %q", w.Text, d.app.overlays.notice)
				}
			default:
				if d.app.position.view != view.Problems {
					t.Errorf("%q opens view %d", w.Text, d.app.position.view)
				}
				d.press("esc")
			}
		}
		d.press("/")
		d.typeText("fate:open")
		d.press("enter", "w")
		for i, w := range overview.WarningLines(d.app.env) {
			if w.Group >= 0 {
				d.app.views.panes.Warning = i
				break
			}
		}
		d.press("enter")
		if d.app.position.view != view.Group || d.app.env.Settings.Filter != "" || !strings.Contains(d.app.overlays.notice, "u brings it back") {
			t.Errorf("view %d, filter %q, notice %q", d.app.position.view, d.app.env.Settings.Filter, d.app.overlays.notice)
		}
	})
}

// The answer to an earlier request is dropped, and new rows wait for the analysis under way
// instead of cancelling it.
func TestLateAnswersAreDropped(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(2), 120, 36, model.DefaultSettings(), func(d *driver) {
		shown := d.app.env.Result
		number := d.app.work.analysis.Number
		d.send(job.Answer[analysisKey, env.Analysed]{Number: number - 1, Value: env.Analysed{Analysis: &analysis.Analysis{}}})
		d.send(job.Answer[int, env.Trends]{Number: d.app.work.trend.Number - 1})
		if d.app.env.Result.Analysis != shown.Analysis || d.app.env.Result.Trend != shown.Trend {
			t.Error("a late answer is on the screen")
		}
		d.app = d.app.startTrend(1).withoutCommands()
		d.send(chunkMsg{chunk: madeRun(3).chunks[2]})
		if d.app.work.analysis.Number != number || !d.app.work.stale {
			t.Error("data did not wait for the computation")
		}
	})
}

func TestSourceFailureIsShown(t *testing.T) {
	t.Parallel()
	source := failingSource{errors.New("runs/x was taken away: mount it again")}
	drive(t, source, 80, 24, model.DefaultSettings(), func(d *driver) {
		d.wantText("runs/x was taken away: mount it again")
	})
}

func TestUngroupedLogSaysWhatItNeeds(t *testing.T) {
	t.Parallel()
	source := &madeSource{chunks: []*model.Chunk{{Format: "jsonl", Positional: true, Records: []model.Record{{Step: 1, Reward: 1}}}}}
	drive(t, source, 80, 24, model.DefaultSettings(), func(d *driver) {
		d.wantText("--num-generations N")
	})
}

func TestQuitKeysQuit(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"q", "ctrl+c"} {
		drive(t, madeRun(1), 80, 24, model.DefaultSettings(), func(d *driver) {
			msg := tea.KeyPressMsg{Code: 'q', Text: "q"}
			if key == "ctrl+c" {
				msg = tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}
				d.press("=") // from within the prompt too
			}
			if _, cmd := d.app.Update(msg); cmd == nil {
				t.Errorf("%s does not quit", key)
			}
		})
	}
}

// e skips what the log does not support and says so; E lists everything, narrows by typed
// words, and says why an estimator is refused.
func TestEstimatorsTheLogCannotFeed(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(2), 120, 36, model.DefaultSettings(), func(d *driver) {
		d.press("e", "e", "e") // rloo, reinforce_plus_plus, and past remax, gae and KL
		if got := d.app.env.Settings.Now.Estimator; got != "grpo" {
			t.Errorf("e went to %s", got)
		}
		if !strings.Contains(d.app.overlays.notice, "remax (needs greedy baselines), gae (not from rewards)") {
			t.Errorf("the notice says %q", d.app.overlays.notice)
		}
		d.press("E")
		d.press(strings.Split("verl rloo_", "")...)
		d.press("enter")
		if set := d.app.env.Settings.Now; set.Framework != "verl" || set.Estimator != "rloo_vectorized" || set.Scale != "none" {
			t.Errorf("took %s %s %s", set.Framework, set.Estimator, set.Scale)
		}
		d.press("E")
		d.press(strings.Split("verl remax", "")...)
		d.press("enter")
		if !strings.Contains(d.app.overlays.notice, "reward_baseline") || d.app.env.Settings.Now.Estimator != "rloo_vectorized" {
			t.Errorf("the notice says %q, the estimator is %s", d.app.overlays.notice, d.app.env.Settings.Now.Estimator)
		}
		d.press("esc", "u")
		if got := d.app.env.Settings.Now.Estimator; got != "grpo" {
			t.Errorf("undo went to %s", got)
		}
	})
}

// Settings that the log does not support are explained, and keys lead out of them.
func TestLeavesAnEstimatorThatTheLogCannotFeed(t *testing.T) {
	t.Parallel()
	set := model.DefaultSettings().WithFramework("verl").WithEstimator("remax")
	drive(t, madeRun(2), 120, 36, set, func(d *driver) {
		d.wantText("verl remax needs greedy baselines", "E all estimators")
		d.press("E")
		d.wantText("type to narrow the list")
		d.press("esc", "e")
		if d.app.env.Result.Analysis == nil || d.app.env.Settings.Now.Estimator != "grpo" {
			t.Errorf("e went to %s, %v", d.app.env.Settings.Now.Estimator, d.app.env.Result.Err)
		}
	})
}

// A log with advantages is shown under the estimator that wrote it; u takes that back.
func TestStartsWithTheEstimatorOfTheLog(t *testing.T) {
	t.Parallel()
	written := func() *madeSource {
		chunk := &model.Chunk{Format: "trl", Framework: "trl", Files: []string{"made"}, Progress: model.Progress{CaughtUp: true}}
		for i, reward := range []float64{1, 0, 0, 0} { // r − μ, by hand
			chunk.Records = append(chunk.Records, model.Record{Step: 1, Group: "a", Reward: reward, Advantage: reward - 0.25, Length: -1, Line: int64(i + 1)})
		}
		return &madeSource{chunks: []*model.Chunk{chunk}}
	}
	drive(t, written(), 120, 36, model.DefaultSettings(), func(d *driver) {
		if set := d.app.env.Settings.Now; set.Framework != "trl" || set.Estimator != "grpo" || set.Scale != "none" {
			t.Errorf("started with %s %s %s", set.Framework, set.Estimator, set.Scale)
		}
		if !strings.Contains(ansi.Strip(d.frame()), "log = TRL grpo none, 4/4 exact") {
			t.Error("the verdict is not on the screen")
		}
		d.press("u")
		if got := d.app.env.Settings.Now; got != model.DefaultSettings().WithFramework("trl") {
			t.Errorf("undo went to %+v", got)
		}
	})
}

// A key of the configuration has the action of another one, but not where text is typed.
func TestKeysAreRemapped(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(3), 80, 24, filterSettings(), func(d *driver) {
		d.app.outside.keyMap = map[string]string{"x": "m"}
		d.press("x")
		if got := d.app.env.Settings.Now.KeepNeg; got != 0.45 {
			t.Errorf("keep_neg_ratio %v", got)
		}
		d.press("/", "x")
		if d.app.views.panes.FilterDraft != "x" {
			t.Errorf("typed %q", d.app.views.panes.FilterDraft)
		}
	})
}

// A key of what is gone says what to do instead.
func TestKeysOfWhatIsGone(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(1), 120, 36, filterSettings(), func(d *driver) {
		for _, key := range []string{"*", "a", "'"} {
			if d.press(key); !strings.HasPrefix(d.app.overlays.notice, "marks and notes are gone: keep them in a file of your own") {
				t.Errorf("%s: %q", key, d.app.overlays.notice)
			}
		}
	})
}
