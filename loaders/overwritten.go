package loaders

import (
	"errors"
	"io"
	"os"
	"time"

	"vantage/loaders/compressed"
	"vantage/loaders/evaluation"
	"vantage/loaders/fileio"
	"vantage/loaders/formats"
)

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
func (s *Source) overwritten(f *file, h fileio.Handle, info os.FileInfo) overwriting {
	e := &s.chunks.evaluations
	if e.overwritten[f.index] != nil && info.Size() == f.disk.Size && f.disk.StartsTheSame(h) {
		s.noteRewritten(f, h, info) // a copy of the evaluation, or only its time is another
		return byEvaluation
	}
	before := e.before(f.index)
	if before == nil || before.ManySteps || e.found[f.index] || !f.overwritesTraining() || s.wroteOtherSteps(f, info) {
		return byTraining
	}
	now, blocks, err := s.peekTable(f, h, info.Size())
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return unfinished
	case err != nil || !asksOthers(now, before):
		return byTraining
	case !e.wants(false):
		return byTraining // evaluations are asked for: the file is read again
	}
	now.Evidence = evaluation.Rewritten
	e.overwritten[f.index], e.unjudged, e.unreported = now, true, true
	for _, id := range blocks {
		s.chunks.duplicates.find(id) // a later step may repeat them
	}
	return byEvaluation
}

// overwritesTraining reports whether the trainer writes evaluations over the rows of training.
func (f *file) overwritesTraining() bool {
	return f.format != nil && f.format.Evaluation == formats.OverTrainingRows
}

// asksOthers reports whether a table is of the same step as before, and ends with other prompts.
func asksOthers(now, before *evaluation.Table) bool {
	return now.Rows > 0 && !now.ManySteps && now.Step == before.Step && !now.EndsLike(before)
}

// before returns what was read of a file, nil if that is not known.
func (e *evaluations) before(file int32) *evaluation.Table {
	if t := e.tables[file]; t != nil {
		return t
	}
	return e.repeats[file]
}

// wroteOtherSteps reports whether another file of the run was written after f was read and before it
// was rewritten.
func (s *Source) wroteOtherSteps(f *file, info os.FileInfo) bool {
	runs, e := &s.chunks.runs, &s.chunks.evaluations
	from, to := f.disk.Modified(), info.ModTime()
	isBetween := func(at time.Time) bool { return at.After(from) && at.Before(to) }
	var previous *file // has the step before
	for _, other := range s.files {
		if other == f || other.disk == nil || other.disk.Info == nil || runs.fileDirs[other.index] != runs.fileDirs[f.index] {
			continue
		}
		if isBetween(other.disk.Modified()) || isBetween(e.firstSeen[other.index]) {
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

// peekTable reads a Parquet file that was rewritten without counting its rows. It returns what it
// holds, and what identifies its blocks.
func (s *Source) peekTable(f *file, h fileio.Handle, size int64) (*evaluation.Table, []blockID, error) {
	packing, err := compressed.Detect(h)
	switch {
	case size < minParquet:
		return nil, nil, io.ErrUnexpectedEOF
	case err != nil:
		return nil, nil, err
	case packing != compressed.Parquet: // TRL packs none once more
		return nil, nil, fileio.ErrNotRead
	}
	peek := &file{fileReader: newFileReader(f.index, f.name, s.formats, f.chunks), disk: f.disk}
	peek.packed = &packedFile{handle: h}
	err = s.openParquet(peek, peek.packed, size)
	if release := peek.packed.releaseMemory; release != nil {
		defer release()
	}
	t, ids := &evaluation.Table{}, []blockID(nil)
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
			blockPrompts(&block)(t.Add)
		} else if len(records) > 0 {
			id.file = f.index
			noteStep(records[0].Step)
			noteStep(records[len(records)-1].Step)
			recordPrompts(records)(t.Add)
		}
		ids = append(ids, peek.tableID(id))
	}
	return t, ids, ignoreEOF(err)
}

// minParquet is the size of the smallest Parquet file.
const minParquet = 12

// keepOverwritten keeps what was read of a file before it was overwritten.
func (s *Source) keepOverwritten(f *file, h fileio.Handle, info os.FileInfo) {
	s.noteStat(f, info)
	s.advance(f, info.Size()-f.disk.Pos)
	f.disk.Forget()
	s.keepFingerprint(f, h)
	f.failures, f.failing = 0, false
	s.schedule.activate(f)
}
