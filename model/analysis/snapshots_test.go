package analysis

import (
	"context"
	"math"
	"testing"

	"vantage/model"
)

// snapshotOf is a run of one step whose prompt k has rewards[k].
func snapshotOf(rewards ...[]float64) model.Snapshot {
	return stepsOf(chunkOf(1, rewards...))
}

// chunkOf is a chunk of one step whose prompt k has rewards[k].
func chunkOf(step int64, rewards ...[]float64) *model.Chunk {
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

// settingsWith are the default settings with some set by name.
func settingsWith(t *testing.T, pairs ...string) model.Settings {
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
