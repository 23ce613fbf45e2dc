package tui

import (
	"time"

	"vantage/model"
	"vantage/model/units"
)

// readRate is how fast a log is being read.
type readRate struct {
	since      time.Time     // when reading began; zero while all is read
	startBytes int64         // bytes read by then
	remaining  time.Duration // how long the rest takes; 0 if that is not known yet
}

// minMeasured is how long reading must have gone on before it is said how long it takes
// still: from less one guesses wildly.
const minMeasured = time.Second

// updated is the pace at a later moment.
func (p readRate) updated(now time.Time, is model.Progress) readRate {
	if is.CaughtUp || is.BytesAll == 0 {
		return readRate{}
	}
	if p.since.IsZero() {
		return readRate{since: now, startBytes: is.BytesRead}
	}
	took, read := now.Sub(p.since), is.BytesRead-p.startBytes
	if took >= minMeasured && read > 0 {
		p.remaining = time.Duration(float64(took) * float64(is.BytesAll-is.BytesRead) / float64(read))
	}
	return p
}

// loadedText says how much of the log is read: "34% · 1.2/3.5 GB · 41 s left".
func (a App) loadedText() string {
	p := a.snap.Run.Progress
	text := units.Percent(int(p.BytesRead), int(p.BytesAll)) + " · " + units.BytesOf(p.BytesRead, p.BytesAll)
	if a.sourceState.rate.remaining > 0 {
		text += " · " + units.ApproxDuration(a.sourceState.rate.remaining) + " left"
	}
	return text
}
