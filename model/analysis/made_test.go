package analysis

import (
	"context"
	"math"
	"testing"

	"vantage/estimators"
	"vantage/model"
)

// made builds a run from groups of rewards: prompt k of the step has rewards[k].
func made(rewards ...[]float64) model.Snapshot {
	store := model.NewStore()
	store.Append(madeChunk(1, rewards...))
	return store.Snapshot()
}

func madeChunk(step int64, rewards ...[]float64) *model.Chunk {
	chunk := &model.Chunk{Format: "made", LengthUnit: model.LengthTokens, HasTruth: true, Progress: model.Progress{CaughtUp: true}}
	for k, group := range rewards {
		for i, r := range group {
			chunk.Records = append(chunk.Records, model.Record{
				Step: step, Prompt: uint64(k + 1), Preview: string(rune('a' + k)),
				Reward: r, Advantage: math.NaN(), Length: int32(10 + i),
			})
		}
	}
	return chunk
}

func settings(t *testing.T, pairs ...string) model.Settings {
	t.Helper()
	set := model.DefaultSettings()
	for i := 0; i < len(pairs); i += 2 {
		var err error
		if set, err = set.Set(pairs[i], pairs[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	return set
}

func analyze(t *testing.T, snap model.Snapshot, set model.Settings) *Analysis {
	t.Helper()
	a, err := Analyze(context.Background(), snap, 0, set)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func repeat(x float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = x
	}
	return out
}

func missing() float64 { return estimators.MissingReward() }
