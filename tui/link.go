package tui

import (
	"vantage/model"
	"vantage/model/sanitize"
	"vantage/themes"
)

// withLink puts what is known of the connection to another machine before the parts of the status. While it is
// lost, it stands in place of them: a log that cannot be seen is neither live nor idle.
func (a App) withLink(parts []string, full bool) []string {
	t, link := a.display.theme, a.snap.Run.Progress.Link
	switch {
	case link.State != model.LinkUp && full:
		return []string{t.Paint(themes.Warn, a.linkText())}
	case link.State != model.LinkUp:
		return []string{t.Paint(themes.Warn, link.StateText())}
	case full:
		return append([]string{t.Paint(themes.Dim, a.linkText())}, parts...)
	}
	return parts
}

// linkText is host, latency and state.
func (a App) linkText() string {
	return sanitize.Line(a.snap.Run.Progress.Link.String())
}

// linkDecision says where the rows are, and why they cannot be seen if the connection is lost.
func (a App) linkDecision() decision {
	link := a.snap.Run.Progress.Link
	text := link.String()
	if link.Reason != "" {
		text += ": " + link.Reason
	}
	if link.Reason != "" && a.snap.Rows > 0 {
		text += "; what was read stays"
	}
	return decision{"connection", text}
}
