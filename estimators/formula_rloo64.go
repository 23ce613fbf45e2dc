package estimators

import "vantage/estimators/torchsum"

// rloo64 is RLOO in numpy's float64, of which frameworks have two forms:
//
//	A_i = n/(n − 1)·(r_i − μ)            a group of one gets r
//	A_i = r_i − (Σ − r_i)/(n − 1)        (bySum) a group of one gets 0
type rloo64 struct{ bySum bool }

// advantages is a [formula].
func (w rloo64) advantages(dst []float64, b Batch, _ Scale) error {
	mustHaveLength(dst, b)
	for g := range b.Groups() {
		r, to := b.Group(g), dst[b.Offsets[g]:b.Offsets[g+1]]
		n := float64(len(r))
		sum := torchsum.SumNumpy(r)
		for i, x := range r {
			switch {
			case n == 1 && w.bySum:
				to[i] = 0
			case n == 1:
				to[i] = x
			case w.bySum:
				to[i] = x - (sum-x)/(n-1)
			default:
				to[i] = n / (n - 1) * (x - sum/n)
			}
		}
	}
	return nil
}
