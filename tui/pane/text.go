package pane

import (
	"fmt"

	"vantage/model"
	"vantage/model/report"
	"vantage/model/sanitize"
	"vantage/themes"
	"vantage/tui/cells"
)

// CutLines returns the first n of some lines of w cells, the last with a sign that there are more.
func (d Display) CutLines(lines []string, n, w int) []string {
	if n = max(0, n); len(lines) <= n {
		return lines
	}
	if lines = lines[:n]; n > 0 {
		lines[n-1] = cells.Truncate(lines[n-1]+" …", w-1)
	}
	return lines
}

// FirstFitting returns the first of some texts that fits into w cells, or the last.
func FirstFitting(w int, ways ...string) string {
	for _, text := range ways {
		if cells.Width(text) <= w {
			return text
		}
	}
	return ways[len(ways)-1]
}

// MaxProseWidth is the width beyond which lines of prose are hard to read.
const MaxProseWidth = 100

// Wrapped breaks a text into painted lines of at most w cells, each behind an indent.
func (d Display) Wrapped(indent string, role themes.Role, text string, w int) []string {
	return model.Mapped(cells.Wrap(text, w), func(line string) string { return indent + d.Theme.Paint(role, line) })
}

// Paragraph returns a heading and below it a text in lines of at most w cells and an indent; nothing for no text.
func (d Display) Paragraph(heading, text string, w int) []string {
	if text == "" {
		return nil
	}
	lines := model.Mapped(cells.Wrap(heading, w+2), func(line string) string { return " " + d.Theme.Paint(themes.Title, line) })
	return append(lines, cells.Indent("   ", cells.Wrap(text, w))...)
}

// LabelledLines wraps a text behind a label, in lines of w cells.
func (d Display) LabelledLines(label, text string, w int) []string {
	lines := cells.Wrap(sanitize.Line(text), w-14)
	for i, line := range lines {
		if i > 0 {
			label = ""
		}
		lines[i] = " " + d.Theme.Paint(themes.Title, cells.Fit(label, 12)) + line
	}
	return lines
}

// FactLines returns a line of w cells for each fact, and a blank one.
func (d Display) FactLines(facts []report.Fact, w int) (lines []string) {
	for _, f := range facts {
		lines = append(lines, cells.Fit(fmt.Sprintf(" %s %s", d.Theme.Paint(themes.Dim, cells.Fit(f.Label, 10)), sanitize.Line(f.Text)), w))
	}
	return append(lines, "")
}

// SentenceLines is what a pane says in place of its content.
func (d Display) SentenceLines(text string, role themes.Role, w int) []string {
	return append([]string{""}, d.Wrapped("  ", role, text, w-4)...)
}

// PaneTitle returns the title of a pane, bold if it is focused: that is seen without
// colours too.
func (d Display) PaneTitle(title string, focused bool) string {
	if !focused {
		return title
	}
	return d.Theme.Paint(themes.Title, title)
}

// WithRoom adds more to the title of a pane that is w wide inside if all of it is seen there.
func WithRoom(title, more string, w int) string {
	if cells.Width(title+more) > w-5 {
		return title
	}
	return title + more
}
