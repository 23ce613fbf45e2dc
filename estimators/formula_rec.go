package estimators

import "vantage/estimators/torchsum"

// rec is Trinity's REINFORCE with a group mean, float32:
//
//	A_i = r_i − μ ;  scale "group": (r_i − μ)/(s + 1e-6), ddof 0
//
// With balance, a group with more samples below its mean than at or above it drops the surplus of the
// ones below, and μ and s are those of the rest. Trinity draws which of them go; here the last ones in
// the batch go. Where their rewards are equal that changes no advantage, only whose it is. If one or no
// sample is left, μ is 0 and s is 1.
//
// Yao et al., "Group-Relative REINFORCE Is Secretly an Off-Policy Algorithm", arXiv:2509.24203, 2025.
type rec struct{ balance bool }

const recEps = 1e-6

// advantages is a [formula].
func (w rec) advantages(dst []float64, b Batch, s Scale) error {
	return refuseGroupsOfOneWith(w.compute, "UnboundLocalError",
		"cannot access local variable 'rewards' where it is not associated with a value")(dst, b, s)
}

func (w rec) compute(dst []float64, b Batch, s Scale) error {
	mustHaveLength(dst, b)
	n := largestGroup(b.Offsets)
	r, taken, kept := make([]float32, n), make([]float32, n), make([]bool, n)
	for g := range b.Groups() {
		lo, hi := b.Offsets[g], b.Offsets[g+1]
		toFloat32(r[:hi-lo], b.Rewards[lo:hi])
		w.group(dst[lo:hi], r[:hi-lo], taken, kept[:hi-lo], s == ScaleGroup)
	}
	return nil
}

// group writes the advantages of one group; taken is memory of at least its size, kept of its size.
func (w rec) group(dst []float64, r, taken []float32, kept []bool, scaled bool) {
	w.keep(kept, r)
	taken = taken[:0]
	for i, x := range r {
		if kept[i] {
			taken = append(taken, x)
		}
	}
	mean, divisor := float32(0), float32(1)
	if len(taken) > 1 {
		mean = torchsum.Mean(taken)
		divisor = torchsum.PopulationStd(taken, mean)
	}
	for i, x := range r {
		a := x - mean
		if scaled {
			a /= divisor + recEps
		}
		dst[i] = ifKept(kept[i], float64(a))
	}
}

// keep writes which samples of a group stay.
func (w rec) keep(kept []bool, r []float32) {
	fillTrue(kept)
	if !w.balance || len(r) < 2 {
		return
	}
	mean, below := torchsum.Mean(r), 0
	for _, x := range r {
		below += toInt(!(x >= mean))
	}
	surplus := below - (len(r) - below)
	for i := len(r) - 1; i >= 0 && surplus > 0; i-- {
		if !(r[i] >= mean) {
			kept[i] = false
			surplus--
		}
	}
}

// selects is a [selection].
func (w rec) selects(kept []bool, b Batch) {
	r := make([]float32, largestGroup(b.Offsets))
	for g := range b.Groups() {
		lo, hi := b.Offsets[g], b.Offsets[g+1]
		toFloat32(r[:hi-lo], b.Rewards[lo:hi])
		w.keep(kept[lo:hi], r[:hi-lo])
	}
}
