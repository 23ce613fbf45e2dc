package check_test

import (
	"context"
	"fmt"
	"math"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/check"
)

// Evaluate two rules on a run: one fails, one passes.
func Example() {
	chunk := &model.Chunk{Format: "mine", HasTruth: true}
	for step, rewards := range [][]float64{{1, 0, 1, 0}, {1, 1, 1, 1}} {
		for _, reward := range rewards {
			chunk.Records = append(chunk.Records, model.Record{Step: int64(step + 1), Prompt: 1, Reward: reward, Advantage: math.NaN(), Length: -1})
		}
	}
	store := model.NewStore()
	store.Append(chunk)

	rules, err := check.ParseAll([]string{"signal=0", "killed>5%"})
	if err != nil {
		fmt.Println(err)
		return
	}
	evaluator := check.NewEvaluator(rules)
	err = analysis.Each(context.Background(), store.Snapshot(), model.DefaultSettings(), func(step *analysis.Analysis) error {
		evaluator.Add(&step.StepFigures)
		return nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range evaluator.Findings {
		fmt.Println(f.Rule, f.Passed(), f.Failed)
	}
	// Output:
	// signal=0 false [2]
	// killed>5% true []
}
