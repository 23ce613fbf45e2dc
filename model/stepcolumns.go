package model

import (
	"math"
	"slices"
	"sort"
)

// stepColumns are the samples of one step in input order, column by column. A
// column that would hold nothing but "none" is nil, so that a sample takes 24 bytes
// in most logs.
type stepColumns struct {
	revision         int // of the store when the step last changed
	evidence         evidence
	evidenceRevision int // the revision that evidence was taken at

	rewards          []float64
	lengths          []int32
	prompts          []uint32    // 1-based index of an interned prompt, 0 if none; nil if none at all
	groups           []uint32    // 1-based index of an interned explicit id, 0 if none; nil if none at all
	loggedAdvantages []float64   // advantage as logged, NaN if not; nil if none at all
	indexInLine      []int32     // nil if all are 0
	spanOffset       []uint32    // offset in the file, from that of the span
	fileSpans        []fileSpan  // the files that the samples came from, in order
	components       [][]float64 // by number of the reward function; nil where it gave nothing in this step, else as long as it has samples
}

// fileSpan is a run of samples from one file, whose offsets lie within 4 GB.
type fileSpan struct {
	firstRow int // its first sample
	file     int32
	offset   int64
}

// maxSpanOffset is how far the samples of a span may lie apart.
const maxSpanOffset = math.MaxUint32

// reserve makes room for so many samples: steps are mostly of one size, and a column
// that is of that size wastes nothing.
func (c *stepColumns) reserve(n int) {
	c.rewards, c.lengths, c.spanOffset = make([]float64, 0, n), make([]int32, 0, n), make([]uint32, 0, n)
}

// appendPlaces notes where the samples from n on, the next ones, stand.
func (c *stepColumns) appendPlaces(n int, file int32, offsets ...int64) {
	c.spanOffset = slices.Grow(c.spanOffset, len(offsets))[:n+len(offsets)]
	var at fileSpan
	if last := len(c.fileSpans) - 1; last >= 0 {
		at = c.fileSpans[last]
	}
	for i, offset := range offsets {
		if len(c.fileSpans) == 0 || at.file != file || uint64(offset-at.offset) > maxSpanOffset {
			at = fileSpan{firstRow: n + i, file: file, offset: offset}
			c.fileSpans = append(c.fileSpans, at)
		}
		c.spanOffset[n+i] = uint32(offset - at.offset)
	}
}

// placeOf returns where the text of a sample stands.
func placeOf(spans []fileSpan, near []uint32, nth []int32, row int) Place {
	i := sort.Search(len(spans), func(i int) bool { return spans[i].firstRow > row }) - 1
	p := Place{File: spans[i].file, Offset: spans[i].offset + int64(near[row])}
	if nth != nil {
		p.IndexInLine = nth[row]
	}
	return p
}

func (c *stepColumns) appendRecord(r *Record, prompt, group uint32) {
	n := len(c.rewards)
	c.appendPlaces(n, r.File, r.Offset)
	c.rewards = append(c.rewards, r.Reward)
	c.lengths = append(c.lengths, r.Length)
	c.prompts = appendSparse(c.prompts, n, prompt, 0, prompt != 0, cap(c.rewards))
	c.groups = appendSparse(c.groups, n, group, 0, group != 0, cap(c.rewards))
	c.loggedAdvantages = appendSparse(c.loggedAdvantages, n, r.Advantage, math.NaN(), r.Advantage == r.Advantage, cap(c.rewards))
	c.indexInLine = appendSparse(c.indexInLine, n, r.IndexInLine, 0, r.IndexInLine != 0, cap(c.rewards))
	c.padComponents()
}

// padComponents brings the columns of reward functions to the length of the others: they
// gave nothing to the newest samples, until somebody says so.
func (c *stepColumns) padComponents() {
	for k, part := range c.components {
		for part != nil && len(part) < len(c.rewards) {
			part = append(part, math.NaN())
		}
		c.components[k] = part
	}
}

// appendSparse appends to a column of n values, nil as long as all of them are none, then
// with room for so many.
func appendSparse[T any](column []T, n int, x, none T, some bool, room int) []T {
	switch {
	case column != nil:
		return append(column, x)
	case !some:
		return nil
	}
	column = make([]T, n, max(room, n+1))
	for i := range column {
		column[i] = none
	}
	return append(column, x)
}

