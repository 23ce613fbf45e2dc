package loaders

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"time"

	"vantage/loaders/compressed"
	"vantage/loaders/decode"
	"vantage/loaders/discover"
	"vantage/loaders/fileio"
	"vantage/loaders/formats"
	"vantage/loaders/runs"
	"vantage/model"
)

// Attempt says which attempt of a run is read: its number from 1, NewestAttempt or AllAttempts.
type Attempt int

// The attempts that have no number.
const (
	NewestAttempt Attempt = 0
	AllAttempts   Attempt = -1
)

// ParseAttempt returns the attempt of a flag: newest, all, or a number from 1.
func ParseAttempt(text string) (Attempt, error) {
	switch text {
	case "newest", "":
		return NewestAttempt, nil
	case "all":
		return AllAttempts, nil
	}
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("unknown attempt %q: choose newest, all, or a number from 1", text)
	}
	return Attempt(n), nil
}

// runAttempts keeps the attempts of a run apart: see package runs. They are told apart when everything
// that is there has been read.
type runAttempts struct {
	changed  bool      // something was read since they were told apart
	next     time.Time // they are not told apart before, since that takes long for many files
	sent     model.Attempts
	replaced map[int32]replacedFile // files of folders that were replaced
	folders  int                    // how many
}

type replacedFile struct {
	written time.Time
	number  int // of the folder, from 0
}

// attemptsShare is one part in how many of the time that may take while following.
const attemptsShare = 50

// leaveOutAttempts decides which rows of other attempts are left out, if it is time to.
func (s *fileSet) leaveOutAttempts(now time.Time) {
	a := &s.attempts
	if !a.changed || len(s.reading.queue) > 0 || s.options.Attempt == AllAttempts || s.options.Follow && now.Before(a.next) {
		return
	}
	a.changed = false
	start := time.Now()
	leftOut := runs.LeftOut(s.runFiles, int(s.options.Attempt))
	a.next = time.Now().Add(attemptsShare * time.Since(start))
	if reflect.DeepEqual(leftOut, a.sent) {
		return
	}
	a.sent = leftOut
	s.chunks.pending.Attempts = &leftOut
	s.chunks.evaluations.Changed, s.chunks.evaluations.Unreported = true, true
	s.findNewest()
}

func (s *fileSet) runFiles(yield func(runs.File) bool) {
	for _, f := range s.reading.files {
		r := runs.File{
			Index: f.index, Run: s.runOf(f), Path: f.name, Order: s.chunks.order(f.index),
			Gone: f.gone, Rewritten: f.rewritten, Copied: f.copied, Replaced: runs.NotReplaced,
		}
		if old, ok := s.attempts.replaced[f.index]; ok {
			r.Written, r.Replaced, r.Gone = old.written, old.number, false
		} else if f.disk != nil {
			r.Written = f.disk.Modified()
			r.Copied = r.Copied || fileio.WasUploaded(f.disk.Info)
			if f.disk.IsHere() {
				r.Born = s.born
			}
		}
		if !yield(r) {
			return
		}
	}
}

func (s *fileSet) born(file int32) time.Time {
	return s.options.Disk.Born(s.reading.files[file].disk.FullPath())
}

func (s *fileSet) runOf(f *file) runs.Run {
	folder := s.chunks.runs.dirs[s.chunks.runs.fileDirs[f.index]]
	run := runs.Run{Folder: folder.name(), Validation: folder.validation, Alone: -1}
	if f.stream != nil || f.disk != nil && f.disk.Root == "" {
		run.Alone = f.index
		return run
	}
	dir := dirOfName(f.name)
	first, last := s.chunks.order(f.index).Span()
	if version, err := strconv.ParseInt(filepath.Base(dir), 10, 64); err == nil && first == version && last == version {
		folder.path = dirOfName(dir)
		run.Folder = folder.name()
	}
	return run
}

func (s *fileSet) leftOutFiles() map[int32]int { return runs.LeftOutFiles(s.attempts.sent) }

// findNewest finds the newest step, and when the log was written, among what is not left out.
func (s *fileSet) findNewest() {
	leftOut := s.leftOutFiles()
	s.reading.newest, s.reading.writes = newestStep{}, writeTimes{}
	for _, f := range s.reading.files {
		f.leftOut = leftOut[f.index] > 0
		if f.leftOut {
			continue
		}
		if f.hasStep {
			_, f.newestStep = s.chunks.order(f.index).Span()
		}
		s.reading.newest.addName(f)
		s.reading.newest.update(f)
		s.reading.writes.note(f)
	}
}

