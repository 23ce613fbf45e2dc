package model

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"sort"
	"strings"

	"vantage/estimators"
	"vantage/model/units"
)

// stepColumns is a step that grows: its Revision is that of the store when it last changed, and a view has its number and its
// counts. An optional column is nil while no sample has a value, so that a sample takes 24 bytes in most logs.
type stepColumns struct {
	Step
	pending          []blockPart // samples that are not in the columns yet: see Store.addBlocks
	rows             int         // how many there are once the pending ones are in the columns
	evidence         groupingEvidence
	rewardLevels     []runLevels
	verdicts         []bool                 // of the components: see verdictsOf
	evidenceRevision int                    // revision at the last updateEvidence
	last             groupRollout           // of the newest row
	begins           map[groupRollout]int32 // first rows, of rollouts whose rows may be anywhere
}

// fileSpan is a run of samples from one file, within 4 GB of it.
type fileSpan struct {
	startRow int // of its first sample
	file     int32
	offset   int64
}

const maxSpanOffset = math.MaxUint32

// spansOf yields spans of n rows, and where each ends.
func spansOf(spans []fileSpan, n int) iter.Seq2[fileSpan, int] {
	return func(yield func(s fileSpan, to int) bool) {
		for i, s := range spans {
			to := n
			if i+1 < len(spans) {
				to = spans[i+1].startRow
			}
			if !yield(s, to) {
				return
			}
		}
	}
}

// appendPlaces adds the places of the next samples, which have index n and up.
func (c *stepColumns) appendPlaces(n int, file int32, offsets ...int64) {
	c.spanOffset = slices.Grow(c.spanOffset, len(offsets))[:n+len(offsets)]
	added, known := c.spanOffset[n:], len(c.fileSpans) > 0
	var span fileSpan
	if last := len(c.fileSpans) - 1; last >= 0 {
		span = c.fileSpans[last]
	}
	if known && span.file == file && span.offsetsOf(added, offsets) {
		return
	}
	for i, offset := range offsets {
		if !known || span.file != file || uint64(offset-span.offset) > maxSpanOffset {
			span, known = fileSpan{startRow: n + i, file: file, offset: offset}, true
			c.fileSpans = append(c.fileSpans, span)
		}
		added[i] = uint32(offset - span.offset)
	}
}

// offsetsOf returns offsets as those within the span. It returns false if some are beyond its end.
func (s *fileSpan) offsetsOf(within []uint32, offsets []int64) bool {
	all := uint64(0) // their bits
	for i, offset := range offsets {
		of := uint64(offset - s.offset)
		within[i] = uint32(of)
		all |= of
	}
	return all <= maxSpanOffset
}

// Place returns where the text of a row is.
func (s *Step) Place(row int) Place {
	i := sort.Search(len(s.fileSpans), func(i int) bool { return s.fileSpans[i].startRow > row }) - 1
	p := Place{File: s.fileSpans[i].file, Offset: s.fileSpans[i].offset + int64(s.spanOffset[row])}
	if s.indexInLine != nil {
		p.IndexInLine = s.indexInLine[row]
	}
	return p
}

// appendRecord returns whether the row stands where an output of its rollout must: see addRollout.
func (c *stepColumns) appendRecord(r *Record, prompt, group uint32) bool {
	n := len(c.Rewards)
	c.appendPlaces(n, r.File, r.Offset)
	c.Rewards = append(c.Rewards, r.Reward)
	c.Lengths = append(c.Lengths, r.Length)
	c.prompts = appendOptional(c.prompts, n, prompt, 0, prompt != 0, cap(c.Rewards))
	c.groups = appendOptional(c.groups, n, group, 0, group != 0, cap(c.Rewards))
	c.LoggedAdvantages = appendOptional(c.LoggedAdvantages, n, r.Advantage, math.NaN(), IsLogged(r.Advantage), cap(c.Rewards))
	c.Statuses = appendOptional(c.Statuses, n, r.Status, StatusTrains, r.Status != StatusTrains, cap(c.Rewards))
	c.Wholes = appendOptional(c.Wholes, n, r.Whole, nil, r.Whole != nil, cap(c.Rewards))
	c.indexInLine = appendOptional(c.indexInLine, n, r.IndexInLine, 0, r.IndexInLine != 0, cap(c.Rewards))
	c.padComponents()
	return c.addRollout(n, group, r.Rollout)
}

