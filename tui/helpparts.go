package tui

import (
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/figures"
	"vantage/model/glance"
	"vantage/themes"
	"vantage/tui/cells"
)

// helpPart is a part of the help with its title.
type helpPart struct {
	name       string
	entries    []helpEntry
	searchOnly bool // it is too long to be shown before something is searched for
}

// helpEntry explains a figure, a sign, a key or a command.
type helpEntry struct {
	label string
	width int // of the column of labels; 0: the text follows the label
	text  string
	role  themes.Role // of the label
	names string      // by which the search finds it too
}

// helpParts returns all that the help says and the search finds.
func (a App) helpParts() []helpPart {
	cursor := a.figuresUnderCursor()
	shown := a.figuresOnScreen(cursor)
	keys := a.activeKeys()
	parts := []helpPart{
		partCursor:  {name: "under the cursor", entries: append(a.orderEntries(), a.figureEntries(cursor)...)},
		partFates:   {name: "fates of a group", entries: a.fateEntries()},
		partSigns:   {name: "signs", entries: a.signEntries()},
		partKeys:    {name: "keys: " + keys[0].name, entries: a.keyEntries(keys[0].bindings)},
		partFigures: {name: "figures on this screen", entries: a.figureEntries(shown)},
	}
	for _, s := range slices.Concat(keys[1:], []keySection{mouseSection()}) {
		parts = append(parts, helpPart{name: "keys: " + s.name, entries: a.keyEntries(s.bindings)})
	}
	return append(parts,
		helpPart{name: "commands", entries: commandEntries()},
		helpPart{name: "filter: size>=8 not fate:alive", entries: fieldEntries()},
		helpPart{name: "other figures", entries: a.figureEntries(otherFigures(append(cursor, shown...))), searchOnly: true})
}

// The first parts of the help.
const (
	partCursor = iota
	partFates
	partSigns
	partKeys
	partFigures
)

// figureEntries explains figures.
func (e env) figureEntries(figures []figure) []helpEntry {
	var all []helpEntry
	for _, f := range figures {
		sign := strings.NewReplacer("±", e.plusMinus())
		all = append(all, helpEntry{label: sign.Replace(f.name), text: sign.Replace(f.entry.Explanation()), role: themes.Key, names: strings.Join(f.entry.AllNames(), " ")})
	}
	return all
}

// orderEntries says how the view orders its rows, if its columns do not.
func (a App) orderEntries() []helpEntry {
	if a.position.view != viewGlance {
		return nil
	}
	return []helpEntry{{label: "worst steps", text: "worst first, " + glance.Order(), role: themes.Key, names: "order sort badness weight"}}
}

// otherFigures returns the figures of the glossary that are not among some.
func otherFigures(known []figure) []figure {
	var all []figure
	for _, place := range figures.Places() {
		for _, e := range figures.All(place) {
			if !containsEntry(known, e) {
				all = append(all, figure{e.Name(), e})
			}
		}
	}
	return all
}

// fateEntries says in a few words what each fate is.
func (e env) fateEntries() []helpEntry {
	words := [model.FateCount]string{
		model.FateShort:      "kept < 2: not recomputed",
		model.FateKilled:     "filter left no signal",
		model.FateInvalid:    "NaN or missing rewards",
		model.FateNoise:      "A≠0 by float error only",
		model.FateSingle:     "one sample only",
		model.FateAllWrong:   "equal rewards, the worst",
		model.FateConstant:   "equal rewards, between",
		model.FateAllCorrect: "equal rewards, the best",
		model.FateSkipped:    "fails the group filter",
		model.FateAlive:      "has signal, trains",
		model.FateOpen:       "step still being written",
	}
	var all []helpEntry
	for _, f := range model.Fates() {
		all = append(all, helpEntry{e.fateGlyph(f) + " " + f.String(), model.FateWidth + 3, words[f], e.fateRole(f), f.Key() + " " + f.Doc()})
	}
	return all
}

// signEntries is the legend of the signs.
func (e env) signEntries() []helpEntry {
	g, width := e.display.glyphs, model.FateWidth+3
	same, near := "✓", "≈"
	if g.ASCII {
		same, near = "=", "~"
	}
	return []helpEntry{
		{g.Dot + " " + g.Ring + " " + g.HalfDot, width, "kept, dropped, some each", themes.Positive, ""},
		{"12+4− 16·", width, "kept: A>0, A<0 and A=0", themes.Plain, ""},
		{same + " " + near + " !", width, "as logged, nearly, not", themes.Good, ""},
		{"?", width, "assumed, not in the log", themes.Dim, ""},
		{"! !3", width, "warning; 3 bad log rows", themes.Warn, ""},
	}
}

// keyEntries explains keys.
func (e env) keyEntries(bindings []binding) []helpEntry {
	width := 6
	if e.display.glyphs.ASCII {
		width = 9
	}
	var all []helpEntry
	for _, b := range bindings {
		all = append(all, helpEntry{cells.FitRight(e.keyLabel(b.label), width), width + 2, b.doc, themes.Key, ""})
	}
	return all
}

// commandEntries explains the commands of the line that : opens.
func commandEntries() []helpEntry {
	var all []helpEntry
	for _, c := range lineCommands() {
		text := c.doc
		if c.args != "" {
			text = c.args + " — " + c.doc
		}
		all = append(all, helpEntry{label: ":" + c.name, text: text, role: themes.Key})
	}
	return all
}

// fieldEntries explains the fields of a filter.
func fieldEntries() []helpEntry {
	var all []helpEntry
	for _, f := range figures.Fields() {
		all = append(all, helpEntry{label: f.Name, text: f.Doc, role: themes.Key})
	}
	return all
}
