package loaders

import (
	"cmp"
	"errors"
	"io"
	"maps"
	"os"
	"slices"
	"time"

	"vantage/loaders/compressed"
	"vantage/loaders/decode"
	"vantage/loaders/discover"
	"vantage/loaders/evaluation"
	"vantage/loaders/fileio"
	"vantage/loaders/formats"
	"vantage/model"
)

// evaluations knows which rows of the logs a trainer wrote while it evaluated, where the log does not
// say so itself. TRL writes them over the training rows of their step; ms-swift and the tables of W&B
// have them after those.
type evaluations struct {
	split       discover.Split              // which rows are to be read
	tables      map[int32]*evaluation.Table // what is on disk, by file
	found       map[int32]bool              // files that hold an evaluation
	repeats     map[int32]*evaluation.Table // like tables, but their rows repeat those of another file
	overwritten map[int32]*evaluation.Table // evaluations in files whose training rows were read before, and stay
	again       map[int32][]*evaluation.Table
	firstSeen   map[int32]time.Time   // when each file with a table had been written when it was read first
	first       map[int32]loggedTable // of the newest step of each run: its rows of training
	unjudged    bool                  // tables have changed
	unreported  bool                  // what summary returns has changed
	noted       bool                  // that all steps ask the same prompts
}

// loggedTable is a table and the file that it was read of.
type loggedTable struct {
	*evaluation.Table
	file int32
}

// newEvaluations returns evaluations that look for none until split is another.
func newEvaluations() evaluations {
	return evaluations{
		split: discover.SplitAll, tables: map[int32]*evaluation.Table{}, repeats: map[int32]*evaluation.Table{}, found: map[int32]bool{},
		overwritten: map[int32]*evaluation.Table{}, again: map[int32][]*evaluation.Table{}, first: map[int32]loggedTable{},
		firstSeen: map[int32]time.Time{},
	}
}

// wants reports whether rows are to be read, by whether they are those of an evaluation.
func (e *evaluations) wants(isEvaluation bool) bool {
	return e.split == discover.SplitAll || isEvaluation == (e.split == discover.SplitVal)
}

// forget forgets a file that is read again from its start.
func (e *evaluations) forget(file int32) {
	if e.tables[file] != nil || e.overwritten[file] != nil || e.again[file] != nil {
		e.unjudged, e.unreported = true, true
	}
	e.forgetFirst(file)
	delete(e.tables, file)
	delete(e.repeats, file)
	delete(e.overwritten, file)
	delete(e.again, file)
}

// forgetFirst forgets the rows of a file that is written anew: what follows them is no second block of
// their step.
func (e *evaluations) forgetFirst(file int32) {
	maps.DeleteFunc(e.first, func(_ int32, t loggedTable) bool { return t.file == file })
}

// mayHoldEvaluation reports whether it must be found out what rows of the file are. Where its path says
// that they are validation, the split has decided.
func (f *fileReader) mayHoldEvaluation() bool {
	q := f.chunks
	return f.format.Evaluation != formats.Elsewhere && q.evaluations.split != discover.SplitAll && !q.runs.dirs[q.runs.fileDirs[f.index]].validation
}

// table returns the table of a Parquet file of completions, to which rows are added.
func (e *evaluations) table(file int32, step int64, isRepeat bool) *evaluation.Table {
	all := e.tables
	if isRepeat {
		all = e.repeats
	}
	if all[file] == nil {
		all[file] = &evaluation.Table{Step: step}
	}
	e.unjudged = true
	return all[file]
}

// blockPrompts calls add for each run of rows with one prompt.
func blockPrompts(b *model.Block) func(add func(prompt uint64, rows int)) {
	return func(add func(uint64, int)) {
		if b.Prompt == nil {
			add(0, b.Len())
			return
		}
		for from := 0; from < b.Len(); {
			to := from + 1
			for to < b.Len() && b.Prompt[to] == b.Prompt[from] {
				to++
			}
			add(b.Prompts[b.Prompt[from]].Hash, to-from)
			from = to
		}
	}
}

// recordPrompts is blockPrompts for records.
func recordPrompts(records []model.Record) func(add func(prompt uint64, rows int)) {
	return func(add func(uint64, int)) {
		for from := 0; from < len(records); {
			to := from + 1
			for to < len(records) && records[to].Prompt == records[from].Prompt {
				to++
			}
			add(records[from].Prompt, to-from)
			from = to
		}
	}
}

