package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/themes"
)

// onClock sets what the screen takes for now, and requests the moment at which its words on how fresh
// the log is change: once a minute at most, and never after the log has ended. Requests overtaken by
// an earlier one change nothing when they end.
func (a App) onClock(now time.Time) App {
	if now.After(a.sourceState.clock) {
		a.sourceState.clock = now
	}
	s := &a.sourceState
	_, until := a.snap.Run.Progress.FreshnessText(s.clock)
	if !s.nextClock.After(s.clock) {
		s.nextClock = time.Time{} // it has come
	}
	if s.ended || until.IsZero() || !s.nextClock.IsZero() && !until.Before(s.nextClock) {
		return a
	}
	s.nextClock = until
	return a.starts(tea.Tick(until.Sub(s.clock), func(t time.Time) tea.Msg {
		if t.Before(until) { // the clock was set
			t = until
		}
		return clockMsg{t}
	}))
}

// freshness returns in words whether the log grows.
func (e env) freshness(full bool) string {
	t, p := e.display.theme, e.snap.Run.Progress
	text, _ := p.FreshnessText(e.sourceState.clock)
	if p.Freshness(e.sourceState.clock) != model.Live {
		return t.Paint(themes.Dim, text)
	}
	if p.Polling && full {
		text += ", polling"
	}
	return t.Paint(themes.Good, e.display.glyphs.Dot+" "+text)
}

// lastWriteText returns when the log was last written, in local time: with the day if that is not
// today.
func (e env) lastWriteText() string {
	at, now := e.snap.Run.Progress.LastWrite.Local(), e.sourceState.clock.Local()
	if now.IsZero() || at.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return at.Format(time.TimeOnly)
	}
	if at.Year() == now.Year() {
		return at.Format("Jan 2 15:04")
	}
	return at.Format("2006-01-02 15:04")
}
