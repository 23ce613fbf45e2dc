package tui

import (
	"fmt"
	"math"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/sanitize"
	"vantage/themes"
	"vantage/tui/env"
	"vantage/tui/layout"
	"vantage/tui/pane"
	"vantage/tui/runpicker"
)

// binding is a row of the key table. Dispatch, the hints, the help, the manual and the
// pages come from it.
type binding struct {
	keys   []string // as Bubble Tea names them
	label  string   // as a person reads them
	hint   string   // in the last line of the screen; "": not there
	doc    string   // in the help and the documentation
	action action
}

type action = func(App) App

func move(change func(App, int) App, n int) action {
	return func(a App) App { return change(a, n) }
}

// within is a key of a view's own: it changes the view's state alone, and returns what it wants of App; nil: nothing.
func within[V any](view func(*App) *V, key func(*V, env.Env) action) action {
	return func(a App) App {
		if then := key(view(&a), a.env); then != nil {
			return then(a)
		}
		return a
	}
}

// by is a key that moves something by so much.
func by[V any](key func(*V, env.Env, int) action, n int) func(*V, env.Env) action {
	return func(v *V, e env.Env) action { return key(v, e, n) }
}

// What views want of App.
func saying(notice string) action { return func(a App) App { return a.says(notice) } }

func opening(v viewName) action { return func(a App) App { return a.openView(v) } }

func pushing(v viewName) action { return func(a App) App { return a.pushView(v) } }

func going(to env.Destination) action { return func(a App) App { return a.goTo(to) } }

func drawing(figure string) action { return func(a App) App { return a.drawFigure(figure) } }

// keySection is a named part of the key table.
type keySection struct {
	name     string
	bindings []binding
}

func commonKeys() []keySection {
	return []keySection{
		{"settings", []binding{
			{[]string{"f"}, "f", "", "next framework", App.nextFramework},
			{[]string{"e"}, "e", "", "next estimator of the framework", move(App.moveEstimator, 1)},
			{[]string{"E"}, "E", "", "list of all estimators, and what each needs", within(pickerOf, (*estimatorPicker).open)},
			{[]string{"s"}, "s", "", "next scale: group, batch, none", App.nextScale},
			{[]string{"p"}, "p", "", "keep_pos_ratio down by 0.05", moveRatio(ofPositive, -1)},
			{[]string{"P"}, "P", "", "keep_pos_ratio up by 0.05", moveRatio(ofPositive, 1)},
			{[]string{"m"}, "m", "", "keep_neg_ratio down by 0.05", moveRatio(ofNegative, -1)},
			{[]string{"M"}, "M", "", "keep_neg_ratio up by 0.05", moveRatio(ofNegative, 1)},
			{[]string{"="}, "=", "= value", "enter exact ratios; Tab goes to the other one", App.openValues},
			{[]string{"r"}, "r", "", "compute_new_adv on or off", App.toggleRecompute},
			{[]string{"b"}, "b", "b baseline", "keep the current settings as the baseline to compare with; again: stop comparing", App.setBaseline},
			{[]string{"B"}, "B", "", "swap the baseline and the current settings", App.swapBaseline},
			{[]string{"C"}, "C", "C chain", "the chain from reward to loss: length penalty, groups admitted, samples kept, advantage, weight in the loss", pushing(viewChain)},
			{[]string{"c"}, "c", "", "compare the two runs that were opened, prompt by prompt", App.openCompare},
			{[]string{"L"}, "L", "", "the prompts over all steps: which of them teach, are solved, hopeless or suspect", pushing(viewPrompts)},
			{[]string{"S"}, "S", "S sweep", "map of every pair of keep ratios", App.openSweep},
			{[]string{"u"}, "u", "u undo", "undo the last change of settings, filter or order", App.undo},
			{[]string{"ctrl+r"}, "^R", "", "redo", App.redo},
		}},
		{"steps", []binding{
			{[]string{"["}, "[", "[ ] step", "previous step", move(App.moveStep, -1)},
			{[]string{"]"}, "]", "", "next step", move(App.moveStep, 1)},
			{[]string{"{"}, "{", "", "ten steps back", move(App.moveStep, -10)},
			{[]string{"}"}, "}", "", "ten steps forward", move(App.moveStep, 10)},
			{[]string{">"}, ">", "", "more steps together: the last 10 up to this one, then all; `:scope last 20` as many", move(App.moveScope, 1)},
			{[]string{"<"}, "<", "", "fewer steps: the last 10, then this step alone", move(App.moveScope, -1)},
			{[]string{"F"}, "F", "F newest", "follow the newest step", App.followNewest},
			{[]string{"D"}, "D", "", "draw a metric over all steps: a list of all to search", within(stepsOf, (*stepsState).openPicker)},
		}},
		{"program", []binding{
			{[]string{"0"}, "0", "0 run", "the run at a glance: what ails it, what trains, which groups are dead, the worst steps and why", App.openGlance},
			{[]string{":"}, ":", ": command", "type a command: step 120, est rloo, keep pos 0.7, export md, …", func(a App) App { a.overlays.command = ""; return a.openLine(viewCommand) }},
			{[]string{"y"}, "y", "y copy", "copy the table, the group, the screen or the flags, to the clipboard and a file", App.openCopy},
			{[]string{"!"}, "!", "", "how the log was read, and what could not be read", App.openProblems},
			{[]string{"t"}, "t", "", "next theme", App.nextTheme},
			{[]string{"?"}, "?", "? help", "explain the item under the cursor, the signs and the keys; type to search; again: the current estimator", App.toggleHelp},
			{[]string{"esc"}, "Esc", "", "back to the previous view; never quits", App.escape},
			{[]string{"ctrl+l"}, "^L", "", "redraw the screen", func(a App) App { return a.starts(tea.ClearScreen) }},
			{[]string{"ctrl+z"}, "^Z", "", "suspend; fg resumes", App.suspend},
			{[]string{"q", "ctrl+c"}, "q ^C", "q quit", "quit", App.quit},
		}},
	}
}

