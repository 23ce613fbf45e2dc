package runs

import (
	"path/filepath"
	"slices"
	"sort"
	"time"

	"vantage/model"
)

// history is the starts of a run, as far as files show them.
type history struct {
	older     []history // earlier attempts, oldest first
	main      []unit    // of the newest attempt
	abandoned []abandoned
}

type historian struct {
	forced bool // believe a start in doubt
	doubts []doubt
}

// history returns the history that explains when the units were written; they are ascending by step.
// The stretch written last is taken out and the history of the others found, until they are in the
// order of their steps. It reports false if there is no such history.
func (t *historian) history(units []unit) (history, bool) {
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
	before, ok := t.history(slices.Concat(units[:first], tail))
	if !ok {
		return history{}, false
	}
	return t.start(before, units[:first], stretch, tail)
}

// start adds to a history the start that wrote a stretch of units; trunk are those of earlier steps,
// tail those of later steps.
func (t *historian) start(before history, trunk, stretch, tail []unit) (history, bool) {
	again := len(trunk) == 0
	if n := len(trunk); !again && (len(before.main) < n || before.main[n-1].last != trunk[n-1].last) {
		return history{}, false // it continues what was never written
	}
	if !t.forced && !isStart(trunk, stretch, tail) {
		if again || pauseBefore(stretch, tail) > usualPause(slices.Concat(trunk, stretch, tail)) {
			t.doubts = append(t.doubts, doubt{stretch[0].first, stretch[len(stretch)-1].last, tail[len(tail)-1].last})
		}
		main := before.main
		before.main = slices.Concat(main[:len(trunk):len(trunk)], stretch, main[len(trunk):])
		return before, true
	}
	if again {
		older := append(before.older, history{main: before.main, abandoned: before.abandoned})
		return history{older: older, main: stretch}, true
	}
	left := abandoned{files: filesOf(before.main[len(trunk):]), step: stretch[0].first}
	before.main = slices.Concat(trunk, stretch)
	before.abandoned = append(before.abandoned, left)
	return before, true
}

// What is needed to believe a start; see divide.
const (
	minPause      = 2 * time.Second
	minPauseRatio = 3 // to the usual pause
	manyUnits     = 8 // are not in the order of a start by chance, 1 in 5,000 times
)

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
	if born := f.Born(f.Index); !born.After(f.Written.Add(time.Second)) {
		return born
	}
	return time.Time{}
}

// unit is the files whose newest step is the same.
type unit struct {
	first, last int64     // steps
	from, to    time.Time // when the first and the last of the files were written
	files       []File
}

func unitsOf(files []File) []unit {
	type spanned struct {
		first, last int64
		File
	}
	all := make([]spanned, len(files))
	for i, f := range files {
		first, last := f.Order.Span()
		all[i] = spanned{first, last, f}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].last < all[j].last })
	sorted := make([]File, len(all))
	var units []unit
	for i, f := range all {
		sorted[i] = f.File
		n := len(units) - 1
		if n < 0 || units[n].last != f.last {
			units = append(units, unit{f.first, f.last, f.Written, f.Written, sorted[i : i+1]})
			continue
		}
		u := &units[n]
		u.first, u.files = min(u.first, f.first), sorted[i-len(u.files):i+1]
		if f.Written.Before(u.from) {
			u.from = f.Written
		}
		if f.Written.After(u.to) {
			u.to = f.Written
		}
	}
	return units
}

func filesOf(units []unit) []File {
	var files []File
	for _, u := range units {
		files = append(files, u.files...)
	}
	return files
}

func lastWrite(units []unit) time.Time {
	return slices.MaxFunc(units, func(a, b unit) int { return a.to.Compare(b.to) }).to
}

func written(files []File) (from, to time.Time) {
	for _, f := range files {
		if from.IsZero() || f.Written.Before(from) {
			from = f.Written
		}
		if f.Written.After(to) {
			to = f.Written
		}
	}
	return from, to
}

// inOrder reports whether units were written in the order of their steps, with few exceptions: of
// several processes one may be late.
func inOrder(units []unit) bool {
	late := 0
	for i := 1; i < len(units); i++ {
		if units[i].to.Before(units[i-1].to) {
			late++
		}
	}
	return late*10 <= len(units)
}

// inOrderOfNames reports whether the names of all units of one list come before those of the other, so
// that copying them by name would write them in this order.
func inOrderOfNames(early, late []unit) bool {
	last, first := "", ""
	for _, f := range filesOf(early) {
		last = max(last, filepath.ToSlash(f.Path))
	}
	for i, f := range filesOf(late) {
		if name := filepath.ToSlash(f.Path); i == 0 || name < first {
			first = name
		}
	}
	return last < first
}

// usualPause is the median time between two units that were written one after the other.
func usualPause(units []unit) time.Duration {
	times := model.Mapped(units, func(u unit) time.Time { return u.to })
	slices.SortFunc(times, time.Time.Compare)
	var pauses []time.Duration
	for i := 1; i < len(times); i++ {
		pauses = append(pauses, times[i].Sub(times[i-1]))
	}
	slices.Sort(pauses)
	if len(pauses) == 0 {
		return 0
	}
	return pauses[(len(pauses)-1)/2]
}
