package model

import (
	"context"
	"math"
	"slices"

	"vantage/estimators"
)

// stepInput is a step before any estimator: what depends only on how its samples are grouped and
// on which reward is chosen. It is computed once, for all settings that a person then tries.
type stepInput struct {
	*GroupedStep
	key     inputKey
	blocks  []block
	members []Members
	tokens  []int32 // what each response weighs: its length, or 1 where that is unknown

	hasLengths       bool    // some length is known
	length           moments // of the responses
	uncutLength      moments // of those shorter than the longest, which may have been cut off
	invalid, missing int     // rewards that are not finite; those of them that the log lacks
	solveMetrics     []Metric
}

// inputKey is all that a stepInput depends on, within one store.
type inputKey struct {
	step           int64
	revision       int
	open           bool
	by             GroupBy
	size           int
	reward         string
	weights        Weights
	loReward, best float64 // of the run
}

func (s Snapshot) inputKey(i int, p plan) inputKey {
	step := s.Steps[i]
	return inputKey{step.Number, step.Revision, s.Open(i), p.grouping.By, p.grouping.Size, p.set.Reward, p.set.Weights, p.worst, p.best}
}

// stepInput returns that of step i: that of previous if it still holds.
func (s Snapshot) stepInput(ctx context.Context, i int, p plan, previous *Analysis) (*stepInput, error) {
	key := s.inputKey(i, p)
	if previous != nil && previous.input.key == key {
		return previous.input, nil
	}
	step, err := s.groupStep(i, p.grouping, p.set)
	if err != nil {
		return nil, err
	}
	in := &stepInput{GroupedStep: step, key: key, members: make([]Members, len(step.Offsets)-1)}
	in.blocks = blocksOf(in.Offsets)
	eachBlock(ctx, in.blocks, func(_ int, b block) {
		for g := b.from; g < b.to; g++ {
			in.members[g] = in.membersOf(g)
		}
	})
	in.summarize()
	return in, nil
}

// membersOf describes group g.
func (in *stepInput) membersOf(g int) Members {
	m := Members{Name: in.GroupName(g), Preview: in.snap.preview(in.step, in.firstRow(g)), Start: in.Offsets[g], End: in.Offsets[g+1]}
	rewards, sum, n, squares := in.LoggedRewards[m.Start:m.End], 0.0, 0, 0.0
	for _, r := range rewards {
		if finite(r) {
			sum += r
			n++
		}
	}
	m.Invalid, m.Mean = m.Size()-n, sum/float64(n)
	for _, r := range rewards {
		if finite(r) {
			squares += (r - m.Mean) * (r - m.Mean)
		}
	}
	m.Std = math.Sqrt(squares / float64(n-1))
	return m
}

// summarize fills in what is known of all samples.
func (in *stepInput) summarize() {
	in.tokens = in.Lengths
	unknown := 0
	for _, l := range in.Lengths {
		unknown += one(l < 0)
	}
	in.hasLengths = unknown < len(in.Lengths)
	if unknown > 0 {
		in.tokens = slices.Clone(in.Lengths)
		for i, l := range in.tokens {
			if l < 0 {
				in.tokens[i] = 1
			}
		}
	}
	longest := int32(0)
	for _, l := range in.tokens {
		longest = max(longest, l)
	}
	for _, l := range in.tokens {
		in.length.add(float64(l), 1)
		if l < longest {
			in.uncutLength.add(float64(l), 1)
		}
	}
	for _, r := range in.LoggedRewards {
		in.invalid += one(!finite(r))
		in.missing += one(estimators.IsMissing(r))
	}
	in.solveMetrics = in.solved()
}
