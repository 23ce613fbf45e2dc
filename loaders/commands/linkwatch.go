package commands

import (
	"fmt"
	"time"

	"vantage/model"
	"vantage/model/units"
)

// outagePause is the least time between two notes that a link was lost: one that comes and goes is not noted each time.
const outagePause = time.Minute

// linkWatch says how the link to a node or a store is, for commands that follow a run and have no screen.
type linkWatch struct {
	note func(string) // nil if nothing is noted while the run is followed

	link  model.Link // as it was seen last
	since time.Time  // it is connecting, or lost; zero while it is up
	noted time.Time  // when it was noted last that it was lost
	isOut bool       // that note still holds
}

// see notes that the link was lost, with the reason, and that it is there again.
func (l *linkWatch) see(link model.Link, now time.Time) {
	l.link = link
	if link.State == model.LinkUp {
		if l.isOut {
			l.note(fmt.Sprintf("%s answers again, after %s", link.Host, units.ApproxDuration(now.Sub(l.since))))
		}
		l.since, l.isOut = time.Time{}, false
		return
	}
	if l.since.IsZero() {
		l.since = now
	}
	if link.State == model.LinkLost && !l.isOut && l.note != nil && (l.noted.IsZero() || now.Sub(l.noted) >= outagePause) {
		l.isOut, l.noted = true, now
		l.note(l.trouble(now))
	}
}

// trouble says what is wrong with the link, how long it has been so, and why: "reconnecting to node7 for 8 s: cannot be
// reached: …"; "" while the link is up.
func (l *linkWatch) trouble(now time.Time) string {
	var state string
	switch l.link.State {
	case model.LinkUp:
		return ""
	case model.LinkConnecting:
		state = "connecting"
	case model.LinkLost:
		state = "reconnecting"
	}
	text := state + " to " + l.link.Host
	if d := now.Sub(l.since); d >= time.Second {
		text += " for " + units.ApproxDuration(d.Round(time.Second))
	}
	if l.link.Reason != "" {
		text += ": " + l.link.Reason
	}
	return text
}
