package fast

import (
	"math"
	"slices"

	"vantage/model"
)

// blockBuilder is a block under construction. Its columns are as long as their capacity and a row is
// stored by index: appending millions of rows to each column takes longer.
type blockBuilder struct {
	model.Block
	n   int         // rows so far
	old model.Block // columns that are not used yet reuse its slices
}

// groupKey is what the samples of a group have in common: the step, and indexes into Prompts and
// Groups.
type groupKey struct {
	step          int64
	prompt, group int32
}

// reset starts a block in the memory of old, or with room for a few rows more than the last block had
// if old is empty.
func (b *blockBuilder) reset(old model.Block) {
	room := min(cap(old.Step), cap(old.Offset), cap(old.Reward), cap(old.Length))
	last := b.n
	*b = blockBuilder{old: old, Block: model.Block{
		Step: old.Step[:room], Offset: old.Offset[:room], Reward: old.Reward[:room], Length: old.Length[:room],
		Prompts: append(old.Prompts[:0], model.Prompt{}), Groups: append(old.Groups[:0], ""), // index 0 is none
	}}
	if room == 0 {
		b.grow(last + last/16)
	}
}

// addRow adds a sample. A column that may be nil is allocated by the first sample with a value.
func (b *blockBuilder) addRow(offset int64, key groupKey, rollout model.Rollout, reward, advantage float64, length int32, components []float64) {
	if b.n == len(b.Reward) {
		b.grow(b.n + b.n/2 + 64)
	}
	n := b.n
	b.Step[n], b.Offset[n], b.Reward[n], b.Length[n] = key.step, offset, reward, length
	if key.prompt != 0 && b.Prompt == nil {
		b.Prompt = reuse(b.old.Prompt, n, len(b.Reward), 0)
	}
	if b.Prompt != nil {
		b.Prompt[n] = key.prompt
	}
	if key.group != 0 && b.Group == nil {
		b.Group = reuse(b.old.Group, n, len(b.Reward), 0)
	}
	if b.Group != nil {
		b.Group[n] = key.group
	}
	if rollout.Number != 0 && b.Rollout == nil {
		b.Rollout = reuse(b.old.Rollout, n, len(b.Reward), model.Rollout{})
	}
	if b.Rollout != nil {
		b.Rollout[n] = rollout
	}
	if advantage == advantage && b.Advantage == nil {
		b.Advantage = reuse(b.old.Advantage, n, len(b.Reward), math.NaN())
	}
	if b.Advantage != nil {
		b.Advantage[n] = advantage
	}
	if len(components)+len(b.Components) > 0 {
		b.addComponents(components)
	}
	b.n++
}

// addComponents sets the components of the newest sample.
func (b *blockBuilder) addComponents(components []float64) {
	for k := len(b.Components); k < len(components); k++ {
		var old []float64
		if k < len(b.old.Components) {
			old = b.old.Components[k]
		}
		b.Components = append(b.Components, reuse(old, b.n, len(b.Reward), math.NaN()))
	}
	for k, column := range b.Components {
		column[b.n] = math.NaN()
		if k < len(components) {
			column[b.n] = components[k]
		}
	}
}

// reuse returns a column of length room, in the memory of old if that suffices. Its first n rows are
// none, the others undefined.
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

// grow makes all columns of length room.
func (b *blockBuilder) grow(room int) {
	b.Step, b.Offset, b.Reward, b.Length = extend(b.Step, room), extend(b.Offset, room), extend(b.Reward, room), extend(b.Length, room)
	if b.Prompt != nil {
		b.Prompt = extend(b.Prompt, room)
	}
	if b.Group != nil {
		b.Group = extend(b.Group, room)
	}
	if b.Rollout != nil {
		b.Rollout = extend(b.Rollout, room)
	}
	if b.Advantage != nil {
		b.Advantage = extend(b.Advantage, room)
	}
	for k := range b.Components {
		b.Components[k] = extend(b.Components[k], room)
	}
}

// extend returns a copy of a column, of length room.
func extend[T any](column []T, room int) []T { return append(make([]T, 0, room), column...)[:room] }

// finish returns the block.
func (b *blockBuilder) finish() model.Block {
	done := b.Block
	done.Step, done.Offset, done.Reward, done.Length = b.Step[:b.n], b.Offset[:b.n], b.Reward[:b.n], b.Length[:b.n]
	done.Prompt, done.Group, done.Advantage = trim(b.Prompt, b.n), trim(b.Group, b.n), trim(b.Advantage, b.n)
	done.Rollout = trim(b.Rollout, b.n)
	done.Components = slices.Clone(b.Components)
	for k := range done.Components {
		done.Components[k] = trim(done.Components[k], b.n)
	}
	return done
}

// trim returns the first n rows of a column; nil stays nil.
func trim[T any](column []T, n int) []T {
	if column == nil {
		return nil
	}
	return column[:n]
}
