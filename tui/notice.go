package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"vantage/model/sanitize"
	"vantage/themes"
	"vantage/tui/cells"
)

// noticeDuration is how long a notice stays, unless a key ends it earlier.
const noticeDuration = 5 * time.Second

// maxNoticeLines bounds the lines of a notice: a low screen has room for fewer, so that its panes keep theirs.
func (e env) maxNoticeLines() int { return max(1, min(5, (e.display.h-10)/2)) }

// noticeEndedMsg ends a notice, if it is still the one of that number.
type noticeEndedMsg struct{ number int }

// endNotice waits as long as a notice is shown.
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
	if a.notice == "" || a.notice == before && !isKey && !isClick {
		return a
	}
	a.noticeNumber++
	return a.starts(endNotice(a.ctx, a.noticeNumber))
}

// onNoticeEnded takes the notice away, unless another one came meanwhile.
func (a App) onNoticeEnded(msg noticeEndedMsg) App {
	if msg.number == a.noticeNumber {
		a.notice = ""
	}
	return a
}

// noticeLines wraps the notice to lines of w cells; none without a notice.
func (a App) noticeLines(w int) []string {
	if a.notice == "" {
		return nil
	}
	lines := cells.Wrap(sanitize.Line(a.notice), w-2)
	if most := a.maxNoticeLines(); len(lines) > most {
		lines = lines[:most]
		lines[most-1] = cells.Truncate(lines[most-1]+" …", w-2)
	}
	for i, line := range lines {
		lines[i] = cells.Fit(" "+a.display.theme.Paint(themes.Warn, line), w)
	}
	return lines
}

// bottomLines returns the lines below the body: the notice in place of the hints, or above the line of
// input if one is open.
func (a App) bottomLines(w int) []string {
	notice := a.noticeLines(w)
	if len(notice) == 0 || a.position.view == viewCommand || a.position.view == viewNote || a.valuePrompt.open {
		return append(notice, a.hints(w))
	}
	return notice
}

// shortened returns App on a screen that is n lines lower, for which a notice has taken them.
func (a App) shortened(n int) App {
	if n == 0 {
		return a
	}
	a.display.h -= n
	a.display.shortened = true
	return a.clampCursor()
}
