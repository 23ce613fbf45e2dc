package model

import (
	"math"
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
