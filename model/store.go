package model

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"maps"
	"runtime"
	"slices"
	"strconv"

	"vantage/model/sanitize"
	"vantage/model/units"
)

// Store holds everything read so far, in append-only columns for each step. Only its owner calls its
// methods; others read a [Snapshot].
type Store struct {
	revision   int
	run        Run     // as far as chunks say it; its Notes are only theirs
	hasTotal   bool    // see Chunk
	fileRuns   []int32 // number of the run of each file; those beyond its end are of run 0
	steps      map[int64]*stepColumns
	lastStep   *stepColumns // to which samples were added last
	prompts    interner[uint64]
	groupIDs   interner[string]
	hashes     chunkedList[uint64] // of prompt k at k-1
	previews   textList            // of prompt k at k-1
	groupNames textList            // of group id k at k-1
	hashBuffer []uint64            // of the prompts of a block, and the numbers of the prompts and groups of a chunk
	numbers    []uint32
	inputOrder []int32    // see Snapshot
	filter     *rowFilter // nil while nothing is left out
	judged     []*Judged  // see SetJudged

	rewardRooms rooms[float64]
	lengthRooms rooms[int32]
	numberRooms rooms[uint32]

	untrained      leftOut // traces of agents that are not trained
	evaluated      leftOut // rows of evaluations
	lengthsLeftOut leftOut // lengths in another unit
	strayOutputs   leftOut // rows that must follow an output of their rollout and do not
}

// How many problems and notes are kept; Run.Skipped counts all problems.
const maxProblems, maxNotes = 1000, 100

// NewStore returns an empty store.
func NewStore() *Store {
	seed := maphash.MakeSeed()
	s := &Store{
		steps:     map[int64]*stepColumns{},
		untrained: leftOut{}, evaluated: leftOut{}, lengthsLeftOut: leftOut{}, strayOutputs: leftOut{},
	}
	s.prompts = interner[uint64]{values: &s.hashes, hash: func(prompt uint64) uint64 { return prompt }} // they are hashes already
	s.groupIDs = interner[string]{values: &s.groupNames, hash: func(id string) uint64 { return maphash.String(seed, id) }}
	return s
}

// Append adds what a loader read.
func (s *Store) Append(c *Chunk) {
	s.revision++
	s.describe(c)
	for _, file := range c.Forget {
		s.forgetFile(file)
	}
	s.takeLengthUnit(c)
	for file, n := range c.PassedOver {
		s.untrained.add(file, n.Untrained)
		s.evaluated.add(file, n.Evaluated)
	}
	if c.Attempts != nil {
		s.setAttempts(*c.Attempts)
	}
	components := make([]int, len(c.ComponentNames))
	for i, name := range c.ComponentNames {
		if components[i] = slices.Index(s.run.ComponentNames, name); components[i] < 0 {
			components[i] = len(s.run.ComponentNames)
			s.run.ComponentNames = append(s.run.ComponentNames, name)
		}
	}
	for i := range c.Records {
		s.addRecord(&c.Records[i], components)
	}
	s.addBlocks(c.Blocks, components)
	for _, n := range c.Notes {
		if len(s.run.Notes) < maxNotes && !slices.Contains(s.run.Notes, n) {
			s.run.Notes = append(s.run.Notes, n)
		}
	}
	if s.run.Evaluation = cmp.Or(c.Evaluation, s.run.Evaluation); s.run.Evaluation != nil && len(s.run.Evaluation.Steps) == 0 {
		s.run.Evaluation = nil
	}
	s.run.Skipped += c.Skipped
	if room := maxProblems - len(s.run.Problems); room > 0 {
		s.run.Problems = append(s.run.Problems, c.Problems[:min(room, len(c.Problems))]...)
	}
	s.run.Progress = c.Progress
}

func (s *Store) describe(c *Chunk) {
	if c.Format != "" {
		s.run.Format, s.run.Framework, s.run.Provenance = c.Format, c.Framework, c.Provenance
	}
	if len(c.Files) > len(s.run.Files) {
		s.run.Files = c.Files
	}
	if c.RewardNames != nil {
		s.run.RewardNames, s.run.RewardNamesFrom = c.RewardNames, c.RewardNamesFrom
	}
	s.takeFileRuns(c.FileRuns)
	if len(c.Records)+len(c.Blocks) > 0 {
		s.run.EvaluatesOnly = c.Evaluates && (s.run.EvaluatesOnly || len(s.steps) == 0)
		s.hasTotal, s.run.SumsComponents = s.hasTotal || c.HasTotal, s.run.SumsComponents || c.SumsComponents
		s.run.HasTruth, s.run.Positional, s.run.GroupIsIndex = c.HasTruth, c.Positional, c.GroupIsIndex
		s.run.NamesRewards = c.NamesRewards && (s.run.NamesRewards || len(s.steps) == 0)
		s.run.Stepless = c.Stepless && (s.run.Stepless || len(s.steps) == 0)
	}
}

