package model

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// A store holds the same after a block as after its records.
func TestBlockEqualsItsRecords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inBlocks, inRecords := NewStore(), NewStore()
		for range rapid.IntRange(1, 6).Draw(t, "chunks") {
			b := drawBlock(t)
			chunk := Chunk{Files: []string{"a", "b"}, ComponentNames: []string{"x", "y"}[:len(b.Components)]}
			if rapid.IntRange(0, 3).Draw(t, "forget") == 0 {
				chunk.Forget = []int32{0}
			}
			other := chunk
			chunk.Records = b.Records()
			other.Blocks = []Block{b}
			if rapid.Bool().Draw(t, "as records") {
				other = chunk
			}
			inBlocks.Append(&other)
			inRecords.Append(&chunk)
		}
		got, want := inBlocks.Snapshot(), inRecords.Snapshot()
		if diff := cmp.Diff(plainSteps(want), plainSteps(got), cmpopts.EquateNaNs()); diff != "" {
			t.Fatalf("-records +blocks\n%s", diff)
		}
	})
}

// drawBlock is a block with some columns left out.
func drawBlock(t *rapid.T) Block {
	n := rapid.IntRange(1, 12).Draw(t, "n")
	b := Block{File: int32(rapid.IntRange(0, 1).Draw(t, "file")), Prompts: []Prompt{{7, "seven"}, {8, "eight"}}, Groups: []string{"g", "h"}}
	step, offset := int64(0), int64(0)
	for i := range n {
		step += int64(rapid.IntRange(0, 1).Draw(t, "step"))
		offset += rapid.SampledFrom([]int64{1, 100, 5 << 30}).Draw(t, "offset")
		b.Step, b.Offset = append(b.Step, step), append(b.Offset, offset)
		b.Reward, b.Length = append(b.Reward, float64(i)), append(b.Length, int32(i))
	}
	numbers := func(name string) []int32 {
		if rapid.Bool().Draw(t, "no "+name) {
			return nil
		}
		return rapid.SliceOfN(rapid.Int32Range(0, 1), n, n).Draw(t, name)
	}
	b.Prompt, b.Group = numbers("prompt"), numbers("group")
	for range rapid.SampledFrom([]int{0, n}).Draw(t, "rollouts") {
		b.Rollout = append(b.Rollout, Rollout{rapid.Int32Range(0, 1).Draw(t, "rollout"), rapid.Int32Range(0, 2).Draw(t, "output")})
	}
	column := func(name string) []float64 {
		return rapid.SliceOfN(rapid.SampledFrom([]float64{math.NaN(), 1, -2}), n, n).Draw(t, name)
	}
	if rapid.Bool().Draw(t, "advantages") {
		b.Advantage = column("advantage")
	}
	for k := range rapid.IntRange(0, 2).Draw(t, "components") {
		b.Components = append(b.Components, column(fmt.Sprint("component ", k)))
	}
	return b
}

// plainStep is a step without optional columns and with names instead of numbers.
type plainStep struct {
	Number          int64
	Rewards, Logged []float64
	Lengths         []int32
	Components      [][]float64
	FirstOutputs    []int32
	Prompts, Groups []string
	Places          []Place
}

func plainSteps(s Snapshot) []plainStep {
	var all []plainStep
	for _, step := range s.Steps {
		p := plainStep{Number: step.Number, Rewards: step.Rewards, Lengths: step.Lengths, FirstOutputs: step.FirstOutputs}
		for i := range step.Rewards {
			logged := math.NaN()
			if step.LoggedAdvantages != nil {
				logged = step.LoggedAdvantages[i]
			}
			p.Logged = append(p.Logged, logged)
			group := ""
			if k := numberAt(step.groups, i); k > 0 {
				group = s.groupIDs.at(int(k) - 1)
			}
			p.Prompts, p.Groups = append(p.Prompts, s.Preview(step, i)), append(p.Groups, group)
			p.Places = append(p.Places, step.Place(i))
		}
		for k := range s.Run.ComponentNames {
			values := make([]float64, len(step.Rewards))
			for i := range values {
				values[i] = math.NaN()
				if k < len(step.Components) && step.Components[k] != nil {
					values[i] = step.Components[k][i]
				}
			}
			p.Components = append(p.Components, values)
		}
		all = append(all, p)
	}
	return all
}
