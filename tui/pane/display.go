package pane

import (
	"vantage/themes"
	"vantage/tui/chart"
	"vantage/tui/layout"
)

// Display is the screen and how it is drawn on.
type Display struct {
	Theme       *themes.Theme
	Glyphs      chart.Glyphs
	W, H        int
	NoColor     bool
	Mouse       bool
	Marking     []string // the names of keys, while it is looked up what can be clicked: no frame is sent with marks
	ThemeFixed  bool     // whatever the terminal answers
	ThemeByUser bool     // chosen by a key or a command, now or in the session: it is saved
}

// BodyHeight is the lines between header and hints.
func (d Display) BodyHeight() int { return max(0, d.H-layout.HeaderRows-1) }

// IsTooSmall reports whether the screen has no room for the program.
func (d Display) IsTooSmall() bool {
	return d.W < layout.MinWidth || d.H < layout.MinHeight
}

// FirstLines returns how many of some lines can be the first in sight of a view that is one pane: at last the last one is at
// the bottom.
func (d Display) FirstLines(lines int) int {
	return max(1, lines-d.BodyHeight()+3)
}
