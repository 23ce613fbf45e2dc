package figures_test

import (
	"context"
	"fmt"
	"math"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/figures"
)

// Select the right answers of groups that are neither all correct nor all wrong.
func Example() {
	chunk := &model.Chunk{Format: "mine", HasTruth: true}
	for prompt, rewards := range [][]float64{{1, 1, 1}, {0, 1, 0}} {
		for _, reward := range rewards {
			chunk.Records = append(chunk.Records, model.Record{Step: 1, Prompt: uint64(prompt + 1), Reward: reward, Advantage: math.NaN(), Length: -1})
		}
	}
	store := model.NewStore()
	store.Append(chunk)
	step, err := analysis.Analyze(context.Background(), store.Snapshot(), 0, model.DefaultSettings())
	if err != nil {
		fmt.Println(err)
		return
	}
	chosen, err := figures.ParseQuery("fate:alive sample.reward=1")
	if err != nil {
		fmt.Println(err)
		return
	}
	for g, group := range step.Table {
		for i := group.Start; i < group.End; i++ {
			if chosen.MatchesSample(step, g, i) {
				fmt.Printf("row %d, advantage %+.4f\n", step.InputRow[i], step.Processed[i])
			}
		}
	}
	// Output: row 4, advantage +1.1547
}