// padComponents appends NaN to the components up to the length of the other columns; setComponent
// then writes the values of the newest samples.
func (c *stepColumns) padComponents() {
	for k, values := range c.Components {
		for values != nil && len(values) < len(c.Rewards) {
			values = append(values, math.NaN())
		}
		c.Components[k] = values
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

// appendPending appends the pending samples, in the memory of their blocks. components are the indices of the reward functions of these. It
// returns how many are stray outputs, by file: see addRollout.
func (c *stepColumns) appendPending(components []int) leftOut {
	stray := leftOut{}
	for i := range c.pending {
		p := &c.pending[i]
		n := len(c.Rewards)
		stray.add(p.File, c.appendPart(p))
		for k, values := range p.Components {
			for i, x := range values[p.from:p.to] {
				c.setComponent(components[k], n+i, x)
			}
		}
	}
	c.pending = nil
	return stray
}

func (c *stepColumns) appendPart(p *blockPart) (stray int) {
	n, from, to := len(c.Rewards), int(p.from), int(p.to)
	c.appendPlaces(n, p.File, p.Offset[from:to]...)
	c.Rewards = append(c.Rewards, p.Reward[from:to]...)
	c.Lengths = append(c.Lengths, p.Length[from:to]...)
	c.prompts = appendNumbers(c.prompts, n, p.Prompt, from, to, p.prompts, cap(c.Rewards))
	c.groups = appendNumbers(c.groups, n, p.Group, from, to, p.groups, cap(c.Rewards))
	for i := from; i < to && (p.Advantage != nil || c.LoggedAdvantages != nil); i++ {
		logged := math.NaN()
		if p.Advantage != nil {
			logged = p.Advantage[i]
		}
		c.LoggedAdvantages = appendOptional(c.LoggedAdvantages, n+i-from, logged, math.NaN(), IsLogged(logged), cap(c.Rewards))
	}
	c.Statuses = appendOptionalRows(c.Statuses, n, p.Status, from, to, StatusTrains)
	c.Wholes = appendOptionalRows(c.Wholes, n, nil, from, to, nil)
	if c.indexInLine != nil {
		c.indexInLine = append(c.indexInLine, make([]int32, to-from)...)
	}
	c.padComponents()
	return c.addRollouts(n, p)
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
	added := column[n:]
	for i, k := range index[from:to] {
		added[i] = numbers[k]
	}
	return column
}

func (c *stepColumns) setComponent(k, i int, x float64) {
	for len(c.Components) <= k {
		c.Components = append(c.Components, nil)
	}
	for len(c.Components[k]) < len(c.Rewards) {
		c.Components[k] = append(c.Components[k], math.NaN())
	}
	c.Components[k][i] = x
}

// withoutFile returns the columns without the samples of a file: c itself if it has none.
func (c *stepColumns) withoutFile(file int32) *stepColumns {
	if !slices.ContainsFunc(c.fileSpans, func(s fileSpan) bool { return s.file == file }) {
		return c
	}
	kept := &stepColumns{}
	for s, to := range spansOf(c.fileSpans, len(c.Rewards)) {
		if s.file != file {
			kept.appendRows(c, s, s.startRow, to)
		}
	}
	return kept
}

func (c *stepColumns) appendRows(o *stepColumns, s fileSpan, from, to int) {
	n := len(c.Rewards)
	c.fileSpans = append(c.fileSpans, fileSpan{startRow: n, file: s.file, offset: s.offset})
	c.spanOffset = append(c.spanOffset, o.spanOffset[from:to]...)
	c.Rewards = append(c.Rewards, o.Rewards[from:to]...)
	c.Lengths = append(c.Lengths, o.Lengths[from:to]...)
	c.prompts = appendOptionalRows(c.prompts, n, o.prompts, from, to, 0)
	c.groups = appendOptionalRows(c.groups, n, o.groups, from, to, 0)
	c.LoggedAdvantages = appendOptionalRows(c.LoggedAdvantages, n, o.LoggedAdvantages, from, to, math.NaN())
	c.Statuses = appendOptionalRows(c.Statuses, n, o.Statuses, from, to, StatusTrains)
	c.Wholes = appendOptionalRows(c.Wholes, n, o.Wholes, from, to, nil)
	c.indexInLine = appendOptionalRows(c.indexInLine, n, o.indexInLine, from, to, 0)
	c.appendFirstOutputs(n, o, from, to)
	for len(c.Components) < len(o.Components) {
		c.Components = append(c.Components, nil)
	}
	for k := range o.Components {
		c.Components[k] = appendOptionalRows(c.Components[k], n, o.Components[k], from, to, math.NaN())
	}
}

// appendOptionalRows appends rows [from, to) of an optional column to another of n rows.
func appendOptionalRows[T any](column []T, n int, other []T, from, to int, none T) []T {
	if column == nil && other == nil {
		return nil
	}
	column = append(column, slices.Repeat([]T{none}, n-len(column))...) // none so far
	if other == nil {
		return append(column, slices.Repeat([]T{none}, to-from)...)
	}
	return append(column, other[from:to]...)
}

// clip is a column as a snapshot holds it: nil stays nil, and appending to it copies.
func clip[T any](column []T, n int) []T {
	if column == nil {
		return nil
	}
	return column[:n:n]
}

// Rollout says which rows of a group are outputs of one rollout. An agent that summarises or restarts
// its context gives several rows per rollout, each with the tokens of one context, and a trainer that
// knows rollouts counts their reward once. Most logs have one row per rollout and say nothing of it.
type Rollout struct {
	Number int32 // of the rollout within its group, from 1; 0 if the log tells none
	Output int32 // index of the row among the outputs of its rollout; -1 if the log only says which rollout it is of
}

// groupRollout is a rollout of a group.
type groupRollout struct {
	group   uint32
	rollout Rollout
}

// addRollout adds row n, the newest, to the rollout of the row before it, or to one of its own: trainers write the outputs of a
// rollout side by side, in their order. It returns false for an output that must follow another and does not. Where the log says
// only which rollout a row is of, its rows may be anywhere in the step. The prompt of a rollout is that of its first row.
func (c *stepColumns) addRollout(n int, group uint32, r Rollout) bool {
	own := groupRollout{group, r}
	first, joins := c.firstOutput(own, n)
	switch {
	case !joins:
		first = int32(n)
	case c.FirstOutputs == nil:
		c.FirstOutputs = append(make([]int32, 0, cap(c.Rewards)), inputOrder(n)...)
	}
	if c.prompts != nil {
		c.prompts[n] = c.prompts[first]
	}
	if c.FirstOutputs != nil {
		c.FirstOutputs = append(c.FirstOutputs, first)
	}
	c.last = own
	return joins || r.Output <= 0 || r.Number == 0
}

// firstOutput returns the first row of the rollout of row n, if it is not that row.
func (c *stepColumns) firstOutput(own groupRollout, n int) (first int32, found bool) {
	r, o := own.rollout, c.last.rollout
	isSame := own.group == c.last.group && r.Number > 0 && r.Number == o.Number
	if isLater := r.Output > o.Output || r.Output < 0; isSame && isLater {
		if c.FirstOutputs == nil {
			return int32(n - 1), true
		}
		return c.FirstOutputs[n-1], true
	}
	if r.Output >= 0 {
		return 0, false
	}
	if first, found = c.begins[own]; !found {
		if c.begins == nil {
			c.begins = map[groupRollout]int32{}
		}
		c.begins[own] = int32(n)
	}
	return first, found
}

// addRollouts adds the rows of a part, row n and up of the step, to rollouts. It returns how many are not where they must be.
func (c *stepColumns) addRollouts(n int, p *blockPart) (stray int) {
	if p.Rollout == nil {
		if c.FirstOutputs != nil {
			c.FirstOutputs = appendOwn(c.FirstOutputs, n+int(p.to-p.from))
		}
		c.last = groupRollout{}
		return 0
	}
	for i, r := range p.Rollout[p.from:p.to] {
		if !c.addRollout(n+i, numberAt(c.groups, n+i), r) {
			stray++
		}
	}
	return stray
}

// appendOwn appends rows that are rollouts of their own, up to n rows in all.
func appendOwn(firstOutput []int32, n int) []int32 {
	for len(firstOutput) < n {
		firstOutput = append(firstOutput, int32(len(firstOutput)))
	}
	return firstOutput
}

// appendFirstOutputs appends the rollouts of rows [from, to) of o to n rows.
func (c *stepColumns) appendFirstOutputs(n int, o *stepColumns, from, to int) {
	switch {
	case o.FirstOutputs != nil:
		c.FirstOutputs = appendOwn(c.FirstOutputs, n)
		moved := map[int32]int32{} // what was the first row of a rollout, to what is
		for i, first := range o.FirstOutputs[from:to] {
			if _, found := moved[first]; !found {
				moved[first] = int32(n + i)
			}
			c.FirstOutputs = append(c.FirstOutputs, moved[first])
		}
	case c.FirstOutputs != nil:
		c.FirstOutputs = appendOwn(c.FirstOutputs, n+to-from)
	}
}

// Rollouts returns how many rollouts the rows are outputs of.
func (s Snapshot) Rollouts() int {
	n := 0
	for i := range s.Steps {
		n += s.Steps[i].Rollouts
	}
	return n
}

// RolloutEvidence says how the estimator of the settings counts rollouts of several rows, "" if the
// log has none.
func (s Snapshot) RolloutEvidence(set Settings) string {
	rollouts := s.Rollouts()
	e, err := set.FindEstimator()
	if err != nil || rollouts == s.Rows {
		return ""
	}
	return fmt.Sprintf("%s in %s: %s", units.Plural(rollouts, "rollouts"), units.Plural(s.Rows, "rows"), CountedRollouts(e))
}

// CountedRollouts says how an estimator counts a rollout of several rows.
func CountedRollouts(e *estimators.Estimator) string {
	name := e.Title()
	switch e.Outputs {
	case estimators.LastOutput:
		return name + " counts each rollout once, by its last row, and gives all its rows the same advantage"
	case estimators.EachOutput:
		return name + " counts each row as a sample: in its trainer only grpo counts rollouts"
	case estimators.ByRollout:
		return name + " gets each row and which rollout it is of"
	case estimators.OutputsUnknown:
	}
	return name + " is assumed to count each rollout once, by its last row, as verl grpo does"
}

// CountedAs returns whether a row is the last output of its rollout, whose reward counts, and the row of
// the first output, whose prompt is that of the group.
func (s *Step) CountedAs(row int) (first int, last bool) {
	if s.FirstOutputs == nil {
		return row, true
	}
	first = int(s.FirstOutputs[row])
	return first, int(s.lastOutputs[first]) == row
}

// interner numbers distinct values from 1; the zero value of K has number 0, "none". It is a hash
// table with linear probing: a log of millions of rows has a prompt and an id for every few of them,
// and a map takes five times as long.
type interner[K comparable] struct {
	values     list[K] // value with number k at k-1
	size       uint32  // of values
	slots      []internSlot
	hash       func(K) uint64
	prefetched uint32 // keeps the compiler from dropping the loads of internAll
}

// internSlot is small, since the size of a table beyond the caches decides what a lookup costs.
type internSlot struct {
	hash   uint32
	number uint32 // 0 if the slot is free
}

func (t *interner[K]) intern(k K) uint32 {
	return t.number(k, uint32(t.hash(k)))
}

// internAll numbers many values. It loads the slots of all of them first, so that the processor waits
// for many cache misses at once and not for one after the other.
func (t *interner[K]) internAll(keys []K, numbers []uint32) {
	mask := uint32(max(1, len(t.slots)) - 1)
	for i, k := range keys {
		h := uint32(t.hash(k))
		numbers[i] = h
		if mask > 0 {
			t.prefetched |= t.slots[h&mask].number
		}
	}
	for i, k := range keys {
		numbers[i] = t.number(k, numbers[i])
	}
}

func (t *interner[K]) number(k K, h uint32) uint32 {
	var none K
	if k == none {
		return 0
	}
	if 4*(int(t.size)+1) > 3*len(t.slots) {
		t.growTable()
	}
	slot := t.slotOf(h, k)
	if n := t.slots[slot].number; n > 0 {
		return n
	}
	t.values.append(k)
	t.size++
	t.slots[slot] = internSlot{h, t.size}
	return t.size
}

// slotOf returns the slot of a value, or the free one where it belongs.
func (t *interner[K]) slotOf(h uint32, k K) uint32 {
	mask := uint32(len(t.slots) - 1)
	i := h & mask
	for t.slots[i].number > 0 && (t.slots[i].hash != h || t.values.at(int(t.slots[i].number)-1) != k) {
		i = (i + 1) & mask
	}
	return i
}

func (t *interner[K]) growTable() {
	old := t.slots
	t.slots = HashTable[internSlot](max(64, 2*len(old)))
	mask := uint32(len(t.slots) - 1)
	for _, s := range old {
		if s.number > 0 {
			i := s.hash & mask
			for t.slots[i].number > 0 {
				i = (i + 1) & mask
			}
			t.slots[i] = s
		}
	}
}

// denseIndex numbers keys from 0 in the order of their first use. It is a table if the keys are
// close together, as those of a step mostly are, else a map.
type denseIndex struct {
	min   uint32
	table []int32 // index + 1 by key - min, 0 for a key without one
	byKey map[uint32]int32
	next  int32
}

// maxTableFactor is the size of the table, in keys, up to which it is used.
const maxTableFactor = 4

func newDenseIndex(keys []uint32) *denseIndex {
	d := &denseIndex{}
	if len(keys) == 0 {
		return d
	}
	d.min = slices.Min(keys)
	if size := int(slices.Max(keys)-d.min) + 1; size <= maxTableFactor*len(keys) {
		d.table = make([]int32, size)
	} else {
		d.byKey = map[uint32]int32{}
	}
	return d
}

func (d *denseIndex) indexOf(key uint32) int32 {
	if d.table != nil {
		i := &d.table[key-d.min]
		if *i == 0 {
			d.next++
			*i = d.next
		}
		return *i - 1
	}
	i, ok := d.byKey[key]
	if !ok {
		i = d.next
		d.byKey[key] = i
		d.next++
	}
	return i
}

// list is a slice that grows without copying its values, and of which a copy does not change when the original grows.
type list[T any] interface {
	append(x T)
	at(i int) T
}

// chunkedList is a list in chunks.
type chunkedList[T any] struct {
	chunks [][]T
	size   int
}

const listChunkSize = 1024

func (l *chunkedList[T]) append(x T) {
	if l.size%listChunkSize == 0 {
		l.chunks = append(l.chunks, make([]T, listChunkSize))
	}
	l.chunks[l.size/listChunkSize][l.size%listChunkSize] = x
	l.size++
}

func (l *chunkedList[T]) at(i int) T { return l.chunks[i/listChunkSize][i%listChunkSize] }

// textList is a list of texts that are parts of a few long ones: the garbage collector follows each string that has memory of its own.
type textList struct {
	starts   chunkedList[uint64] // the number of the long text, in the upper half, and where in it the text begins
	full     []string            // long texts
	last     string              // the one after them, so far
	building *strings.Builder
}

const longText = 64 << 10 // bytes

func (l *textList) append(x string) {
	if l.building == nil || l.building.Cap()-l.building.Len() < len(x) {
		if l.building != nil {
			l.full = append(l.full, l.last)
		}
		l.building = &strings.Builder{}
		l.building.Grow(max(longText, len(x)))
	}
	l.starts.append(uint64(len(l.full))<<32 | uint64(l.building.Len()))
	l.building.WriteString(x)
	l.last = l.building.String()
}

func (l *textList) at(i int) string {
	start, long := l.starts.at(i), l.last
	if k := int(start >> 32); k < len(l.full) {
		long = l.full[k]
	}
	end := len(long)
	if i+1 < l.starts.size {
		if next := l.starts.at(i + 1); next>>32 == start>>32 {
			end = int(uint32(next))
		}
	}
	return long[uint32(start):end]
}

func (l *textList) len() int { return l.starts.size }
