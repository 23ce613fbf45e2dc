package fast

import (
	"math"
	"slices"

	"vantage/model"
)

// blockBuilder is a block in the making. Its columns are as long as there is room, and a row is
// put at its number: millions of rows that are appended to each column take longer.
type blockBuilder struct {
	model.Block
	n   int         // rows so far
	old model.Block // whose memory columns take that have not begun
}

// groupKey is what the samples of a group have in common.
type groupKey struct {
	step          int64
	prompt, group int32
}

// reset starts a block in the memory of one that nobody needs any more. If that has
// none, there is room for a few rows more than the last block had.
func (t *blockBuilder) reset(old model.Block) {
	room := min(cap(old.Step), cap(old.Offset), cap(old.Reward), cap(old.Length))
	last := t.n
	*t = blockBuilder{old: old, Block: model.Block{
		Step: old.Step[:room], Offset: old.Offset[:room], Reward: old.Reward[:room], Length: old.Length[:room],
		Prompts: append(old.Prompts[:0], model.Prompt{}), Groups: append(old.Groups[:0], ""), // the first is none
	}}
	if room == 0 {
		t.grow(last + last/16)
	}
}

// addRow adds a sample. Columns that say nothing are begun by the first sample that has
// something to say.
func (t *blockBuilder) addRow(offset int64, of groupKey, reward, advantage float64, length int32, parts []float64) {
	if t.n == len(t.Reward) {
		t.grow(t.n + t.n/2 + 1024)
	}
	n := t.n
	t.Step[n], t.Offset[n], t.Reward[n], t.Length[n] = of.step, offset, reward, length
	if of.prompt != 0 && t.Prompt == nil {
		t.Prompt = reuse(t.old.Prompt, n, len(t.Reward), 0)
	}
	if t.Prompt != nil {
		t.Prompt[n] = of.prompt
	}
	if of.group != 0 && t.Group == nil {
		t.Group = reuse(t.old.Group, n, len(t.Reward), 0)
	}
	if t.Group != nil {
		t.Group[n] = of.group
	}
	if advantage == advantage && t.Advantage == nil {
		t.Advantage = reuse(t.old.Advantage, n, len(t.Reward), math.NaN())
	}
	if t.Advantage != nil {
		t.Advantage[n] = advantage
	}
	if len(parts)+len(t.Components) > 0 {
		t.addComponents(parts)
	}
	t.n++
}

// addComponents sets what the reward functions gave to the newest sample.
func (t *blockBuilder) addComponents(parts []float64) {
	for k := len(t.Components); k < len(parts); k++ {
		var old []float64
		if k < len(t.old.Components) {
			old = t.old.Components[k]
		}
		t.Components = append(t.Components, reuse(old, t.n, len(t.Reward), math.NaN()))
	}
	for k, column := range t.Components {
		column[t.n] = math.NaN()
		if k < len(parts) {
			column[t.n] = parts[k]
		}
	}
}

// reuse is a column with so much room and none in its first n rows, in the memory of
// an old one if that will do.
func reuse[T any](old []T, n, room int, none T) []T {
	if cap(old) < room {
		old = make([]T, room)
	}
	old = old[:room]
	for i := range old[:n] {
		old[i] = none
	}
	return old
}

// grow makes room for so many rows.
func (t *blockBuilder) grow(room int) {
	t.Step, t.Offset, t.Reward, t.Length = extend(t.Step, room), extend(t.Offset, room), extend(t.Reward, room), extend(t.Length, room)
	if t.Prompt != nil {
		t.Prompt = extend(t.Prompt, room)
	}
	if t.Group != nil {
		t.Group = extend(t.Group, room)
	}
	if t.Advantage != nil {
		t.Advantage = extend(t.Advantage, room)
	}
	for k := range t.Components {
		t.Components[k] = extend(t.Components[k], room)
	}
}

// extend is a column with so much room.
func extend[T any](column []T, room int) []T { return append(make([]T, 0, room), column...)[:room] }

// finish hands the block over.
func (t *blockBuilder) finish() model.Block {
	b := t.Block
	b.Step, b.Offset, b.Reward, b.Length = b.Step[:t.n], b.Offset[:t.n], b.Reward[:t.n], b.Length[:t.n]
	b.Prompt, b.Group, b.Advantage = trim(b.Prompt, t.n), trim(b.Group, t.n), trim(b.Advantage, t.n)
	b.Components = slices.Clone(b.Components)
	for k := range b.Components {
		b.Components[k] = trim(b.Components[k], t.n)
	}
	return b
}

// trim is the part of a column that has been put; nil stays nil.
func trim[T any](column []T, n int) []T {
	if column == nil {
		return nil
	}
	return column[:n]
}
