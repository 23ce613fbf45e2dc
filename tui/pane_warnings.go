package tui

import (
	"fmt"
	"strings"

	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
)

// doubt is a line of the warnings pane: a warning, or a place in the log that
// could not be read.
type doubt struct {
	text, more string
	group      int // that shows it, -1 if none
	problem    bool
	note       bool // nothing is wrong: what was left out, and why
}

// doubts are all warnings of the step, then the problems of the log.
func (a App) doubts() []doubt {
	var all []doubt
	if x := a.result.analysis; x != nil {
		for _, w := range x.Warnings {
			d := doubt{text: sanitize.Line(w.Sentence()), more: w.Advice, group: w.Example}
			if w.Example >= 0 {
				g := x.Members(w.Example)
				d.more = "for example " + sanitize.Line(strings.TrimSpace(g.Preview+" ("+short(g.Name)+")")) + " — " + w.Advice
			}
			all = append(all, d)
		}
	}
	all = append(all, a.doubtLogged()...)
	for _, note := range a.snap.Run.Notes {
		all = append(all, doubt{text: sanitize.Line(note), group: -1, note: true})
	}
	for _, p := range a.snap.Run.Problems {
		all = append(all, doubt{text: p.String(), more: "the rest of the file was read", group: -1, problem: true})
	}
	return all
}

// short cuts a group's name to what tells it apart.
func short(name string) string {
	if len(name) > 12 {
		return name[:8] + "…"
	}
	return name
}

// paneWarnings lists the doubts in a line each; the selected one is told in full.
func (a App) paneWarnings(w, h int) content {
	doubts := a.doubts()
	c := content{title: fmt.Sprintf("warnings  %s", units.Count(len(doubts)))}
	t := a.look.theme
	if len(doubts) == 0 {
		text := "none at this step"
		if a.result.analysis != nil && a.result.analysis.Open {
			text = "the step is still being written: nothing is judged yet"
		}
		c.title = "warnings"
		for _, line := range cells.Wrap(text, w-1) {
			c.lines = append(c.lines, " "+t.Paint(themes.Dim, line))
		}
		return c
	}
	c.note = fmt.Sprintf("%d/%d", a.place.warning+1, len(doubts))
	first, end := 0, 0 // lines of the selected one
	for i, d := range doubts {
		lines := a.doubtLines(d, i == a.place.warning, w)
		if i == a.place.warning {
			first, end = len(c.lines), len(c.lines)+len(lines)
		}
		c.lines = append(c.lines, lines...)
	}
	top := max(0, min(first, end-h)) // keep it in sight, its beginning before its end
	if c.lines = c.lines[top:]; end-top > h && h > 0 {
		c.lines[h-1] = cells.Truncate(c.lines[h-1]+t.Paint(themes.Dim, " …"), w-1)
	}
	return c
}

func (a App) doubtLines(d doubt, selected bool, w int) []string {
	t := a.look.theme
	mark := t.Paint(themes.Warn, " ! ")
	switch {
	case d.problem:
		mark = t.Paint(themes.Bad, " ? ")
	case d.note:
		mark = t.Paint(themes.Dim, " · ")
	}
	if !selected {
		return []string{mark + cells.Truncate(d.text, w-4)}
	}
	var lines []string
	for _, line := range cells.Wrap(d.text, w-4) {
		lines = append(lines, mark+line)
		mark = "   "
	}
	for _, line := range cells.Wrap(d.more, w-4) {
		lines = append(lines, mark+t.Paint(themes.Dim, line))
	}
	return lines
}
