package rewardcolumns

import (
	"math"
	"slices"

	"vantage/estimators/torchsum"
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

type sampledStep struct {
	*analysis.GroupedStep
	columns [][]float64 // by candidate and row; 0 where the log has nothing, as in TRL's sum
	hasNull []bool      // by row: some candidate has nothing
}

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
		if err != nil || len(step.LoggedAdvantages) == 0 {
			continue
		}
		s.indexes, s.steps = append(s.indexes, i), append(s.steps, step)
		if rows += len(step.LoggedAdvantages); rows >= maxSamples {
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
	s := sampledStep{GroupedStep: g, hasNull: make([]bool, len(g.InputRow))}
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
	for lo, hi := range s.Groups() {
		if hi-lo > 1 && !slices.ContainsFunc(s.LoggedAdvantages[lo:hi], func(a float64) bool { return a-a != 0 }) {
			f(lo, hi)
		}
	}
}

// block is rows whose weighted sum is proportional to the advantages.
type block struct {
	step       int         // of the sample
	columns    [][]float64 // by column and row, with mean 0
	advantages []float64
}

// groups returns a block for each group. Those with a sample that a column has nothing for come only
// if there are few others: TRL leaves a sample out of the mean if no reward function gave it anything.
func (s *samples) groups(columns []int) []block {
	if whole := s.groupBlocks(columns, false); len(whole) >= 4*len(columns) {
		return whole
	}
	return s.groupBlocks(columns, true)
}

func (s *samples) groupBlocks(columns []int, withNulls bool) []block {
	var all []block
	for at := range s.steps {
		step := &s.steps[at]
		step.eachGroup(func(lo, hi int) {
			if !withNulls && slices.Contains(step.hasNull[lo:hi], true) {
				return
			}
			b := block{step: at, advantages: step.LoggedAdvantages[lo:hi]}
			for _, k := range columns {
				b.columns = append(b.columns, centred(step.columns[k][lo:hi]))
			}
			all = append(all, b)
		})
	}
	return all
}

// normalisedSteps returns a block for each step, with columns that are normalised by group: TRL's
// multi_objective_aggregation="normalize_then_sum".
func (s *samples) normalisedSteps(columns []int) []block {
	var all []block
	for at := range s.steps {
		step := &s.steps[at]
		b := block{step: at, columns: make([][]float64, len(columns))}
		step.eachGroup(func(lo, hi int) {
			b.advantages = append(b.advantages, step.LoggedAdvantages[lo:hi]...)
			for i, k := range columns {
				values := centred(step.columns[k][lo:hi])
				divisor := std(values) + trlEps
				for _, x := range values {
					b.columns[i] = append(b.columns[i], x/divisor)
				}
			}
		})
		if len(b.advantages) == 0 {
			continue
		}
		for i := range b.columns {
			b.columns[i] = centred(b.columns[i])
		}
		all = append(all, b)
	}
	return all
}

func (s *samples) stepStds(columns []int, w []float64) []float64 {
	var all []float64
	for at := range s.steps {
		var values [][]float64
		for _, k := range columns {
			values = append(values, s.steps[at].columns[k])
		}
		all = append(all, std(centred(weightedColumns(values, w))))
	}
	return all
}

func centred(values []float64) []float64 {
	mean := torchsum.SumLeftToRight(values) / float64(len(values))
	out := make([]float64, len(values))
	for i, x := range values {
		out[i] = x - mean
	}
	return out
}

// std returns the standard deviation of values with mean 0, with ddof 1.
func std(values []float64) float64 {
	return math.Sqrt(dot(values, values) / float64(max(1, len(values)-1)))
}
