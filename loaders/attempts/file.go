package attempts

import (
	"cmp"
	"path/filepath"
	"slices"
	"time"
)

// File is what is known of a file of a run.
type File struct {
	Index     int32 // by which rows name it
	Path      string
	Order     *Order
	Written   time.Time        // when it was last written; zero if unknown
	Born      func() time.Time // when it was created; zero if unknown
	Gone      bool             // it was read, and is not there any more
	Rewritten bool             // it was seen to be written again with other rows
	Copied    bool             // it was seen to be replaced by a copy of itself, or its time is that of an upload
	Replaced  int              // how often the folder had been replaced before; it is gone if that is less than for others
}

// unit is the files whose newest step is the same.
type unit struct {
	first, last int64     // steps
	from, to    time.Time // when the first and the last of the files were written
	files       []File
}

// unitsOf are the files by their newest step.
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
	slices.SortStableFunc(all, func(a, b spanned) int { return cmp.Compare(a.last, b.last) })
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

// filesOf are the files of units.
func filesOf(units []unit) []File {
	var files []File
	for _, u := range units {
		files = append(files, u.files...)
	}
	return files
}

// lastWrite is when the last of some units was written.
func lastWrite(units []unit) time.Time {
	var at time.Time
	for _, u := range units {
		if u.to.After(at) {
			at = u.to
		}
	}
	return at
}

// written is when the first and the last of some files were written.
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
	var times []time.Time
	for _, u := range units {
		times = append(times, u.to)
	}
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
