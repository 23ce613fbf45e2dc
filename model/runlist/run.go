package runlist

import (
	"fmt"
	"strings"
	"time"

	"vantage/model"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// Run is a log that can be opened.
type Run struct {
	Paths     []string // to open: one, unless several were opened together before
	ID        string   // equal for two runs with the same files: their absolute paths
	Name      string   // that a person reads: relative to the current directory, or with ~ for the home directory
	Format    string   // of the log, as --input-format spells it; "" if unknown
	FirstStep int64    // by the names of files or directories; see HasSteps
	LastStep  int64
	HasSteps  bool
	Files     int       // 0 if unknown
	Samples   int64     // 0 if unknown: few formats say how many there are without being read
	Size      int64     // in bytes; 0 if unknown
	LastWrite time.Time // zero if unknown
	Opened    time.Time // by the user, last; zero if never
	Elsewhere bool      // not below the current directory
}

// Label returns the name as one line that is safe to print.
func (r Run) Label() string { return sanitize.Line(r.Name) }

// Extent returns how much there is, by the best that is known: steps, samples, files, or nothing.
func (r Run) Extent() string {
	switch {
	case r.HasSteps && r.FirstStep == r.LastStep:
		return fmt.Sprintf("step %d", r.LastStep)
	case r.HasSteps:
		return fmt.Sprintf("steps %d–%d", r.FirstStep, r.LastStep)
	case r.Samples > 0:
		return units.Plural(int(r.Samples), "samples")
	case r.Files > 1:
		return units.Plural(r.Files, "files")
	}
	return ""
}

// SizeText returns the size, "" if it is unknown.
func (r Run) SizeText() string {
	if r.Size <= 0 {
		return ""
	}
	return units.Bytes(r.Size)
}

// IsLive reports whether the log was written a moment ago, by the rule of the header of an open run
// whose time between steps is unknown.
func (r Run) IsLive(now time.Time) bool {
	return !r.LastWrite.IsZero() && now.Sub(r.LastWrite) < model.Progress{}.IdleAfter()
}

// Age returns how long ago a time was: "3 min ago", "5 days ago"; "" for the zero time. A time in
// the future, by the clock of another machine, is "now".
func Age(at, now time.Time) string {
	const day = 24 * time.Hour
	switch ago := now.Sub(at); {
	case at.IsZero():
		return ""
	case ago < time.Minute:
		return "now"
	case ago < time.Hour:
		return fmt.Sprintf("%d min ago", ago/time.Minute)
	case ago < 2*day:
		return fmt.Sprintf("%d h ago", ago/time.Hour)
	case ago < 100*day:
		return fmt.Sprintf("%d days ago", ago/day)
	}
	return at.Local().Format(time.DateOnly)
}

// NextAge returns when Age says another thing, the zero time if never.
func NextAge(at, now time.Time) time.Time {
	const day = 24 * time.Hour
	unit := time.Minute
	switch ago := now.Sub(at); {
	case at.IsZero() || ago >= 100*day:
		return time.Time{}
	case ago >= 2*day:
		unit = day
	case ago >= time.Hour:
		unit = time.Hour
	}
	return at.Add((max(0, now.Sub(at))/unit + 1) * unit)
}

func (r Run) searched() string { return strings.ToLower(r.Label() + " " + r.Format) }
