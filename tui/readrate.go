package tui

import (
	"time"

	"vantage/model"
	"vantage/model/units"
)

// readRate estimates how long reading a log still takes.
type readRate struct {
	since      time.Time     // when reading began; zero if all is read
	startBytes int64         // read by then
	remaining  time.Duration // 0 if it is not known yet
}

// minMeasured is how long reading must have taken before the remaining time is estimated.
const minMeasured = time.Second

// updated returns the estimate from later progress.
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

// loadedText returns how much of the log is read: "34% · 1.2/3.5 GB · 41 s left".
func (e env) loadedText() string {
	p := e.snap.Run.Progress
	text := units.Percent(int(p.BytesRead), int(p.BytesAll)) + " · " + units.BytesOf(p.BytesRead, p.BytesAll)
	if e.sourceState.rate.remaining > 0 {
		text += " · " + units.ApproxDuration(e.sourceState.rate.remaining) + " left"
	}
	return text
}
