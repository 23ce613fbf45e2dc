package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"vantage/internal/testkit/repotest"
	"vantage/tui/cells"
	"vantage/tui/env"
	"vantage/tui/layout"
	"vantage/tui/pane"
	"vantage/tui/sweepmap"
	"vantage/tui/trend"
	"vantage/tui/view"
)

// place returns where the n-th text, from 0, is on the screen.
func (d *driver) place(text string, n int) (x, y int) {
	d.t.Helper()
	frame := ansi.Strip(d.frame())
	for y, line := range strings.Split(frame, "\n") {
		for x, rest := 0, line; ; n-- {
			before, after, found := strings.Cut(rest, text)
			if !found {
				break
			}
			if x += cells.Width(before); n == 0 {
				return x, y
			}
			x, rest = x+cells.Width(text), after
		}
	}
	d.t.Fatalf("%q is not on the screen:\n%s", text, frame)
	return 0, 0
}

// clickAt clicks a cell, later than any click before could be doubled by it.
func (d *driver) clickAt(x, y int) {
	d.t.Helper()
	time.Sleep(time.Second)
	d.pressButton(x, y)
}

func (d *driver) pressButton(x, y int) {
	d.t.Helper()
	d.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	d.send(tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseLeft})
}

// click clicks the first text of the screen that is like this.
func (d *driver) click(text string) {
	d.t.Helper()
	d.clickAt(d.place(text, 0))
}

// doubleClick clicks it twice.
func (d *driver) doubleClick(text string) {
	d.t.Helper()
	x, y := d.place(text, 0)
	d.clickAt(x, y)
	d.pressButton(x, y)
}

// wheel turns the wheel over the first text that is like this.
func (d *driver) wheel(text string, b tea.MouseButton) {
	d.t.Helper()
	x, y := d.place(text, 0)
	d.send(tea.MouseWheelMsg{X: x, Y: y, Button: b})
}

// driveMouse is drive with texts and the mouse on.
func driveMouse(t *testing.T, w, h int, f func(*driver)) {
	t.Helper()
	driveWith(t, madeRunWithTexts(12, proofText), w, h, Options{Settings: filterSettings(), Mouse: true}, f)
}

// The mouse is off until it is switched on: nothing is asked of the terminal, and no click does anything.
func TestMouseIsOffUntilItIsSwitchedOn(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(3), 120, 36, filterSettings(), func(d *driver) {
		before := d.frame()
		d.click("kept ")
		d.clickAt(10, 9)
		d.wheel("Compute", tea.MouseWheelDown)
		if d.app.View().MouseMode != tea.MouseModeNone || d.frame() != before {
			t.Error("the mouse is on")
		}
		d.press(":")
		d.typeText("mouse on")
		d.press("enter")
		d.wantText("hold Shift to select text")
		if d.app.View().MouseMode != tea.MouseModeCellMotion {
			t.Error("the mouse is off")
		}
	})
}

// checkMarks fails unless what is looked up for the mouse draws the same screen, and a frame holds no mark.
func (d *driver) checkMarks() {
	d.t.Helper()
	frame := strings.Join(d.app.lines(), "\n")
	marked := d.app
	marked.env.Display.Marking = keyNames()
	if got := ansi.Strip(strings.Join(marked.lines(), "\n")); got != ansi.Strip(frame) {
		d.t.Errorf("another screen with marks:\n%s\nnot\n%s", got, ansi.Strip(frame))
	}
	if strings.Contains(frame, pane.MarkEnd) {
		d.t.Error("marks are sent to the terminal")
	}
}

// A heading sorts by its column, and the second time the other way round.
func TestHeadingsSort(t *testing.T) {
	t.Parallel()
	driveMouse(t, 120, 36, func(d *driver) {
		_, y := d.place("fate", 0)
		line := strings.Split(ansi.Strip(d.frame()), "\n")[y]
		for i, name := range []string{"fate ", "prompt ", " n ", " kept ", " reward "} {
			x := cells.Width(line[:strings.Index(line, name)]) + 1
			want := env.Order{Column: i, Reversed: i == 0} // by fate it was sorted
			if d.clickAt(x, y); d.app.env.Settings.Order != want {
				t.Errorf("%s: %+v", name, d.app.env.Settings.Order)
			}
			want.Reversed = !want.Reversed
			if d.pressButton(x, y); d.app.env.Settings.Order != want { // quickly
				t.Errorf("%s again: %+v", name, d.app.env.Settings.Order)
			}
		}
	})
}

