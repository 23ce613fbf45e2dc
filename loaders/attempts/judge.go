package attempts

import (
	"slices"
	"time"

	"vantage/model"
)

// Verdict says how the files of a run divide into attempts.
type Verdict struct {
	Attempts []Attempt // oldest first; at least one
	Doubts   []Doubt   // starts that were not believed
}

// Attempt is the rows of an attempt.
type Attempt struct {
	files     []File
	parts     []model.RowRange // of files that hold several attempts; files are then those without
	Cause     model.AttemptCause
	Abandoned []Abandoned
}

// Abandoned is the rows that an attempt left behind when it was resumed at a step.
type Abandoned struct {
	files []File
	rows  []model.RowRange
	Step  int64
}

// Doubt is a start that may have been one: files of the steps First to Last are newer than those of
// the steps after, up to Until.
type Doubt struct{ First, Last, Until int64 }

// Judge divides the files of a run into attempts. Of each start that the times of the files tell, one
// of these must hold too, or else it is a doubt, unless forced:
//
//   - A file was seen to be rewritten with other rows.
//   - The files were created in the order of their steps and last written in another: they were
//     overwritten. Files that were created in the order in which they were last written were not.
//   - Where it is not known when they were created, and their names do not explain their order: the
//     trainer was silent for thrice the usual time before the start, and for 2 s; or there are so
//     many files that they are not in this order by chance, and the start was from the first step.
//
// A single file that is newer than those of later steps is never enough, unless it was seen to be
// rewritten: a person may have touched it.
func Judge(files []File, forced bool) Verdict {
	var v Verdict
	files = slices.DeleteFunc(slices.Clone(files), func(f File) bool { return f.Order.Empty() })
	files = v.takeReplaced(files)
	files = v.takeVanished(files)
	j := judge{forced: forced}
	units := unitsOf(files)
	h, ok := j.history(units)
	if !ok {
		h, j.doubts = history{main: units}, nil
	}
	v.Doubts = j.doubts
	for _, a := range h.older {
		v.Attempts = append(v.Attempts, Attempt{files: filesOf(a.main), Cause: model.StartedAgain, Abandoned: a.abandoned})
	}
	v.takeParts(filesOf(h.main), h.abandoned)
	return v
}

// takeReplaced takes the files of folders that were replaced, once there is something in the new one.
func (v *Verdict) takeReplaced(files []File) []File {
	for len(files) > 0 {
		oldest := slices.MinFunc(files, func(a, b File) int { return a.Replaced - b.Replaced }).Replaced
		old, rest := partition(files, func(f File) bool { return f.Replaced == oldest })
		if len(rest) == 0 {
			break
		}
		v.Attempts = append(v.Attempts, Attempt{files: old, Cause: model.FolderReplaced})
		files = rest
	}
	return files
}

// takeVanished takes files that are gone, if all others are newer and go back to an earlier step:
// otherwise they were rotated away.
func (v *Verdict) takeVanished(files []File) []File {
	gone, there := partition(files, func(f File) bool { return f.Gone })
	if len(gone) == 0 || len(there) == 0 {
		return files
	}
	from, _ := written(there)
	_, to := written(gone)
	first, _ := steps(there)
	_, last := steps(gone)
	if !from.After(to) || first >= last {
		return files
	}
	v.Attempts = append(v.Attempts, Attempt{files: gone, Cause: model.FilesRemoved})
	return there
}

// takeParts adds the newest attempt of the files, and those before it that are in the same files.
func (v *Verdict) takeParts(files []File, abandoned []Abandoned) {
	count := 1
	for _, f := range files {
		if f.Order.passes != nil {
			count = max(count, len(f.Order.parts()))
		}
	}
	at := len(v.Attempts)
	v.Attempts = append(v.Attempts, make([]Attempt, count)...)
	newest := &v.Attempts[at+count-1]
	newest.Abandoned = abandoned
	for i := range count - 1 {
		v.Attempts[at+i].Cause = model.Appended
	}
	for _, f := range files {
		if f.Order.passes == nil {
			newest.files = append(newest.files, f)
			continue
		}
		parts := f.Order.parts()
		for i, p := range parts {
			v.Attempts[at+count-len(parts)+i].takePart(f, p)
		}
	}
}

// takePart adds a part of a file.
func (a *Attempt) takePart(f File, p part) {
	a.parts = append(a.parts, model.RowRange{File: f.Index, From: p.from, To: p.to, Step: anyStep})
	for _, r := range p.resumes {
		i := slices.IndexFunc(a.Abandoned, func(b Abandoned) bool { return b.Step == r.step })
		if i < 0 {
			i = len(a.Abandoned)
			a.Abandoned = append(a.Abandoned, Abandoned{Step: r.step})
		}
		a.Abandoned[i].rows = append(a.Abandoned[i].rows, model.RowRange{File: f.Index, From: p.from, To: r.at, Step: r.step})
	}
}

// anyStep is below all steps.
const anyStep = fileStart

// Rows returns the rows of the attempt, with those that it abandoned.
func (a *Attempt) Rows() []model.RowRange {
	return append(append(wholeFiles(a.files), a.parts...), a.abandonedRows()...)
}

// abandonedRows returns the rows that the attempt abandoned.
func (a *Attempt) abandonedRows() []model.RowRange {
	var rows []model.RowRange
	for i := range a.Abandoned {
		rows = append(rows, a.Abandoned[i].Rows()...)
	}
	return rows
}

// Rows returns the rows.
func (a *Abandoned) Rows() []model.RowRange { return append(wholeFiles(a.files), a.rows...) }

// Written returns when files of the attempt were last written; zero times for rows within a file, of
// which only the last write is known.
func (a *Attempt) Written() (from, to time.Time) { return written(a.files) }

// Written returns when the files were last written; see [Attempt.Written].
func (a *Abandoned) Written() (from, to time.Time) { return written(a.files) }

// wholeFiles are all rows of files.
func wholeFiles(files []File) []model.RowRange {
	rows := make([]model.RowRange, len(files))
	for i, f := range files {
		rows[i] = model.RowRange{File: f.Index, From: fileStart, To: fileEnd, Step: anyStep}
	}
	return rows
}

// steps are the first and the last step of files.
func steps(files []File) (first, last int64) {
	for i, f := range files {
		from, to := f.Order.Span()
		if i == 0 {
			first, last = from, to
		}
		first, last = min(first, from), max(last, to)
	}
	return first, last
}

// partition divides files in two.
func partition(files []File, is func(File) bool) (yes, no []File) {
	for _, f := range files {
		if is(f) {
			yes = append(yes, f)
		} else {
			no = append(no, f)
		}
	}
	return yes, no
}
