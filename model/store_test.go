package model

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// stepChunk is a chunk of one step with one group.
func stepChunk(step int64, rewards ...float64) *Chunk {
	chunk := &Chunk{}
	for _, r := range rewards {
		chunk.Records = append(chunk.Records, Record{Step: step, Prompt: 1, Reward: r, Advantage: math.NaN(), Length: -1})
	}
	return chunk
}

// A snapshot does not change when the store does.
func TestSnapshotNeverChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		store := NewStore()
		type frozen struct {
			snap    Snapshot
			rewards [][]float64
		}
		var taken []frozen
		for range rapid.IntRange(1, 8).Draw(t, "chunks") {
			chunk := stepChunk(rapid.Int64Range(1, 3).Draw(t, "step"),
				rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 9).Draw(t, "rewards")...)
			file := rapid.Int32Range(0, 1).Draw(t, "file")
			for i := range chunk.Records {
				chunk.Records[i].File = file
			}
			if rapid.Bool().Draw(t, "forget") {
				chunk.Forget = []int32{file}
			}
			store.Append(chunk)
			snap := store.Snapshot()
			taken = append(taken, frozen{snap, copies(snap)})
		}
		for _, f := range taken {
			if diff := cmp.Diff(f.rewards, copies(f.snap)); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}

// copies are the rewards of the steps, copied.
func copies(s Snapshot) [][]float64 {
	var all [][]float64
	for _, st := range s.Steps {
		all = append(all, append([]float64(nil), st.Rewards...))
	}
	return all
}

// A file that is read again loses its samples and its problems.
func TestForgetDropsAFile(t *testing.T) {
	store := NewStore()
	first := stepChunk(1, 1, 0)
	first.Files = []string{"a.jsonl", "b.jsonl"}
	first.Problems = []Problem{{File: "a.jsonl", Line: 2, Reason: "torn"}, {File: "b.jsonl", Line: 1, Reason: "torn"}}
	second := stepChunk(2, 1, 1, 0)
	for i := range second.Records {
		second.Records[i].File = 1
	}
	store.Append(first)
	store.Append(second)
	again := stepChunk(1, .5, .25, 0)
	again.Forget = []int32{0}
	store.Append(again)
	snap := store.Snapshot()
	if diff := cmp.Diff([][]float64{{.5, .25, 0}, {1, 1, 0}}, copies(snap)); diff != "" {
		t.Error(diff)
	}
	if len(snap.Run.Problems) != 1 || snap.Run.Problems[0].File != "b.jsonl" {
		t.Errorf("problems %v, want that of b.jsonl alone", snap.Run.Problems)
	}
}

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
