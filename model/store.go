package model

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"vantage/model/sanitize"
	"vantage/model/units"
)

// Store holds everything read so far, in append-only columns for each step. Only its owner calls its
// methods; others read a [Snapshot].
type Store struct {
	revision       int
	files          []string
	fileRuns       []int32 // number of the run of each file; those beyond its end are of run 0
	steps          map[int64]*stepColumns
	lastStep       *stepColumns // to which samples were added last
	prompts        interner[uint64]
	groupIDs       interner[string]
	previews       chunkedList[string] // of prompt k at k-1
	buffers        buffers
	componentNames []string
	notes          []string
	evaluation     *Evaluation // nil if none was found

	rewardNames     []string // see Chunk
	rewardNamesFrom string

	format, framework string
	provenance        string
	lengthUnit        LengthUnit
	untrained         leftOut // traces of agents that are not trained
	lengthsLeftOut    leftOut // lengths in another unit
	strayOutputs      leftOut // rows that must follow an output of their rollout and do not
	hasTruth          bool
	positional        bool
	hasTotal          bool
	sumsComponents    bool
	problems          []Problem
	skipped           int
	progress          Progress
	filter            *rowFilter // nil while nothing is left out
}

// buffers are reused for the numbers of the prompts and groups of a block.
type buffers struct {
	hashes          []uint64
	prompts, groups []uint32
}

// maxProblems is how many problems are kept; Run.Skipped counts all.
const maxProblems = 1000

// NewStore returns an empty store.
func NewStore() *Store {
	return &Store{steps: map[int64]*stepColumns{}, prompts: internHashes(), groupIDs: internStrings(), untrained: leftOut{}, lengthsLeftOut: leftOut{}, strayOutputs: leftOut{}}
}

// Append adds what a loader read.
func (s *Store) Append(c *Chunk) {
	s.revision++
	s.describe(c)
	for _, file := range c.Forget {
		s.forgetFile(file)
	}
	s.takeLengthUnit(c)
	for file, n := range c.Untrained {
		s.untrained[file] += n
	}
	if c.Attempts != nil {
		s.setAttempts(*c.Attempts)
	}
	components := make([]int, len(c.ComponentNames))
	for i, name := range c.ComponentNames {
		components[i] = s.componentIndex(name)
	}
	for i := range c.Records {
		s.addRecord(&c.Records[i], components)
	}
	for i := range c.Blocks {
		s.addBlock(&c.Blocks[i], components)
	}
	s.addNotes(c.Notes)
	if s.evaluation = cmp.Or(c.Evaluation, s.evaluation); s.evaluation != nil && len(s.evaluation.Steps) == 0 {
		s.evaluation = nil
	}
	s.skipped += c.Skipped
	if room := maxProblems - len(s.problems); room > 0 {
		s.problems = append(s.problems, c.Problems[:min(room, len(c.Problems))]...)
	}
	s.progress = c.Progress
}

// componentIndex is the index of a reward function, a new one if it is new.
func (s *Store) componentIndex(name string) int {
	k := slices.Index(s.componentNames, name)
	if k < 0 {
		k = len(s.componentNames)
		s.componentNames = append(s.componentNames, name)
	}
	return k
}

// maxNotes is how many notes are kept.
const maxNotes = 100

func (s *Store) addNotes(notes []string) {
	for _, n := range notes {
		if len(s.notes) < maxNotes && !slices.Contains(s.notes, n) {
			s.notes = append(s.notes, n)
		}
	}
}

func (s *Store) describe(c *Chunk) {
	if c.Format != "" {
		s.format, s.framework, s.provenance = c.Format, c.Framework, c.Provenance
	}
	if len(c.Files) > len(s.files) {
		s.files = c.Files
	}
	if c.RewardNames != nil {
		s.rewardNames, s.rewardNamesFrom = c.RewardNames, c.RewardNamesFrom
	}
	if len(c.FileRuns) > len(s.fileRuns) {
		s.fileRuns = c.FileRuns
	}
	if len(c.Records)+len(c.Blocks) > 0 {
		s.hasTotal, s.sumsComponents = s.hasTotal || c.HasTotal, s.sumsComponents || c.SumsComponents
		s.hasTruth, s.positional = c.HasTruth, c.Positional
	}
}

// addRecord adds a record; components are the indices of its reward functions.
func (s *Store) addRecord(r *Record, components []int) {
	cols := s.columnsOf(r.Step, 1)
	if !cols.appendRecord(r, s.internPrompt(Prompt{r.Prompt, r.Preview}), s.groupIDs.intern(r.Group)) {
		s.strayOutputs[r.File]++
	}
	for i, x := range r.Components {
		cols.setComponent(components[i], len(cols.rewards)-1, x)
	}
}

// addBlock adds the samples of a block, a run of the same step at a time.
func (s *Store) addBlock(b *Block, components []int) {
	prompts, groups := s.internPrompts(b), reuse(&s.buffers.groups, len(b.Groups))
	s.groupIDs.internAll(b.Groups, groups)
	for from := 0; from < b.Len(); {
		to := from + 1
		for to < b.Len() && b.Step[to] == b.Step[from] {
			to++
		}
		cols := s.columnsOf(b.Step[from], to-from)
		n := len(cols.rewards)
		if stray := cols.appendBlock(b, from, to, prompts, groups); stray > 0 {
			s.strayOutputs[b.File] += stray
		}
		for k, values := range b.Components {
			for i, x := range values[from:to] {
				cols.setComponent(components[k], n+i, x)
			}
		}
		from = to
	}
}

