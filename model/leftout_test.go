package model

import (
	"slices"
	"testing"
)

// lengthChunk is a chunk of one step and file with lengths in a unit.
func lengthChunk(step int64, file int32, unit LengthUnit, lengths ...int32) *Chunk {
	chunk := stepChunk(step, make([]float64, len(lengths))...)
	chunk.Files, chunk.LengthUnit = []string{"a", "b"}, unit
	for i, l := range lengths {
		chunk.Records[i].File, chunk.Records[i].Length = file, l
	}
	return chunk
}

// Tokens and characters are never mixed: tokens stay, whatever comes first, and older snapshots keep theirs.
func TestLengthsHaveOneUnit(t *testing.T) {
	characters := func() *Chunk { return lengthChunk(1, 0, LengthCharacters, 40, 50, -1) }
	tokens := func() *Chunk { return lengthChunk(1, 1, LengthTokens, 4, -1) }
	for _, order := range [][]func() *Chunk{{characters, tokens}, {tokens, characters}} {
		store := NewStore()
		store.Append(order[0]())
		before := store.Snapshot()
		lengths := slices.Clone(before.Steps[0].Lengths)
		store.Append(order[1]())
		snap := store.Snapshot()
		sorted := slices.Sorted(slices.Values(snap.Steps[0].Lengths))
		if !slices.Equal(sorted, []int32{-1, -1, -1, -1, 4}) || snap.Run.LengthUnit != LengthTokens {
			t.Error(sorted, snap.Run.LengthUnit)
		}
		if want := "the lengths of 2 samples, which are in characters where other files count tokens, in a"; !slices.Equal(snap.Run.Notes, []string{want}) {
			t.Errorf("notes %q, want %q", snap.Run.Notes, want)
		}
		if !slices.Equal(before.Steps[0].Lengths, lengths) || before.Steps[0].Revision == snap.Steps[0].Revision {
			t.Error("an older snapshot changed, or the step has its revision")
		}
		store.Append(&Chunk{Forget: []int32{0}})
		if notes := store.Snapshot().Run.Notes; len(notes) > 0 {
			t.Errorf("the file of characters is gone, and yet: %q", notes)
		}
	}
}

// A log that is read again from the start may have another unit.
func TestUnitOfALogReadAgain(t *testing.T) {
	store := NewStore()
	store.Append(lengthChunk(1, 0, LengthTokens, 4, 5))
	again := lengthChunk(1, 0, LengthCharacters, 40, 50)
	again.Forget = []int32{0}
	store.Append(again)
	if snap := store.Snapshot(); snap.Run.LengthUnit != LengthCharacters || !slices.Equal(snap.Steps[0].Lengths, []int32{40, 50}) || len(snap.Run.Notes) > 0 {
		t.Error(snap.Run.LengthUnit, snap.Steps[0].Lengths, snap.Run.Notes)
	}
}
