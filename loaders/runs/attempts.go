// Package runs tells apart what the logs of runs mix: the attempts of a run that was started again in the folder, or the
// file, of the run before it, and the rows of evaluations among those of training.
//
// In: what is known of the files of some runs ([File]), with their steps in the order of rows ([Order]), and what each log
// call wrote ([Table]). Out: which rows are left out ([LeftOut]), and which tables hold an evaluation ([Find]). Source calls
// it; it opens nothing and knows no clock.
//
// A run that is resumed from a checkpoint continues its attempt: what had been written beyond the
// checkpoint is abandoned, and written again. A run that begins again at its first step is a new attempt.
//
// Times are weak evidence, since copying a folder gives its files other times. They are believed only
// if all files fit one history of starts: each start wrote a stretch of steps in their order, and what
// it did not get to is older. See divide for what else is asked.
package runs

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"time"

	"vantage/model"
)

// File is what is known of a file of a run.
type File struct {
	Index     int32 // by which rows name it
	Run       Run
	Path      string
	Order     *Order
	Written   time.Time                  // when it was last written; zero if unknown
	Born      func(file int32) time.Time // when a file was created; zero if unknown
	Gone      bool                       // it was read, and is not there any more
	Rewritten bool                       // it was seen to be written again with other rows
	Copied    bool                       // it was seen to be replaced by a copy of itself, or its time is that of an upload
	Replaced  int                        // how often the folder had been replaced before, NotReplaced if this is still the folder
}

// NotReplaced is [File.Replaced] of a file whose folder is still there.
const NotReplaced = math.MaxInt

// Run tells runs apart.
type Run struct {
	Folder     string // as it is shown
	Validation bool
	Alone      int32 // the index of a file that was given by itself, which is a run of its own; -1 if it is of a folder
}

// isPlain reports whether nothing of the file itself tells of another attempt.
func (f *File) isPlain() bool { return !f.Order.GoesBack() && !f.Gone && f.Replaced == NotReplaced }

// LeftOut says which rows are left out if one attempt of each run is shown: that of a number, from 1, or the newest if
// shown is 0. It goes through the files twice: runs that were written in the order of their steps are passed over at a glance.
func LeftOut(files iter.Seq[File], shown int) model.Attempts {
	type run struct {
		inOrder bool // each file was written after those before it, and has later steps
		newest  int64
		written time.Time
		files   []File
	}
	var order []Run
	runs := map[Run]*run{}
	for f := range files {
		if f.Order.Empty() {
			continue
		}
		r := runs[f.Run]
		if r == nil {
			r = &run{inOrder: shown == 0, newest: math.MinInt64}
			order, runs[f.Run] = append(order, f.Run), r
		}
		_, newest := f.Order.Span()
		r.inOrder = r.inOrder && f.isPlain() && newest >= r.newest && !f.Written.Before(r.written)
		r.newest, r.written = newest, f.Written
	}
	for f := range files {
		if r := runs[f.Run]; !f.Order.Empty() && !r.inOrder {
			r.files = append(r.files, f)
		}
	}
	var all model.Attempts
	for _, key := range order {
		name := key.Folder
		if len(order) == 1 {
			name = ""
		}
		if files := runs[key].files; len(files) > 0 {
			addRun(&all, name, files, shown)
		}
	}
	if all.Count < 2 && len(all.LeftOut)+len(all.Doubts) == 0 {
		return model.Attempts{}
	}
	return all
}

