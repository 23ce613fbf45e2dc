package tui

import (
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"vantage/model/sweep"
	"vantage/tui/chart"
	"vantage/tui/env"
	"vantage/tui/layout"
	"vantage/tui/pane"
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
		if scroll := mouseActions()[s.Kind].scroll; scroll != nil {
			return scroll(a, s.N, by)
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
		if open := mouseActions()[s.Kind].open; open != nil {
			a.mouse = mouseState{}
			return open(a, s.N)
		}
	}
	a.mouse = mouseState{press: press{x: x, y: y, at: now, spots: a.spotsAt(x, y)}}
	for _, s := range a.mouse.press.spots {
		if click := mouseActions()[s.Kind].click; click != nil {
			a = click(a, hit{s.N, x - s.Rect.X, s.Rect.W})
		}
	}
	return a
}

// hit is a press on a target.
type hit struct {
	n    int // the target's number
	x, w int // the column pressed, of so many
}

// targetActions is what the mouse does on a target; nil: nothing.
type targetActions struct {
	click  func(App, hit) App         // the button is pressed
	open   func(a App, n int) App     // pressed twice
	scroll func(a App, n, by int) App // the wheel, by 1 or -1
}

// mouseActions returns what the mouse does, by the kind of the target. Rows of lists have theirs from these.
func mouseActions() [pane.TargetKinds]targetActions {
	step := func(a App, _, by int) App { return a.moveStep(by) }
	all := [pane.TargetKinds]targetActions{
		pane.OnBody:    {scroll: App.scrollView},
		pane.OnKey:     {click: App.pressKey},
		pane.OnSetting: {click: App.pressSetting},
		pane.OnPane:    {click: func(a App, h hit) App { return a.focusPane(layout.Pane(h.n)) }, open: App.openPane, scroll: App.scrollPane},
		pane.OnHeading: {click: func(a App, h hit) App { return a.sortBy(h.n) }},
		pane.OnWarning: {click: func(a App, h hit) App { return a.toRow(pane.OnWarning, h.n).moveWarning(0) }},
		pane.OnMetric: {
			click: func(a App, h hit) App { a.panes.metric = h.n; return a },
			open:  asKey(within(panesOf, (*panes).drawMetric)),
		},
		pane.OnTrend: { // a chart over all steps
			click: func(a App, h hit) App { return a.stepAtColumn(stepAxis(a.env), h.x, h.w) },
			open:  func(a App, n int) App { return a.drawFigure(trendRows()[n].metric) },
		},
		pane.OnChart: { // one that may show some of them
			click:  func(a App, h hit) App { return a.stepAtColumn(a.views.steps.windowAxis(a.env), h.x-valueWidth, h.n) },
			scroll: step,
		},
		pane.OnStep: {click: func(a App, h hit) App { return a.showTrendStep(h.n) }, open: asKey(App.showGroups)},
		pane.OnReading: {
			click: func(a App, h hit) App { return within(readerOf, by((*sampleReader).focus, h.n))(a) },
			scroll: func(a App, n, by int) App {
				if n == 1 {
					a.views.sampleReader.scrollLines(a.env, wheelLines*by)
					return a
				}
				return a.moveRow(pane.OnSample, by)
			},
		},
		pane.OnSweepCell: {
			click: func(a App, h hit) App {
				n := len(sweep.DefaultRatios().Neg)
				a.views.sweep.pos, a.views.sweep.neg = h.n/n, h.n%n
				return a
			},
			open:   asKey(within(sweepOf, (*sweepState).apply)),
			scroll: func(a App, _, by int) App { return moveSweep(sweepPos, -by)(a) },
		},
		pane.OnAnswer: {
			click:  func(a App, h hit) App { a.views.answers.focus = h.n; return a },
			scroll: func(a App, _, by int) App { a.views.answers.scrollLines(a.env, wheelLines*by); return a },
		},
		pane.OnHelp: {scroll: func(a App, _, by int) App { return a.scrollHelp(wheelLines * by) }},
	}
	for kind, l := range lists() {
		if l.cursor == nil {
			continue
		}
		if all[kind].click == nil {
			all[kind].click = func(a App, h hit) App { return a.toRow(pane.Kind(kind), h.n) }
		}
		if l.open != nil {
			all[kind].open = asKey(l.open)
		}
	}
	return all
}

// wheelLines is how many lines a notch of the wheel scrolls.
const wheelLines = 3

// asKey returns what a key does, for a target that the first click has put the cursor on.
func asKey(f action) func(App, int) App {
	return func(a App, _ int) App { return f(a) }
}

func (a App) scrollView(_, by int) App {
	switch v := a.position.viewInSight(); {
	case v == viewAnswers:
		a.views.answers.scrollLines(a.env, wheelLines*by)
	case v == viewChain:
		return a.moveRow(pane.OnStage, by)
	case v == viewSteps:
		return a.moveStep(by)
	case viewTable()[v].list != pane.OnNothing:
		return a.moveRow(viewTable()[v].list, wheelLines*by)
	}
	return a
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
	return paneTable()[n].move(a, wheelLines*by)
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

// sweepCellNumber is the number of the cell at these indexes of keep_pos and keep_neg.
func sweepCellNumber(pos, neg int) int { return pos*len(sweep.DefaultRatios().Neg) + neg }

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
	for _, s := range append(allKeys(), keySection{bindings: typingKeys()}) {
		for _, b := range s.bindings {
			names = append(names, b.keys...)
		}
	}
	return names
}

func (a App) pressKey(h hit) App {
	switch key := keyNames()[h.n]; {
	case key == "space":
		return a.onKey(key, " ")
	case utf8.RuneCountInString(key) == 1:
		return a.onKey(key, key)
	default:
		return a.onKey(key, "")
	}
}

// pressSetting does what a key of the header does, also where characters are typed.
func (a App) pressSetting(h hit) App {
	if a.position.currentView().line.text == nil && a.position.view != viewCopy && !a.overlays.help.open {
		return a.pressKey(h)
	}
	if b, ok := findBinding(commonKeys(), keyNames()[h.n]); ok {
		return b.action(a)
	}
	return a
}

// keyOfHint returns the key that a word of a hint stands for, as j and k do in "j k move"; a word that is no
// key stands for the first.
func (p position) keyOfHint(e env.Env, b binding, word string) string {
	for _, s := range p.activeKeys() {
		for _, other := range s.bindings {
			if slices.Contains(strings.Fields(e.Display.KeyLabel(other.label)), word) {
				return other.keys[0]
			}
		}
	}
	return b.keys[0]
}

// mouseSection says what the mouse does, for the help and the documentation: it binds no keys.
func mouseSection() keySection {
	return keySection{"mouse", []binding{
		{label: "click", doc: "select; a heading sorts, the other way round by a second click; words of the header and of the last line press their key; a chart of steps goes to the step"},
		{label: "twice", doc: "open: group, warning, metric, step, pair; set a cell of the sweep"},
		{label: "wheel", doc: "scroll the pane under the pointer"},
		{label: "Shift", doc: "held down: the terminal selects text as usual. The mouse is off until --mouse or :mouse on"},
	}}
}
