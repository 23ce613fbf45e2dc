package attempts

import (
	"slices"
	"time"
)

// history is the starts of a run, as far as files show them.
type history struct {
	older     []history // earlier attempts, oldest first
	main      []unit    // of the newest attempt
	abandoned []Abandoned
}

// judge finds the history of units.
type judge struct {
	forced bool // believe a start in doubt
	doubts []Doubt
}

// history returns the history that explains when the units were written; they are ascending by step.
// The stretch written last is taken out and the history of the others found, until they are in the
// order of their steps. It reports false if there is no such history.
func (j *judge) history(units []unit) (history, bool) {
	newest := 0
	for i, u := range units {
		if !u.to.Before(units[newest].to) {
			newest = i
		}
	}
	if newest >= len(units)-1 {
		return history{main: units}, inOrder(units)
	}
	tail := units[newest+1:]
	first, until := newest+1, lastWrite(tail)
	for first > 0 && units[first-1].from.After(until) {
		first--
	}
	stretch := units[first : newest+1]
	if len(stretch) == 0 || tail[0].first < units[newest].last || !inOrder(stretch) {
		return history{}, false
	}
	before, ok := j.history(slices.Concat(units[:first], tail))
	if !ok {
		return history{}, false
	}
	return j.start(before, units[:first], stretch, tail)
}

// start adds to a history the start that wrote a stretch of units; trunk are those of earlier steps,
// tail those of later steps.
func (j *judge) start(before history, trunk, stretch, tail []unit) (history, bool) {
	again := len(trunk) == 0
	if n := len(trunk); !again && (len(before.main) < n || before.main[n-1].last != trunk[n-1].last) {
		return history{}, false // it continues what was never written
	}
	if !j.forced && !isStart(trunk, stretch, tail) {
		if again || pauseBefore(stretch, tail) > usualPause(slices.Concat(trunk, stretch, tail)) {
			j.doubts = append(j.doubts, Doubt{stretch[0].first, stretch[len(stretch)-1].last, tail[len(tail)-1].last})
		}
		main := before.main
		before.main = slices.Concat(main[:len(trunk):len(trunk)], stretch, main[len(trunk):])
		return before, true
	}
	if again {
		older := append(before.older, history{main: before.main, abandoned: before.abandoned})
		return history{older: older, main: stretch}, true
	}
	left := Abandoned{files: filesOf(before.main[len(trunk):]), Step: stretch[0].first}
	before.main = slices.Concat(trunk, stretch)
	before.abandoned = append(before.abandoned, left)
	return before, true
}

// What is needed to believe a start; see [Judge].
const (
	minPause      = 2 * time.Second
	minPauseRatio = 3 // to the usual pause
	manyUnits     = 8 // are not in the order of a start by chance, 1 in 5,000 times
)

// isStart reports whether a stretch was written by a start of the run.
func isStart(trunk, stretch, tail []unit) bool {
	if slices.ContainsFunc(filesOf(stretch), func(f File) bool { return f.Rewritten }) {
		return true
	}
	all := slices.Concat(trunk, stretch, tail)
	if len(stretch) < 2 || slices.ContainsFunc(filesOf(all), func(f File) bool { return f.Copied }) {
		return false
	}
	again, pause, usual := len(trunk) == 0, pauseBefore(stretch, tail), usualPause(all)
	if overwritten, known := wereOverwritten(stretch, tail); known {
		return overwritten && (again || pause > usual)
	}
	if inOrderOfNames(tail, stretch) {
		return false
	}
	return pause >= max(minPause, minPauseRatio*usual) || again && len(all) >= manyUnits
}

// pauseBefore is how long nothing was written before the stretch.
func pauseBefore(stretch, tail []unit) time.Duration { return stretch[0].from.Sub(lastWrite(tail)) }

// wereOverwritten reports whether the files of a stretch are older than those of the tail, though they
// were written later. It is known if all were created before, or all after the tail was written.
func wereOverwritten(stretch, tail []unit) (overwritten, known bool) {
	first, last, next := birth(stretch[0]), birth(stretch[len(stretch)-1]), birth(tail[0])
	switch {
	case first.IsZero() || last.IsZero() || next.IsZero():
		return false, false
	case !first.After(last) && !last.After(next):
		return true, true
	}
	until := lastWrite(tail)
	return false, !first.Before(until) && !last.Before(until)
}

// birth is when the first file of a unit was created; the zero time if it is unknown, or later than the
// file was last written, as in a copy that kept its times.
func birth(u unit) time.Time {
	f := u.files[0]
	if f.Born == nil {
		return time.Time{}
	}
	if at := f.Born(); !at.After(f.Written.Add(time.Second)) {
		return at
	}
	return time.Time{}
}
