package model

import (
	"math"
)

// Block is many samples of one file, column by column, in input order: what fast readers make
// instead of records. All columns that are not nil have one length.
type Block struct {
	File       int32
	Step       []int64
	Offset     []int64     // of the record's line in its file; IndexInLine is 0
	Reward     []float64   // estimators.MissingReward() where the log has none
	Advantage  []float64   // as logged, NaN where not; nil if nowhere
	Length     []int32     // -1 where unknown
	Prompt     []int32     // index into Prompts; nil if the log has none
	Group      []int32     // index into Groups; nil if the log has no ids
	Components [][]float64 // by Chunk.ComponentNames, NaN where one gave nothing
	Rollout    []Rollout   // nil if the log tells none
	Prompts    []Prompt    // adjacent ones differ; a prompt may come again later
	Groups     []string
}

// Prompt identifies a prompt.
type Prompt struct {
	Hash    uint64 // of prompt and ground truth
	Preview string // as in Record
}

// Len returns the number of samples.
func (b *Block) Len() int { return len(b.Reward) }

// Records returns the samples as records, without Line.
func (b *Block) Records() []Record {
	all := make([]Record, b.Len())
	for i := range all {
		r := Record{
			Step: b.Step[i], Reward: b.Reward[i], Advantage: math.NaN(), Length: b.Length[i],
			File: b.File, Offset: b.Offset[i],
		}
		if b.Advantage != nil {
			r.Advantage = b.Advantage[i]
		}
		if b.Prompt != nil {
			r.Prompt, r.Preview = b.Prompts[b.Prompt[i]].Hash, b.Prompts[b.Prompt[i]].Preview
		}
		if b.Group != nil {
			r.Group = b.Groups[b.Group[i]]
		}
		if b.Rollout != nil {
			r.Rollout = b.Rollout[i]
		}
		for _, component := range b.Components {
			r.Components = append(r.Components, component[i])
		}
		all[i] = r
	}
	return all
}