// addRun adds what is left out of a run: all of an attempt that is not shown, and what the shown one abandoned.
func addRun(all *model.Attempts, name string, files []File, shown int) {
	d := divide(files, shown > 0)
	count := len(d.attempts)
	if shown == 0 {
		shown = count
	}
	for i := range d.attempts {
		a, left := &d.attempts[i], model.OlderRows{Attempt: i + 1, Of: count, Run: name}
		if left.Attempt != shown {
			left.Rows, left.Cause = a.ranges(), a.cause
			if left.Attempt > shown {
				left.Cause = model.Chosen
			}
			left.Start, left.End = written(a.files)
			all.LeftOut = append(all.LeftOut, left)
			continue
		}
		for _, gone := range a.abandoned {
			left.Rows, left.Cause, left.Step = gone.ranges(), model.Resumed, gone.step
			left.Start, left.End = written(gone.files)
			all.LeftOut = append(all.LeftOut, left)
		}
	}
	if len(d.doubts) > 0 {
		forced, of := len(divide(files, true).attempts), ""
		if name != "" {
			of = " of " + name
		}
		for _, doubt := range d.doubts {
			all.Doubts = append(all.Doubts,
				fmt.Sprintf("counted as one run, though the files of steps %d to %d%s are newer than those of later steps up to %d, as "+
					"after some copies; if the run was started again over its old files, --attempt %d shows it without them",
					doubt.first, doubt.last, of, doubt.until, forced))
		}
	}
	switch {
	case count == 1 && all.Count > 1:
	case all.Count > 1 && (all.Count != count || all.Shown != shown):
		all.Shown = 0 // the runs differ
	default:
		all.Shown, all.Count = shown, count
	}
}

// LeftOutFiles are the files of which all rows are left out, with the number, from 1, of the attempt or
// abandoned part that they are of among those that are left out.
func LeftOutFiles(a model.Attempts) map[int32]int {
	files := map[int32]int{}
	for i, l := range a.LeftOut {
		for _, r := range l.Rows {
			if r.From == fileStart && r.To == fileEnd {
				files[r.File] = i + 1
			}
		}
	}
	return files
}

type division struct {
	attempts []attempt // oldest first; at least one
	doubts   []doubt   // starts that were not believed
}

type attempt struct {
	files     []File           // of which it has all rows
	parts     []model.RowRange // of files that hold several attempts
	cause     model.AttemptCause
	abandoned []abandoned
}

// abandoned is the rows that an attempt left behind when it was resumed at a step.
type abandoned struct {
	files []File
	parts []model.RowRange
	step  int64
}

// doubt is a start that may have been one: files of the steps first to last are newer than those of
// the steps after, up to until.
type doubt struct{ first, last, until int64 }

func (a *attempt) ranges() []model.RowRange {
	return append(append(wholeFiles(a.files), a.parts...), a.abandonedRanges()...)
}

func (a *attempt) abandonedRanges() (ranges []model.RowRange) {
	for _, gone := range a.abandoned {
		ranges = append(ranges, gone.ranges()...)
	}
	return ranges
}

func (a abandoned) ranges() []model.RowRange { return append(wholeFiles(a.files), a.parts...) }

// anyStep is below all steps.
const anyStep = fileStart

func wholeFiles(files []File) []model.RowRange {
	return model.Mapped(files, func(f File) model.RowRange {
		return model.RowRange{File: f.Index, From: fileStart, To: fileEnd, Step: anyStep}
	})
}

// divide divides the files of a run into attempts. Of each start that the times of the files tell, one
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
func divide(files []File, forced bool) division {
	var d division
	files = d.takeVanished(d.takeReplaced(files))
	units := unitsOf(files)
	h := historian{forced: forced}
	told, ok := h.history(units)
	if !ok {
		told, h.doubts = history{main: units}, nil
	}
	d.doubts = h.doubts
	for _, a := range told.older {
		d.attempts = append(d.attempts, attempt{files: filesOf(a.main), cause: model.StartedAgain, abandoned: a.abandoned})
	}
	d.takeParts(filesOf(told.main), told.abandoned)
	return d
}

// takeReplaced takes the files of folders that were replaced, once there is something in the new one.
func (d *division) takeReplaced(files []File) []File {
	for len(files) > 0 {
		oldest := slices.MinFunc(files, func(a, b File) int { return a.Replaced - b.Replaced }).Replaced
		old, rest := partition(files, func(f File) bool { return f.Replaced == oldest })
		if len(rest) == 0 {
			break
		}
		d.attempts = append(d.attempts, attempt{files: old, cause: model.FolderReplaced})
		files = rest
	}
	return files
}