// isLoggedAgain reports whether a block of rows is that of an evaluation: its step was logged just
// before, with other prompts.
func (f *fileReader) isLoggedAgain(block []model.Record, isRepeat bool) bool {
	e, run := &f.chunks.evaluations, f.chunks.runs.fileDirs[f.index]
	t := &evaluation.Table{Step: block[0].Step}
	recordPrompts(block)(t.Add)
	switch before := e.first[run]; {
	case t.Step == 0 && f.format.Framework == "trl":
		t.Evidence = evaluation.BeforeTraining
	case f.countsGenerations():
		return false
	case before.Table == nil || before.Step != t.Step:
		e.first[run] = loggedTable{t, f.index}
		return false
	case isRepeat || t.EndsLike(before.Table):
		return false
	default:
		t.Evidence = evaluation.LoggedAgain
	}
	if !isRepeat {
		e.again[f.index] = append(e.again[f.index], t)
		e.unreported = true
	}
	return true
}

// countsGenerations reports whether the step of a row counts generations, as ms-swift's of Megatron:
// an evaluation has the number of the generation that comes next.
func (f *fileReader) countsGenerations() bool {
	d, ok := f.decoder.(*decode.RowDecoder)
	return ok && d.Used[decode.RoleStep] == "gen_step"
}

// judgeEvaluations finds the files that hold an evaluation once everything that is there has been
// read, and leaves their rows out, or those of all other files if evaluations were asked for.
func (s *fileSet) judgeEvaluations() {
	e := &s.chunks.evaluations
	if !e.unjudged || len(s.queue) > 0 {
		return
	}
	e.unjudged = false
	files, leftOut := map[int32][]int32{}, s.leftOutFiles() // files by run
	for _, file := range slices.Sorted(maps.Keys(e.tables)) {
		if _, isReplaced := s.attempts.replaced[file]; isReplaced {
			continue // its folder was replaced: what is known of it stays
		}
		run := s.chunks.runs.fileDirs[file]
		files[run] = append(files[run], file)
	}
	for _, run := range slices.Sorted(maps.Keys(files)) {
		if !s.applyStates(files[run]) {
			e.unjudged = true // a file has changed, and is read first
			return
		}
		attempts := e.byAttempt(files[run], leftOut)
		evaluation.Find(attempts...)
		s.noteSamePrompts(attempts[0])
	}
	for _, file := range slices.Sorted(maps.Keys(e.tables)) {
		if _, isReplaced := s.attempts.replaced[file]; isReplaced {
			continue
		}
		e.unreported = e.unreported || e.tables[file].Evidence != ""
		if isEvaluation := e.tables[file].Evidence != ""; isEvaluation != e.found[file] {
			s.judged(s.files[file], isEvaluation)
		}
	}
}

// byAttempt returns the tables of files, with the evaluations that overwrote one: first those that are
// shown, then those of each attempt that is left out.
func (e *evaluations) byAttempt(files []int32, leftOut map[int32]int) [][]*evaluation.Table {
	all := make([][]*evaluation.Table, 1)
	for _, file := range files {
		i := leftOut[file]
		for i >= len(all) {
			all = append(all, nil)
		}
		all[i] = append(all[i], e.tables[file])
		if t := e.overwritten[file]; t != nil {
			all[i] = append(all[i], t)
		}
	}
	return all
}

// applyStates marks the tables that trainer_state.json says to be evaluations, and step 0. It returns
// false if one of those files has changed since it was read.
func (s *fileSet) applyStates(files []int32) bool {
	e := &s.chunks.evaluations
	var told, late []*evaluation.Table // late ones were written after the state
	for _, file := range files {
		f, t := s.files[file], e.tables[file]
		t.Evidence = ""
		switch state, ok := trainerStateOf(f); {
		case t.ManySteps:
		case t.Step == 0:
			t.Evidence, told = evaluation.BeforeTraining, append(told, t)
		case !ok || !state.evaluated[t.Step] || e.overwritten[file] != nil:
		case s.options.Follow && !e.found[file] && s.pollFile(f):
			return false
		case state.isOlderThan(f.disk.Modified()):
			late = append(late, t)
		default:
			t.Evidence, told = evaluation.TrainerState, append(told, t)
		}
	}
	believeLate(late, append(told, late...))
	return true
}

// believeLate marks those of some tables that end like another: copying a run changes the times of its
// files, but not that its evaluations ask the same.
func believeLate(late, told []*evaluation.Table) {
	for _, t := range late {
		if slices.ContainsFunc(told, func(other *evaluation.Table) bool { return other != t && other.EndsLike(t) }) {
			t.Evidence = evaluation.TrainerState
		}
	}
}

// judged takes a verdict on a file.
func (s *fileSet) judged(f *file, isEvaluation bool) {
	e := &s.chunks.evaluations
	e.found[f.index], e.unreported = isEvaluation, true
	if e.wants(isEvaluation) {
		s.restart(f)
		s.enqueue(f)
		return
	}
	s.chunks.forgetRows(&f.fileReader)
	f.hasStep = false
	s.newest.remove(f, s.files)
}

