// Package layout computes where the panes of a view are. In comes the size of the terminal
// and which pane is in front; out come rectangles, in cells. Drawing, the mouse and the
// scrolling in tui call it, so that all of them agree.
package layout
