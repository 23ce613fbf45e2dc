// Package themes gives text its colours by what it means. In come a role (a warning, a
// positive advantage) and text; out comes the text with the escape sequences of a theme.
// Everything that draws in tui calls it with roles, never with colours. Colour is never
// the only sign: every sign, state and warning has a glyph too.
package themes

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// Role is what a piece of text means.
type Role int

// The roles.
const (
	Plain        Role = iota
	Dim               // secondary text, hints, units
	Title             // names of panes and of the program
	Key               // a key that can be pressed
	Positive          // advantages above 0
	Negative          // advantages below 0
	Dropped           // samples that the filter drops
	Good              // groups with signal, a live source
	Warn              // a warning
	Bad               // killed, invalid, an error
	Border            // borders of panes
	Focus             // the border of the pane with the focus
	Cursor            // the selected row
	Track             // the empty part of a bar, axes
	Accent            // the current value of a setting
	Match             // a match of a search
	CurrentMatch      // the match that was jumped to
	Heat0             // the lowest of five levels of a heat map
	Heat1
	Heat2
	Heat3
	Heat4
	Shade   // an area behind lines
	OnShade // a line on it

	roles = iota
)

// Theme holds the look of every role. It does not change after it is built; share it by
// pointer.
type Theme struct {
	Name, Doc string

	// Background and Foreground are the terminal's default colours that the theme is made
	// for, as #rrggbb. Exported pictures use them.
	Background, Foreground string

	reverses bool // the selected row has no colour of its own
	escapes  [roles]escapes
}

// escapes are the bytes that switch a style on and off. They are rendered once: rendering
// the style of each of a thousand pieces of text per frame is a hundred times slower.
type escapes struct{ on, off string }

// Paint gives a line of text without styles the look of a role.
func (t *Theme) Paint(r Role, s string) string {
	e := t.escapes[r]
	if s == "" || e.on == "" {
		return s
	}
	return e.on + s + e.off
}

// Underlay gives a line of painted text the look of a role wherever its own styles leave it
// open. Where the cursor is reversed it has no patches of grey or of the accent: such text is plain on it.
func (t *Theme) Underlay(r Role, s string) string {
	e := t.escapes[r]
	if e.on == "" {
		return s
	}
	for _, patch := range []Role{Dim, Accent} {
		if on := t.escapes[patch].on; r == Cursor && t.reverses && on != "" {
			s = strings.ReplaceAll(s, on, "")
		}
	}
	return e.on + strings.ReplaceAll(s, e.off, e.off+e.on) + e.off
}

// HasColors reports whether the theme has colours.
func (t *Theme) HasColors() bool { return t.escapes[Positive].on != "" }

// HasHeatColors reports whether heat maps have colours; without them they need marks.
func (t *Theme) HasHeatColors() bool { return t.escapes[Heat4].on != "" }

// HasShade reports whether an area behind lines has a colour; without one it is not drawn.
func (t *Theme) HasShade() bool { return t.escapes[Shade].on != "" }

// All builds all themes, first the defaults for dark and light backgrounds.
func All() []*Theme {
	var all []*Theme
	for _, p := range palettes() {
		all = append(all, build(p))
	}
	return all
}

// Names returns the names of all themes.
func Names() (names []string) {
	for _, p := range palettes() {
		names = append(names, p.name)
	}
	return names
}

// Find returns the theme of a name.
func Find(name string) (*Theme, bool) {
	for _, p := range palettes() {
		if p.name == name {
			return build(p), true
		}
	}
	return nil, false
}

// Default returns the default theme for a background.
func Default(isDark bool) *Theme {
	if isDark {
		return build(palettes()[0])
	}
	return build(palettes()[1])
}

// Mono uses no colours, only bold, underline and reverse.
func Mono() *Theme {
	mono, _ := Find("mono")
	return mono
}

// First returns the theme to begin with, and whether it stays whatever the terminal says of its background: that of a name, one
// without colours, the one that is assumed, or one for a background that is not known.
func First(name string, assumed *Theme, noColor bool) (t *Theme, stays bool) {
	if t, stays = Find(name); stays {
		return t, true
	}
	if t, _ = Find("either"); assumed != nil {
		t = assumed
	}
	if noColor {
		return Mono(), true
	}
	return t, false
}

// build renders the style of every role. In all themes positive is blue and negative is
// orange, which people with any kind of colour vision tell apart.
func build(p palette) *Theme {
	fg := func(c string) lipgloss.Style {
		s := lipgloss.NewStyle()
		if c != "" {
			s = s.Foreground(lipgloss.Color(c))
		}
		return s
	}
	styles := [roles]lipgloss.Style{
		Plain: fg(p.text), Dim: fg(p.dim), Title: fg(p.text).Bold(true), Key: fg(p.accent).Bold(true),
		Positive: fg(p.positive), Negative: fg(p.negative), Dropped: fg(p.dim),
		Good: fg(p.good), Warn: fg(p.warn), Bad: fg(p.bad),
		Border: fg(p.faint), Focus: fg(p.accent), Track: fg(p.faint), Accent: fg(p.accent),
		Cursor: lipgloss.NewStyle().Reverse(true),
		Match:  fg(p.warn).Underline(true), CurrentMatch: fg(p.warn).Reverse(true),
	}
	if p.cursor != "" {
		styles[Cursor] = lipgloss.NewStyle().Background(lipgloss.Color(p.cursor))
	}
	if p.shade != "" {
		styles[Shade], styles[OnShade] = fg(p.shade), lipgloss.NewStyle().Background(lipgloss.Color(p.shade))
	}
	for i, h := range p.heat {
		if h.background != "" {
			styles[int(Heat0)+i] = fg(h.text).Background(lipgloss.Color(h.background))
		}
	}
	t := &Theme{Name: p.name, Doc: p.doc, Background: p.background, Foreground: p.foreground, reverses: p.cursor == ""}
	for r, style := range styles {
		t.escapes[r].on, t.escapes[r].off, _ = strings.Cut(style.Render("x"), "x")
	}
	return t
}
