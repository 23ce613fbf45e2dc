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
	revision int // of the store when the step last changed
	evidence evidence
	weighed  int // the revision that evidence was taken at

	reward     []float64
	length     []int32
	prompt     []uint32    // 1-based index of an interned prompt, 0 if none; nil if none at all
	group      []uint32    // 1-based index of an interned explicit id, 0 if none; nil if none at all
	logged     []float64   // advantage as logged, NaN if not; nil if none at all
	nth        []int32     // nil if all are 0
	near       []uint32    // offset in the file, from that of the span
	spans      []span      // the files that the samples came from, in order
	components [][]float64 // by number of the reward function; nil where it gave nothing in this step, else as long as it has samples
}

// span is a run of samples from one file, whose offsets lie within 4 GB.
type span struct {
	from   int // its first sample
	file   int32
	offset int64
}

// farthest is how far the samples of a span may lie apart.
const farthest = math.MaxUint32

// grow makes room for so many samples: steps are mostly of one size, and a column
// that is of that size wastes nothing.
func (c *stepColumns) grow(n int) {
	c.reward, c.length, c.near = make([]float64, 0, n), make([]int32, 0, n), make([]uint32, 0, n)
}

// locate notes where the samples from n on, the next ones, stand.
func (c *stepColumns) locate(n int, file int32, offsets ...int64) {
	c.near = slices.Grow(c.near, len(offsets))[:n+len(offsets)]
	var at span
	if last := len(c.spans) - 1; last >= 0 {
		at = c.spans[last]
	}
	for i, offset := range offsets {
		if len(c.spans) == 0 || at.file != file || uint64(offset-at.offset) > farthest {
			at = span{from: n + i, file: file, offset: offset}
			c.spans = append(c.spans, at)
		}
		c.near[n+i] = uint32(offset - at.offset)
	}
}

// place returns where the text of a sample stands.
func place(spans []span, near []uint32, nth []int32, row int) Place {
	i := sort.Search(len(spans), func(i int) bool { return spans[i].from > row }) - 1
	p := Place{File: spans[i].file, Offset: spans[i].offset + int64(near[row])}
	if nth != nil {
		p.Nth = nth[row]
	}
	return p
}

func (c *stepColumns) append(r *Record, prompt, group uint32) {
	n := len(c.reward)
	c.locate(n, r.File, r.Offset)
	c.reward = append(c.reward, r.Reward)
	c.length = append(c.length, r.Length)
	c.prompt = with(c.prompt, n, prompt, 0, prompt != 0, cap(c.reward))
	c.group = with(c.group, n, group, 0, group != 0, cap(c.reward))
	c.logged = with(c.logged, n, r.Advantage, math.NaN(), r.Advantage == r.Advantage, cap(c.reward))
	c.nth = with(c.nth, n, r.Nth, 0, r.Nth != 0, cap(c.reward))
	c.even()
}

// even brings the columns of reward functions to the length of the others: they
// gave nothing to the newest samples, until somebody says so.
func (c *stepColumns) even() {
	for k, component := range c.components {
		for component != nil && len(component) < len(c.reward) {
			component = append(component, math.NaN())
		}
		c.components[k] = component
	}
}

// with appends to a column of n values, nil as long as all of them are none, then
// with room for so many.
func with[T any](column []T, n int, x, none T, some bool, room int) []T {
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

// extend appends samples [from, to) of a block, all of this step; prompts and
// groups are the numbers of those of the block.
func (c *stepColumns) extend(b *Block, from, to int, prompts, groups []uint32) {
	n := len(c.reward)
	c.locate(n, b.File, b.Offset[from:to]...)
	c.reward = append(c.reward, b.Reward[from:to]...)
	c.length = append(c.length, b.Length[from:to]...)
	c.prompt = numbered(c.prompt, n, b.Prompt, from, to, prompts, cap(c.reward))
	c.group = numbered(c.group, n, b.Group, from, to, groups, cap(c.reward))
	for i := from; i < to && (b.Advantage != nil || c.logged != nil); i++ {
		logged := math.NaN()
		if b.Advantage != nil {
			logged = b.Advantage[i]
		}
		c.logged = with(c.logged, n+i-from, logged, math.NaN(), logged == logged, cap(c.reward))
	}
	if c.nth != nil {
		c.nth = append(c.nth, make([]int32, to-from)...)
	}
	c.even()
}

// numbered appends the numbers of the prompts or groups of rows [from, to) of a
// block to a column of n, with room for so many.
func numbered(column []uint32, n int, index []int32, from, to int, numbers []uint32, room int) []uint32 {
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

// addComponent sets what a reward function gave to sample i, the newest or one of a few.
// One that gave nothing before gets NaN for the samples before.
func (c *stepColumns) addComponent(k, i int, x float64) {
	for len(c.components) <= k {
		c.components = append(c.components, nil)
	}
	for len(c.components[k]) < len(c.reward) {
		c.components[k] = append(c.components[k], math.NaN())
	}
	c.components[k][i] = x
}

// without returns the columns less the rows of a file: c itself if it has none.
func (c *stepColumns) without(file int32) *stepColumns {
	if !slices.ContainsFunc(c.spans, func(s span) bool { return s.file == file }) {
		return c
	}
	kept := &stepColumns{}
	for i, s := range c.spans {
		to := len(c.reward)
		if i+1 < len(c.spans) {
			to = c.spans[i+1].from
		}
		if s.file != file {
			kept.take(c, s, to)
		}
	}
	return kept
}

// take appends the samples of a span of other columns, which ends before to.
func (c *stepColumns) take(o *stepColumns, s span, to int) {
	n := len(c.reward)
	c.spans = append(c.spans, span{from: n, file: s.file, offset: s.offset})
	c.near = append(c.near, o.near[s.from:to]...)
	c.reward = append(c.reward, o.reward[s.from:to]...)
	c.length = append(c.length, o.length[s.from:to]...)
	c.prompt = moved(c.prompt, n, o.prompt, s.from, to, 0)
	c.group = moved(c.group, n, o.group, s.from, to, 0)
	c.logged = moved(c.logged, n, o.logged, s.from, to, math.NaN())
	c.nth = moved(c.nth, n, o.nth, s.from, to, 0)
	for len(c.components) < len(o.components) {
		c.components = append(c.components, nil)
	}
	for k := range o.components {
		c.components[k] = moved(c.components[k], n, o.components[k], s.from, to, math.NaN())
	}
}

// moved appends rows [from, to) of another column to one of n rows; a nil one is
// all none.
func moved[T any](column []T, n int, other []T, from, to int, none T) []T {
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
