package diagnosis

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"vantage/model"
)

// Nothing is well of which no sample trains: rows with a prompt each are compared with nothing. An estimator with a baseline of the batch
// compares them, and logged advantages show that they train.
func TestNothingComparedIsNotHealthy(t *testing.T) {
	batch := model.DefaultSettings()
	batch.Framework, batch.Estimator, batch.Scale = "verl", "reinforce_plus_plus", "batch"
	for name, c := range map[string]struct {
		perGroup int
		set      model.Settings
		logged   float64
		want     string
	}{
		"a prompt for each row":                        {1, model.DefaultSettings(), math.NaN(), Unknown},
		"a prompt for eight rows":                      {8, model.DefaultSettings(), math.NaN(), Healthy},
		"a prompt for each row, baseline of the batch": {1, batch, math.NaN(), Healthy},
		"a prompt for each row, logged advantages":     {1, model.DefaultSettings(), 0.5, Healthy},
	} {
		rng := rand.New(rand.NewPCG(1, 2))
		chunk := &model.Chunk{Files: []string{"x"}, LengthUnit: model.LengthTokens, Progress: model.Progress{Files: 1, CaughtUp: true}}
		for step := range 40 {
			for i := range 32 {
				right := verdict(rng, 0.3+0.3*float64(step)/40)
				advantage := c.logged * (2*right - 1)
				chunk.Records = append(chunk.Records, model.Record{
					Step: int64(step + 1), Prompt: uint64(32*step + i/c.perGroup + 1), Preview: fmt.Sprint(32*step + i/c.perGroup), Reward: right, Advantage: advantage, Length: int32(80 + rng.IntN(60)),
				})
			}
		}
		store := model.NewStore()
		store.Append(chunk)
		look, err := See(t.Context(), store.Snapshot(), c.set, Reading{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		d := look.Diagnosis
		if got := d.Health(); got != c.want || got == Unknown && !strings.Contains(d.WhyUnknown(), "no sample trains") {
			t.Errorf("%s: %s (%s), want %s: %v", name, got, d.HealthReason(), c.want, d.Findings)
		}
	}
}
