package tui

import "fmt"

// scrolledTo returns the content with the lines that a pane of height h shows from line top on, and which they are of all.
func (c paneContent) scrolledTo(top int, lines []string, h int) paneContent {
	c.lines = lines
	if visible := max(0, h-2); len(lines) > visible {
		top = min(top, len(lines)-visible)
		c.lines, c.note = lines[top:], fmt.Sprintf("%d–%d/%d", top+1, top+visible, len(lines))
	}
	return c
}

// scrolled returns the first line in sight of a view that is one pane of so many lines: no further than until the last is at
// the bottom.
func (a App) scrolled(top, lines int) int {
	visible := a.display.h - len(a.header(a.display.w)) - 3
	return clampIndex(top, max(1, lines-visible+1))
}
