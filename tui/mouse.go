package tui

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"vantage/model/sweep"
	"vantage/tui/cells"
	"vantage/tui/chart"
	"vantage/tui/layout"
)

type mouseState struct {
	press press // the latest of the left button
	held  bool  // it is still down
}

// press is where the left button was pressed, and what was there.
type press struct {
	x, y   int
	at     time.Time
	spots  []spot      // the innermost last
	before undoHistory // the settings then: dragging a slider is one change, however far
}

// doubleClickTime is how long the second press of a double click may take.
const doubleClickTime = 400 * time.Millisecond

// target returns the innermost target that was pressed.
func (p press) target() (s spot, ok bool) {
	if len(p.spots) == 0 {
		return s, false
	}
	return p.spots[len(p.spots)-1], true
}

// onMouse handles the mouse, which reports only while it is on, and motion only while a button is down.
func (a App) onMouse(msg tea.MouseMsg) App {
	m := msg.Mouse()
	if !a.display.mouse {
		return a
	}
	switch msg.(type) {
	case tea.MouseWheelMsg:
		return a.onWheel(m)
	case tea.MouseClickMsg:
		if m.Button == tea.MouseLeft {
			return a.onPress(m.X, m.Y, time.Now())
		}
	case tea.MouseMotionMsg:
		return a.onDrag(m.X, m.Y)
	case tea.MouseReleaseMsg:
		a.mouse.held = false
	}
	return a
}

// onWheel scrolls what is under the pointer, wherever the focus is.
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
		if scroll := mouseActions()[s.kind].scroll; scroll != nil {
			return scroll(a, s.n, by)
		}
	}
	return a
}

// onPress handles a press of the left button. Like a key it ends the notice. The second of two in one place
// opens what the first was on, which may have moved since.
func (a App) onPress(x, y int, now time.Time) App {
	last := a.mouse.press
	if s, ok := last.target(); ok && last.x == x && last.y == y && now.Sub(last.at) < doubleClickTime {
		if open := mouseActions()[s.kind].open; open != nil {
			a.mouse = mouseState{}
			a.notice, a.marks.target = "", nil
			return open(a, s.n)
		}
	}
	a.mouse = mouseState{held: true, press: press{x: x, y: y, at: now, spots: a.spotsAt(x, y), before: a.settings}}
	a.notice, a.marks.target = "", nil
	for _, s := range a.mouse.press.spots {
		if click := mouseActions()[s.kind].click; click != nil {
			a = click(a, hit{s.n, x - s.rect.X, s.rect.W})
		}
	}
	return a
}

func (a App) onDrag(x, y int) App {
	s, ok := a.mouse.press.target()
	if !a.mouse.held || !ok {
		return a
	}
	if drag := mouseActions()[s.kind].drag; drag != nil {
		return drag(a, s, x, y)
	}
	return a
}

// borders returns the borders that can be moved in the view on the screen.
func (a App) borders() []layout.Border {
	below := a.screen().Header.H
	switch a.viewInSight() {
	case viewOverview, viewFilter:
		return a.screen().Borders
	case viewGroup, viewSearch:
		return movedBelow(below, a.groupViewBorders())
	case viewAnswers:
		return movedBelow(below, a.answerBorders())
	case viewEstimators:
		return movedBelow(below, a.estimatorBorders())
	default:
		return nil
	}
}

func movedBelow(rows int, borders []layout.Border) []layout.Border {
	for i := range borders {
		borders[i] = borders[i].Below(rows)
	}
	return borders
}

// dragBorder moves a border to a cell, as far as both parts keep room.
func (a App) dragBorder(s spot, x, y int) App {
	p := a.mouse.press
	for _, b := range a.borders() {
		if int(b.Split) == s.n {
			a.display.shares = a.display.shares.With(b.Split, b.ShareAt(x-(p.x-s.rect.X-1), y-(p.y-s.rect.Y-1)))
		}
	}
	return a.clampCursor()
}

// restoreBorder puts a border back where the layout has it.
func (a App) restoreBorder(split int) App {
	a.display.shares = a.display.shares.With(layout.Split(split), 0)
	return a.clampCursor()
}

type targetKind int

