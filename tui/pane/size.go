package pane

import (
	"vantage/tui/layout"
)

// BodyHeight is the lines between header and hints.
func (d Display) BodyHeight() int { return max(0, d.H-layout.HeaderRows-1) }

// IsTooSmall reports whether the screen has no room for the program.
func (d Display) IsTooSmall() bool {
	return !d.Shortened && (d.W < layout.MinWidth || d.H < layout.MinHeight)
}

// FirstLines returns how many of some lines can be the first in sight of a view that is one pane: at last the last one is at
// the bottom.
func (d Display) FirstLines(lines int) int {
	return max(1, lines-d.BodyHeight()+3)
}
