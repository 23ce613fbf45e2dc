package analysis

import (
	"context"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vantage/model"
)

// The names are exactly those of the metrics that steps have.
func TestMetricNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		store := model.NewStore()
		chunk := &model.Chunk{Format: "made", LengthUnit: model.LengthTokens, HasTruth: true}
		for step := range rapid.IntRange(1, 4).Draw(t, "steps") {
			for prompt := range rapid.IntRange(1, 3).Draw(t, "groups") {
				for range rapid.IntRange(1, 9).Draw(t, "size") {
					chunk.Records = append(chunk.Records, model.Record{
						Step: int64(step), Prompt: uint64(prompt + 1), Reward: 1, Advantage: math.NaN(), Length: rapid.Int32Range(-1, 1).Draw(t, "length"),
					})
				}
			}
		}
		store.Append(chunk)
		snap, set := store.Snapshot(), model.DefaultSettings()
		want := map[string]bool{}
		err := Each(context.Background(), snap, set, func(a *Analysis) error {
			for _, m := range a.Metrics {
				want[m.Name] = true
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		names, err := MetricNames(snap, set)
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
