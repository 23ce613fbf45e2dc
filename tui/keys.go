package tui

import (
	"io"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/sanitize"
	"vantage/themes"
	"vantage/tui/runpicker"
	"vantage/tui/view"
)

// onKey passes a key to the help or the line being typed if one is open, else to its row of the key table. text is what it types, if
// anything.
func (a App) onKey(key, text string) App {
	a.overlays.notice = ""
	a.views.destination = nil
	if a.overlays.help.Open && key != "?" && key != "ctrl+c" {
		return a.onHelpKey(key, text)
	}
	if a.line() != nil && text != "" {
		return a.typed(sanitize.Line(text))
	}
	if other, ok := a.outside.keyMap[key]; ok {
		key = other
	}
	b, ok := findBinding(a.position.activeKeys(), key)
	if !ok {
		return a.says(model.Gone(key))
	}
	before, line := a.position.view, a.line()
	next := a.press(b)
	if key == "enter" && line != nil && next.position.view != before {
		return next.remember(before, *line.Text())
	}
	return next
}

// isTyping reports whether what is pressed is typed.
func (p position) isTyping() bool {
	var v views
	_, ok := v.at(p.view).(view.Typed)
	return ok
}

// activeKeys returns the keys of the view on the screen, then the common ones: of a key that
// both have, the first wins. Where text is typed few common ones are left.
func (p position) activeKeys() []view.Section {
	var v views
	open := v.at(p.view)
	own := open.Keys()
	_, isBeforeGroups := open.(view.BeforeGroups)
	switch {
	case p.isTyping():
		return []view.Section{own, lineKeys(), {Name: "program", Bindings: typingKeys()}}
	case p.onLastLine():
		return []view.Section{own, {Name: "program", Bindings: typingKeys()}}
	case isBeforeGroups:
		return append([]view.Section{own}, keysThroughGroups()...)
	}
	return append([]view.Section{own}, commonKeys()...)
}

// keysThroughGroups returns the keys that a view in front of the groups has besides its own: those of the overview and of
// steps lead to the overview and do there what they do.
func keysThroughGroups() []view.Section {
	sections := append([]view.Section{openOverview{}.Keys()}, commonKeys()...)
	for _, s := range sections {
		if s.Name != "overview" && s.Name != "steps" {
			continue
		}
		for i, b := range s.Bindings {
			s.Bindings[i].Hint, s.Bindings[i].Do = "", own(func(a App) App { return a.showGroups().press(b) })
		}
	}
	return sections
}

// press does what a key of the view, or of the program, does.
func (a App) press(b view.Binding) App { return a.grant(b.Do(a.viewOpen(), a.env)) }

func findBinding(sections []view.Section, key string) (_ view.Binding, ok bool) {
	for _, s := range sections {
		if i := slices.IndexFunc(s.Bindings, func(b view.Binding) bool { return slices.Contains(b.Keys, key) }); i >= 0 {
			return s.Bindings[i], true
		}
	}
	return view.Binding{}, false
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
	return append([]KeyGroup{start}, model.Mapped(append(allKeys(), mouseSection()), func(s view.Section) KeyGroup {
		return KeyGroup{s.Name, model.Mapped(s.Bindings, func(b view.Binding) KeyDoc { return KeyDoc{b.Label, b.Doc} })}
	})...)
}

func (a App) nextTheme() App {
	all := themes.All()
	at := slices.IndexFunc(all, func(t *themes.Theme) bool { return t.Name == a.env.Display.Theme.Name })
	return a.chooseTheme(all[(at+1)%len(all)])
}

func (a App) toggleHelp() App {
	a.overlays.help.Open, a.overlays.help.OnEstimator = !a.overlays.help.OnEstimator, a.overlays.help.Open && !a.overlays.help.OnEstimator
	a.overlays.help.Query, a.overlays.help.Scroll, a.overlays.input.behind, a.overlays.help.Whole = "", 0, 0, false
	return a
}

// suspend stops the program until the shell continues it.
func (a App) suspend() App {
	if a.outside.stopProgram == nil {
		return a.says("cannot suspend: there is no shell to resume from")
	}
	return a.starts(tea.Exec(suspendCommand{a.outside.stopProgram}, nil))
}

// suspendCommand stops the program and returns when it is continued. Bubble Tea runs it
// like an editor: it reads no keys meanwhile.
type suspendCommand struct{ stop func() error }

var _ tea.ExecCommand = suspendCommand{}

func (s suspendCommand) Run() error { return s.stop() }

func (suspendCommand) SetStdin(io.Reader) {}

func (suspendCommand) SetStdout(io.Writer) {}

func (suspendCommand) SetStderr(io.Writer) {}

func (a App) quit() App { return a.starts(tea.Quit) }