// The kinds of targets, with the meaning of their number.
const (
	onNothing   targetKind = iota
	onBody                 // the view, between header and hints
	onKey                  // a key: see keyCode
	onSetting              // a key in the header
	onMeter                // the slider of a ratio: 0 keep_pos_ratio, 1 keep_neg_ratio
	onRatio                // its value
	onBorder               // a layout.Split
	onPane                 // a layout.Pane
	onHeading              // a column of the groups: index in sortings
	onGroup                // a row of the groups
	onBin                  // the distribution: 0 above its axis, 1 below
	onWarning              // a line of the warnings
	onMetric               // a metric, by its index
	onTrend                // a figure over the steps: index in trendRows
	onChart                // a line of the chart of all steps: how wide the drawing behind the labels is
	onStep                 // a step, by its index in the trend
	onReading              // a part of an open group: 0 samples, 1 text
	onSample               // a row of its samples
	onSweepCell            // a cell of the map: see sweepCellNumber
	onPair                 // a prompt of both runs
	onAnswer               // a side of the answers
	onMarked               // a row of the marks
	onEstimator            // a row of the list of estimators
	onFigure               // a row of the list of figures
	onStage                // a stage of the chain
	onWorstStep            // a row of the worst steps
	onProblems             // the text on how the log was read
	onSizes                // that on sizes of groups
	onParts                // that on parts of the samples
	onHelp                 // the help

	targetKinds = iota
)

// hit is a press on a target.
type hit struct {
	n    int // the target's number
	x, w int // the column pressed, of so many
}

// targetActions is what the mouse does on a target; nil: nothing.
type targetActions struct {
	click  func(App, hit) App                // the button is pressed
	open   func(a App, n int) App            // pressed twice
	drag   func(a App, s spot, x, y int) App // moved while it is down
	scroll func(a App, n, by int) App        // the wheel, by 1 or -1
}