// noteSamePrompts notes, once, that each step asks the same prompts: that may be training on few
// prompts, or an evaluation at each logged step.
func (s *fileSet) noteSamePrompts(tables []*evaluation.Table) {
	e := &s.chunks.evaluations
	if e.noted || e.split != discover.SplitTrain || !evaluation.AskSamePrompts(tables) {
		return
	}
	e.noted = true
	s.chunks.addNotes([]string{"nothing, though all steps ask the same prompts in the same order: they are taken for training, as with a data set of one batch. If each logged step was evaluated (eval_steps equal to logging_steps), they are evaluations: a trainer_state.json in the opened folder would tell"})
}

// evaluationSummary returns what is known now of evaluations among what is not left out with another
// attempt.
func (s *fileSet) evaluationSummary() *model.Evaluation {
	e := &s.chunks.evaluations
	sum := &model.Evaluation{Shown: e.split == discover.SplitVal}
	steps, lost, kept, byKind := map[int64]bool{}, map[int64]bool{}, map[int64]bool{}, map[evaluation.Evidence]*model.EvaluationEvidence{}
	leftOut := s.leftOutFiles()
	add := func(file int32, t *evaluation.Table) {
		sum.Rows += t.Rows
		why := byKind[t.Evidence]
		if why == nil {
			why = &model.EvaluationEvidence{Kind: string(t.Evidence), Why: whyEvaluation[t.Evidence], First: t.Step, File: s.names[file]}
			byKind[t.Evidence] = why
		}
		if !steps[t.Step] {
			why.Steps++
		}
		if t.Step < why.First {
			why.First, why.File = t.Step, s.names[file]
		}
		steps[t.Step] = true
	}
	for _, file := range shownFiles(e.tables, leftOut) {
		t := e.tables[file]
		if t.Evidence != "" {
			add(file, t)
			if t.Step > 0 {
				lost[t.Step] = true
			}
		}
	}
	for _, file := range shownFiles(e.overwritten, leftOut) {
		add(file, e.overwritten[file])
		if t := e.tables[file]; t != nil && t.Evidence == "" {
			kept[t.Step] = true
		}
	}
	for _, file := range shownFiles(e.again, leftOut) {
		for _, t := range e.again[file] {
			add(file, t)
		}
	}
	sum.Kept = slices.Sorted(maps.Keys(kept))
	sum.Steps, sum.Lost = slices.Sorted(maps.Keys(steps)), slices.Sorted(maps.Keys(lost))
	for _, why := range byKind {
		sum.Evidence = append(sum.Evidence, *why)
	}
	slices.SortFunc(sum.Evidence, func(a, b model.EvaluationEvidence) int {
		return cmp.Or(cmp.Compare(b.Steps, a.Steps), cmp.Compare(a.Kind, b.Kind))
	})
	return sum
}

// shownFiles returns those of some files, ascending, that are not left out.
func shownFiles[T any](files map[int32]T, leftOut map[int32]int) []int32 {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(files)), func(file int32) bool { return leftOut[file] > 0 })
}

// whyEvaluation says what the kinds of evidence are, to follow "since".
var whyEvaluation = map[evaluation.Evidence]string{
	evaluation.BeforeTraining: "step 0 is before training",
	evaluation.TrainerState:   "trainer_state.json has eval_* figures of it",
	evaluation.Rewritten:      "the file was overwritten with other prompts after it had been read",
	evaluation.LoggedAgain:    "the step was logged a second time, with other prompts",
	evaluation.GroupSize:      "its groups have another size than those of the steps around it",
	evaluation.SamePrompts:    "the same prompts come in the same order at regular steps, and at no other",
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
func (s *fileSet) overwritten(f *file, h fileio.Handle, info os.FileInfo) overwriting {
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
func (r *reading) wroteOtherSteps(f *file, info os.FileInfo) bool {
	runs, e := &r.chunks.runs, &r.chunks.evaluations
	from, to := f.disk.Modified(), info.ModTime()
	isBetween := func(at time.Time) bool { return at.After(from) && at.Before(to) }
	var previous *file // has the step before
	for _, other := range r.files {
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
func (r *reading) peekTable(f *file, h fileio.Handle, size int64) (*evaluation.Table, []blockID, error) {
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
	err = r.openParquet(peek, peek.packed, size)
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
func (r *reading) keepOverwritten(f *file, h fileio.Handle, info os.FileInfo) {
	r.noteStat(f, info)
	r.advance(f, info.Size()-f.disk.Pos)
	f.disk.Forget()
	r.keepFingerprint(f, h)
	f.failures, f.failing = 0, false
	r.schedule.activate(f)
}
