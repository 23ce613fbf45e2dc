package tui

import (
	"time"

	"vantage/model"
	"vantage/model/units"
)

// pace is how fast a log is being read.
type pace struct {
	since time.Time     // when reading began; zero while all is read
	from  int64         // bytes read by then
	left  time.Duration // how long the rest takes; 0 if that is not known yet
}

// leastPace is how long reading must have gone on before it is said how long it takes
// still: from less one guesses wildly.
const leastPace = time.Second

// at is the pace at a later moment.
func (p pace) at(now time.Time, is model.Progress) pace {
	if is.CaughtUp || is.BytesAll == 0 {
		return pace{}
	}
	if p.since.IsZero() {
		return pace{since: now, from: is.BytesRead}
	}
	took, read := now.Sub(p.since), is.BytesRead-p.from
	if took >= leastPace && read > 0 {
		p.left = time.Duration(float64(took) * float64(is.BytesAll-is.BytesRead) / float64(read))
	}
	return p
}

// loaded says how much of the log is read: "34% · 1.2/3.5 GB · 41 s left".
func (a App) loaded() string {
	p := a.snap.Run.Progress
	text := units.Percent(int(p.BytesRead), int(p.BytesAll)) + " · " + units.BytesOf(p.BytesRead, p.BytesAll)
	if a.live.pace.left > 0 {
		text += " · " + units.About(a.live.pace.left) + " left"
	}
	return text
}