// reuse returns n values of a buffer, which it grows if it has to.
func reuse[T any](buffer *[]T, n int) []T {
	*buffer = slices.Grow((*buffer)[:0], n)[:n]
	return *buffer
}

// internPrompts returns the numbers of the prompts of a block.
func (s *Store) internPrompts(b *Block) []uint32 {
	hashes, numbers := reuse(&s.buffers.hashes, len(b.Prompts)), reuse(&s.buffers.prompts, len(b.Prompts))
	for i, p := range b.Prompts {
		hashes[i] = p.Hash
	}
	s.prompts.internAll(hashes, numbers)
	for i, n := range numbers { // new prompts are in the order of their numbers
		if int(n) > s.previews.size {
			s.previews.append(b.Prompts[i].Preview)
		}
	}
	return numbers
}

// columnsOf are the columns of a step, to which more samples are about to be added. Most steps have one
// size, so a new one gets the capacity that the last one needed.
func (s *Store) columnsOf(step int64, more int) *stepColumns {
	cols := s.steps[step]
	if cols == nil {
		cols = &stepColumns{}
		if s.lastStep != nil {
			more = max(more, len(s.lastStep.rewards))
		}
		cols.reserve(more)
		s.steps[step] = cols
	}
	s.lastStep, cols.revision = cols, s.revision
	return cols
}

// internPrompt returns the number of a prompt.
func (s *Store) internPrompt(p Prompt) uint32 {
	n := s.prompts.intern(p.Hash)
	if int(n) > s.previews.size {
		s.previews.append(p.Preview)
	}
	return n
}

// forgetFile drops the samples and problems of a file that is read again. Columns are copied, since
// older snapshots still read them.
func (s *Store) forgetFile(file int32) {
	if int(file) < len(s.files) {
		name := s.files[file]
		s.problems = slices.DeleteFunc(slices.Clone(s.problems), func(p Problem) bool { return p.File == name })
	}
	delete(s.untrained, file)
	delete(s.lengthsLeftOut, file)
	delete(s.strayOutputs, file)
	s.lastStep = nil
	for number, cols := range s.steps {
		kept := cols.withoutFile(file)
		if kept == cols {
			continue
		}
		kept.revision = s.revision
		if len(kept.rewards) == 0 {
			delete(s.steps, number)
			continue
		}
		s.steps[number] = kept
	}
}

func isFinite(x float64) bool { return x-x == 0 }

// leftOut counts what is left out of each file. A file that is read again is counted anew.
type leftOut map[int32]int

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
func (s *Store) leftOutNotes() []string {
	var notes []string
	if n, file := s.untrained.count(); n > 0 {
		notes = append(notes, fmt.Sprintf("not counted: %s of agents that are not trained (agent.trainable is false), in %s",
			units.Plural(n, "traces"), s.nameFiles(file, len(s.untrained))))
	}
	if n, file := s.lengthsLeftOut.count(); n > 0 {
		notes = append(notes, fmt.Sprintf("the lengths of %s, which are in characters where other files count tokens, in %s",
			units.Plural(n, "samples"), s.nameFiles(file, len(s.lengthsLeftOut))))
	}
	if n, file := s.strayOutputs.count(); n > 0 {
		notes = append(notes, fmt.Sprintf("taken as rollouts of their own: %s that by their ids are later outputs of a rollout but do not follow its earlier ones, in %s",
			units.Plural(n, "rows"), s.nameFiles(file, len(s.strayOutputs))))
	}
	return notes
}

// nameFiles names the first of some files.
func (s *Store) nameFiles(first int32, files int) string {
	name := strconv.Itoa(int(first))
	if int(first) < len(s.files) {
		name = sanitize.Line(s.files[first])
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
	case len(s.steps) == 0 || s.lengthUnit == LengthUnknown:
		s.lengthUnit = c.LengthUnit
	case s.lengthUnit == LengthCharacters && c.LengthUnit == LengthTokens:
		s.lengthUnit = LengthTokens
		for number, cols := range s.steps {
			s.steps[number] = s.withoutLengths(cols)
		}
		s.lastStep = nil
	case s.lengthUnit == LengthTokens && c.LengthUnit == LengthCharacters:
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

// dropLength makes a length unknown and counts it.
func (s *Store) dropLength(file int32, length *int32) {
	if *length >= 0 {
		*length = -1
		s.lengthsLeftOut[file]++
	}
}

// withoutLengths returns the columns with unknown lengths. Older snapshots read the old ones.
func (s *Store) withoutLengths(cols *stepColumns) *stepColumns {
	changed := *cols
	changed.lengths = slices.Clone(cols.lengths)
	for i := range changed.lengths {
		s.dropLength(placeOf(cols.fileSpans, cols.spanOffset, nil, i).File, &changed.lengths[i])
	}
	changed.revision = s.revision
	return &changed
}
