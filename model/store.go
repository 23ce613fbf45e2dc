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
	previews []string // of prompt k-1, beside prompts

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
	for i := range c.Records {
		s.add(&c.Records[i])
	}
	s.skipped += c.Skipped
	if room := maxProblems - len(s.problems); room > 0 {
		s.problems = append(s.problems, c.Problems[:min(room, len(c.Problems))]...)
	}
	s.progress = c.Progress
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

func (s *Store) add(r *Record) {
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
	offset []int64
}

func (c *stepColumns) append(r *Record, prompt, group uint32) {
	c.reward = append(c.reward, r.Reward)
	c.logged = append(c.logged, r.Advantage)
	c.length = append(c.length, r.Length)
	c.prompt = append(c.prompt, prompt)
	c.group = append(c.group, group)
	c.file = append(c.file, r.File)
	c.offset = append(c.offset, r.Offset)
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
	kept := &stepColumns{}
	for i, f := range c.file {
		if f == file {
			continue
		}
		kept.reward = append(kept.reward, c.reward[i])
		kept.logged = append(kept.logged, c.logged[i])
		kept.length = append(kept.length, c.length[i])
		kept.prompt = append(kept.prompt, c.prompt[i])
		kept.group = append(kept.group, c.group[i])
		kept.file = append(kept.file, f)
		kept.offset = append(kept.offset, c.offset[i])
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
