package tui

import (
	"vantage/model"
	"vantage/themes"
	"vantage/tui/cells"
)

// helpPage explains the keys, then the fates and marks, in as many columns as fit.
func (a App) helpPage(w, h int) []string {
	t := a.look.theme
	var entries []string
	for _, s := range a.keysHere() {
		entries = append(entries, t.Paint(themes.Title, s.name))
		for _, b := range s.bindings {
			entries = append(entries, t.Paint(themes.Key, cells.Right(b.show, 6))+"  "+b.doc)
		}
		entries = append(entries, "")
	}
	entries = append(entries, t.Paint(themes.Title, "fates of a group"))
	for _, f := range model.Fates() {
		entries = append(entries, t.Paint(a.fateRole(f), cells.Right(a.fateGlyph(f), 2)+" "+cells.Fit(f.String(), 8))+t.Paint(themes.Dim, f.Doc()))
	}
	g := a.look.glyphs
	entries = append(entries, "", t.Paint(themes.Title, "marks"),
		"  "+t.Paint(themes.Positive, g.Kept)+" kept  "+t.Paint(themes.Dropped, g.Dropped)+" dropped  "+g.Both+" some of each",
		"  5+3−2·  kept: positive, negative, at zero", "  any key closes this page")
	return flow(entries, w, h)
}

// flow sets entries in columns of equal width, top to bottom.
func flow(entries []string, w, h int) []string {
	if h <= 0 {
		return nil
	}
	across := min(3, max(1, (len(entries)+h-1)/h))
	width := w / across
	lines := make([]string, h)
	for i := range lines {
		for x := range across {
			entry := ""
			if at := x*h + i; at < len(entries) {
				entry = entries[at]
			}
			lines[i] += " " + cells.Fit(entry, width-1)
		}
		lines[i] = cells.Fit(lines[i], w)
	}
	return lines
}