// The words of the header press their keys, also while characters are typed.
func TestHeaderPressesItsKeys(t *testing.T) {
	t.Parallel()
	driveMouse(t, 160, 45, func(d *driver) {
		before := d.app.env.Settings.Now
		d.click("r recompute")
		if d.app.env.Settings.Now.Recompute == before.Recompute {
			t.Error("r")
		}
		d.click("s " + string(before.Scale))
		if !strings.Contains(d.app.overlays.notice, "one scale only") {
			t.Errorf("s: %q", d.app.overlays.notice)
		}
		d.click("p keep_pos")
		if got := d.app.env.Settings.Now.KeepPos; got != 0.65 {
			t.Errorf("p: %v", got)
		}
		d.press("/", "x")
		d.click("f " + before.Trainer())
		if got := d.app.env.Settings.Now.Framework; got == before.Framework || d.app.views.panes.FilterDraft != "x" {
			t.Errorf("f while a filter is typed: %s, %q", got, d.app.views.panes.FilterDraft)
		}
		d.press("esc", "u", "C", "j", "right", "esc")
		d.click("e " + before.Estimator)
		if d.app.env.Settings.Now.Estimator == before.Estimator {
			t.Error("e")
		}
		d.click("C ")
		if d.app.position.view != view.Chain {
			t.Error("C does not open the chain")
		}
	})
}

// Clicks select, double clicks open: groups, warnings, metrics, steps.
func TestDoubleClicksOpen(t *testing.T) {
	t.Parallel()
	driveMouse(t, 200, 60, func(d *driver) {
		d.clickAt(10, 9)
		if d.app.env.Place.Row != 4 || d.app.position.view != view.Overview {
			t.Errorf("a click on the fifth row: cursor %d", d.app.env.Place.Row)
		}
		d.pressButton(10, 9)
		d.wantText("group 5/24")
		d.press("esc")
		d.doubleClick("response_length/mean")
		if d.app.position.view != view.Steps || d.app.views.steps.DrawnMetric(d.app.env) != "response_length/mean" {
			t.Errorf("a metric: view %d, %s", d.app.position.view, d.app.views.steps.DrawnMetric(d.app.env))
		}
		d.clickAt(d.placeOfStep(3))
		if got := d.app.env.Result.Analysis.Step; got != 3 {
			t.Errorf("a row of the steps: step %d", got)
		}
		x, y := d.placeOfStep(7)
		d.clickAt(x, y)
		d.pressButton(x, y)
		if got := d.app.env.Result.Analysis.Step; got != 7 || d.app.position.view != view.Overview {
			t.Errorf("a double click on a step: step %d, view %d", got, d.app.position.view)
		}
		d.click("4 warnings")
		if d.app.views.panes.Focus != layout.Warnings {
			t.Error("a title does not focus")
		}
		x, y = d.place("│ ! ", 0) // the header has a mark of its own
		d.clickAt(x+2, y)
		d.pressButton(x+2, y)
		if d.app.position.view == view.Overview {
			t.Error("a double click on a warning opens nothing")
		}
	})
}

// placeOfStep returns where a step is in the table of the view of steps.
func (d *driver) placeOfStep(step int) (x, y int) {
	d.t.Helper()
	for _, s := range slices.Backward(d.app.spots()) {
		if s.Target == (pane.Target{Kind: pane.OnStep, N: step - 1}) {
			return s.Rect.X + 1, s.Rect.Y
		}
	}
	d.t.Fatalf("step %d is not in sight", step)
	return 0, 0
}

// A click on a chart of the steps goes to the step there, in the pane and in the view.
func TestChartsGoToTheStep(t *testing.T) {
	t.Parallel()
	driveMouse(t, 120, 36, func(d *driver) {
		signal := slices.IndexFunc(d.app.spots(), func(s pane.Spot) bool { return s.Target == pane.Target{Kind: pane.OnTrend, N: 1} })
		at := d.app.spots()[signal].Rect
		for step := range 12 {
			if d.clickAt(at.X+trend.StepAxis(d.app.env).PlotColumn(float64(step+1), at.W), at.Y); d.app.env.Result.Analysis.Step != int64(step+1) {
				t.Errorf("where step %d is: step %d", step+1, d.app.env.Result.Analysis.Step)
			}
		}
		d.press("enter") // the pane has the focus
		if d.app.position.view != view.Steps {
			t.Fatal("no view of the steps")
		}
		i := slices.IndexFunc(d.app.spots(), func(s pane.Spot) bool { return s.Kind == pane.OnChart })
		r := d.app.spots()[i].Rect
		r.X, r.W = r.X+trend.ValueWidth, d.app.spots()[i].N
		d.clickAt(r.X, r.Y+1)
		if got := d.app.env.Result.Analysis.Step; got != 1 {
			t.Errorf("the first column: step %d", got)
		}
		d.clickAt(r.X+r.W-1, r.Y+2)
		if got := d.app.env.Result.Analysis.Step; got != 12 {
			t.Errorf("the last column: step %d", got)
		}
		d.send(tea.MouseWheelMsg{X: r.X, Y: r.Y, Button: tea.MouseWheelUp})
		if got := d.app.env.Result.Analysis.Step; got != 11 {
			t.Errorf("the wheel: step %d", got)
		}
	})
}

