package estimators

import "vantage/estimators/torchsum"

// lengthPenalty is the centred reward after a penalty for length:
//
//	r'_i = r_i − μ·Σ_k w_k·c_ki/max(max_j c_kj, 1) ;  A_i = r'_i − mean(r')
//
// The costs c_k of a sample are response tokens, input tokens and turns, μ is the mean reward of the group;
// float32.
type lengthPenalty struct{ output, input, turns float32 }

// needs are the costs that weigh something.
func (w lengthPenalty) needs() Needs {
	needs := Needs{Lengths: w.output != 0}
	if w.input != 0 {
		needs.Columns |= Columns(InputTokens)
		needs.Optional = Columns(TotalTokens) // of which the model makes input tokens
	}
	if w.turns != 0 {
		needs.Columns |= Columns(Turns)
	}
	return needs
}

// advantages is a [formula].
func (w lengthPenalty) advantages(dst []float64, b Batch, _ Scale) error {
	mustHaveLength(dst, b)
	n := largestGroup(b.Offsets)
	r, penalty, cost := make([]float32, n), make([]float32, n), make([]float32, n)
	for g := range b.Groups() {
		lo, hi := b.Offsets[g], b.Offsets[g+1]
		r, penalty, cost := r[:hi-lo], penalty[:hi-lo], cost[:hi-lo]
		toFloat32(r, b.Rewards[lo:hi])
		clear(penalty)
		if w.output != 0 {
			for i, l := range b.Lengths[lo:hi] {
				cost[i] = float32(l)
			}
			addPenalty(penalty, cost, w.output)
		}
		if w.input != 0 {
			toFloat32(cost, b.Column(InputTokens)[lo:hi])
			addPenalty(penalty, cost, w.input)
		}
		if w.turns != 0 {
			toFloat32(cost, b.Column(Turns)[lo:hi])
			addPenalty(penalty, cost, w.turns)
		}
		subtractPenalty(dst[lo:hi], r, penalty)
	}
	return nil
}

// addPenalty adds the costs of a group's samples, relative to the largest.
func addPenalty(penalty, cost []float32, weight float32) {
	largest := float32(1)
	for _, x := range cost {
		largest = max(largest, x)
	}
	for i, x := range cost {
		penalty[i] += float32(weight * (x / largest))
	}
}

// subtractPenalty writes the advantages of one group. It overwrites penalty.
func subtractPenalty(dst []float64, r, penalty []float32) {
	mean := torchsum.Mean(r)
	for i, x := range r {
		penalty[i] = x - float32(mean*penalty[i])
	}
	base := torchsum.Mean(penalty)
	for i, x := range penalty {
		dst[i] = float64(x - base)
	}
}
