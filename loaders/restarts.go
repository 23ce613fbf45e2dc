package loaders

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"time"

	"vantage/loaders/attempts"
	"vantage/loaders/fileio"
	"vantage/model"
)

// runAttempts keeps the attempts of a run apart: see package attempts. They are judged when everything
// that is there has been read.
type runAttempts struct {
	changed  bool      // something was read since they were judged
	next     time.Time // they are not judged before, since that takes long for many files
	sent     model.Attempts
	replaced map[int32]replacedFile // files of folders that were replaced
	folders  int                    // how many
}

// replacedFile is a file of a folder that was replaced.
type replacedFile struct {
	path    string
	written time.Time
	number  int // of the folder, from 0
}

// judgementShare is one part in how many of the time judging may take while following.
const judgementShare = 50

// judgeAttempts decides which rows are left out, if it is time to.
func (s *fileSet) judgeAttempts(now time.Time) {
	a := &s.attempts
	if !a.changed || len(s.queue) > 0 || s.options.Attempt == AllAttempts || s.options.Follow && now.Before(a.next) {
		return
	}
	a.changed = false
	start := time.Now()
	judged := s.judgeRuns()
	a.next = time.Now().Add(judgementShare * time.Since(start))
	if reflect.DeepEqual(judged, a.sent) {
		return
	}
	a.sent = judged
	s.chunks.pending.attempts = &judged
	s.chunks.evaluations.unjudged, s.chunks.evaluations.unreported = true, true
	s.findNewest()
}

// judgeRuns judges each run by itself, those that were written in the order of their steps at a glance.
func (s *fileSet) judgeRuns() model.Attempts {
	keys, runs := s.findRuns()
	for _, f := range s.files {
		if s.chunks.order(f.index).Empty() {
			continue
		}
		if r := runs[s.runKeyOf(f)]; !r.inOrder {
			r.files = append(r.files, s.attemptFile(f))
		}
	}
	var all model.Attempts
	for _, key := range keys {
		name := ""
		if len(keys) > 1 {
			name = key.name()
		}
		if r := runs[key]; !r.inOrder {
			s.addRun(&all, name, r.files)
		}
	}
	if all.Count < 2 && len(all.LeftOut)+len(all.Doubts) == 0 {
		return model.Attempts{}
	}
	return all
}

// foundRun is a run while it is looked at.
type foundRun struct {
	inOrder bool // each file was written after those before it, and has later steps
	newest  int64
	written time.Time
	files   []attempts.File
}

// findRuns finds the runs, in the order of their first files.
func (s *fileSet) findRuns() (keys []runKey, runs map[runKey]*foundRun) {
	runs = map[runKey]*foundRun{}
	for _, f := range s.files {
		order := s.chunks.order(f.index)
		if order.Empty() {
			continue
		}
		key := s.runKeyOf(f)
		r := runs[key]
		if r == nil {
			r = &foundRun{inOrder: s.options.Attempt <= 0, newest: math.MinInt64}
			keys, runs[key] = append(keys, key), r
		}
		_, newest := order.Span()
		var written time.Time
		if f.disk != nil {
			written = f.disk.Modified()
		}
		_, replaced := s.attempts.replaced[f.index]
		r.inOrder = r.inOrder && !order.GoesBack() && !f.gone && !replaced && newest >= r.newest && !written.Before(r.written)
		r.newest, r.written = newest, written
	}
	return keys, runs
}

// runKey tells runs apart.
type runKey struct {
	runDir
	file int32 // a file that was given by itself, which is a run of its own; -1 if it is of a directory
}

// runKeyOf returns the run of a file. The directories of AReaL's versions are of one run.
func (s *fileSet) runKeyOf(f *file) runKey {
	at := s.chunks.runs.dirs[s.chunks.runs.fileDirs[f.index]]
	if f.stream != nil || f.disk != nil && f.disk.Root == "" {
		return runKey{at, f.index}
	}
	dir := dirOfName(f.name)
	first, last := s.chunks.order(f.index).Span()
	if version, err := strconv.ParseInt(filepath.Base(dir), 10, 64); err == nil && first == version && last == version {
		at.path = dirOfName(dir)
	}
	return runKey{at, -1}
}

