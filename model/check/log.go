package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"vantage/model"
	"vantage/model/diagnosis"
	"vantage/model/units"
)

// The names of what a rule can check of the log as a whole, beside what ails the run: rows that could not be read, of all rows,
// and the time since the last row.
const unreadable, stall = "unreadable", "stall"

// OfLog reports whether the rule is on the log as a whole, not on its steps.
func (r Rule) OfLog() bool { return r.Name == unreadable || r.Name == stall || r.OfFindings() }

// OfFindings reports whether the rule is on what ails the run: it counts findings of a severity, or the alarms of a kind.
func (r Rule) OfFindings() bool { return isFinding(r.Name) }

func isFinding(name string) bool {
	return slices.Contains(diagnosis.Severities(), diagnosis.Severity(name)) ||
		slices.ContainsFunc(diagnosis.Kinds(), func(k diagnosis.KindInfo) bool { return name == string(k.Name) })
}

// ByKind returns the rules with one for each kind in the place of one on all alarms: each is then told of by itself.
func ByKind(rules []Rule) (all []Rule) {
	for _, r := range rules {
		if r.Name != string(diagnosis.Alarm) {
			all = append(all, r)
			continue
		}
		for _, k := range diagnosis.Kinds() {
			r.Name = string(k.Name)
			all = append(all, r)
		}
	}
	return all
}

// OfWhole reports whether the rule has one verdict, on the log or on all steps together.
func (r Rule) OfWhole() bool { return r.OfLog() || r.Span.isOfAll() }

// Log is what rules on a log as a whole check.
type Log struct {
	Rows       int // with those that could not be read
	Unreadable int
	Advice     string        // where the first of those is, and what to do
	LastWrite  time.Time     // of the last row; zero if the log is no file
	Quiet      time.Duration // since then
	StepTime   time.Duration // usual time between two steps; 0 if unknown

	Diagnosis *diagnosis.Diagnosis // what ails the run at the steps that are checked; nil: nobody looked
}