// typingKeys returns the common keys that still work where characters are typed.
func typingKeys() []binding {
	return []binding{
		{[]string{"ctrl+z"}, "^Z", "", "suspend; fg resumes", App.suspend},
		{[]string{"ctrl+c"}, "^C", "^C quit", "quit", App.quit},
	}
}

// onKey passes a key to the help or the line being typed if one is open, else to its row of the key table. text is what it types, if anything.
func (a App) onKey(key, text string) App {
	a.overlays.notice = ""
	a.views.destination = nil
	if a.overlays.help.open && key != "?" && key != "ctrl+c" {
		return a.onHelpKey(key, text)
	}
	if a.position.currentView().line.text != nil && text != "" {
		return a.typed(sanitize.Line(text))
	}
	if other, ok := a.outside.keyMap[key]; ok {
		key = other
	}
	b, ok := findBinding(a.position.activeKeys(), key)
	if !ok {
		return a.says(model.Gone(key))
	}
	next, line := b.action(a), a.position.currentView().line
	if key == "enter" && line.text != nil && next.position.view != a.position.view {
		return next.remember(a.position.view, *line.text(&a))
	}
	return next
}

func findBinding(sections []keySection, key string) (_ binding, ok bool) {
	for _, s := range sections {
		if i := slices.IndexFunc(s.bindings, func(b binding) bool { return slices.Contains(b.keys, key) }); i >= 0 {
			return s.bindings[i], true
		}
	}
	return binding{}, false
}