// attemptFile is what is known of a file.
func (s *fileSet) attemptFile(f *file) attempts.File {
	a := attempts.File{Index: f.index, Path: f.name, Order: s.chunks.order(f.index), Gone: f.gone, Rewritten: f.rewritten, Copied: f.copied, Replaced: math.MaxInt}
	if old, ok := s.attempts.replaced[f.index]; ok {
		a.Written, a.Replaced, a.Gone = old.written, old.number, false
		return a
	}
	if f.disk != nil {
		a.Written = f.disk.Modified()
		a.Copied = a.Copied || fileio.WasUploaded(f.disk.Info)
		if f.disk.Storage == nil {
			a.Born = func() time.Time { return fileio.Born(f.disk.Place()) }
		}
	}
	return a
}

// addRun adds what is left out of a run.
func (s *fileSet) addRun(all *model.Attempts, name string, files []attempts.File) {
	v := attempts.Judge(files, s.options.Attempt > 0)
	count := len(v.Attempts)
	shown := count
	if s.options.Attempt > 0 {
		shown = int(s.options.Attempt)
	}
	for i := range v.Attempts {
		s.addAttempt(all, &v.Attempts[i], model.OlderRows{Attempt: i + 1, Of: count, Run: name}, shown)
	}
	if len(v.Doubts) > 0 {
		forced := len(attempts.Judge(files, true).Attempts)
		for _, d := range v.Doubts {
			all.Doubts = append(all.Doubts, doubtText(d, name, forced))
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

// addAttempt adds what is left out of an attempt: all of it, or what it abandoned if it is shown.
func (s *fileSet) addAttempt(all *model.Attempts, a *attempts.Attempt, left model.OlderRows, shown int) {
	if left.Attempt == shown {
		for i := range a.Abandoned {
			gone := &a.Abandoned[i]
			left.Rows, left.Cause, left.Step = gone.Rows(), model.Resumed, gone.Step
			left.Start, left.End = gone.Written()
			all.LeftOut = append(all.LeftOut, left)
		}
	} else {
		left.Rows, left.Cause = a.Rows(), a.Cause
		if left.Attempt > shown {
			left.Cause = model.Chosen
		}
		left.Start, left.End = a.Written()
		all.LeftOut = append(all.LeftOut, left)
	}
}

// doubtText says which start was not believed, and how it is.
func doubtText(d attempts.Doubt, run string, attempt int) string {
	if run != "" {
		run = " of " + run
	}
	return fmt.Sprintf("counted as one run, though the files of steps %d to %d%s are newer than those of later steps up to %d, as after some copies; if the run was started again over its old files, --attempt %d shows it without them",
		d.First, d.Last, run, d.Until, attempt)
}

// leftOutFiles are the files of which all rows are left out, with the number, from 1, of the attempt or
// abandoned part that they are of among those that are left out.
func (s *fileSet) leftOutFiles() map[int32]int {
	files := map[int32]int{}
	for i, l := range s.attempts.sent.LeftOut {
		for _, r := range l.Rows {
			if r.From == math.MinInt64 && r.To == math.MaxInt64 {
				files[r.File] = i + 1
			}
		}
	}
	return files
}

// findNewest finds the newest step, and when the log was written, among what is not left out.
func (s *fileSet) findNewest() {
	leftOut := s.leftOutFiles()
	s.newest, s.writes = newestStep{}, writeTimes{}
	for _, f := range s.files {
		f.leftOut = leftOut[f.index] > 0
		if f.leftOut {
			continue
		}
		if f.hasStep {
			_, f.newestStep = s.chunks.order(f.index).Span()
		}
		s.newest.addName(f)
		s.newest.update(f)
		s.writes.note(f)
	}
}

// noteRewritten notes that a file, of which something was read, has been written anew, or was replaced
// by a copy of itself.
func (r *reading) noteRewritten(f *file, h fileio.Handle, info os.FileInfo) {
	switch {
	case r.chunks.order(f.index).Empty():
	case info.Size() != f.disk.Size || !f.disk.StartsTheSame(h):
		f.rewritten = true
	case !fileio.SameFile(f.disk.Info, info):
		f.copied = true
	}
}
