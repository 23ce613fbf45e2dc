package model

import (
	"math"
	"slices"
	"sort"
)

// stepColumns are the samples of one step in input order, column by column. An optional column is nil
// while no sample has a value, so that a sample takes 24 bytes in most logs.
type stepColumns struct {
	revision         int // of the store when the step last changed
	evidence         groupingEvidence
	rewardLevels     []runLevels
	evidenceRevision int // revision at the last updateEvidence

	rewards          []float64
	lengths          []int32
	prompts          []uint32    // number of the prompt, 0 if none; optional
	groups           []uint32    // number of the group id, 0 if none; optional
	loggedAdvantages []float64   // NaN if none; optional
	indexInLine      []int32     // 0 if none; optional
	firstOutput      []int32     // row of the first output of the same rollout; optional: nil if all rows are rollouts of their own
	spanOffset       []uint32    // offset in the file less that of the span
	fileSpans        []fileSpan  // where the samples come from, in order
	components       [][]float64 // by index of the reward function; NaN where it gave nothing; each is optional
	last             lastRow
}

// fileSpan is a run of samples from one file, within 4 GB of it.
type fileSpan struct {
	startRow int // of its first sample
	file     int32
	offset   int64
}

// maxSpanOffset is the largest offset within a span.
const maxSpanOffset = math.MaxUint32

// reserve gives empty columns the capacity for n samples.
func (c *stepColumns) reserve(n int) {
	c.rewards, c.lengths, c.spanOffset = make([]float64, 0, n), make([]int32, 0, n), make([]uint32, 0, n)
}

// appendPlaces adds the places of the next samples, which have index n and up.
func (c *stepColumns) appendPlaces(n int, file int32, offsets ...int64) {
	c.spanOffset = slices.Grow(c.spanOffset, len(offsets))[:n+len(offsets)]
	var span fileSpan
	if last := len(c.fileSpans) - 1; last >= 0 {
		span = c.fileSpans[last]
	}
	for i, offset := range offsets {
		if len(c.fileSpans) == 0 || span.file != file || uint64(offset-span.offset) > maxSpanOffset {
			span = fileSpan{startRow: n + i, file: file, offset: offset}
			c.fileSpans = append(c.fileSpans, span)
		}
		c.spanOffset[n+i] = uint32(offset - span.offset)
	}
}

// placeOf returns where the text of a row is.
func placeOf(spans []fileSpan, spanOffset []uint32, indexInLine []int32, row int) Place {
	i := sort.Search(len(spans), func(i int) bool { return spans[i].startRow > row }) - 1
	p := Place{File: spans[i].file, Offset: spans[i].offset + int64(spanOffset[row])}
	if indexInLine != nil {
		p.IndexInLine = indexInLine[row]
	}
	return p
}

// appendRecord returns whether the row stands where an output of its rollout must: see addRollout.
func (c *stepColumns) appendRecord(r *Record, prompt, group uint32) bool {
	n := len(c.rewards)
	c.appendPlaces(n, r.File, r.Offset)
	c.rewards = append(c.rewards, r.Reward)
	c.lengths = append(c.lengths, r.Length)
	c.prompts = appendOptional(c.prompts, n, prompt, 0, prompt != 0, cap(c.rewards))
	c.groups = appendOptional(c.groups, n, group, 0, group != 0, cap(c.rewards))
	c.loggedAdvantages = appendOptional(c.loggedAdvantages, n, r.Advantage, math.NaN(), r.Advantage == r.Advantage, cap(c.rewards))
	c.indexInLine = appendOptional(c.indexInLine, n, r.IndexInLine, 0, r.IndexInLine != 0, cap(c.rewards))
	c.padComponents()
	return c.addRollout(n, group, r.Rollout)
}

// padComponents appends NaN to the components up to the length of the other columns; setComponent
// then writes the values of the newest samples.
func (c *stepColumns) padComponents() {
	for k, values := range c.components {
		for values != nil && len(values) < len(c.rewards) {
			values = append(values, math.NaN())
		}
		c.components[k] = values
	}
}

