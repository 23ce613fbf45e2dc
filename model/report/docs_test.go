package report

import (
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"vantage/internal/testkit/repotest"
	"vantage/model"
)

// The page on reports shows charts as they are printed; -update rewrites it.
func TestReportingPage(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	store := model.NewStore()
	for step := range 40 {
		chunk := &model.Chunk{Format: "synthetic", LengthUnit: model.LengthTokens, HasTruth: true}
		for prompt := range 64 {
			ease := random.Float64() + float64(step)/100
			for range 8 {
				reward := 0.0
				if random.Float64() < ease {
					reward = 1
				}
				chunk.Records = append(chunk.Records, model.Record{
					Step: int64(step + 1), Prompt: uint64(prompt + 1), Reward: reward, Advantage: math.NaN(), Length: int32(300 + 4*step + random.IntN(200)),
				})
			}
		}
		store.Append(chunk)
	}
	set := model.DefaultSettings()
	set.KeepPos, set.KeepNeg, set.Recompute = 0.7, 0.5, true
	r, err := New(t.Context(), store.Snapshot(), set)
	if err != nil {
		t.Fatal(err)
	}
	charts, err := Text(io.Discard, r)
	if err != nil {
		t.Fatal(err)
	}
	lines := charts.Text()[1:]
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	repotest.Part(t, ".github/docs/reporting.md", "charts", "```text\n"+strings.Join(lines, "\n")+"\n```")
}