// takeFileRuns takes the runs of the files. Where files are of another run than was said before, what steps know of their runs is computed
// again.
func (s *Store) takeFileRuns(runs []int32) {
	known := s.fileRuns
	if len(runs) < len(known) || len(runs) == 0 {
		return
	}
	s.fileRuns = runs
	if len(known) == 0 || &known[0] == &runs[0] || slices.Equal(known, runs[:len(known)]) {
		return
	}
	for _, c := range s.steps {
		c.evidenceRevision = -1
	}
}

// addRecord adds a record; components are the indices of its reward functions.
func (s *Store) addRecord(r *Record, components []int) {
	cols := s.columnsOf(r.Step, 1)
	prompt := s.prompts.intern(r.Prompt)
	if int(prompt) > s.previews.len() {
		s.previews.append(r.Preview)
	}
	if !cols.appendRecord(r, prompt, s.groupIDs.intern(r.Group)) {
		s.strayOutputs[r.File]++
	}
	for i, x := range r.Components {
		cols.setComponent(components[i], len(cols.Rewards)-1, x)
	}
}

// numberedBlock is a block and the numbers of its prompts and groups.
type numberedBlock struct {
	*Block
	prompts, groups []uint32
}

// blockPart is rows [from, to) of a block, all of one step.
type blockPart struct {
	*numberedBlock
	from, to int32
}

// maxAppenders is how many steps get samples at once. While they do, others read the next rows.
const maxAppenders = 2

// addBlocks adds the samples of blocks. Names are numbered one after the other; the columns of different steps are filled side by side.
func (s *Store) addBlocks(blocks []Block, components []int) {
	names := 0
	for i := range blocks {
		names += len(blocks[i].Prompts) + len(blocks[i].Groups)
	}
	numbers := reuse(&s.numbers, names)
	var steps []*stepColumns
	for i := range blocks {
		b := &numberedBlock{Block: &blocks[i]}
		b.prompts, numbers = numbers[:len(b.Prompts)], numbers[len(b.Prompts):]
		b.groups, numbers = numbers[:len(b.Groups)], numbers[len(b.Groups):]
		s.internPrompts(b)
		s.groupIDs.internAll(b.Groups, b.groups)
		for from := 0; from < b.Len(); {
			to := from + 1
			for to < b.Len() && b.Step[to] == b.Step[from] {
				to++
			}
			cols := s.columnsOf(b.Step[from], to-from)
			s.makeRoom(cols, b.Block)
			if cols.pending = append(cols.pending, blockPart{b, int32(from), int32(to)}); len(cols.pending) == 1 {
				steps = append(steps, cols)
			}
			from = to
		}
	}
	stray := make([]leftOut, len(steps))
	InParallel(context.Background(), min(maxAppenders, runtime.GOMAXPROCS(0)), len(steps),
		func(i int) { stray[i] = steps[i].appendPending(components) })
	for _, of := range stray {
		for file, n := range of {
			s.strayOutputs.add(file, n)
		}
	}
}

// reuse returns n values of a buffer, which it grows if it has to.
func reuse[T any](buffer *[]T, n int) []T {
	*buffer = slices.Grow((*buffer)[:0], n)[:n]
	return *buffer
}

func (s *Store) internPrompts(b *numberedBlock) {
	hashes := reuse(&s.hashBuffer, len(b.Prompts))
	for i, p := range b.Prompts {
		hashes[i] = p.Hash
	}
	s.prompts.internAll(hashes, b.prompts)
	for i, n := range b.prompts { // new prompts are in the order of their numbers
		if int(n) > s.previews.len() {
			s.previews.append(b.Prompts[i].Preview)
		}
	}
}

// columnsOf are the columns of a step, to which more samples are about to be added. Most steps have one
// size, so a new one gets the capacity that the last one needed.
func (s *Store) columnsOf(step int64, more int) *stepColumns {
	cols := s.steps[step]
	if cols == nil {
		room := more
		if s.lastStep != nil {
			room = max(room, s.lastStep.rows)
		}
		cols = &stepColumns{Step: Step{
			Rewards: s.rewardRooms.take(room), Lengths: s.lengthRooms.take(room), spanOffset: s.numberRooms.take(room),
		}}
		s.steps[step] = cols
	}
	cols.rows = max(cols.rows, len(cols.Rewards)) + more
	s.lastStep, cols.Revision = cols, s.revision
	return cols
}