func overviewKeys() keySection {
	return keySection{"overview", []binding{
		{[]string{"j", "down"}, "j ↓", "j k move", "down", move(App.moveFocused, 1)},
		{[]string{"k", "up"}, "k ↑", "", "up", move(App.moveFocused, -1)},
		{[]string{"enter"}, "⏎", "Enter open", "open the group; in the steps pane all steps, in the warnings pane the group that shows the warning, or how the log was read, in the metrics pane the metric over all steps", App.enterPane},
		{[]string{"ctrl+d", "pgdown"}, "^D", "", "a page down", move(App.movePage, 1)},
		{[]string{"ctrl+u", "pgup"}, "^U", "", "a page up", move(App.movePage, -1)},
		{[]string{"g", "home"}, "g", "", "to the top", move(App.moveFocused, math.MinInt32)},
		{[]string{"G", "end"}, "G", "", "to the end", move(App.moveFocused, math.MaxInt32)},
		{[]string{"/"}, "/", "/ filter", "filter the groups: fate:killed std>0.4 prompt~triangle; or list the samples with a text: text~Wait,", App.openFilter},
		{[]string{"o"}, "o", "", "sort by the next column", App.nextOrder},
		{[]string{"O"}, "O", "", "reverse the order", App.reverseOrder},
		{[]string{"v"}, "v", "", "distribution of the next metric: advantage, reward, length, components, solve rate", within(panesOf, (*panes).nextFigure)},
		{[]string{"V"}, "V", "", "logarithmic counts on or off", within(panesOf, (*panes).toggleLogScale)},
		{[]string{"h", "left"}, "h ←", "", "in the distribution: previous bin", within(panesOf, by((*panes).moveBin, -1))},
		{[]string{"l", "right"}, "l →", "", "in the distribution: next bin", within(panesOf, by((*panes).moveBin, 1))},
		{[]string{"w"}, "w", "w warning", "next warning, and the group that shows it", move(App.moveWarning, 1)},
		{[]string{"W"}, "W", "", "previous warning", move(App.moveWarning, -1)},
		{[]string{"tab"}, "Tab", "Tab pane", "next pane", move(App.movePane, 1)},
		{[]string{"shift+tab"}, "⇧Tab", "", "previous pane", move(App.movePane, -1)},
		{[]string{"z"}, "z", "z full-screen", "the focused pane on the whole screen, with more columns and lines; again: all panes", App.toggleFullScreen},
		{[]string{"1"}, "1", "", "groups; again: on the whole screen, or back", selectPane(layout.Groups)},
		{[]string{"2"}, "2", "", "advantages; again: on the whole screen", selectPane(layout.Advantages)},
		{[]string{"3"}, "3", "", "steps; again: all steps", selectPane(layout.Steps)},
		{[]string{"4"}, "4", "", "warnings; again: on the whole screen", selectPane(layout.Warnings)},
		{[]string{"5"}, "5", "", "metrics; again: on the whole screen", selectPane(layout.Metrics)},
	}}
}

// KeyGroup is the keys of one view or of one purpose, as a person reads them.
type KeyGroup struct {
	Name string
	Keys []KeyDoc
}

// KeyDoc is a key, or several that do the same, and what it does.
type KeyDoc struct{ Key, Doc string }

// Keys returns every key of the screen, and what the mouse does, for manuals: from the table that dispatches
// the keys. The first are those of the list of runs, with which the program starts if no path is given.
func Keys() []KeyGroup {
	start := KeyGroup{Name: "list of runs"}
	for _, k := range runpicker.Keys() {
		if k.Label != "" {
			start.Keys = append(start.Keys, KeyDoc{k.Label, k.Doc})
		}
	}
	return append([]KeyGroup{start}, model.Mapped(append(allKeys(), mouseSection()), func(s keySection) KeyGroup {
		return KeyGroup{s.name, model.Mapped(s.bindings, func(b binding) KeyDoc { return KeyDoc{b.label, b.doc} })}
	})...)
}

// moveStep goes to another step and stays there when newer ones come.
func (a App) moveStep(by int) App {
	if len(a.env.Snap.Steps) == 0 {
		return a
	}
	from := a.env.StepIndex()
	to := pane.ClampIndex(from+by, a.env.ScopeEnd()+1)
	if to == from {
		a.env.Place.Follow = false
		a.overlays.notice = "no further step"
		if to+1 < len(a.env.Snap.Steps) && by > 0 {
			a.overlays.notice = fmt.Sprintf("step %d is still being written: < and then ] shows it alone", a.env.Snap.Steps[to+1].Number)
		}
		return a
	}
	return a.showStep(to)
}

