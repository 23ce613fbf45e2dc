package glance

import (
	"cmp"
	"fmt"
	"strings"

	"vantage/model"
	"vantage/model/diagnosis"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/env"
	"vantage/tui/finding"
	"vantage/tui/pane"
)

// blindLines is in how many lines at least there is room for what cannot be told; in half of the box if that is more.
const blindLines = 3

// findings lists what ails the run, each with a line of its evidence, that under the cursor in full; and what cannot be told.
func (s View) findings(e env.Env, w, h int) pane.Content {
	t, d, c := e.Display.Theme, e.Diagnosis(), pane.Content{Title: " what ails the run"}
	switch {
	case d == nil, d.Health() == diagnosis.Unknown && e.StillLooking() != "":
		c.Lines = []string{t.Paint(themes.Dim, " "+cmp.Or(e.StillLooking(), "looking")+" …")}
		return c
	case d.Health() == diagnosis.Unknown:
		c.Lines = e.Display.CutLines(e.Display.Wrapped(" ", themes.Dim, sanitize.Line(d.HealthReason()), w-2), 2, w)
	case len(d.Findings) == 0:
		c.Lines = []string{" " + t.Paint(themes.Good, e.Display.Glyphs.Dot+" "+d.HealthText()) + "  nothing was found at " +
			units.Plural(d.Steps, "steps")}
	}
	notChecked := sanitize.Line(d.NotChecked())
	below := min(1+model.Count01(notChecked != ""), max(0, h-len(c.Lines)-1)) // lines of learning and of what was not checked
	for i, block := range s.findingBlocks(e, d, w, h-len(c.Lines)-below) {
		for n, line := range block {
			e.Display.AddRow(&c, pane.Target{Kind: pane.OnRow, N: i}, line, w, s.Cursor == i && n == 0)
		}
	}
	if n := len(d.Findings); s.Cursor < n {
		c.Note = fmt.Sprintf("%d/%d · Enter opens it at step %d", s.Cursor+1, n, d.Findings[s.Cursor].Example.Step)
	} else if n > 0 {
		c.Note = units.Plural(n, "findings")
	}
	if len(c.Lines) < h {
		const label = " learning "
		text := sanitize.Line(d.LearningText())
		brief, _, _ := strings.Cut(text, " (") // without that of the same prompts: half a number says nothing
		c.Lines = append(c.Lines, cells.Fit(t.Paint(themes.Dim, label)+pane.FirstFitting(w-len(label), text, brief), w))
	}
	if notChecked != "" && len(c.Lines) < h {
		c.Lines = append(
			c.Lines,
			e.Display.CutLines(e.Display.Wrapped(" ", themes.Dim, notChecked, w-2), min(max(blindLines, h/2), h-len(c.Lines)), w)...,
		)
	}
	return c
}

// findingBlocks returns the lines of each finding, of w cells and h together: that under the cursor is in sight, in full as far as there
// is room, and the others have a line of evidence where all have one.
func (s View) findingBlocks(e env.Env, d *diagnosis.Diagnosis, w, h int) [][]string {
	t := e.Display.Theme
	kind, when := 0, 0
	for i := range d.Findings {
		f := &d.Findings[i]
		kind, when = max(kind, cells.Width(f.Kind.Words())), max(when, cells.Width(f.When()))
	}
	blocks := make([][]string, len(d.Findings))
	draw := func(evidence int) (lines int) {
		for i := range d.Findings {
			f := &d.Findings[i]
			head := " " + finding.SeverityMark(e, f.Severity) + " " + t.Paint(themes.Title, cells.Fit(f.Kind.Words(), kind)) + "  " +
				t.Paint(themes.Dim, cells.Fit(f.When(), when)) + "  "
			text := finding.Text(e, f, "", w-cells.Width(head)-1, i == s.Cursor)
			if len(d.Findings) == 1 || 3*cells.Width(head) > w { // the text has the whole width
				name := f.Kind.Words() + " " + f.When() + ": "
				text = finding.Text(e, f, name, w-4, i == s.Cursor)
				rest, whole := strings.CutPrefix(text[0], name)
				if head = " " + finding.SeverityMark(e, f.Severity) + " "; whole {
					text[0] = t.Paint(themes.Title, name) + rest
				}
			}
			if i != s.Cursor {
				text = text[:min(len(text), 1+evidence)]
			}
			blocks[i] = cells.Indent(head, text)
			lines += len(text)
		}
		return lines
	}
	selected := s.Cursor
	if draw(1) > h && draw(0) > h && selected < len(blocks) { // a line for each of the others
		blocks[selected] = e.Display.CutLines(blocks[selected], max(1, h-len(blocks)+1), w)
	}
	for top := range max(0, min(selected, len(blocks)-h)) {
		blocks[top] = nil
	}
	for i := range blocks {
		blocks[i] = e.Display.CutLines(blocks[i], h, w)
		h -= len(blocks[i])
	}
	return blocks
}
