package rewardcolumns

import "math"

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
			for _, null := range step.hasNull[lo:hi] {
				if null && !withNulls {
					return
				}
			}
			b := block{step: at, advantages: step.advantages[lo:hi]}
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
			b.advantages = append(b.advantages, step.advantages[lo:hi]...)
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

// stepStds returns the std of the weighted sum over each step.
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

// centred returns values less their mean.
func centred(values []float64) []float64 {
	mean := 0.0
	for _, x := range values {
		mean += x
	}
	mean /= float64(len(values))
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