// makeRoom takes room for the optional columns of a step without samples that rows of a block will have: steps are filled side by side, and
// may not take any then.
func (s *Store) makeRoom(cols *stepColumns, b *Block) {
	if len(cols.Rewards) > 0 {
		return
	}
	if cols.prompts == nil && b.Prompt != nil {
		cols.prompts = s.numberRooms.take(cap(cols.Rewards))
	}
	if cols.groups == nil && b.Group != nil {
		cols.groups = s.numberRooms.take(cap(cols.Rewards))
	}
}

// forgetFile drops the samples and problems of a file that is read again. Columns are copied, since
// older snapshots still read them.
func (s *Store) forgetFile(file int32) {
	if int(file) < len(s.run.Files) {
		name := s.run.Files[file]
		s.run.Problems = slices.DeleteFunc(slices.Clone(s.run.Problems), func(p Problem) bool { return p.File == name })
	}
	delete(s.untrained, file)
	delete(s.evaluated, file)
	delete(s.lengthsLeftOut, file)
	delete(s.strayOutputs, file)
	s.lastStep = nil
	for number, cols := range s.steps {
		kept := cols.withoutFile(file)
		if kept == cols {
			continue
		}
		kept.Revision = s.revision
		if len(kept.Rewards) == 0 {
			delete(s.steps, number)
			continue
		}
		s.steps[number] = kept
	}
}

// leftOut counts what is left out of each file. A file that is read again is counted anew.
type leftOut map[int32]int

func (l leftOut) add(file int32, n int) {
	if n > 0 {
		l[file] += n
	}
}

// count returns how much is left out, and the first file of it.
func (l leftOut) count() (n int, example int32) {
	files := slices.Sorted(maps.Keys(l))
	for _, file := range files {
		n += l[file]
	}
	if n > 0 {
		example = files[0]
	}
	return n, example
}

// leftOutNotes say what was read and does not count.
func (s *Store) leftOutNotes() (notes []string) {
	for _, l := range []struct {
		leftOut
		format, noun string
	}{
		{s.untrained, "not counted: %s of agents that are not trained (agent.trainable is false), in %s", "traces"},
		{s.evaluated, "not counted: %s marked as evaluations, in %s; open such a file with --split val", "rows"},
		{s.lengthsLeftOut, "the lengths of %s, which are in characters where other files count tokens, in %s", "samples"},
		{s.strayOutputs, "taken as rollouts of their own: %s that by their ids are later outputs of a rollout but do not follow its earlier ones, in %s", "rows"},
	} {
		if n, file := l.count(); n > 0 {
			notes = append(notes, fmt.Sprintf(l.format, units.Plural(n, l.noun), s.nameFiles(file, len(l.leftOut))))
		}
	}
	return notes
}

func (s *Store) nameFiles(first int32, files int) string {
	name := strconv.Itoa(int(first))
	if int(first) < len(s.run.Files) {
		name = sanitize.Line(s.run.Files[first])
	}
	if files > 1 {
		name += fmt.Sprintf(" and %s", units.Plural(files-1, "more files"))
	}
	return name
}

// takeLengthUnit takes the unit of a chunk that is about to be added. All lengths of a run have one
// unit: tokens, if some are in tokens. Lengths in characters are then missing.
func (s *Store) takeLengthUnit(c *Chunk) {
	switch {
	case len(c.Records)+len(c.Blocks) == 0:
	case len(s.steps) == 0 || s.run.LengthUnit == LengthUnknown:
		s.run.LengthUnit = c.LengthUnit
	case s.run.LengthUnit == LengthCharacters && c.LengthUnit == LengthTokens:
		s.run.LengthUnit = LengthTokens
		for number, cols := range s.steps {
			s.steps[number] = s.withoutLengths(cols)
		}
		s.lastStep = nil
	case s.run.LengthUnit == LengthTokens && c.LengthUnit == LengthCharacters:
		for i := range c.Records {
			s.dropLength(c.Records[i].File, &c.Records[i].Length)
		}
		for i := range c.Blocks {
			for k := range c.Blocks[i].Length {
				s.dropLength(c.Blocks[i].File, &c.Blocks[i].Length[k])
			}
		}
	}
}

func (s *Store) dropLength(file int32, length *int32) {
	if *length >= 0 {
		*length = -1
		s.lengthsLeftOut[file]++
	}
}

// withoutLengths returns the columns with unknown lengths. Older snapshots read the old ones.
func (s *Store) withoutLengths(cols *stepColumns) *stepColumns {
	changed := *cols
	changed.Lengths = slices.Clone(cols.Lengths)
	for i := range changed.Lengths {
		s.dropLength(cols.Place(i).File, &changed.Lengths[i])
	}
	changed.Revision = s.revision
	return &changed
}