// takeVanished takes files that are gone, if all others are newer and go back to an earlier step:
// otherwise they were rotated away.
func (d *division) takeVanished(files []File) []File {
	gone, there := partition(files, func(f File) bool { return f.Gone })
	if len(gone) == 0 || len(there) == 0 {
		return files
	}
	from, _ := written(there)
	_, to := written(gone)
	first, last := int64(math.MaxInt64), int64(math.MinInt64)
	for _, f := range there {
		step, _ := f.Order.Span()
		first = min(first, step)
	}
	for _, f := range gone {
		_, step := f.Order.Span()
		last = max(last, step)
	}
	if !from.After(to) || first >= last {
		return files
	}
	d.attempts = append(d.attempts, attempt{files: gone, cause: model.FilesRemoved})
	return there
}

// takeParts adds the newest attempt of the files, and those before it that are in the same files.
func (d *division) takeParts(files []File, left []abandoned) {
	count := 1
	for _, f := range files {
		if f.Order.passes != nil {
			count = max(count, len(f.Order.parts()))
		}
	}
	at := len(d.attempts)
	d.attempts = append(d.attempts, make([]attempt, count)...)
	newest := &d.attempts[at+count-1]
	newest.abandoned = left
	for i := range count - 1 {
		d.attempts[at+i].cause = model.Appended
	}
	for _, f := range files {
		if f.Order.passes == nil {
			newest.files = append(newest.files, f)
			continue
		}
		parts := f.Order.parts()
		for i, p := range parts {
			a := &d.attempts[at+count-len(parts)+i]
			a.parts = append(a.parts, model.RowRange{File: f.Index, From: p.from, To: p.to, Step: anyStep})
			for _, r := range p.resumes {
				i := slices.IndexFunc(a.abandoned, func(b abandoned) bool { return b.step == r.step })
				if i < 0 {
					i = len(a.abandoned)
					a.abandoned = append(a.abandoned, abandoned{step: r.step})
				}
				a.abandoned[i].parts = append(a.abandoned[i].parts, model.RowRange{File: f.Index, From: p.from, To: r.at, Step: r.step})
			}
		}
	}
}

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

// Order is the steps of a file, in the order of its rows. The zero value is that of a file without rows.
type Order struct {
	passes    *[]pass // before the current one; nil if there are none
	now       pass
	unordered bool // steps go back so often that passes mean nothing
}

// pass is a part of a file in which steps never go back.
type pass struct {
	from                int64 // offset of its first row
	first, second, last int64 // steps; second only if there are two
	steps               int32
	rows, firstRows     int32 // firstRows are those of the first step
}

// maxPasses is how many passes a file may have before its steps count as unordered.
const maxPasses = 64

// Add takes rows of one step that follow those added before; offset is that of the first.
// It reports whether the step is an earlier one than that of the rows before.
func (o *Order) Add(step, offset int64, rows int) (wentBack bool) {
	p := &o.now
	wentBack = p.rows > 0 && step < p.last
	switch {
	case p.rows == 0:
		*p = pass{from: offset, first: step, last: step, steps: 1}
	case step == p.last:
	case step > p.last:
		if p.steps++; p.steps == 2 {
			p.second = step
		}
		p.last = step
	case o.unordered:
		p.first = min(p.first, step)
	default:
		o.goBack(step, offset)
	}
	p.rows = int32(min(math.MaxInt32, int64(p.rows)+int64(rows)))
	if p.steps == 1 {
		p.firstRows = p.rows
	}
	return wentBack
}

func (o *Order) goBack(step, offset int64) {
	if o.passes == nil {
		o.passes = &[]pass{}
	}
	if *o.passes = append(*o.passes, o.now); len(*o.passes) < maxPasses {
		o.now = pass{from: offset, first: step, last: step, steps: 1}
		return
	}
	first, last := spanOf(*o.passes)
	o.now = pass{from: (*o.passes)[0].from, first: min(step, first), last: max(step, last), steps: maxPasses, rows: 1}
	o.passes, o.unordered = nil, true
}

