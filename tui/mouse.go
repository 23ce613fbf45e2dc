package tui

import (
	"math"
	"slices"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"vantage/tui/chart"
	"vantage/tui/layout"
	"vantage/tui/pane"
	"vantage/tui/trend"
	"vantage/tui/view"
)

type mouseState struct {
	press press // the latest of the left button
}

// press is where the left button was pressed, and what was there.
type press struct {
	x, y  int
	at    time.Time
	spots []pane.Spot // the innermost last
}

// doubleClickTime is how long the second press of a double click may take.
const doubleClickTime = 400 * time.Millisecond

// target returns the innermost target that was pressed; of none it has no actions.
func (p press) target() (s pane.Spot) {
	if len(p.spots) > 0 {
		s = p.spots[len(p.spots)-1]
	}
	return s
}

// onMouse handles the mouse, which reports only while it is on; what moves while a button is down does nothing.
func (a App) onMouse(msg tea.MouseMsg) App {
	m := msg.Mouse()
	if !a.env.Display.Mouse {
		return a
	}
	switch msg.(type) {
	case tea.MouseWheelMsg:
		return a.onWheel(m)
	case tea.MouseClickMsg:
		if m.Button == tea.MouseLeft {
			return a.onPress(m.X, m.Y, time.Now())
		}
	}
	return a
}

func (a App) onWheel(m tea.Mouse) App {
	by := 1
	switch m.Button {
	case tea.MouseWheelUp:
		by = -1
	case tea.MouseWheelDown:
	default:
		return a
	}
	for _, s := range slices.Backward(a.spotsAt(m.X, m.Y)) {
		if next, handled := a.onTarget(view.Mouse{On: s.Target, Wheel: by}); handled {
			return next
		}
	}
	return a
}

// onPress handles a press of the left button. Like a key it ends the notice. The second of two in one place
// opens what the first was on, which may have moved since.
func (a App) onPress(x, y int, now time.Time) App {
	last := a.mouse.press
	a.overlays.notice, a.views.destination = "", nil
	if s := last.target(); last.x == x && last.y == y && now.Sub(last.at) < doubleClickTime {
		if next, handled := a.onTarget(view.Mouse{On: s.Target, Twice: true}); handled {
			next.mouse = mouseState{}
			return next
		}
	}
	a.mouse = mouseState{press: press{x: x, y: y, at: now, spots: a.spotsAt(x, y)}}
	for _, s := range a.mouse.press.spots {
		a, _ = a.onTarget(view.Mouse{On: s.Target, Click: true, X: x - s.Rect.X, W: s.Rect.W})
	}
	return a
}

// onTarget does what the mouse means on a target: what the view says, else what the target means in every view. handled is false if it
// means nothing there.
func (a App) onTarget(m view.Mouse) (next App, handled bool) {
	drawn := a.viewDrawn()
	if pointed, ok := drawn.(view.Pointed); ok {
		if w, handled := pointed.OnMouse(a.env, m); handled {
			return a.grant(w), true
		}
	}
	if rows, ok := drawn.(view.Lister); ok {
		if w, handled := view.OnRows(rows, a.env, m); handled {
			return a.grant(w), true
		}
	}
	does := a.targets()[m.On.Kind]
	switch {
	case m.Wheel != 0 && does.scroll != nil:
		return does.scroll(a, m.On.N, m.Wheel), true
	case m.Twice && does.open != nil:
		return does.open(a, m.On.N), true
	case m.Click && does.click != nil:
		return does.click(a, m), true
	}
	return a, false
}

// targetActions is what the mouse does on a target; nil: nothing.
type targetActions struct {
	click  func(App, view.Mouse) App  // the button is pressed
	open   func(a App, n int) App     // pressed twice
	scroll func(a App, n, by int) App // the wheel, by 1 or -1
}

