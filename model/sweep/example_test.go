package sweep_test

import (
	"context"
	"fmt"
	"math"

	"vantage/model"
	"vantage/model/sweep"
)

// Sweep a few pairs of ratios over a run and print what suits each goal.
func Example() {
	chunk := &model.Chunk{Format: "mine", HasTruth: true}
	for prompt, rewards := range [][]float64{{1, 1, 1, 1, 0, 0, 0, 0}, {1, 1, 0, 0, 0, 0, 0, 0}} {
		for _, reward := range rewards {
			chunk.Records = append(chunk.Records, model.Record{Step: 1, Prompt: uint64(prompt + 1), Reward: reward, Advantage: math.NaN(), Length: -1})
		}
	}
	store := model.NewStore()
	store.Append(chunk)

	ratios := sweep.Ratios{Pos: []float64{0.5, 1}, Neg: []float64{0, 0.5, 1}}
	grid, err := sweep.Run(context.Background(), store.Snapshot(), []int{0}, model.DefaultSettings(), ratios)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, pos := range grid.Pos {
		for j, neg := range grid.Neg {
			cell := grid.At(true, i, j) // with recompute
			fmt.Printf("keep_pos %.1f keep_neg %.1f: kept %2d, signal %d, killed %d\n", pos, neg, cell.Kept, cell.Signal, cell.Killed)
		}
	}
	for _, name := range sweep.GoalNames() {
		goal, err := sweep.ParseGoal(name)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(name + ": " + grid.Recommend(goal, false, true).Cell.Sentence())
	}
	// Output:
	// keep_pos 0.5 keep_neg 0.0: kept  3, signal 1, killed 1
	// keep_pos 0.5 keep_neg 0.5: kept  8, signal 2, killed 0
	// keep_pos 0.5 keep_neg 1.0: kept 13, signal 2, killed 0
	// keep_pos 1.0 keep_neg 0.0: kept  6, signal 0, killed 2
	// keep_pos 1.0 keep_neg 0.5: kept 11, signal 2, killed 0
	// keep_pos 1.0 keep_neg 1.0: kept 16, signal 2, killed 0
	// signal: no filter: keeps 100% of Σ|A|, trains on 16/16 samples (100%), kills 0, flips 0
	// balance: no filter: keeps 100% of Σ|A|, trains on 16/16 samples (100%), kills 0, flips 0
	// cost: no filter: keeps 100% of Σ|A|, trains on 16/16 samples (100%), kills 0, flips 0
}
