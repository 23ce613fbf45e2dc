package sweep

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"vantage/estimators"
	"vantage/model"
)

// Every cell equals an analysis under its settings where an off-policy rule removes, weighs and cannot judge samples.
func TestCellsEqualAnalysesUnderAnOffPolicyRule(t *testing.T) {
	ratios := Ratios{[]float64{0, 0.3, 0.5, 1}, []float64{0, 0.5, 0.7, 1}}
	rapid.Check(t, func(t *rapid.T) {
		set := model.DefaultSettings()
		set.OffPolicy, set.Scale = "verl/rollout_is", rapid.SampledFrom([]estimators.Scale{"group", "none"}).Draw(t, "scale")
		var statuses []model.Status
		if rapid.Bool().Draw(t, "statuses") {
			statuses = []model.Status{model.StatusTrains, model.StatusMasked, model.StatusDropped}
		}
		snap := drawSnapshot(t, statuses...)
		of := map[model.Place]model.Judgement{}
		for row := range snap.Rows {
			j := model.Judgement{Tokens: int32(rapid.IntRange(0, 3).Draw(t, "tokens"))}
			for k := range j.BySign {
				left := rapid.SampledFrom([]float32{0, 0.5, 1}).Draw(t, "left")
				j.BySign[k] = model.Share{Left: left, Weight: left * rapid.SampledFrom([]float32{0.5, 1, 2}).Draw(t, "weight")}
			}
			of[model.Place{Offset: int64(row)}] = j
		}
		snap = snap.WithJudged(model.NewJudged(set.RuleKey(), of))
		grid, err := Run(context.Background(), snap, []int{0}, set, ratios)
		if err != nil {
			t.Skip(err)
		}
		checkGrid(t, grid, snap)
	})
}
