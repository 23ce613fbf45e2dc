package model

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A snapshot is what was there when it was taken, whatever comes later.
func TestSnapshotNeverChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		store := NewStore()
		type frozen struct {
			snap    Snapshot
			rewards [][]float64
		}
		var taken []frozen
		for range rapid.IntRange(1, 8).Draw(t, "chunks") {
			chunk := madeChunk(rapid.Int64Range(1, 3).Draw(t, "step"),
				rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 9).Draw(t, "rewards"))
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

func copies(s Snapshot) [][]float64 {
	var all [][]float64
	for _, st := range s.Steps {
		all = append(all, append([]float64(nil), st.Rewards...))
	}
	return all
}

func TestForgetTakesAFileOut(t *testing.T) {
	store := NewStore()
	first := madeChunk(1, []float64{1, 0})
	first.Files = []string{"a.jsonl", "b.jsonl"}
	first.Problems = []Problem{{File: "a.jsonl", Line: 2, Reason: "torn"}, {File: "b.jsonl", Line: 1, Reason: "torn"}}
	second := madeChunk(2, []float64{1, 1, 0})
	for i := range second.Records {
		second.Records[i].File = 1
	}
	store.Append(first)
	store.Append(second)
	again := madeChunk(1, []float64{.5, .25, 0})
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

func TestTrendTakesOverWhatHasNotChanged(t *testing.T) {
	store := NewStore()
	store.Append(madeChunk(1, []float64{1, 0}))
	store.Append(madeChunk(2, []float64{1, 0}))
	set := DefaultSettings()
	before, err := store.Snapshot().Trend(context.Background(), set, nil)
	if err != nil {
		t.Fatal(err)
	}
	before.Steps[0].Metrics[0].Value = 42 // a mark that a fresh computation would not carry
	store.Append(madeChunk(2, []float64{1, 1}))
	after, err := store.Snapshot().Trend(context.Background(), set, before)
	if err != nil {
		t.Fatal(err)
	}
	if after.Steps[0].Metrics[0].Value != 42 || after.Steps[1].Rows != 4 {
		t.Errorf("step 1 %v, step 2 %d rows: want step 1 taken over and step 2 anew", after.Steps[0].Metrics[0], after.Steps[1].Rows)
	}
	other, err := store.Snapshot().Trend(context.Background(), set.WithEstimator("rloo"), after)
	if err != nil || other.Steps[0].Metrics[0].Value == 42 {
		t.Errorf("other settings took over a step (%v)", err)
	}
}

func TestAnalyzeEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := made([]float64{1, 0}).Analyze(ctx, 0, DefaultSettings()); err == nil {
		t.Error("no error after the context ended")
	}
}
