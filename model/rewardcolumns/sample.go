package rewardcolumns

import (
	"math"

	"vantage/model"
	"vantage/model/analysis"
)

// The bounds of what is looked at.
const (
	maxSteps   = 16
	maxSamples = 8192 // of these steps; the last may go beyond
)

// samples are some steps of a log, spread over it: a column that is the same everywhere at the end may
// have differed at the beginning.
type samples struct {
	indexes []int // of the steps in the snapshot
	steps   []sampledStep
}

// sampledStep is a step in the order of its groups.
type sampledStep struct {
	offsets    []int // group g is [offsets[g]:offsets[g+1]]
	advantages []float64
	columns    [][]float64 // by candidate and row; 0 where the log has nothing, as in TRL's sum
	hasNull    []bool      // by row: some candidate has nothing
}

// sample returns steps that are complete and have advantages.
func sample(snap model.Snapshot, set model.Settings, columns []string) samples {
	var complete []int
	for i, step := range snap.Steps {
		if step.LoggedAdvantages != nil && !snap.Open(i) {
			complete = append(complete, i)
		}
	}
	s, rows := samples{}, 0
	n := min(maxSteps, len(complete))
	for k := range n { // the newest, then evenly back to the first
		i := complete[len(complete)-1-k*(len(complete)-1)/max(1, n-1)]
		step, err := sampleStep(snap, i, set, columns)
		if err != nil || len(step.advantages) == 0 {
			continue
		}
		s.indexes, s.steps = append(s.indexes, i), append(s.steps, step)
		if rows += len(step.advantages); rows >= maxSamples {
			break
		}
	}
	return s
}

func sampleStep(snap model.Snapshot, i int, set model.Settings, columns []string) (sampledStep, error) {
	g, err := analysis.GroupStep(snap, i, set)
	if err != nil {
		return sampledStep{}, err
	}
	s := sampledStep{offsets: g.Offsets, advantages: g.LoggedAdvantages, hasNull: make([]bool, len(g.InputRow))}
	for _, k := range snap.Run.ComponentIndexes(columns) {
		values := snap.Steps[i].Component(g.InputRow, k)
		for row, x := range values {
			if math.IsNaN(x) {
				values[row], s.hasNull[row] = 0, true
			}
		}
		s.columns = append(s.columns, values)
	}
	return s, nil
}

// eachGroup calls f with the bounds of the groups whose advantages are all logged and finite.
func (s *sampledStep) eachGroup(f func(lo, hi int)) {
	for g := range len(s.offsets) - 1 {
		lo, hi := s.offsets[g], s.offsets[g+1]
		finite := hi-lo > 1
		for _, a := range s.advantages[lo:hi] {
			finite = finite && a-a == 0
		}
		if finite {
			f(lo, hi)
		}
	}
}
