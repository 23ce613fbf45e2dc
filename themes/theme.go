// Package themes maps what a piece of the screen means to how it looks. Views
// ask for a role, never for a colour; meaning survives without colour, since
// every sign, state and warning has a glyph too.
package themes

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// Role is what a piece of text means.
type Role int

// The roles of the screen.
const (
	Plain        Role = iota
	Dim               // secondary text, hints, units
	Title             // names of panes and of the program
	Key               // a key that can be pressed
	Positive          // advantages above 0
	Negative          // advantages below 0
	Dropped           // samples that the filter leaves out
	Good              // groups that carry signal, a live source
	Warn              // a warning
	Bad               // killed, invalid, an error
	Border            // frames
	Focus             // the frame of the pane that keys go to
	Cursor            // the selected row
	Track             // the empty part of a bar, axes
	Accent            // the current value of a setting
	Match             // what a search has found
	CurrentMatch      // the match that was gone to
	Heat0             // the least on a map; the next ones are more
	Heat1
	Heat2
	Heat3
	Heat4 // the most on a map

	roles = iota
)

// Theme is a complete look. It is never written after it is built; share it by pointer.
type Theme struct {
	Name, Doc string

	// Background and Ink are the terminal's own colours that the theme is made for, as
	// #rrggbb: for what is drawn outside of one.
	Background, Foreground string

	styles [roles]lipgloss.Style
	inks   [roles]ink
}

// ink is a style as the bytes that switch it on and off. Rendering a style anew
// for each of a thousand pieces of text a frame costs a hundred times as much.
type ink struct{ on, off string }

// Style returns the look of a role.
func (t *Theme) Style(r Role) lipgloss.Style { return t.styles[r] }

// Paint gives one line of text, not itself painted, the look of a role.
func (t *Theme) Paint(r Role, s string) string {
	k := t.inks[r]
	if s == "" || k.on == "" {
		return s
	}
	return k.on + s + k.off
}

// Underlay lays the look of a role under a line whose parts are already painted.
func (t *Theme) Underlay(r Role, s string) string {
	k := t.inks[r]
	if k.on == "" {
		return s
	}
	return k.on + strings.ReplaceAll(s, k.off, k.off+k.on) + k.off
}

// HasHeatColors reports whether a map can be told by its colours; else it needs marks.
func (t *Theme) HasHeatColors() bool { return t.inks[Heat4].on != "" }

// kind is a theme that is built when somebody wants it: the program lists their names
// each time it starts.
type kind struct {
	name  string
	build func() *Theme
}

// kinds are the themes, the default for dark and for light backgrounds first.
func kinds() []kind {
	return []kind{{"dark", dark}, {"light", light}, {"safe", safe}, {"contrast", contrast}, {"sixteen", sixteen}, {"mono", Mono}}
}

// All builds every theme, the default for dark and for light backgrounds first.
func All() []*Theme {
	var all []*Theme
	for _, k := range kinds() {
		all = append(all, k.build())
	}
	return all
}

// Names lists them for a person: "dark, light or mono".
func Names() string {
	all := kinds()
	names := make([]string, len(all))
	for i, k := range all {
		names[i] = k.name
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// Find returns the theme with the given name.
func Find(name string) (*Theme, bool) {
	for _, k := range kinds() {
		if k.name == name {
			return k.build(), true
		}
	}
	return nil, false
}

// Default returns the default theme for a background.
func Default(isDark bool) *Theme {
	if isDark {
		return dark()
	}
	return light()
}

// palette names the colours of a theme; the rest follows from them.
type palette struct {
	paper, ink string // of the terminal

	text, dim, faint, positive, negative, good, warn, bad, accent, cursor string

	heat [5]shade // of a map, from the least to the most
}

// shade is a background, and the text that is read on it.
type shade struct{ under, text string }

// build gives every role its style. Plus is blue and minus orange in all
// themes: the pair that people of all kinds of colour vision tell apart.
func build(name, doc string, p palette) *Theme {
	fg := func(c string) lipgloss.Style {
		s := lipgloss.NewStyle()
		if c != "" {
			s = s.Foreground(lipgloss.Color(c))
		}
		return s
	}
	t := &Theme{Name: name, Doc: doc, Background: p.paper, Foreground: p.ink}
	t.styles = [roles]lipgloss.Style{
		Plain: fg(p.text), Dim: fg(p.dim), Title: fg(p.text).Bold(true), Key: fg(p.accent).Bold(true),
		Positive: fg(p.positive), Negative: fg(p.negative), Dropped: fg(p.dim),
		Good: fg(p.good), Warn: fg(p.warn), Bad: fg(p.bad),
		Border: fg(p.faint), Focus: fg(p.accent), Track: fg(p.faint), Accent: fg(p.accent),
		Cursor: lipgloss.NewStyle().Bold(true),
		Match:  fg(p.warn).Underline(true), CurrentMatch: fg(p.warn).Reverse(true),
	}
	if p.cursor == "" {
		t.styles[Cursor] = lipgloss.NewStyle().Reverse(true)
	} else {
		t.styles[Cursor] = t.styles[Cursor].Background(lipgloss.Color(p.cursor))
	}
	for i, h := range p.heat {
		if h.under != "" {
			t.styles[int(Heat0)+i] = fg(h.text).Background(lipgloss.Color(h.under))
		}
	}
	for r, style := range t.styles {
		t.inks[r].on, t.inks[r].off, _ = strings.Cut(style.Render("x"), "x")
	}
	return t
}