// mayHoldEvaluation reports whether it must be found out what rows of the file are. Where its path says
// that they are validation, the split has decided.
func (f *fileReader) mayHoldEvaluation() bool {
	q := f.chunks
	holdsBoth := f.format.Evaluation == formats.OverTrainingRows || f.format.Evaluation == formats.AfterTrainingRows
	return holdsBoth && q.evaluations.ToldApart() && !q.runs.dirs[q.runs.fileDirs[f.index]].validation
}

// isLoggedAgain reports whether a block of rows is that of an evaluation: its step was logged just
// before, with other prompts.
func (f *fileReader) isLoggedAgain(block []model.Record, isRepeat bool) bool {
	now := &runs.Table{Step: block[0].Step}
	now.AddRecords(block)
	if now.Step == 0 && f.format.Framework == "trl" {
		now.Evidence = runs.BeforeTraining
	} else if d, ok := f.decoder.(*decode.RowDecoder); ok && d.Used[decode.RoleStep] == "gen_step" {
		return false // ms-swift's of Megatron counts generations: an evaluation has the number of the one that comes next
	}
	return f.chunks.evaluations.AddBlock(f.chunks.runs.fileDirs[f.index], f.index, now, isRepeat)
}

// findEvaluations finds the files that hold an evaluation once everything that is there has been
// read, and leaves their rows out, or those of all other files if evaluations were asked for.
func (s *fileSet) findEvaluations() {
	e := &s.chunks.evaluations
	if !e.Changed || len(s.reading.queue) > 0 {
		return
	}
	e.Changed = false
	leftOut, byRun := s.leftOutFiles(), map[int32][]int32{}
	files := slices.DeleteFunc(e.Files(), func(file int32) bool {
		_, isReplaced := s.attempts.replaced[file]
		return isReplaced // what is known of it stays
	})
	for _, file := range files {
		run := s.chunks.runs.fileDirs[file]
		byRun[run] = append(byRun[run], file)
	}
	for _, run := range slices.Sorted(maps.Keys(byRun)) {
		if !s.applyStates(byRun[run]) {
			e.Changed = true // a file has changed, and is read first
			return
		}
		if e.Find(byRun[run], leftOut) {
			s.chunks.addNotes([]string{"nothing, though all steps ask the same prompts in the same order: they are taken for " +
				"training, as with a data set of one batch. If each logged step was evaluated (eval_steps equal to logging_steps), they " +
				"are evaluations: a trainer_state.json in the opened folder would tell"})
		}
	}
	for _, file := range files {
		f := s.reading.files[file]
		switch {
		case !e.Decide(file):
		case e.Wants(e.Of(file).Found):
			s.reading.restart(f)
			s.reading.enqueue(f)
		default:
			s.chunks.forgetRows(&f.fileReader)
			f.hasStep = false
			s.reading.newest.remove(f, s.reading.files)
		}
	}
}

// applyStates marks the tables that trainer_state.json says to be evaluations, and step 0. It returns
// false if one of those files has changed since it was read.
func (s *fileSet) applyStates(files []int32) bool {
	var told, late []*runs.Table // late ones were written after the state
	for _, file := range files {
		f, known := s.reading.files[file], s.chunks.evaluations.Of(file)
		t := known.OnDisk
		t.Evidence = ""
		switch state, ok := trainerStateOf(f); {
		case t.ManySteps:
		case t.Step == 0:
			t.Evidence, told = runs.BeforeTraining, append(told, t)
		case !ok || !state.evaluated[t.Step] || known.Overwritten != nil:
		case s.options.Follow && !known.Found && s.reading.pollFile(f):
			return false
		case f.disk.Modified().After(state.file.Modified.Add(discover.ClockTick)):
			late = append(late, t)
		default:
			t.Evidence, told = runs.TrainerState, append(told, t)
		}
	}
	told = append(told, late...)
	for _, t := range late { // copying a run changes the times of its files, but not that its evaluations ask the same
		if slices.ContainsFunc(told, func(other *runs.Table) bool { return other != t && other.EndsLike(t) }) {
			t.Evidence = runs.TrainerState
		}
	}
	return true
}

