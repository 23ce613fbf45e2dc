package model

import (
	"time"

	"vantage/model/units"
)

// Link is the connection to the machine that a source reads from. The zero value says that nothing is remote.
type Link struct {
	Host    string        // as the person named it, without user and password
	Latency time.Duration // of a round trip; 0 if unknown, or not worth saying
	State   LinkState
	Retry   time.Duration // of a lost link, how long the source waits before it connects again; 0 while it does
	Reason  string        // of a lost link, why: a sentence without a full stop
}

// LinkState is what a link can do now.
type LinkState int

// The states.
const (
	LinkUp         LinkState = iota
	LinkConnecting           // for the first time: nothing has answered yet
	LinkLost                 // what was read stays, and the source connects again by itself
)

// IsRemote reports whether there is a link.
func (l Link) IsRemote() bool { return l.Host != "" }

// Changed reports whether a person would notice the difference from an earlier link: another host, state, wait
// or reason, or a latency of less than half or more than twice as much. A source that returns a chunk for each
// change of a millisecond would never let the screen rest.
func (l Link) Changed(from Link) bool {
	if l.Host != from.Host || l.State != from.State || l.Retry != from.Retry || l.Reason != from.Reason {
		return true
	}
	short, long := min(l.Latency, from.Latency), max(l.Latency, from.Latency)
	return short == 0 && long != 0 || long > 2*short && long > 2*time.Millisecond
}

// String is host, latency and what else there is to say, "host · 12 ms · reconnecting 4 s"; "" for a source on
// this machine. The name of the host is as it was given: sanitise before showing.
func (l Link) String() string {
	if !l.IsRemote() {
		return ""
	}
	text := l.Host
	if l.Latency > 0 {
		text += " · " + units.ShortDuration(l.Latency)
	}
	if state := l.StateText(); state != "" {
		text += " · " + state
	}
	return text
}

// StateText is the state in words: "" while the link is up.
func (l Link) StateText() string {
	switch {
	case l.State == LinkConnecting:
		return "connecting"
	case l.State == LinkLost && l.Retry > 0:
		return "reconnecting " + units.ShortDuration(l.Retry)
	case l.State == LinkLost:
		return "reconnecting"
	}
	return ""
}