func spanOf(passes []pass) (first, last int64) {
	first, last = passes[0].first, passes[0].last
	for _, p := range passes {
		first, last = min(first, p.first), max(last, p.last)
	}
	return first, last
}

// Empty reports whether the file has no rows.
func (o *Order) Empty() bool { return o.now.rows == 0 }

// filePart is the rows of one attempt in a file.
type filePart struct {
	from, to    int64 // offsets of its first row, and of the row after its last
	first, last int64 // steps
	resumes     []resume
}

// resume is where a file goes back to a step within an attempt: what stands before offset at, of that
// step and later ones, is abandoned.
type resume struct{ at, step int64 }

// The end of a part that is the last of its file, and its start if it is the first.
const (
	fileStart = math.MinInt64
	fileEnd   = math.MaxInt64
)

// parts divides the rows of the file into attempts, oldest first. There is one if steps only go back
// for single rows that come late, or go back so often that this is their usual order.
func (o *Order) parts() []filePart {
	if o.passes == nil {
		return []filePart{{from: fileStart, to: fileEnd, first: o.now.first, last: o.now.last}}
	}
	passes := append((*o.passes)[:len(*o.passes):len(*o.passes)], o.now)
	if isUsualOrder(passes) {
		first, last := spanOf(passes)
		return []filePart{{from: fileStart, to: fileEnd, first: first, last: last}}
	}
	before := passes[0]
	parts := []filePart{{from: fileStart, to: fileEnd, first: before.first, last: before.last}}
	for _, p := range passes[1:] {
		now := &parts[len(parts)-1]
		switch {
		case !p.repeats(before):
			before = before.with(p)
			now.first, now.last = min(now.first, p.first), max(now.last, p.last)
			continue
		case p.first <= now.first:
			now.to = p.from
			parts = append(parts, filePart{from: p.from, to: fileEnd, first: p.first, last: p.last})
		default:
			now.resumes = append(now.resumes, resume{at: p.from, step: p.first})
			now.last = p.last
		}
		before = p
	}
	return parts
}

// Starts that follow one another so closely are rather the order in which rows are written.
const (
	maxStarts       = 2 // however few steps lie between them
	minStepsPerPass = 5 // on average, if there are more
)

// isUsualOrder reports whether steps go back too often for starts of a run.
func isUsualOrder(passes []pass) bool {
	steps := 0
	for _, p := range passes {
		steps += int(p.steps)
	}
	return len(passes)-1 > maxStarts && steps < minStepsPerPass*len(passes)
}

// repeats reports whether a pass writes steps of the pass before it again, rather than rows of them
// that come late: it starts with a step of the usual size, or with half of one that another step
// follows which the pass before has had too. A pass of one step tells no order, and steps of one row
// are rather the turns of a conversation.
func (p pass) repeats(before pass) bool {
	usual := before.rows / before.steps
	switch {
	case p.first >= before.last || before.steps < 2 || usual < 2:
		return false
	case p.steps > 1:
		return p.second <= before.last && p.firstRows*2 >= usual
	}
	return p.firstRows >= usual
}

func (p pass) with(late pass) pass {
	if late.last > p.last {
		p.steps += late.steps
	}
	p.last, p.rows = max(p.last, late.last), p.rows+late.rows
	return p
}

// GoesBack reports whether an earlier step follows a later one somewhere.
func (o *Order) GoesBack() bool { return o.passes != nil || o.unordered }

// Span returns the first and the last step of the newest attempt in the file.
func (o *Order) Span() (first, last int64) {
	if o.passes == nil {
		return o.now.first, o.now.last
	}
	parts := o.parts()
	newest := parts[len(parts)-1]
	return newest.first, newest.last
}
