package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"vantage/model/sanitize"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/env"
)

func (a App) says(notice string) App {
	a.overlays.notice = notice
	return a
}

// noticeDuration is how long a notice stays, unless a key ends it earlier.
const noticeDuration = 5 * time.Second

type noticeEndedMsg struct{ number int }

func (msg noticeEndedMsg) on(a App) App {
	if msg.number == a.overlays.noticeNumber {
		a.overlays.notice = ""
	}
	return a
}

func endNotice(ctx context.Context, number int) tea.Cmd {
	return func() tea.Msg {
		select {
		case <-time.After(noticeDuration):
			return noticeEndedMsg{number}
		case <-ctx.Done():
			return nil
		}
	}
}

// timeNotice starts the timer of a notice that a message has set; before is the notice before the message. A
// key or a click sets a new notice even if it says the same again.
func (a App) timeNotice(msg tea.Msg, before string) App {
	_, isKey := msg.(tea.KeyPressMsg)
	_, isClick := msg.(tea.MouseClickMsg)
	if a.overlays.notice == "" || a.overlays.notice == before && !isKey && !isClick {
		return a
	}
	a.overlays.noticeNumber++
	return a.starts(endNotice(a.commands.Ctx, a.overlays.noticeNumber))
}

// noticeLines wraps the notice to lines of w cells; none without a notice.
func noticeLines(e env.Env, notice string, w int) []string {
	if notice == "" {
		return nil
	}
	// a low screen has room for fewer, so that its panes keep theirs
	lines := e.Display.CutLines(cells.Wrap(sanitize.Line(notice), w-2), max(1, min(5, (e.Display.H-10)/2)), w-1)
	for i, line := range lines {
		lines[i] = cells.Fit(" "+e.Display.Theme.Paint(themes.Warn, line), w)
	}
	return lines
}

func (a App) addNotice(text string) App {
	if a.overlays.notice != "" {
		text = a.overlays.notice + "; " + text
	}
	return a.says(text)
}