// appendOptional appends x to an optional column of n values. The column is allocated, with a
// capacity, when the first x with hasValue comes.
func appendOptional[T any](column []T, n int, x, none T, hasValue bool, capacity int) []T {
	switch {
	case column != nil:
		return append(column, x)
	case !hasValue:
		return nil
	}
	column = make([]T, n, max(capacity, n+1))
	for i := range column {
		column[i] = none
	}
	return append(column, x)
}

// appendBlock appends samples [from, to) of a block, all of this step. prompts and groups are the
// numbers of Block.Prompts and Block.Groups. It returns how many are stray outputs: see addRollout.
func (c *stepColumns) appendBlock(b *Block, from, to int, prompts, groups []uint32) (stray int) {
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
		c.loggedAdvantages = appendOptional(c.loggedAdvantages, n+i-from, logged, math.NaN(), logged == logged, cap(c.rewards))
	}
	if c.indexInLine != nil {
		c.indexInLine = append(c.indexInLine, make([]int32, to-from)...)
	}
	c.padComponents()
	return c.addRollouts(n, b, from, to)
}

// appendNumbers appends the numbers of the prompts or groups of samples [from, to) of a block to an
// optional column of n values, which is allocated with a capacity.
func appendNumbers(column []uint32, n int, index []int32, from, to int, numbers []uint32, capacity int) []uint32 {
	if column == nil && index == nil {
		return nil
	}
	if column == nil {
		column = make([]uint32, n, max(capacity, n+to-from))
	}
	if index == nil {
		return append(column, make([]uint32, to-from)...)
	}
	column = slices.Grow(column, to-from)[:n+to-from]
	for i, k := range index[from:to] {
		column[n+i] = numbers[k]
	}
	return column
}

// setComponent sets what reward function k gave to sample i.
func (c *stepColumns) setComponent(k, i int, x float64) {
	for len(c.components) <= k {
		c.components = append(c.components, nil)
	}
	for len(c.components[k]) < len(c.rewards) {
		c.components[k] = append(c.components[k], math.NaN())
	}
	c.components[k][i] = x
}

// withoutFile returns the columns without the samples of a file: c itself if it has none.
func (c *stepColumns) withoutFile(file int32) *stepColumns {
	if !slices.ContainsFunc(c.fileSpans, func(s fileSpan) bool { return s.file == file }) {
		return c
	}
	kept := &stepColumns{}
	for i, s := range c.fileSpans {
		to := len(c.rewards)
		if i+1 < len(c.fileSpans) {
			to = c.fileSpans[i+1].startRow
		}
		if s.file != file {
			kept.appendRows(c, s, s.startRow, to)
		}
	}
	return kept
}

// appendRows appends rows [from, to) of o, which are in span s.
func (c *stepColumns) appendRows(o *stepColumns, s fileSpan, from, to int) {
	n := len(c.rewards)
	c.fileSpans = append(c.fileSpans, fileSpan{startRow: n, file: s.file, offset: s.offset})
	c.spanOffset = append(c.spanOffset, o.spanOffset[from:to]...)
	c.rewards = append(c.rewards, o.rewards[from:to]...)
	c.lengths = append(c.lengths, o.lengths[from:to]...)
	c.prompts = appendOptionalRows(c.prompts, n, o.prompts, from, to, 0)
	c.groups = appendOptionalRows(c.groups, n, o.groups, from, to, 0)
	c.loggedAdvantages = appendOptionalRows(c.loggedAdvantages, n, o.loggedAdvantages, from, to, math.NaN())
	c.indexInLine = appendOptionalRows(c.indexInLine, n, o.indexInLine, from, to, 0)
	c.appendFirstOutputs(n, o, from, to)
	for len(c.components) < len(o.components) {
		c.components = append(c.components, nil)
	}
	for k := range o.components {
		c.components[k] = appendOptionalRows(c.components[k], n, o.components[k], from, to, math.NaN())
	}
}

// appendOptionalRows appends rows [from, to) of an optional column to another of n rows.
func appendOptionalRows[T any](column []T, n int, other []T, from, to int, none T) []T {
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

// clip is a column as a snapshot holds it: nil stays nil, and appending to it copies.
func clip[T any](column []T, n int) []T {
	if column == nil {
		return nil
	}
	return column[:n:n]
}