// showStep goes to the step at index i of the snapshot, or to the nearest, and stays
// there when newer ones come.
func (a App) showStep(i int) App {
	a.env.Place.Follow, a.env.Place.Scope.Moved = false, false
	a.env.Place.Step = a.env.Snap.Steps[pane.ClampIndex(i, a.env.ScopeEnd()+1)].Number
	return a
}

func (a App) followNewest() App {
	a.env.Place.Follow, a.env.Place.Scope.Moved = true, false
	if len(a.env.Snap.Steps) == 0 {
		return a
	}
	a.env.Place.Step = a.env.NewestStep()
	return a.says(fmt.Sprintf("step %d, and newer ones as they come", a.env.Place.Step))
}

func (a App) movePage(by int) App { return a.moveFocused(by * max(1, a.panes.visibleGroups(a.env)-1)) }

func (a App) moveFocused(by int) App { return paneTable()[a.panes.focus].move(a, by) }

func (a App) enterPane() App { return paneTable()[a.panes.focus].enter(a) }

// moveWarning focuses the warnings, selects one, and puts the cursor on the group that
// shows it. Where the warnings are not focused yet it selects the one selected last.
func (a App) moveWarning(by int) App {
	warnings := warningLines(a.env)
	if len(warnings) == 0 {
		return a.says("no warnings in " + a.env.ScopeWords())
	}
	if a.panes.focus != layout.Warnings {
		by = 0
	}
	a.panes.warning = (a.panes.warning + by + len(warnings)) % len(warnings)
	a = a.focusPane(layout.Warnings)
	for row, g := range a.env.Result.Rows {
		if g == warnings[a.panes.warning].group {
			a.env.Place.Row = row
		}
	}
	return a.clampCursor()
}

// movePane focuses the n-th pane after this one, around the ends.
func (a App) movePane(n int) App {
	return a.focusPane((a.panes.focus + layout.PaneCount + layout.Pane(n)) % layout.PaneCount)
}

func (a App) focusPane(p layout.Pane) App {
	if p != a.panes.focus {
		a.panes.fullScreen = false
	}
	a.panes.focus, a.panes.frontPane = p, p
	return a.clampCursor()
}

// escape goes back to the view before this one; on the overview from one pane to all, then to the groups.
func (a App) escape() App {
	switch {
	case a.position.view != viewOverview:
		return a.goBack()
	case a.panes.fullScreen:
		return a.toggleFullScreen()
	case a.views.glance.opened && a.panes.focus == layout.Groups:
		return a.openGlance()
	}
	return a.focusPane(layout.Groups)
}

func (a App) showGroups() App {
	a.position.backStack = nil
	a = a.openView(viewOverview)
	return a.focusPane(layout.Groups)
}

func (a App) nextTheme() App {
	all := themes.All()
	at := slices.IndexFunc(all, func(t *themes.Theme) bool { return t.Name == a.env.Display.Theme.Name })
	return a.chooseTheme(all[(at+1)%len(all)])
}

func (a App) toggleHelp() App {
	a.overlays.help.open, a.overlays.help.onEstimator = !a.overlays.help.onEstimator, a.overlays.help.open && !a.overlays.help.onEstimator
	a.overlays.help.query, a.overlays.help.scroll, a.overlays.input.behind = "", 0, 0
	return a
}

// suspend stops the program until the shell continues it.
func (a App) suspend() App {
	if a.outside.stopProgram == nil {
		return a.says("cannot suspend: there is no shell to resume from")
	}
	return a.starts(tea.Exec(suspendCommand{a.outside.stopProgram}, nil))
}

func (a App) quit() App { return a.starts(tea.Quit) }
