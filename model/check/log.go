package check

import (
	"fmt"

	"vantage/model"
	"vantage/model/units"
)

// unreadable is the name of the rows that could not be read, of all rows of the log.
const unreadable = "unreadable"

// OfLog reports whether the rule is on the log as a whole, not on each step.
func (r Rule) OfLog() bool { return r.Name == unreadable }

// Log is what rules on a log as a whole check.
type Log struct {
	Rows       int // with those that could not be read
	Unreadable int
	Advice     string // where the first of those is, and what to do
}

// LogOf returns what a snapshot of all steps says of its log.
func LogOf(snap model.Snapshot) Log {
	l := Log{Rows: snap.Rows + snap.Run.Skipped, Unreadable: snap.Run.Skipped}
	for _, p := range snap.Run.Problems {
		if p.Line > 0 {
			l.Advice = "first " + p.String() + "; see what writes the log, since rows that cannot be read count nowhere"
			break
		}
	}
	return l
}

// UnreadFiles returns a note on the files that could not be read as a whole, "" if there are none.
// How many rows they hold is unknown, so no rule counts them.
func UnreadFiles(snap model.Snapshot) string {
	var files []model.Problem
	for _, p := range snap.Run.Problems {
		if p.Line == 0 {
			files = append(files, p)
		}
	}
	if len(files) == 0 {
		return ""
	}
	return fmt.Sprintf("%s not or not wholly read, of unknown rows: no rule counts them; first %s", units.Plural(len(files), "files"), files[0])
}

// value returns the value of a rule on the log, and its text.
func (l Log) value(r Rule) (float64, string) {
	if r.Percent {
		return 100 * float64(l.Unreadable) / float64(max(1, l.Rows)), units.Fraction(l.Unreadable, l.Rows)
	}
	return float64(l.Unreadable), units.Count(l.Unreadable)
}
