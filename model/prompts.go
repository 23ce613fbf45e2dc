package model

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"slices"
)

// PromptMean is what a run made of one prompt, over all its steps.
type PromptMean struct {
	Hash    uint64 // of prompt and ground truth: the same in every run
	Preview string
	N       int     // samples with a finite reward
	Mean    float64 // of their rewards
}

// PromptName is the hash of a row's prompt and ground truth, as groups by prompt are
// named: the same in every step and run. It is "" if the log has no prompt.
func (s Snapshot) PromptName(step Step, row int) string {
	k := numberAt(step.prompt, row)
	if k == 0 {
		return ""
	}
	return hex.EncodeToString(binary.BigEndian.AppendUint64(nil, s.hashes.at(int(k)-1)))
}

// Prompts are the prompts of the run by hash, ascending. Rewards are those that the
// settings choose. It fails if the log has no prompts, or no such reward, or if
// ctx ends.
func (s Snapshot) Prompts(ctx context.Context, set Settings) ([]PromptMean, error) {
	set.GroupBy = GroupByPrompt
	if _, err := s.Grouping(set); err != nil {
		return nil, err
	}
	sums := make([]float64, s.hashes.size)
	counts := make([]int, s.hashes.size)
	for _, step := range s.Steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rewards, err := s.rewards(step, inputOrder(len(step.Rewards)), set)
		if err != nil {
			return nil, err
		}
		for row, r := range rewards {
			if k := numberAt(step.prompt, row); k > 0 && finite(r) {
				sums[k-1] += r
				counts[k-1]++
			}
		}
	}
	var all []PromptMean
	for k, n := range counts {
		if n > 0 {
			all = append(all, PromptMean{s.hashes.at(k), s.previews.at(k), n, sums[k] / float64(n)})
		}
	}
	slices.SortFunc(all, func(a, b PromptMean) int {
		switch {
		case a.Hash < b.Hash:
			return -1
		case a.Hash > b.Hash:
			return 1
		}
		return 0
	})
	return all, nil
}
