package env

import (
	"time"

	"vantage/model"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// IsReading reports whether the source is still being read for the first time: what is said until then is so far.
func (e Env) IsReading() bool {
	p := e.Snap.Run.Progress
	return !e.SourceState.Ended && !p.CaughtUp && p.BytesAll > 0
}

// WrittenText says when the log was last written, in local time, and of a copy how old its rows are.
func (e Env) WrittenText() string {
	p := e.Snap.Run.Progress
	text := "written " + e.TimeText(p.LastWrite)
	if p.Copied() {
		text = "rows of " + e.TimeText(p.RowTime) + ", " + text
	}
	return text
}

// TimeText returns a time of the day, with the day if that is not today.
func (e Env) TimeText(at time.Time) string {
	at, now := at.Local(), e.SourceState.Clock.Local()
	switch {
	case now.IsZero() || at.Format(time.DateOnly) == now.Format(time.DateOnly):
		return at.Format(time.TimeOnly)
	case at.Year() == now.Year():
		return at.Format("Jan 2 15:04")
	}
	return at.Format("2006-01-02 15:04")
}

// ReadRate estimates how long reading a log still takes.
type ReadRate struct {
	since      time.Time     // when reading began; zero if all is read
	startBytes int64         // read by then
	Remaining  time.Duration // 0 if it is not known yet
}

// minMeasured is how long reading must have taken before the remaining time is estimated.
const minMeasured = time.Second

// Updated returns the estimate after more was read.
func (p ReadRate) Updated(now time.Time, is model.Progress) ReadRate {
	switch took, read := now.Sub(p.since), is.BytesRead-p.startBytes; {
	case is.CaughtUp || is.BytesAll == 0:
		return ReadRate{}
	case p.since.IsZero():
		return ReadRate{since: now, startBytes: is.BytesRead}
	case took >= minMeasured && read > 0:
		p.Remaining = time.Duration(float64(took) * float64(is.BytesAll-is.BytesRead) / float64(read))
	}
	return p
}

// LoadedText returns how much of the log is read: "34% · 1.2/3.5 GB · 41 s left".
func (e Env) LoadedText() string {
	p := e.Snap.Run.Progress
	text := units.Percent(int(p.BytesRead), int(p.BytesAll)) + " · " + units.BytesOf(p.BytesRead, p.BytesAll)
	if e.SourceState.Rate.Remaining > 0 {
		text += " · " + units.ApproxDuration(e.SourceState.Rate.Remaining) + " left"
	}
	return text
}

// SilentText says for how long the disk has not answered.
func (e Env) SilentText() string {
	return "disk not answering for " + units.ShortDuration(e.Snap.Run.Progress.Silent)
}

// LinkText says how the connection to the other machine is.
func (e Env) LinkText() string { return sanitize.Line(e.Snap.Run.Progress.Link.String()) }

// UnreadableCount returns how many places of the log could not be read.
func (e Env) UnreadableCount() int { return max(e.Snap.Run.Skipped, len(e.Snap.Run.Problems)) }

// RewardScales returns which rewards are solved: those of the analysis if a pass over all samples would
// be needed, since this is for a frame.
func (e Env) RewardScales() []model.RewardScale {
	if set := e.Settings.Now; e.Result.Analysis != nil && set.Reward+string(set.Weights) != "" {
		return e.Result.Analysis.RewardScales()
	}
	return e.Snap.RewardScales(e.Settings.Now)
}
