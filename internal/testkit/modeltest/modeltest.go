// Package modeltest makes small runs for the tests of packages that compute with them.
package modeltest

import (
	"math"

	"vantage/model"
)

// Snapshot returns a run of one step, number 1, with the rewards of each group. Its samples have ground truths, and
// neither advantages nor lengths.
func Snapshot(groups ...[]float64) model.Snapshot { return Passes(groups) }

// Passes is Snapshot of several steps, from 1, each of which has the rewards of each prompt.
func Passes(passes ...[][]float64) model.Snapshot {
	chunk := &model.Chunk{Files: []string{"x"}, HasTruth: true}
	for k, groups := range passes {
		for g, rewards := range groups {
			for _, r := range rewards {
				chunk.Records = append(chunk.Records, model.Record{
					Step: int64(k + 1), Prompt: uint64(g + 1), Reward: r, Advantage: math.NaN(), Length: -1,
				})
			}
		}
	}
	s := model.NewStore()
	s.Append(chunk)
	return s.Snapshot()
}