// overwriting is what became of a file that was rewritten after it had been read.
type overwriting int

const (
	byTraining   overwriting = iota // its rows are other ones of training, or the same
	byEvaluation                    // its rows are those of an evaluation; what was read before are those of training
	unfinished                      // it is still being written
)

// overwritten finds out by what a rewritten file of completions was overwritten. An evaluation comes
// before any other step is written, and asks other prompts; a run that is started again over old
// files, or resumed, writes other steps first, or asks the same prompts.
func (r *reading) overwritten(f *file, h fileio.Handle, info os.FileInfo) overwriting {
	e := &r.chunks.evaluations
	known, mayEvaluate := e.Of(f.index), f.format != nil && f.format.Evaluation == formats.OverTrainingRows
	if known.Overwritten != nil && info.Size() == f.disk.Size && f.disk.StartsTheSame(h) {
		r.noteRewritten(f, h, info) // a copy of the evaluation, or only its time is another
		return byEvaluation
	}
	before := known.Read()
	if before == nil || before.ManySteps || known.Found || !mayEvaluate || r.wroteOtherSteps(f, info) {
		return byTraining
	}
	now, blocks, err := r.peekTable(f, h, info.Size())
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return unfinished
	case err != nil || !now.AsksOthersThan(before) || !e.Wants(false): // if evaluations are asked for, the file is read again
		return byTraining
	}
	e.AddOverwriting(f.index, now)
	for _, id := range blocks {
		r.chunks.duplicates.find(id) // a later step may repeat them
	}
	return byEvaluation
}

// wroteOtherSteps reports whether another file of the run was written after f was read and before it
// was rewritten.
func (r *reading) wroteOtherSteps(f *file, info os.FileInfo) bool {
	dirs := r.chunks.runs.fileDirs
	from, to := f.disk.Modified(), info.ModTime()
	isBetween := func(t time.Time) bool { return t.After(from) && t.Before(to) }
	var previous *file // has the step before
	for _, other := range r.files {
		if other == f || other.disk == nil || other.disk.Info == nil || dirs[other.index] != dirs[f.index] {
			continue
		}
		if isBetween(other.disk.Modified()) || isBetween(r.chunks.evaluations.Of(other.index).FirstSeen) {
			return true
		}
		if other.newestStep < f.newestStep && (previous == nil || other.newestStep > previous.newestStep) {
			previous = other
		}
	}
	if previous == nil {
		return false
	}
	h, now, err := previous.disk.Open() // it may be rewritten too, and not be read yet
	if err != nil {
		return false
	}
	_ = h.Close()
	return isBetween(now.ModTime())
}

// minParquet is the size of the smallest Parquet file.
const minParquet = 12

// peekTable reads a Parquet file that was rewritten without counting its rows. It returns what it
// holds, and what identifies its blocks.
func (r *reading) peekTable(f *file, h fileio.Handle, size int64) (*runs.Table, []blockID, error) {
	packing, err := compressed.Detect(h)
	switch {
	case size < minParquet:
		return nil, nil, io.ErrUnexpectedEOF
	case err != nil:
		return nil, nil, err
	case packing != compressed.Parquet: // TRL packs none once more
		return nil, nil, fileio.ErrNotRead
	}
	peek := &file{fileReader: newFileReader(f.index, f.name, f.formats, f.chunks), disk: f.disk}
	peek.packed = &packedFile{handle: h}
	err = openParquet(peek, peek.packed, size, r.workerCount())
	t, ids := &runs.Table{}, []blockID(nil)
	for err == nil {
		block, records, e := peek.packed.nextSamples(nil)
		if err = e; err != nil {
			break
		}
		id, isFirst := recordsID(records), len(ids) == 0
		noteStep := func(step int64) {
			t.ManySteps, t.Step, isFirst = t.ManySteps || !isFirst && step != t.Step, step, false
		}
		if block.Len() > 0 {
			block.File = f.index
			noteStep(block.Step[0])
			noteStep(block.Step[block.Len()-1])
			id = columnsID(&block)
			t.AddBlock(&block)
		} else if len(records) > 0 {
			id.file = f.index
			noteStep(records[0].Step)
			noteStep(records[len(records)-1].Step)
			t.AddRecords(records)
		}
		ids = append(ids, peek.tableID(id))
	}
	return t, ids, ignoreEOF(err)
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