// LogOf returns what a snapshot of all steps says of its log at a time.
func LogOf(snap model.Snapshot, now time.Time) Log {
	p := snap.Run.Progress
	l := Log{Rows: snap.Rows + snap.Run.Skipped, Unreadable: snap.Run.Skipped, StepTime: p.StepTime}
	if p.BytesAll > 0 && !p.LastWrite.IsZero() {
		l.LastWrite, l.Quiet = p.LastWrite, max(0, now.Sub(p.LastWrite))
	}
	for _, p := range snap.Run.Problems {
		if p.Line > 0 {
			l.Advice = "first " + p.String() + "; check what writes the log: rows that cannot be read are left out of all metrics"
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
	return fmt.Sprintf("%s not or not wholly read, of unknown rows: no rule counts them; first %s", units.Plural(len(files), "files"),
		files[0])
}

func (l Log) value(r Rule) (x float64, text string, ok bool) {
	switch {
	case r.OfFindings():
		return l.findings(r)
	case r.Name == stall:
		return l.stall(r)
	case r.Unit == "%":
		return 100 * float64(l.Unreadable) / float64(max(1, l.Rows)), units.Fraction(l.Unreadable, l.Rows), true
	}
	return float64(l.Unreadable), units.Count(l.Unreadable), true
}

func (l Log) adviceFor(r Rule) string {
	switch {
	case r.OfFindings():
		for i := range l.Diagnosis.Findings {
			if f := &l.Diagnosis.Findings[i]; r.counts(f) {
				return f.Advice
			}
		}
	case r.Name == stall:
		return "check whether the run hangs or has ended"
	case l.Unreadable > 0:
		return l.Advice
	}
	return ""
}

func (r Rule) counts(f *diagnosis.Finding) bool {
	return r.Name == string(f.Severity) || r.Name == string(f.Kind) && f.Severity == diagnosis.Alarm
}

// findings returns how many findings a rule counts, and which these are.
func (l Log) findings(r Rule) (x float64, text string, ok bool) {
	if l.Diagnosis == nil || l.Diagnosis.Steps == 0 {
		return 0, "no step is complete", false
	}
	var found []string
	for i := range l.Diagnosis.Findings {
		if f := &l.Diagnosis.Findings[i]; r.counts(f) {
			found = append(found, fmt.Sprintf("%s %s, %s", f.Kind.Words(), f.When(), f.Title))
		}
	}
	for _, b := range l.Diagnosis.Blind {
		if r.Name == string(b.Kind) && found == nil {
			return 0, "cannot be told: " + b.Why, false
		}
	}
	if k := diagnosis.Kind(r.Name); found == nil && k.OfLogProbs() && !l.Diagnosis.LogProbs {
		return 0, "cannot be told: the log has no log-probs of its tokens", false
	}
	if found == nil {
		return 0, "none at " + units.Plural(l.Diagnosis.Steps, "steps"), true
	}
	return float64(len(found)), strings.Join(found, "; "), true
}

func (l Log) stall(r Rule) (x float64, text string, ok bool) {
	unit := r.unitTime(l.StepTime)
	switch {
	case l.LastWrite.IsZero():
		return 0, "the log is not a file, so the time of its last row is unknown", false
	case unit == 0:
		return 0, "the usual time between steps is unknown: give a time, such as stall>30m", false
	}
	x, text = float64(l.Quiet)/float64(unit), "no row for "+units.ApproxDuration(l.Quiet)
	if r.Unit == "x" {
		text += fmt.Sprintf(", %s the usual %s between steps", units.Times(x), units.ApproxDuration(l.StepTime))
	}
	return x, text, true
}

// unitTime returns the duration that the limit is a number of, 0 if the usual time of a step is unknown.
func (r Rule) unitTime(stepTime time.Duration) time.Duration {
	return cmp.Or(map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour}[r.Unit], stepTime)
}

// StallsAt returns when a rule on stalls will have changed its verdict if no row comes, the zero time if
// it has already, or if there is no such rule.
func (l Log) StallsAt(rules []Rule) time.Time {
	var next time.Time
	for _, r := range rules {
		if r.Name != stall || l.LastWrite.IsZero() {
			continue
		}
		left := time.Duration(r.Limit*float64(r.unitTime(l.StepTime))) - l.Quiet
		if at := l.LastWrite.Add(l.Quiet + left + time.Second); left >= 0 && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	return next
}

const stepsCompared = 8

// ShortStep is the last step of a log if it has fewer rows than each of the steps before it: it may
// still be written.
type ShortStep struct {
	Step          int64
	Rows, Fewest  int       // of the step, and of the smallest of the steps before it
	CompleteAfter time.Time // when it counts as complete if nothing more is written
}

// FindShortStep returns the last step of a snapshot if it is short. A first step never is.
func FindShortStep(snap model.Snapshot) (ShortStep, bool) {
	last := len(snap.Steps) - 1
	if last < 1 {
		return ShortStep{}, false
	}
	p := snap.Run.Progress
	s := ShortStep{Step: snap.Steps[last].Number, Rows: len(snap.Steps[last].Rewards), Fewest: len(snap.Steps[last-1].Rewards)}
	for _, before := range snap.Steps[max(0, last-stepsCompared):last] {
		s.Fewest = min(s.Fewest, len(before.Rewards))
	}
	if !p.LastWrite.IsZero() {
		s.CompleteAfter = p.LastWrite.Add(p.IdleAfter())
	}
	return s, s.Rows < s.Fewest
}

// LastIsOpen reports whether the last step of a log that is read once may still be written: it is short, and the log was
// written a while ago at most. A stream that has ended gets no more rows.
func LastIsOpen(snap model.Snapshot, now time.Time) bool {
	s, short := FindShortStep(snap)
	return short && snap.Run.Progress.BytesAll > 0 && now.Before(s.CompleteAfter)
}

// CompleteSteps returns the steps of a log that is read once, without a last one that may still be
// written, and a note if the last one is short. A log that has ended gets no more rows.
func CompleteSteps(snap model.Snapshot, now time.Time, ended bool) (complete model.Snapshot, note string) {
	s, short := FindShortStep(snap)
	if !short {
		return snap, ""
	}
	text := fmt.Sprintf("step %d has %s, those before it %s or more", s.Step, units.Plural(s.Rows, "rows"), units.Count(s.Fewest))
	switch {
	case ended:
		return snap, text + ": judged anyway, because the log has ended; check whether it was truncated"
	case now.Before(s.CompleteAfter):
		return snap.Only(snap.Steps[:len(snap.Steps)-1]),
			fmt.Sprintf("%s: not judged, because it may still be written; it counts once nothing was written for %s", text,
				units.ApproxDuration(snap.Run.Progress.IdleAfter()))
	}
	return snap, fmt.Sprintf("%s: judged anyway, because nothing was written after %s; check whether it was truncated", text,
		snap.Run.Progress.LastWrite.Local().Format("2006-01-02 15:04:05"))
}
