package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"golang.org/x/text/unicode/norm"

	"vantage/model"
	"vantage/model/sanitize"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/env"
	"vantage/tui/header"
	"vantage/tui/layout"
	"vantage/tui/pane"
	"vantage/tui/problems"
	"vantage/tui/view"
)

// View draws the screen. It changes nothing of App.
func (a App) View() tea.View {
	v := tea.NewView(a.frame())
	v.AltScreen = true
	if a.env.Display.Mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}

// frame returns the screen as text: exactly h lines of w cells.
func (a App) frame() string {
	if a.env.Display.W == 0 {
		return ""
	}
	frame := norm.NFC.String(strings.Join(a.lines(), "\n")) // Bubble Tea leaves out a mark behind a letter of ASCII
	if a.env.Display.Glyphs.ASCII {
		return cells.ASCII(frame)
	}
	return frame
}

func (a App) lines() []string {
	if a.env.Display.IsTooSmall() {
		return tooSmall(a.env, a.env.Display.W, a.env.Display.H)
	}
	bottom := a.bottomLines(a.env.Display.W)
	return append(a.without(a.linesAbove(), len(bottom)-1), bottom...)
}

// linesAbove returns the lines above the last one: the header and the body.
func (a App) linesAbove() []string {
	lines, body := header.Lines(a.env, a.env.Display.W), a.env.Display.BodyHeight()
	switch {
	case a.overlays.help.Open:
		return append(lines, a.env.Display.MarkLines(pane.OnHelp, 0, a.helpPage(a.env.Display.W, body))...)
	case a.env.Result.Analysis == nil && !a.drawsEarly():
		return append(lines, problems.EmptyBody(a.env, a.env.Display.W, body)...)
	}
	return append(lines, a.env.Display.MarkLines(pane.OnBody, 0, a.viewDrawn().Draw(a.envToDraw(), a.env.Display.W, body))...)
}

// roomForHints is how much of the last line a notice leaves to hints at least.
const roomForHints = 40

// bottomLines returns the lines below the body: the hints or the line of input, and above it the notice. A short notice stands before the
// hints, so that the body stays where it is.
func (a App) bottomLines(w int) []string {
	notice := noticeLines(a.env, a.overlays.notice, w)
	_, isTyping := a.viewOpen().(view.Prompted)
	text := " " + a.env.Display.Theme.Paint(themes.Warn, sanitize.Line(a.overlays.notice)) + " "
	if room := w - cells.Width(text); len(notice) == 1 && room >= roomForHints && !isTyping {
		return []string{text + a.hints(room)}
	}
	return append(notice, a.hints(w))
}

// without returns lines without n of them, for which a notice has taken. Nothing else moves: they are the last ones of the lowest panes,
// blank ones first. Borders and the row under the cursor stay.
func (a App) without(lines []string, n int) []string {
	if n <= 0 {
		return lines
	}
	worth, order := worthOf(a.env.Display.Theme, lines), model.Indexes(len(lines))
	slices.Reverse(order)
	slices.SortStableFunc(order, func(i, j int) int { return worth[i] - worth[j] })
	gone := order[:min(n, len(order))]
	slices.Sort(gone)
	for _, i := range slices.Backward(gone) {
		lines = slices.Delete(lines, i, i+1)
	}
	return lines
}

// worthOf returns what lines are worth to a person: 0 for blank ones of the lowest panes, most for the header, borders and the row under
// the cursor.
func worthOf(t *themes.Theme, lines []string) []int {
	cursor, _, _ := strings.Cut(t.Underlay(themes.Cursor, "x"), "x")
	worth, borders := make([]int, len(lines)), 0
	for i, line := range slices.Backward(lines) {
		text := ansi.Strip(line)
		isBorder := strings.TrimLeft(text, pane.Corners) != text || strings.TrimRight(text, pane.Corners) != text
		switch {
		case i < layout.HeaderRows || isBorder || strings.Contains(line, cursor):
			worth[i] = 3
		case borders != 1: // above or below the lowest panes
			worth[i] = 2
		case strings.Trim(text, pane.Sides) != "":
			worth[i] = 1
		}
		borders += model.Count01(isBorder)
	}
	return worth
}

// tooSmall says which size is needed, and shows the figures of the step if there is room.
func tooSmall(e env.Env, w, h int) []string {
	lines := cells.Wrap(fmt.Sprintf("vantage needs %d×%d, this is %d×%d", layout.MinWidth, layout.MinHeight, w, h), w)
	if e.Result.Analysis != nil {
		lines = append(lines, header.StepLine(e, w))
	}
	return cells.FitLines(lines, w, h)
}