// targets returns what the mouse does on what is in more than one view, by the kind of the target.
func (App) targets() [pane.TargetKinds]targetActions {
	return [pane.TargetKinds]targetActions{
		pane.OnKey:     {click: App.pressKey},
		pane.OnSetting: {click: App.pressSetting},
		pane.OnPane: {
			click: func(a App, m view.Mouse) App { return a.focusPane(layout.Pane(m.On.N)) }, open: App.openPane, scroll: App.scrollPane,
		},
		pane.OnHeading: {click: func(a App, m view.Mouse) App { return a.sortBy(m.On.N) }},
		pane.OnGroup: {
			click: func(a App, m view.Mouse) App { return a.toGroupRow(m.On.N) }, open: func(a App, _ int) App { return a.enterPane() },
		},
		pane.OnWarning: {
			click: func(a App, m view.Mouse) App { return a.toWarning(m.On.N) }, open: func(a App, _ int) App { return a.enterPane() },
		},
		pane.OnMetric: {click: App.toMetric, open: func(a App, _ int) App { return a.drawMetric() }},
		pane.OnTrend: { // a chart over all steps
			click: func(a App, m view.Mouse) App { return a.stepAtColumn(trend.StepAxis(a.env), m.X, m.W) },
			open:  func(a App, n int) App { return a.drawFigure(trend.Rows()[n].Metric) },
		},
		pane.OnChart: { // one that may show some of them
			click: func(a App, m view.Mouse) App {
				return a.stepAtColumn(a.views.steps.WindowAxis(a.env), m.X-trend.ValueWidth, m.On.N)
			},
			scroll: func(a App, _, by int) App { return a.moveStep(by) },
		},
		pane.OnStep: {
			click: func(a App, m view.Mouse) App { return a.showTrendStep(m.On.N) },
			open:  func(a App, _ int) App { return a.showGroups() },
		},
		pane.OnHelp: {scroll: func(a App, _, by int) App { return a.scrollHelp(view.WheelLines * by) }},
	}
}

func (a App) openPane(n int) App {
	if layout.Pane(n) == layout.Groups {
		return a // its rows open
	}
	return a.focusPane(layout.Pane(n)).enterPane()
}

// scrollPane scrolls a pane; the focus stays where it is.
func (a App) scrollPane(n, by int) App {
	if layout.Pane(n) == layout.Steps {
		return a.moveStep(by)
	}
	return inPane(layout.Pane(n)).move(a, view.WheelLines*by)
}

func (a App) stepAtColumn(axis chart.Axis, x, w int) App {
	nearest, least := 0, math.MaxInt
	for i, s := range a.env.Result.Trend.Steps {
		column := axis.PlotColumn(float64(s.Step), w)
		if far := max(column-x, x-column); far < least {
			nearest, least = i, far
		}
	}
	return a.showTrendStep(nearest)
}

func (a App) showTrendStep(i int) App {
	steps := a.env.Result.Trend.Steps
	if len(steps) == 0 {
		return a
	}
	at, _ := a.env.Snap.Find(steps[pane.ClampIndex(i, len(steps))].Step)
	return a.showStep(at)
}

// spots returns the targets on the screen, each before those that are within it: the marks of the frame.
func (a App) spots() []pane.Spot {
	if a.env.Display.IsTooSmall() {
		return nil
	}
	a.env.Display.Marking = keyNames()
	var all []pane.Spot
	for y, line := range a.lines() {
		all = append(all, pane.SpotsOfLine(line, y)...)
	}
	return all
}

// spotsAt returns the targets at a cell, the outermost first.
func (a App) spotsAt(x, y int) []pane.Spot {
	return slices.DeleteFunc(a.spots(), func(s pane.Spot) bool { return !s.Rect.Contains(x, y) })
}

func keyNames() (names []string) {
	for _, s := range append(allKeys(), view.Section{Bindings: typingKeys()}) {
		for _, b := range s.Bindings {
			names = append(names, b.Keys...)
		}
	}
	return names
}

func (a App) pressKey(m view.Mouse) App {
	switch key := keyNames()[m.On.N]; {
	case key == "space":
		return a.onKey(key, " ")
	case utf8.RuneCountInString(key) == 1:
		return a.onKey(key, key)
	default:
		return a.onKey(key, "")
	}
}

// pressSetting does what a key of the header does, also where characters are typed.
func (a App) pressSetting(m view.Mouse) App {
	if a.line() == nil && !a.position.onLastLine() && !a.overlays.help.Open {
		return a.pressKey(m)
	}
	if b, ok := findBinding(commonKeys(), keyNames()[m.On.N]); ok {
		return a.press(b)
	}
	return a
}

// mouseSection says what the mouse does, for the help and the documentation: it binds no keys.
func mouseSection() view.Section {
	return view.Section{Name: "mouse", Bindings: []view.Binding{
		{
			Label: "click",
			Doc: "select; a heading sorts, the other way round by a second click; words of the header and of the last line press their " +
				"key; a chart of steps goes to the step",
		},
		{Label: "twice", Doc: "open: group, warning, metric, step, pair; set a cell of the sweep"},
		{Label: "wheel", Doc: "scroll the pane under the pointer"},
		{Label: "Shift", Doc: "held down: the terminal selects text as usual. The mouse is off until --mouse or :mouse on"},
	}}
}
