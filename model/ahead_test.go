package model

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// What was computed ahead is what is computed when it is asked for; other settings, and the
// step of a log that has grown, are computed anew. Nothing is computed that is there.
func TestAhead(t *testing.T) {
	store, set := NewStore(), DefaultSettings()
	for i := range 64 {
		store.Append(&Chunk{Format: "made", Files: []string{"x"}, Records: []Record{
			{Step: 1, Group: fmt.Sprint(i % 8), Reward: float64(i * 7 % 5), Advantage: math.NaN(), Length: int32(i)},
		}})
	}
	snap := store.Snapshot()
	set.KeepPos = 0.5
	before, err := snap.Analyze(context.Background(), 0, set)
	if err != nil {
		t.Fatal(err)
	}
	turned, refused := set, set
	turned.Recompute, refused.Estimator = true, "none such"
	known, err := snap.Ahead(context.Background(), 0, before, set.WithFramework("trl"), set, turned, refused)
	if err != nil || len(known.ready) != 2 {
		t.Fatal(err, len(known.ready))
	}
	if again, err := snap.Ahead(context.Background(), 0, known, turned); err != nil || len(again.ready) != 2 {
		t.Error("what is ready is ready twice", err)
	}
	for _, next := range []Settings{turned, set.WithFramework("trl")} {
		got, err := snap.AnalyzeAfter(context.Background(), 0, next, known)
		if err != nil || !ready(known, got) {
			t.Fatalf("%+v was not ready: %v", next, err)
		}
		want, _ := snap.Analyze(context.Background(), 0, next)
		if diff := cmp.Diff(want, got, cmpopts.EquateNaNs(), cmpopts.IgnoreUnexported(Analysis{})); diff != "" {
			t.Error(diff)
		}
	}
	if got, err := snap.AnalyzeAfter(context.Background(), 0, set, before); err != nil || got != before {
		t.Error("the same settings are computed anew", err)
	}
	if got, err := snap.AnalyzeAfter(context.Background(), 0, set.WithEstimator("rloo"), known); err != nil || ready(known, got) {
		t.Error("an estimator that nobody asked about is ready", err)
	}
	store.Append(&Chunk{Format: "made", Files: []string{"x"}, Records: []Record{{Step: 2, Group: "9", Reward: 1, Advantage: math.NaN()}}})
	grown := store.Snapshot()
	got, err := grown.AnalyzeAfter(context.Background(), 0, turned, known)
	want, _ := grown.Analyze(context.Background(), 0, turned)
	if diff := cmp.Diff(want, got, cmpopts.EquateNaNs(), cmpopts.IgnoreUnexported(Analysis{})); diff != "" || err != nil {
		t.Error("of a log that has grown by a step:", diff, err)
	}
	store.Append(&Chunk{Format: "made", Files: []string{"x"}, Records: []Record{{Step: 1, Group: "0", Reward: 1, Advantage: math.NaN()}}})
	if got, err := store.Snapshot().AnalyzeAfter(context.Background(), 0, turned, known); err != nil || ready(known, got) {
		t.Error("a step that has grown is ready", err)
	}
	ended, end := context.WithCancel(context.Background())
	end()
	if _, err := snap.Ahead(ended, 0, before, turned); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func ready(known, a *Analysis) bool {
	for _, other := range known.ready {
		if other == a {
			return true
		}
	}
	return false
}
