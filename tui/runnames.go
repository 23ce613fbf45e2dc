package tui

import (
	"vantage/model/compare"
	"vantage/model/sanitize"
	"vantage/themes"
	"vantage/tui/cells"
)

// maxRunName is the width at which the name of a run is cut, from the left: names differ at their ends.
const maxRunName = 24

// runNames returns the names of the two runs that are open, short and different: without the folders that
// both are in.
func (a App) runNames() [2]string {
	names := compare.Names(sanitize.Line(a.title), sanitize.Line(a.second.title))
	for side := range names {
		names[side] = cells.TruncateLeft(names[side], maxRunName)
	}
	if names[0] == names[1] { // they differ where they were cut
		return compare.Names("", "")
	}
	return names
}

// openTitle names what is open in at most w cells: the run whose figures the screen shows, and behind the key
// that compares them the second one.
func (a App) openTitle(w int) string {
	if a.second.source == nil {
		return sanitize.Line(a.title)
	}
	t, names := a.display.theme, a.runNames()
	const between = "  c against "
	room := max(6, (w-cells.Width(between))/2)
	for side := range names {
		if over := cells.Width(names[0]) + cells.Width(names[1]) + cells.Width(between); over > w {
			names[side] = cells.TruncateLeft(names[side], room)
		}
	}
	return names[sideBaseline] + "  " + a.markKey("c", t.Paint(themes.Key, "c")+t.Paint(themes.Dim, " against ")+names[sideCandidate])
}

// againstSecond names the second run, if one is open.
func (a App) againstSecond() string {
	if a.second.source == nil {
		return ""
	}
	return " against " + a.runNames()[sideCandidate]
}

// ofRun says of which run a table is, if two are open.
func (a App) ofRun() string {
	if a.second.source == nil {
		return ""
	}
	return " of " + a.runNames()[sideBaseline]
}
