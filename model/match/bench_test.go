package match

import (
	"context"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"vantage/model"
)

// BenchmarkRun compares a log that mean-centring estimators reproduce, and one that none
// does, which includes the search for clues.
func BenchmarkRun(b *testing.B) {
	for _, noise := range []float64{0, 1} {
		b.Run(map[float64]string{0: "fits", 1: "nothing fits"}[noise], func(b *testing.B) {
			random := rand.New(rand.NewPCG(1, 2))
			chunk := &model.Chunk{Format: "synthetic", Positional: true, LengthUnit: model.LengthTokens, Progress: model.Progress{CaughtUp: true}}
			for i := range DefaultLimit {
				r := math.Round(10*random.Float64()) / 10
				chunk.Records = append(chunk.Records, model.Record{
					Step: 1, Group: strconv.Itoa(i / 8), Reward: r, Advantage: r + noise*random.Float64(), Length: int32(1 + random.IntN(1000)),
				})
			}
			centre(chunk.Records)
			snap, set := snapshotOf(chunk), model.DefaultSettings()
			b.ReportAllocs()
			for b.Loop() {
				r, err := Run(context.Background(), snap, set, DefaultLimit)
				if err != nil || r.HasMatch() != (noise == 0) {
					b.Fatal(r, err)
				}
			}
		})
	}
}

// centre subtracts from each eight advantages their mean.
func centre(records []model.Record) {
	for at := 0; at < len(records); at += 8 {
		sum := 0.0
		for _, r := range records[at : at+8] {
			sum += r.Advantage
		}
		for i := range records[at : at+8] {
			records[at+i].Advantage -= sum / 8
		}
	}
}
