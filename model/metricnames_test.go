package model

import (
	"context"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// The names are exactly those that the steps have, whatever their groups and lengths.
func TestMetricNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		store := NewStore()
		chunk := &Chunk{Format: "made", LengthUnit: LengthTokens, HasTruth: true}
		for step := range rapid.IntRange(1, 4).Draw(t, "steps") {
			for prompt := range rapid.IntRange(1, 3).Draw(t, "groups") {
				for range rapid.IntRange(1, 9).Draw(t, "size") {
					chunk.Records = append(chunk.Records, Record{
						Step: int64(step), Prompt: uint64(prompt + 1), Reward: 1, Advantage: math.NaN(), Length: rapid.Int32Range(-1, 1).Draw(t, "length"),
					})
				}
			}
		}
		store.Append(chunk)
		snap, set := store.Snapshot(), DefaultSettings()
		want := map[string]bool{}
		err := snap.Each(context.Background(), set, func(a *Analysis) error {
			for _, m := range a.Metrics {
				want[m.Name] = true
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		names, err := snap.MetricNames(set)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]bool{}
		for _, name := range names {
			if got[name] {
				t.Fatalf("%s comes twice", name)
			}
			got[name] = true
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}