// The wheel scrolls what is under the pointer; the focus stays.
func TestWheelScrollsUnderThePointer(t *testing.T) {
	t.Parallel()
	driveMouse(t, 120, 36, func(d *driver) {
		d.press("5")
		d.wheel("Compute", tea.MouseWheelDown)
		if d.app.env.Place.Row != 3 || d.app.views.panes.Focus != layout.Metrics || d.app.views.panes.MetricScroll != 0 {
			t.Errorf("%+v", d.app.position)
		}
		d.wheel("5 metrics", tea.MouseWheelDown)
		if d.app.views.panes.Metric != view.WheelLines || d.app.env.Place.Row != 3 {
			t.Errorf("%+v", d.app.position)
		}
		d.press("1", "enter")
		d.send(tea.WindowSizeMsg{Width: 120, Height: 20})
		x, y := d.place(" text", 0)
		d.send(tea.MouseWheelMsg{X: x, Y: y + 3, Button: tea.MouseWheelDown})
		if d.app.views.sampleReader.Scroll == 0 || d.app.views.sampleReader.Sample != 0 || d.app.views.sampleReader.InText {
			t.Errorf("over the text: scrolled by %d, sample %d", d.app.views.sampleReader.Scroll, d.app.views.sampleReader.Sample)
		}
		d.press("esc", "?", "tab")
		d.wheel("keys: overview", tea.MouseWheelDown)
		if d.app.overlays.help.Scroll != view.WheelLines {
			t.Error("the help does not scroll")
		}
	})
}

// The parts of an open group are focused by a click.
func TestGroupByMouse(t *testing.T) {
	t.Parallel()
	driveMouse(t, 120, 36, func(d *driver) {
		d.doubleClick("Compute")
		x, y := d.place(" text", 0)
		d.clickAt(x+2, y+4)
		if !d.app.views.sampleReader.InText {
			t.Error("a click on the text does not focus it")
		}
		d.click("   3 ")
		if d.app.views.sampleReader.Sample != 2 || d.app.views.sampleReader.InText {
			t.Errorf("sample %d", d.app.views.sampleReader.Sample)
		}
		d.click("Esc back")
		if d.app.position.view != view.Overview {
			t.Error("the hint Esc does not lead back")
		}
	})
}

// The keys in the last line are pressed by a click, each of several by itself.
func TestHintsPressTheirKeys(t *testing.T) {
	t.Parallel()
	driveMouse(t, 200, 60, func(d *driver) {
		d.click("j k move")
		d.click("k move")
		d.click("j k move")
		if d.app.env.Place.Row != 1 {
			t.Errorf("j, k, j: cursor %d", d.app.env.Place.Row)
		}
		d.click("[ ] step")
		if d.app.env.Result.Analysis.Step != 11 {
			t.Errorf("[: step %d", d.app.env.Result.Analysis.Step)
		}
		d.click("] step")
		if d.app.env.Result.Analysis.Step != 12 {
			t.Errorf("]: step %d", d.app.env.Result.Analysis.Step)
		}
		d.click("open")
		if d.app.position.view != view.Group {
			t.Error("open")
		}
		d.click("Esc back")
		d.click("? help")
		d.wantText("type to search all of it")
		d.click("Esc close")
		d.click("S sweep")
		if d.app.position.view != view.Sweep {
			t.Error("S sweep")
		}
	})
}

// Cells of the map move its cursor, and a double click sets them.
func TestSweepByMouse(t *testing.T) {
	t.Parallel()
	driveMouse(t, 120, 36, func(d *driver) {
		d.press("S")
		i := slices.IndexFunc(d.app.spots(), func(s pane.Spot) bool {
			return s.Target == pane.Target{Kind: pane.OnSweepCell, N: sweepmap.SweepCellNumber(10, 6)}
		})
		r := d.app.spots()[i].Rect
		d.clickAt(r.X+1, r.Y)
		if pos, neg := d.app.views.sweep.SweepCursor(d.app.env); pos != 10 || neg != 6 {
			t.Errorf("the cursor is at %d, %d", pos, neg)
		}
		d.wantText("keep_pos 0.50  keep_neg 0.30")
		d.pressButton(r.X+1, r.Y)
		if got := d.app.env.Settings.Now; got.KeepPos != 0.5 || got.KeepNeg != 0.3 || d.app.position.view != view.Overview {
			t.Errorf("set: %+v", got)
		}
	})
}

