package model

import (
	"math"
	"slices"
)

// Store holds everything read so far, in columns that only grow, one set per
// step. It has one owner, who alone calls Append; others read a [Snapshot].
type Store struct {
	revision int
	files    []string
	steps    map[int64]*stepColumns
	prompts  interner[uint64]
	ids      interner[string]
	previews []string         // of prompt k-1, beside prompts
	parts    interner[string] // names of reward functions
	notes    []string

	format, how string
	unit        LengthUnit
	hasTruth    bool
	positional  bool
	problems    []Problem
	skipped     int
	progress    Progress
}

// maxProblems bounds what is remembered of a broken log; Skipped counts on.
const maxProblems = 1000

// NewStore returns an empty store.
func NewStore() *Store {
	return &Store{steps: map[int64]*stepColumns{}}
}

// Append takes over what a loader read.
func (s *Store) Append(c *Chunk) {
	s.revision++
	s.describe(c)
	for _, file := range c.Forget {
		s.forget(file)
	}
	parts := make([]uint32, len(c.Components))
	for i, name := range c.Components {
		parts[i] = s.parts.intern(name)
	}
	for i := range c.Records {
		s.add(&c.Records[i], parts)
	}
	s.note(c.Notes)
	s.skipped += c.Skipped
	if room := maxProblems - len(s.problems); room > 0 {
		s.problems = append(s.problems, c.Problems[:min(room, len(c.Problems))]...)
	}
	s.progress = c.Progress
}

// maxNotes bounds what is remembered of what loaders left out.
const maxNotes = 100

func (s *Store) note(notes []string) {
	for _, n := range notes {
		if len(s.notes) < maxNotes && !slices.Contains(s.notes, n) {
			s.notes = append(s.notes, n)
		}
	}
}

func (s *Store) describe(c *Chunk) {
	if c.Format != "" {
		s.format, s.how = c.Format, c.How
	}
	if len(c.Files) > len(s.files) {
		s.files = c.Files
	}
	if len(c.Records) > 0 {
		s.unit, s.hasTruth, s.positional = c.LengthUnit, c.HasTruth, c.Positional
	}
}

func (s *Store) add(r *Record, parts []uint32) {
	cols := s.steps[r.Step]
	if cols == nil {
		cols = &stepColumns{}
		s.steps[r.Step] = cols
	}
	prompt := s.prompts.intern(r.Prompt)
	if int(prompt) > len(s.previews) {
		s.previews = append(s.previews, r.Preview)
	}
	cols.revision = s.revision
	cols.append(r, prompt, s.ids.intern(r.Group))
	for i, x := range r.Parts {
		cols.addPart(int(parts[i])-1, x)
	}
}

// forget drops the records of a file that is read anew. The columns are copied,
// not cut: older snapshots still look at them.
func (s *Store) forget(file int32) {
	if int(file) < len(s.files) {
		name := s.files[file]
		s.problems = slices.DeleteFunc(slices.Clone(s.problems), func(p Problem) bool { return p.File == name })
	}
	for number, cols := range s.steps {
		kept := cols.without(file)
		if kept == cols {
			continue
		}
		kept.revision = s.revision
		if len(kept.reward) == 0 {
			delete(s.steps, number)
			continue
		}
		s.steps[number] = kept
	}
}

// stepColumns are the samples of one step in input order, column by column.
type stepColumns struct {
	revision int // of the store when the step last changed
	evidence evidence
	weighed  int // the revision that evidence was taken at

	reward []float64
	logged []float64 // advantage as logged, NaN if not
	length []int32
	prompt []uint32 // 1-based index of an interned prompt, 0 if none
	group  []uint32 // 1-based index of an interned explicit id, 0 if none
	file   []int32
	nth    []int32
	offset []int64
	parts  [][]float64 // by number of the reward function; nil where it gave nothing in this step, else as long as it has samples
}

func (c *stepColumns) append(r *Record, prompt, group uint32) {
	c.reward = append(c.reward, r.Reward)
	c.logged = append(c.logged, r.Advantage)
	c.length = append(c.length, r.Length)
	c.prompt = append(c.prompt, prompt)
	c.group = append(c.group, group)
	c.file = append(c.file, r.File)
	c.nth = append(c.nth, r.Nth)
	c.offset = append(c.offset, r.Offset)
	for k, part := range c.parts {
		if part != nil {
			c.parts[k] = append(part, math.NaN())
		}
	}
}

// addPart sets what a reward function gave to the newest sample. One that gave
// nothing before gets NaN for the samples before.
func (c *stepColumns) addPart(k int, x float64) {
	for len(c.parts) <= k {
		c.parts = append(c.parts, nil)
	}
	if c.parts[k] == nil {
		c.parts[k] = make([]float64, len(c.reward))
		for i := range c.parts[k] {
			c.parts[k][i] = math.NaN()
		}
	}
	c.parts[k][len(c.reward)-1] = x
}

// without returns the columns less the rows of a file: c itself if it has none.
func (c *stepColumns) without(file int32) *stepColumns {
	gone := 0
	for _, f := range c.file {
		if f == file {
			gone++
		}
	}
	if gone == 0 {
		return c
	}
	kept := &stepColumns{
		reward: sift(c.reward, c.file, file), logged: sift(c.logged, c.file, file), length: sift(c.length, c.file, file),
		prompt: sift(c.prompt, c.file, file), group: sift(c.group, c.file, file), file: sift(c.file, c.file, file),
		nth: sift(c.nth, c.file, file), offset: sift(c.offset, c.file, file),
	}
	for _, part := range c.parts {
		kept.parts = append(kept.parts, sift(part, c.file, file))
	}
	return kept
}

// sift copies a column without the rows of a file; nil stays nil.
func sift[T any](column []T, files []int32, file int32) []T {
	if column == nil {
		return nil
	}
	kept := make([]T, 0, len(column))
	for i, x := range column {
		if files[i] != file {
			kept = append(kept, x)
		}
	}
	return kept
}

// interner numbers distinct values from 1; the zero value of K is 0, "none".
type interner[K comparable] struct {
	index map[K]uint32
	names []K // value k has number index+1; only grows
}

func (in *interner[K]) intern(k K) uint32 {
	var none K
	if k == none {
		return 0
	}
	n, ok := in.index[k]
	if !ok {
		if in.index == nil {
			in.index = map[K]uint32{}
		}
		in.names = append(in.names, k)
		n = uint32(len(in.names))
		in.index[k] = n
	}
	return n
}

// rewardRange returns the least and greatest finite reward; ok is false if there is none.
func rewardRange(rewards []float64) (lo, hi float64, ok bool) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, r := range rewards {
		if finite(r) {
			lo, hi = min(lo, r), max(hi, r)
		}
	}
	return lo, hi, lo <= hi
}

func finite(x float64) bool { return x-x == 0 }
