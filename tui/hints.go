package tui

import (
	"fmt"
	"slices"
	"strings"

	"vantage/model"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/env"
	"vantage/tui/view"
)

// hints returns the last line: the line of input if one is open, else the hints of the key
// table, as many as fit.
func (a App) hints(w int) string {
	t := a.env.Display.Theme
	switch line, ok := a.viewOpen().(view.Prompted); {
	case ok:
		return cells.Fit(line.Prompt(a.envToDraw(), w), w)
	case a.overlays.help.Open:
		return cells.Fit(" "+a.env.Display.MarkKey("esc", t.Paint(themes.Key, "Esc")+" "+t.Paint(themes.Dim, "close"))+"  "+
			a.env.Display.MarkKey("ctrl+c", t.Paint(themes.Key, "^C")+" "+t.Paint(themes.Dim, "quit")), w)
	}
	line := ""
	if a.position.onLastLine() { // of choices: that of input has a prompt
		line = " " + t.Paint(themes.Accent, a.viewOpen().Keys().Name)
	}
	for _, b := range a.fittingHints(w - cells.Width(line)) {
		line += " " + a.position.hintText(a.env, b) + " "
	}
	return cells.Fit(line, w)
}

// fittingHints returns the hints that fit into w cells, those of the view first. The last
// two, help and quit, are always among them.
func (a App) fittingHints(w int) []view.Binding {
	sections := a.position.activeKeys()
	if last := len(sections) - 1; a.env.Result.Analysis == nil { // the others have nothing to act on yet
		own := 0
		if a.drawsEarly() {
			own = min(1, last)
		}
		sections = slices.Concat(sections[:own], sections[last:])
	}
	var all []view.Binding
	back := ""
	if a.views.panes.FullScreen && a.position.view == view.Overview {
		back = fmt.Sprintf("z Esc %d all-panes", a.views.panes.Focus+1)
		all = append(all, view.Binding{Keys: []string{"z"}, Hint: back})
	}
	taken := map[string]bool{"z": back != ""} // by keys of the view, which come first
	for _, s := range sections {
		for _, b := range s.Bindings {
			if b.Hint != "" && !taken[b.Keys[0]] {
				all = append(all, b)
			}
			for _, key := range b.Keys {
				taken[key] = true
			}
		}
	}
	shown := fitting(a.env, all, w)
	most := len(all)
	if a.position.view == view.Overview {
		most = hintsBeforeTuning
	}
	if together, ok := tuningTogether(all, shown, most); ok {
		if fit := fitting(a.env, together, w); slices.ContainsFunc(fit, isTuning) {
			return fit
		}
	}
	return shown
}

// fitting returns the hints that fit into w cells: the last go first, but for help and quit.
func fitting(e env.Env, all []view.Binding, w int) []view.Binding {
	all = slices.Clone(all)
	width, always := 0, min(2, len(all))
	for _, b := range all {
		width += cells.Width(e.Display.KeyLabel(b.Hint)) + 2
	}
	for len(all) > always && width > w {
		at := len(all) - always - 1
		width -= cells.Width(e.Display.KeyLabel(all[at].Hint)) + 2
		all = slices.Delete(all, at, at+1)
	}
	return all
}

// tuningTogether returns all hints with one for all keys of tuning, behind so many at most; ok is false if each has its own in shown.
func tuningTogether(all, shown []view.Binding, most int) (_ []view.Binding, ok bool) {
	keys := model.Mapped(
		slices.DeleteFunc(slices.Clone(all), func(b view.Binding) bool { return !isTuning(b) }),
		func(b view.Binding) string { return b.Label },
	)
	others := slices.DeleteFunc(slices.Clone(all), isTuning)
	if len(keys) < 2 || len(all)-len(others) == len(shown)-len(slices.DeleteFunc(slices.Clone(shown), isTuning)) {
		return nil, false
	}
	at := min(slices.IndexFunc(all, isTuning), most)
	return slices.Insert(others, at, view.Binding{Keys: keys[:1], Hint: strings.Join(keys, " ") + " tuning"}), true
}

// hintsBeforeTuning is how many hints of the overview, which has many, stand before that of all keys of tuning.
const hintsBeforeTuning = 3

// isTuning reports whether a hint is of a key of tuning: these have one hint where there is no room for one each.
func isTuning(b view.Binding) bool { return slices.Contains([]string{"=", "b", "C", "S"}, b.Keys[0]) }

func (p position) hintText(e env.Env, b view.Binding) string {
	t, words := e.Display.Theme, strings.Fields(e.Display.KeyLabel(b.Hint))
	if e.Display.Marking == nil {
		last := len(words) - 1
		return t.Paint(themes.Key, strings.Join(words[:last], " ")) + " " + t.Paint(themes.Dim, words[last])
	}
	for i, word := range words {
		words[i] = e.Display.MarkKey(p.keyOfHint(e, b, word), word)
	}
	return strings.Join(words, " ")
}

// keyOfHint returns the key that a word of a hint stands for, as j and k do in "j k move"; a word that is no
// key stands for the first.
func (p position) keyOfHint(e env.Env, b view.Binding, word string) string {
	for _, s := range p.activeKeys() {
		for _, other := range s.Bindings {
			if slices.Contains(strings.Fields(e.Display.KeyLabel(other.Label)), word) {
				return other.Keys[0]
			}
		}
	}
	return b.Keys[0]
}