// Pairs, answers, estimators and stages: a click puts the cursor there, a double click opens.
func TestListsByMouse(t *testing.T) {
	t.Parallel()
	driveMouse(t, 120, 36, func(d *driver) {
		d.press("E")
		d.doubleClick("reinforce_plus_plus ")
		if got := d.app.env.Settings.Now.Estimator; got != "reinforce_plus_plus" || d.app.position.view != view.Overview {
			t.Errorf("%s: %s", got, d.app.overlays.notice)
		}
		d.press("u", "C")
		d.doubleClick("length penalty")
		if d.app.env.Settings.Now.Overlong == "" {
			t.Error("a stage of the chain is not changed")
		}
	})
	driveTwoRuns(t, 120, 36, func(d *driver) {
		d.app.env.Display.Mouse = true
		d.press("c")
		x, y := d.place("samples  prompt", 0)
		d.clickAt(x, y+3)
		if d.app.views.compare.Cursor != 2 {
			t.Errorf("the third pair: %d", d.app.views.compare.Cursor)
		}
		d.wheel("samples  prompt", tea.MouseWheelDown)
		if d.app.views.compare.Cursor != 5 {
			t.Errorf("the wheel: %d", d.app.views.compare.Cursor)
		}
		d.pressButton(x, y+6)
		d.pressButton(x, y+6)
		if d.app.position.view != view.Answers {
			t.Fatal("a double click on a pair opens nothing")
		}
		d.clickAt(100, 20)
		if d.app.views.answers.Focus != 1 {
			t.Error("a click does not focus the other run")
		}
	})
}

// A click like a key ends the notice, and the count of what could not be read opens it.
func TestClicksEndNotices(t *testing.T) {
	t.Parallel()
	driveWith(t, runWithProblems(), 120, 36, Options{Settings: filterSettings(), Mouse: true, Notice: "hello there"}, func(d *driver) {
		d.click("hello there")
		if d.app.overlays.notice != "" {
			t.Error(d.app.overlays.notice)
		}
		d.click(fmt.Sprintf("!%d", 10))
		if d.app.position.view != view.Problems {
			t.Error("the count opens nothing")
		}
	})
}

// Any clicks, moves and notches anywhere leave a screen that is whole.
func TestMouseStorm(t *testing.T) {
	t.Parallel()
	driveTwoRuns(t, 120, 36, func(d *driver) {
		d.app.env.Display.Mouse = true
		n := uint64(1)
		random := func(limit int) int { n = n*6364136223846793005 + 1442695040888963407; return int(n>>33) % limit }
		for range repotest.Times(300, 1500) {
			x, y := random(120), random(36)
			switch random(8) {
			case 0:
				d.send(tea.MouseMotionMsg{X: random(140) - 10, Y: random(50) - 5, Button: tea.MouseLeft})
			case 1:
				d.send(tea.MouseWheelMsg{X: x, Y: y, Button: []tea.MouseButton{tea.MouseWheelUp, tea.MouseWheelDown}[random(2)]})
			case 2:
				d.press([]string{"esc", "c", "S", "E", "3", "?", "/", "C", "enter", "'"}[random(10)])
			case 3:
				d.send(tea.WindowSizeMsg{Width: 60 + random(160), Height: 16 + random(50)})
			default:
				d.pressButton(x, y)
			}
			for i, line := range strings.Split(d.frame(), "\n") {
				if got := cells.Width(line); got != d.app.env.Display.W {
					t.Fatalf("line %d has %d cells of %d: %q", i, got, d.app.env.Display.W, line)
				}
			}
		}
	})
}

// A click in the worst steps puts the cursor there, a second one goes to the step, and the wheel moves it.
func TestWorstStepsByMouse(t *testing.T) {
	t.Parallel()
	driveMouse(t, 100, 40, func(d *driver) {
		d.press("0")
		spans, found := d.app.views.glance.Job.Value.Glance.Spans, len(d.app.env.FoundList())
		d.click(spans[2].Cause())
		if d.app.views.glance.Cursor == 0 {
			t.Fatal("a click leaves the cursor at the top")
		}
		want := spans[d.app.views.glance.Cursor-found].From
		d.doubleClick(spans[2].Cause())
		if d.app.position.view != view.Overview || d.app.env.Place.Step != want {
			t.Errorf("view %d at step %d, want step %d", d.app.position.view, d.app.env.Place.Step, want)
		}
		d.press("0")
		before := d.app.views.glance.Cursor
		d.wheel("worst steps", tea.MouseWheelDown)
		if d.app.views.glance.Cursor != min(before+view.WheelLines, found+len(spans)-1) {
			t.Errorf("the wheel moves the cursor from %d to %d", before, d.app.views.glance.Cursor)
		}
	})
}
