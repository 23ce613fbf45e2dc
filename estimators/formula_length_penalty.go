package estimators

import "vantage/estimators/torchsum"

// lengthPenalty is the centred reward after a penalty for what the group spent:
//
//	r'_i = r_i − μ·Σ_k w_k·c_ki/max(max_j c_kj, 1) ;  A_i = r'_i − mean(r')
//
// c_k are costs of a sample (response tokens, input tokens, turns), μ is the mean
// reward of the group; float32.
type lengthPenalty struct{ weights []float64 }

// group writes the advantages of one group; costs[k][i] belongs to r[i]. shaped is
// overwritten; its length is that of dst and of r.
func (w lengthPenalty) group(dst []float64, r, shaped []float32, costs ...[]float64) {
	mean := torchsum.Mean(r)
	clear(shaped)
	for k, c := range costs {
		most := float32(1)
		for _, x := range c {
			most = max(most, float32(x))
		}
		for i, x := range c {
			shaped[i] += float32(float32(w.weights[k]) * (float32(x) / most))
		}
	}
	for i, x := range r {
		shaped[i] = x - float32(mean*shaped[i])
	}
	base := torchsum.Mean(shaped)
	for i, x := range shaped {
		dst[i] = float64(x - base)
	}
}

// advantages has the response tokens as the only cost.
func (w lengthPenalty) advantages(dst []float64, b Batch, _ Scale) error {
	mustHaveLength(dst, b)
	n := largestGroup(b.Offsets)
	r, shaped, c := make([]float32, n), make([]float32, n), make([]float64, n)
	for g := range b.Groups() {
		lo, hi := b.Offsets[g], b.Offsets[g+1]
		toFloat32(r[:hi-lo], b.Rewards[lo:hi])
		for i, l := range b.Lengths[lo:hi] {
			c[i] = float64(l)
		}
		w.group(dst[lo:hi], r[:hi-lo], shaped[:hi-lo], c[:hi-lo])
	}
	return nil
}
