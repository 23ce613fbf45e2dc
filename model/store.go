package model

import (
	"math"
	"slices"
)

// Store holds everything read so far, in columns that only grow, one set per
// step. It has one owner, who alone calls Append; others read a [Snapshot].
type Store struct {
	revision       int
	files          []string
	steps          map[int64]*stepColumns
	lastStep       *stepColumns // that got samples last
	prompts        interner[uint64]
	groupIDs       interner[string]
	previews       chunkedList[string] // of prompt k-1, beside prompts
	scratch        scratch
	componentNames []string // names of reward functions
	notes          []string

	format, provenance string
	lengthUnit         LengthUnit
	hasTruth           bool
	positional         bool
	problems           []Problem
	skipped            int
	progress           Progress
}

// scratch is memory for numbering the prompts and groups of a block.
type scratch struct {
	hashes          []uint64
	prompts, groups []uint32
}

// maxProblems bounds what is remembered of a broken log; Skipped counts on.
const maxProblems = 1000

// NewStore returns an empty store.
func NewStore() *Store {
	return &Store{steps: map[int64]*stepColumns{}, prompts: internHashes(), groupIDs: internStrings()}
}

// Append takes over what a loader read.
func (s *Store) Append(c *Chunk) {
	s.revision++
	s.describe(c)
	for _, file := range c.Forget {
		s.forgetFile(file)
	}
	parts := make([]uint32, len(c.ComponentNames))
	for i, name := range c.ComponentNames {
		parts[i] = s.componentNumber(name)
	}
	for i := range c.Records {
		s.addRecord(&c.Records[i], parts)
	}
	for i := range c.Blocks {
		s.addBlock(&c.Blocks[i], parts)
	}
	s.addNotes(c.Notes)
	s.skipped += c.Skipped
	if room := maxProblems - len(s.problems); room > 0 {
		s.problems = append(s.problems, c.Problems[:min(room, len(c.Problems))]...)
	}
	s.progress = c.Progress
}

// componentNumber numbers a reward function from 1: a log has a few.
func (s *Store) componentNumber(name string) uint32 {
	at := slices.Index(s.componentNames, name)
	if at < 0 {
		at = len(s.componentNames)
		s.componentNames = append(s.componentNames, name)
	}
	return uint32(at + 1)
}

// maxNotes bounds what is remembered of what loaders left out.
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
		s.format, s.provenance = c.Format, c.Provenance
	}
	if len(c.Files) > len(s.files) {
		s.files = c.Files
	}
	if len(c.Records)+len(c.Blocks) > 0 {
		s.lengthUnit, s.hasTruth, s.positional = c.LengthUnit, c.HasTruth, c.Positional
	}
}

func (s *Store) addRecord(r *Record, parts []uint32) {
	cols := s.columnsOf(r.Step, 1)
	cols.appendRecord(r, s.internPrompt(Prompt{r.Prompt, r.Preview}), s.groupIDs.intern(r.Group))
	for i, x := range r.Components {
		cols.setComponent(int(parts[i])-1, len(cols.rewards)-1, x)
	}
}

// addBlock takes over the samples of a block, run by run of the same step.
func (s *Store) addBlock(b *Block, parts []uint32) {
	prompts, groups := s.internPrompts(b), reuse(&s.scratch.groups, len(b.Groups))
	s.groupIDs.internAll(b.Groups, groups)
	for from := 0; from < b.Len(); {
		to := from + 1
		for to < b.Len() && b.Step[to] == b.Step[from] {
			to++
		}
		cols := s.columnsOf(b.Step[from], to-from)
		n := len(cols.rewards)
		cols.appendBlock(b, from, to, prompts, groups)
		for k, part := range b.Components {
			for i, x := range part[from:to] {
				cols.setComponent(int(parts[k])-1, n+i, x)
			}
		}
		from = to
	}
}

// reuse returns n values of memory that is used again.
func reuse[T any](memory *[]T, n int) []T {
	*memory = slices.Grow((*memory)[:0], n)[:n]
	return *memory
}

func (s *Store) internPrompts(b *Block) []uint32 {
	hashes, numbers := reuse(&s.scratch.hashes, len(b.Prompts)), reuse(&s.scratch.prompts, len(b.Prompts))
	for i, p := range b.Prompts {
		hashes[i] = p.Hash
	}
	s.prompts.internAll(hashes, numbers)
	for i, n := range numbers { // new ones come in the order of their numbers
		if int(n) > s.previews.size {
			s.previews.append(b.Prompts[i].Preview)
		}
	}
	return numbers
}

// columnsOf are those of a step, about to get so many samples more. Steps are mostly
// of one size: a new one is given the room that the one before took.
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

// internPrompt numbers a prompt.
func (s *Store) internPrompt(p Prompt) uint32 {
	n := s.prompts.intern(p.Hash)
	if int(n) > s.previews.size {
		s.previews.append(p.Preview)
	}
	return n
}

// forgetFile drops the records of a file that is read anew. The columns are copied,
// not cut: older snapshots still look at them.
func (s *Store) forgetFile(file int32) {
	if int(file) < len(s.files) {
		name := s.files[file]
		s.problems = slices.DeleteFunc(slices.Clone(s.problems), func(p Problem) bool { return p.File == name })
	}
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

// rewardRange returns the least and greatest finite reward; ok is false if there is none.
func rewardRange(rewards []float64) (lo, hi float64, ok bool) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, r := range rewards {
		if isFinite(r) {
			lo, hi = min(lo, r), max(hi, r)
		}
	}
	return lo, hi, lo <= hi
}

func isFinite(x float64) bool { return x-x == 0 }
