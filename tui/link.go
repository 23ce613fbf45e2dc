package tui

import (
	"vantage/model"
	"vantage/model/sanitize"
	"vantage/themes"
)

// withLink puts what is known of the connection to another machine before the parts of the status. While it is
// lost, it stands in place of them: a log that cannot be seen is neither live nor idle.
func (e env) withLink(parts []string, full bool) []string {
	t, link := e.display.theme, e.snap.Run.Progress.Link
	switch {
	case link.State != model.LinkUp && full:
		return []string{t.Paint(themes.Warn, e.linkText())}
	case link.State != model.LinkUp:
		return []string{t.Paint(themes.Warn, link.StateText())}
	case full:
		return append([]string{t.Paint(themes.Dim, e.linkText())}, parts...)
	}
	return parts
}

// linkText is host, latency and state.
func (e env) linkText() string {
	return sanitize.Line(e.snap.Run.Progress.Link.String())
}

// linkDecision says where the rows are, and why they cannot be seen if the connection is lost.
func (e env) linkDecision() decision {
	link := e.snap.Run.Progress.Link
	text := link.String()
	if link.Reason != "" {
		text += ": " + link.Reason
	}
	if link.Reason != "" && e.snap.Rows > 0 {
		text += "; what was read stays"
	}
	return decision{"connection", text}
}
