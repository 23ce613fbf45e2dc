package estimators

import "vantage/estimators/torchsum"

// lengthPenalty is the centred reward after a penalty for length:
//
//	r'_i = r_i − μ·Σ_k w_k·c_ki/max(max_j c_kj, 1) ;  A_i = r'_i − mean(r')
//
// c_k are costs of a sample (response tokens, input tokens, turns), μ is the mean
// reward of the group; float32.
type lengthPenalty struct{ weights []float64 }

// advantages is a [formula] with the response tokens as the only cost.
func (w lengthPenalty) advantages(dst []float64, b Batch, _ Scale) error {
	mustHaveLength(dst, b)
	n := largestGroup(b.Offsets)
	r, penalized, cost := make([]float32, n), make([]float32, n), make([]float64, n)
	for g := range b.Groups() {
		lo, hi := b.Offsets[g], b.Offsets[g+1]
		toFloat32(r[:hi-lo], b.Rewards[lo:hi])
		for i, l := range b.Lengths[lo:hi] {
			cost[i] = float64(l)
		}
		w.group(dst[lo:hi], r[:hi-lo], penalized[:hi-lo], cost[:hi-lo])
	}
	return nil
}

// group writes the advantages of one group; costs[k][i] belongs to r[i]. It overwrites
// penalized; dst, r and penalized have one length.
func (w lengthPenalty) group(dst []float64, r, penalized []float32, costs ...[]float64) {
	mean := torchsum.Mean(r)
	clear(penalized)
	for k, c := range costs {
		largest := float32(1)
		for _, x := range c {
			largest = max(largest, float32(x))
		}
		for i, x := range c {
			penalized[i] += float32(float32(w.weights[k]) * (float32(x) / largest))
		}
	}
	for i, x := range r {
		penalized[i] = x - float32(mean*penalized[i])
	}
	base := torchsum.Mean(penalized)
	for i, x := range penalized {
		dst[i] = float64(x - base)
	}
}
