package tui

import (
	"vantage/model"
	"vantage/themes"
	"vantage/tui/cells"
)

// helpPage explains the keys, the fates and the marks, in as many columns as they
// take; or, after a second ?, the estimator at work.
func (a App) helpPage(w, h int) []string {
	if a.about {
		return a.estimatorAtWork(w, h)
	}
	return flow(a.helpEntries, w, h)
}

// helpEntries are the lines of the page in columns of a width.
func (a App) helpEntries(w int) []string {
	t := a.look.theme
	var lines []string
	for _, s := range a.keysHere() {
		lines = append(lines, t.Paint(themes.Title, s.name))
		for _, b := range s.bindings {
			lines = append(lines, hang(t.Paint(themes.Key, cells.Right(b.show, 6))+"  ", b.doc, w)...)
		}
		lines = append(lines, "")
	}
	lines = append(lines, t.Paint(themes.Title, "fates of a group"))
	for _, f := range model.Fates() {
		lines = append(lines, hang(t.Paint(a.fateRole(f), cells.Right(a.fateGlyph(f), 2)+" "+cells.Fit(f.String(), 8)), f.Doc(), w)...)
	}
	g := a.look.glyphs
	return append(lines, "", t.Paint(themes.Title, "marks"),
		"  "+t.Paint(themes.Positive, g.Kept)+" kept  "+t.Paint(themes.Dropped, g.Dropped)+" dropped  "+g.Both+" some of each",
		"  5+3−2·  kept: positive, negative, at zero", "  ? again: the estimator; any other key closes")
}

// hang puts a text behind a head, and its further lines under the first.
func hang(head, text string, w int) []string {
	indent := cells.Width(head)
	lines := cells.Wrap(text, max(1, w-indent))
	for i := range lines {
		if i > 0 {
			head = cells.Blank(indent)
		}
		lines[i] = head + lines[i]
	}
	return lines
}

// estimatorAtWork is all that is known of the estimator that is set.
func (a App) estimatorAtWork(w, h int) []string {
	e, err := a.set.now.Entry()
	if err != nil {
		return cells.Block([]string{err.Error()}, w, h)
	}
	t := a.look.theme
	lines := append([]string{" " + t.Paint(themes.Title, e.Framework+" "+e.Name), ""}, a.estimatorPage(e, min(w-2, readable))...)
	return cells.Block(append(lines, "", t.Paint(themes.Dim, "   any key closes this page; E lists all estimators")), w, h)
}

// readable is the width beyond which lines of prose are hard to follow.
const readable = 100

// flow sets lines in columns of equal width, top to bottom: as few as hold them, at
// most three.
func flow(entries func(w int) []string, w, h int) []string {
	if h <= 0 {
		return nil
	}
	const most = 3
	across, all := 1, entries(w-2)
	for across < most && len(all) > across*h {
		across++
		all = entries(w/across - 2)
	}
	lines := make([]string, h)
	for i := range lines {
		for x := range across {
			entry := ""
			if at := x*h + i; at < len(all) {
				entry = all[at]
			}
			lines[i] += " " + cells.Fit(entry, w/across-1)
		}
		lines[i] = cells.Fit(lines[i], w)
	}
	return lines
}
