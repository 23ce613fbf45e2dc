package overview

import (
	"fmt"

	"vantage/model/diagnosis"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/env"
	"vantage/tui/finding"
	"vantage/tui/layout"
	"vantage/tui/pane"
)

// Sizes of the view of a finding.
const (
	widthForFindingBeside = 110 // from which the chart is beside the text
	minGroupsBelow        = 7   // lines of the groups of the step below
	maxFindingChart       = 22  // lines of the chart where there are groups
)

// Finding draws what was found, its figure over the steps with the onset, and the groups of the step on the screen.
func (p Panes) Finding(e env.Env, open, w, h int) []string {
	f := e.Found(open)
	if f == nil {
		return e.Display.Waiting(" finding", "this is not found any more", w, h)
	}
	text := pane.Content{
		Title: " " + finding.SeverityMark(e, f.Severity) + " " + e.Display.Theme.Paint(themes.Title, f.Kind.Words()) + " " + f.When(),
		Note:  fmt.Sprintf("%d/%d", open+1, len(e.FoundList())),
	}
	beside := w >= widthForFindingBeside
	textRect := layout.Rect{W: w}
	if beside {
		textRect.W = w * 2 / 5
	}
	text.Lines = cells.Indent(" ", finding.Text(e, f, "", textRect.W-4, true))
	if textRect.H = min(len(text.Lines)+2, max(4, h*11/20)); !beside {
		text.Lines = e.Display.CutLines(text.Lines, textRect.H-2, w-2)
	}
	top := h
	if beside {
		top = min(h, maxFindingChart)
		textRect.H = top
	} else if h-textRect.H > maxFindingChart {
		top = textRect.H + maxFindingChart
	}
	if h-top < minGroupsBelow {
		top = h
		if beside {
			textRect.H = h
		}
	}
	for _, k := range diagnosis.Kinds() { // where there is room, what the kind is
		if k.Name == f.Kind {
			for _, sentence := range []string{k.What, "Healthy, and looks like it: " + k.LooksLike} {
				if more := e.Display.Wrapped(" ", themes.Dim, sentence, textRect.W-4); len(text.Lines)+1+len(more) <= textRect.H-2 {
					text.Lines = append(append(text.Lines, ""), more...)
				}
			}
		}
	}
	chartRect := layout.Rect{W: w, H: top - textRect.H}
	lines := e.Display.Box(textRect, true, text)
	if beside {
		chartRect = layout.Rect{W: w - textRect.W, H: top}
		lines = pane.JoinColumns(lines, e.Display.Box(chartRect, false, finding.Chart(e, f, chartRect.W-2, chartRect.H-2)))
	} else {
		lines = append(lines, e.Display.Box(chartRect, false, finding.Chart(e, f, chartRect.W-2, chartRect.H-2))...)
	}
	if top == h {
		return lines
	}
	rect := layout.Rect{W: w, H: h - top}
	visible := rect.Inner().H - 1
	if rect.Inner().H >= heightForCause {
		visible--
	}
	p.TopRow = max(0, min(p.TopRow, len(e.Result.Rows)-visible, e.Place.Row), e.Place.Row-visible+1)
	groups := p.Groups(e, rect.Inner().W, rect.Inner().H)
	groups.Title = " " + groups.Title
	return append(lines, e.Display.Box(rect, false, groups)...)
}