// appendBlock appends samples [from, to) of a block, all of this step; prompts and
// groups are the numbers of those of the block.
func (c *stepColumns) appendBlock(b *Block, from, to int, prompts, groups []uint32) {
	n := len(c.rewards)
	c.appendPlaces(n, b.File, b.Offset[from:to]...)
	c.rewards = append(c.rewards, b.Reward[from:to]...)
	c.lengths = append(c.lengths, b.Length[from:to]...)
	c.prompts = appendNumbers(c.prompts, n, b.Prompt, from, to, prompts, cap(c.rewards))
	c.groups = appendNumbers(c.groups, n, b.Group, from, to, groups, cap(c.rewards))
	for i := from; i < to && (b.Advantage != nil || c.loggedAdvantages != nil); i++ {
		logged := math.NaN()
		if b.Advantage != nil {
			logged = b.Advantage[i]
		}
		c.loggedAdvantages = appendSparse(c.loggedAdvantages, n+i-from, logged, math.NaN(), logged == logged, cap(c.rewards))
	}
	if c.indexInLine != nil {
		c.indexInLine = append(c.indexInLine, make([]int32, to-from)...)
	}
	c.padComponents()
}

// appendNumbers appends the numbers of the prompts or groups of rows [from, to) of a
// block to a column of n, with room for so many.
func appendNumbers(column []uint32, n int, index []int32, from, to int, numbers []uint32, room int) []uint32 {
	if column == nil && index == nil {
		return nil
	}
	if column == nil {
		column = make([]uint32, n, max(room, n+to-from))
	}
	if index == nil {
		return append(column, make([]uint32, to-from)...)
	}
	column = slices.Grow(column, to-from)[:n+to-from]
	for i, at := range index[from:to] {
		column[n+i] = numbers[at]
	}
	return column
}

// setComponent sets what a reward function gave to sample i, the newest or one of a few.
// One that gave nothing before gets NaN for the samples before.
func (c *stepColumns) setComponent(k, i int, x float64) {
	for len(c.components) <= k {
		c.components = append(c.components, nil)
	}
	for len(c.components[k]) < len(c.rewards) {
		c.components[k] = append(c.components[k], math.NaN())
	}
	c.components[k][i] = x
}

// withoutFile returns the columns less the rows of a file: c itself if it has none.
func (c *stepColumns) withoutFile(file int32) *stepColumns {
	if !slices.ContainsFunc(c.fileSpans, func(s fileSpan) bool { return s.file == file }) {
		return c
	}
	kept := &stepColumns{}
	for i, s := range c.fileSpans {
		to := len(c.rewards)
		if i+1 < len(c.fileSpans) {
			to = c.fileSpans[i+1].firstRow
		}
		if s.file != file {
			kept.appendSpan(c, s, to)
		}
	}
	return kept
}

// appendSpan appends the samples of a span of other columns, which ends before to.
func (c *stepColumns) appendSpan(o *stepColumns, s fileSpan, to int) {
	n := len(c.rewards)
	c.fileSpans = append(c.fileSpans, fileSpan{firstRow: n, file: s.file, offset: s.offset})
	c.spanOffset = append(c.spanOffset, o.spanOffset[s.firstRow:to]...)
	c.rewards = append(c.rewards, o.rewards[s.firstRow:to]...)
	c.lengths = append(c.lengths, o.lengths[s.firstRow:to]...)
	c.prompts = appendSparseRows(c.prompts, n, o.prompts, s.firstRow, to, 0)
	c.groups = appendSparseRows(c.groups, n, o.groups, s.firstRow, to, 0)
	c.loggedAdvantages = appendSparseRows(c.loggedAdvantages, n, o.loggedAdvantages, s.firstRow, to, math.NaN())
	c.indexInLine = appendSparseRows(c.indexInLine, n, o.indexInLine, s.firstRow, to, 0)
	for len(c.components) < len(o.components) {
		c.components = append(c.components, nil)
	}
	for k := range o.components {
		c.components[k] = appendSparseRows(c.components[k], n, o.components[k], s.firstRow, to, math.NaN())
	}
}

// appendSparseRows appends rows [from, to) of another column to one of n rows; a nil one is
// all none.
func appendSparseRows[T any](column []T, n int, other []T, from, to int, none T) []T {
	if column == nil && other == nil {
		return nil
	}
	for len(column) < n {
		column = append(column, none)
	}
	if other != nil {
		return append(column, other[from:to]...)
	}
	for range to - from {
		column = append(column, none)
	}
	return column
}

// clip is a column as a snapshot sees it; nil stays nil.
func clip[T any](column []T, n int) []T {
	if column == nil {
		return nil
	}
	return column[:n:n]
}
