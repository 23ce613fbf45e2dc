package check

import (
	"fmt"
	"time"

	"vantage/model"
	"vantage/model/units"
)

// stepsCompared is how many steps before the last one say how many rows a step has.
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
		return snap, text + ": judged anyway, since the log has ended; check whether it was truncated"
	case now.Before(s.CompleteAfter):
		return snap.Only(snap.Steps[:len(snap.Steps)-1]), fmt.Sprintf("%s: not judged, since it may still be written; it counts once nothing was written for %s", text, units.ApproxDuration(snap.Run.Progress.IdleAfter()))
	}
	return snap, fmt.Sprintf("%s: judged anyway, since nothing was written after %s; check whether it was truncated", text, snap.Run.Progress.LastWrite.Local().Format("2006-01-02 15:04:05"))
}