// mouseActions returns what the mouse does, by the kind of the target. Rows of lists have theirs from these.
func mouseActions() [targetKinds]targetActions {
	step := func(a App, _, by int) App { return a.moveStep(by) }
	all := [targetKinds]targetActions{
		onBody:    {scroll: App.scrollView},
		onKey:     {click: App.pressKey},
		onSetting: {click: App.pressSetting},
		onMeter: {
			click:  func(a App, h hit) App { return a.setRatio(h.n, float64(h.x+1)/float64(h.w)) },
			drag:   func(a App, s spot, x, _ int) App { return a.setRatio(s.n, float64(x-s.rect.X+1)/float64(s.rect.W)) },
			scroll: App.scrollRatio,
		},
		onRatio:   {open: App.typeRatio, drag: App.dragRatio, scroll: App.scrollRatio},
		onBorder:  {open: App.restoreBorder, drag: App.dragBorder},
		onPane:    {click: func(a App, h hit) App { return a.focusPane(layout.Pane(h.n)) }, open: App.openPane, scroll: App.scrollPane},
		onHeading: {click: func(a App, h hit) App { return a.sortBy(h.n) }},
		onBin:     {click: App.toggleBin},
		onWarning: {click: func(a App, h hit) App { return a.toRow(onWarning, h.n).moveWarning(0) }},
		onMetric: {
			click: func(a App, h hit) App { a.panes.metric = h.n; return a },
			open:  asKey(App.drawMetric),
		},
		onTrend: { // a chart over all steps
			click: func(a App, h hit) App { return a.stepAtColumn(a.stepAxis(), h.x, h.w) },
			open:  func(a App, n int) App { return a.drawFigure(trendRows()[n].metric) },
		},
		onChart: { // one that may show some of them
			click:  func(a App, h hit) App { return a.stepAtColumn(a.windowAxis(), h.x-valueWidth, h.n) },
			scroll: step,
		},
		onStep:    {click: func(a App, h hit) App { return a.showTrendStep(h.n) }, open: asKey(App.showGroups)},
		onReading: {click: App.clickReading, scroll: App.scrollReading},
		onSweepCell: {
			click:  App.clickSweepCell,
			open:   asKey(App.applySweep),
			scroll: func(a App, _, by int) App { return a.moveSweepPos(-by) },
		},
		onAnswer: {
			click:  func(a App, h hit) App { a.answers.focus = h.n; return a },
			scroll: func(a App, _, by int) App { return a.scrollAnswers(wheelLines * by) },
		},
		onHelp: {scroll: func(a App, _, by int) App { return a.scrollHelp(wheelLines * by) }},
	}
	for kind, l := range lists() {
		if l.cursor == nil {
			continue
		}
		if all[kind].click == nil {
			all[kind].click = func(a App, h hit) App { return a.toRow(targetKind(kind), h.n) }
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

// scrollView scrolls a view that scrolls as a whole.
func (a App) scrollView(_, by int) App {
	switch v := a.viewInSight(); {
	case v == viewAnswers:
		return a.scrollAnswers(wheelLines * by)
	case v == viewChain:
		return a.moveRow(onStage, by)
	case v == viewSteps:
		return a.moveStep(by)
	case viewTable()[v].list != onNothing:
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
	focus := a.panes.focus
	a.panes.focus = layout.Pane(n)
	a = a.moveFocused(wheelLines * by)
	a.panes.focus = focus
	return a
}

// stepAtColumn goes to the step that a chart of w columns draws nearest to a column.
func (a App) stepAtColumn(axis chart.Axis, x, w int) App {
	nearest, least := 0, math.MaxInt
	for i, s := range a.result.trend.Steps {
		column := axis.PlotColumn(float64(s.Step), w)
		if far := max(column-x, x-column); far < least {
			nearest, least = i, far
		}
	}
	return a.showTrendStep(nearest)
}

func (a App) showTrendStep(i int) App {
	steps := a.result.trend.Steps
	if len(steps) == 0 {
		return a
	}
	at, _ := a.snap.Find(steps[clampIndex(i, len(steps))].Step)
	return a.showStep(at)
}

func (a App) clickReading(h hit) App {
	a.sampleReader.inText = h.n == 1
	return a.clampTextScroll()
}

func (a App) scrollReading(n, by int) App {
	if n == 1 {
		return a.scrollText(wheelLines * by)
	}
	inText := a.sampleReader.inText
	a.sampleReader.inText = false
	a = a.moveReading(by)
	a.sampleReader.inText = inText
	return a
}

// sweepCellNumber is the number of the cell at these indexes of keep_pos and keep_neg.
func sweepCellNumber(pos, neg int) int { return pos*len(sweep.DefaultRatios().Neg) + neg }

func (a App) clickSweepCell(h hit) App {
	n := len(sweep.DefaultRatios().Neg)
	a.sweep.followStar = false
	a.sweep.pos, a.sweep.neg = h.n/n, h.n%n
	return a
}

// target is what a part of the screen stands for when the mouse is on it: one of a kind, by its number.
type target struct {
	kind targetKind
	n    int // which of the kind: a row, a column, a key
}

// spot is where a target is on the screen, in cells.
type spot struct {
	target
	rect layout.Rect
}

func (s spot) contains(x, y int) bool { return s.rect.Contains(x, y) }

// mark returns text as a target of the mouse. Drawing functions mark what they draw where they draw it, so
// what is seen and what can be clicked are one. The mark is an escape sequence without width, and only
// [App.spots] asks for it: no terminal is sent any.
func (e env) mark(kind targetKind, n int, text string) string {
	if !e.display.marking || text == "" {
		return text
	}
	return fmt.Sprintf("\x1b[%d;%dy%s%s", kind, n, text, markEnd)
}

// The escape sequences of marks: "\x1b[KIND;NUMBERy", text, "\x1b[y".
const (
	escapeStart = "\x1b["
	markFinal   = 'y'
	markEnd     = "\x1b[y"
)

func (e env) markLines(kind targetKind, n int, lines []string) []string {
	if !e.display.marking {
		return lines
	}
	for i, line := range lines {
		lines[i] = e.mark(kind, n, line)
	}
	return lines
}

// spots returns the targets on the screen, each before those that are within it: the marks of the frame, and
// the borders of the layout.
func (a App) spots() []spot {
	if a.display.w == 0 || a.screen().TooSmall {
		return nil
	}
	a.display.marking = true
	var all []spot
	for y, line := range a.lines() {
		all = append(all, spotsOfLine(line, y)...)
	}
	if a.help.open {
		return all
	}
	for _, b := range a.shortened(len(a.bottomLines(a.display.w)) - 1).borders() {
		all = append(all, spot{target{onBorder, int(b.Split)}, b.Rect})
	}
	return all
}

// spotsOfLine returns the targets that are marked in a line of the screen, outer ones first.
func spotsOfLine(line string, y int) []spot {
	var all []spot
	var open []int // indexes in all
	x := 0
	for line != "" {
		text, rest, found := strings.Cut(line, escapeStart)
		x += cells.Width(text)
		if !found {
			break
		}
		end := strings.IndexFunc(rest, func(r rune) bool { return r >= '@' && r <= '~' })
		if end < 0 {
			break
		}
		line = rest[end+1:]
		switch {
		case rest[end] != markFinal:
		case end > 0:
			kind, n, _ := strings.Cut(rest[:end], ";")
			s := spot{rect: layout.Rect{X: x, Y: y, H: 1}}
			s.kind, s.n = targetKind(number(kind)), number(n)
			open, all = append(open, len(all)), append(all, s)
		case len(open) > 0:
			last := len(open) - 1
			all[open[last]].rect.W = x - all[open[last]].rect.X
			open = open[:last]
		}
	}
	return slices.DeleteFunc(all, func(s spot) bool { return s.rect.W <= 0 })
}

func number(text string) int {
	n, _ := strconv.Atoi(text) // mark wrote it
	return n
}

// spotsAt returns the targets at a cell, the outermost first.
func (a App) spotsAt(x, y int) []spot {
	return slices.DeleteFunc(a.spots(), func(s spot) bool { return !s.contains(x, y) })
}

// namedKeys are the keys of the tables that are no characters.
func namedKeys() map[string]tea.Key {
	return map[string]tea.Key{
		"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "tab": {Code: tea.KeyTab}, "shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift},
		"backspace": {Code: tea.KeyBackspace}, "space": {Code: tea.KeySpace, Text: " "},
		"up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight},
		"pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown}, "home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd},
	}
}

// keyCode returns the number of a key for a mark.
func keyCode(name string) int {
	k, named := namedKeys()[name]
	if letter, held := strings.CutPrefix(name, "ctrl+"); held && !named {
		k, named = tea.Key{Code: []rune(letter)[0], Mod: tea.ModCtrl}, true
	}
	if !named {
		k.Code = []rune(name)[0]
	}
	return int(k.Code)<<3 | int(k.Mod)
}

// keyOfCode returns the key of that number as the keyboard reports it.
func keyOfCode(n int) tea.KeyPressMsg {
	k := tea.KeyPressMsg{Code: rune(n >> 3), Mod: tea.KeyMod(n & 7)}
	if k.Mod == 0 && unicode.IsGraphic(k.Code) && k.Code <= unicode.MaxRune {
		k.Text = string(k.Code)
	}
	return k
}

func (a App) pressKey(h hit) App { return a.onKey(keyOfCode(h.n)) }

// pressSetting does what a key of the header does, also where characters are typed.
func (a App) pressSetting(h hit) App {
	if a.currentView().line.text == nil && a.position.view != viewCopy && !a.help.open && !a.valuePrompt.open {
		return a.pressKey(h)
	}
	for _, s := range commonKeys() {
		for _, b := range s.bindings {
			if slices.ContainsFunc(b.keys, func(key string) bool { return keyCode(key) == h.n }) {
				return b.action(a)
			}
		}
	}
	return a
}

// markKey marks text as the key of that name.
func (e env) markKey(name, text string) string {
	if !e.display.marking {
		return text
	}
	return e.mark(onKey, keyCode(name), text)
}

// keyOfHint returns the key that a word of a hint stands for, as j and k do in "j k move"; a word that is no
// key stands for the first.
func (a App) keyOfHint(b binding, word string) string {
	for _, s := range a.activeKeys() {
		for _, other := range s.bindings {
			if slices.Contains(strings.Fields(a.keyLabel(other.label)), word) {
				return other.keys[0]
			}
		}
	}
	return b.keys[0]
}

// markSetting marks text as a key of the settings in the header.
func (e env) markSetting(name, text string) string {
	if !e.display.marking {
		return text
	}
	return e.mark(onSetting, keyCode(name), text)
}

// mouseSection says what the mouse does, for the help and the documentation: it binds no keys.
func mouseSection() keySection {
	return keySection{"mouse", []binding{
		{label: "click", doc: "select; a heading sorts, a bin of the distribution filters, each back again by a second click; words of the header and of the last line press their key; a chart of steps goes to the step"},
		{label: "twice", doc: "open: group, warning, metric, step, pair, mark; set a cell of the sweep; put a moved border back"},
		{label: "drag", doc: "sliders of keep_pos and keep_neg; borders between panes"},
		{label: "wheel", doc: "scroll what is under the pointer; over a ratio change it"},
		{label: "Shift", doc: "held down: the terminal selects text as usual. The mouse is off until --mouse or :mouse on"},
	}}
}

// dragRatio moves a ratio by a step for each column that its value is dragged.
func (a App) dragRatio(s spot, x, _ int) App {
	before := a.mouse.press.before.now
	value := before.KeepPos
	if s.n == 1 {
		value = before.KeepNeg
	}
	return a.setRatio(s.n, stepRatio(value, x-a.mouse.press.x))
}

// setRatio sets the ratio of that number to the nearest that a key reaches. All that is dragged with one press
// is undone at once.
func (a App) setRatio(n int, value float64) App {
	before := a.mouse.press.before
	set := before.now
	value = min(1, max(0, math.Round(value/ratioStep)*ratioStep))
	value = math.Round(100*value) / 100
	if n == 1 {
		set.KeepNeg = value
	} else {
		set.KeepPos = value
	}
	a.valuePrompt.negative = n == 1
	if err := set.Validate(); err != nil {
		a.notice = err.Error()
		return a
	}
	return a.apply(before.withSettings(set))
}

func (a App) scrollRatio(n, by int) App {
	if n == 1 {
		return a.moveKeepNeg(-by)
	}
	return a.moveKeepPos(-by)
}

// typeRatio opens the line in which the exact ratio is typed.
func (a App) typeRatio(n int) App {
	a.valuePrompt.negative = n == 1
	return a.openValuePrompt()
}
