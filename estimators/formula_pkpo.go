package estimators

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// pkpo is pass@k policy optimization: what a sample adds to the best reward of k samples. Over the
// subsets of k of the n samples of a group, n choose k of them, in float64,
//
//	s_i              Σ of the largest reward of each subset with i / (n choose k)
//	sloo_i           s_i − mean of s_j over the others, in the group without i
//	sloo_minus_one_i Σ of (largest reward − largest reward without i) of each subset with i / (n choose k)
//
// For rewards of 0 and 1 the largest of a subset is its pass@k. Walder and Karkhanis, "Pass@K Policy
// Optimization: Solving Harder Reinforcement Learning Problems", arXiv:2505.15201, 2025, theorems 2 to 5.
//
// The sums over subsets are sums over the sorted rewards g_0 ≤ … ≤ g_{n−1}; they agree with the
// definitions to 1e-12.
type pkpo struct {
	k     int
	least int // size of a group from which it is defined
	write func(dst, g []float64, w *subsetWeights)
}

func pkpoS(k int) pkpo            { return pkpo{k, k, bestOfSubset} }
func pkpoSLOO(k int) pkpo         { return pkpo{k, k + 1, bestOfSubsetLeftOut} }
func pkpoSLOOMinusOne(k int) pkpo { return pkpo{k, k, gainOfSubset} }

// advantages is a [formula].
func (p pkpo) advantages(dst []float64, b Batch, _ Scale) error {
	mustHaveLength(dst, b)
	n := largestGroup(b.Offsets)
	order, g, a := make([]int, n), make([]float64, n), make([]float64, n)
	w := &subsetWeights{}
	var small []int
	for k := range b.Groups() {
		lo, hi := b.Offsets[k], b.Offsets[k+1]
		if hi-lo < p.least {
			small = append(small, k)
			fillNaN(dst[lo:hi])
			continue
		}
		w.resize(hi-lo, p.k)
		p.group(dst[lo:hi], b.Rewards[lo:hi], order[:hi-lo], g[:hi-lo], a[:hi-lo], w)
	}
	if small != nil {
		return &Refusal{Kind: "ValueError", Text: fmt.Sprintf("k = %d needs groups of %d samples and more", p.k, p.least), Groups: small}
	}
	return nil
}

// group writes the advantages of the rewards r; order, g and a are memory of their length.
func (p pkpo) group(dst, r []float64, order []int, g, a []float64, w *subsetWeights) {
	for i, x := range r {
		order[i] = i
		if math.IsNaN(x) {
			fillNaN(dst)
			return
		}
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(r[i], r[j]) })
	for at, i := range order {
		g[at] = r[i]
	}
	p.write(a, g, w)
	for at, i := range order {
		dst[i] = a[at]
	}
}

// subsetWeights are shares of the subsets of k of n samples.
type subsetWeights struct {
	n, k int
	best []float64 // with sample i, and i is the largest: (i choose k−1)/(n choose k)
	pair []float64 // with a smaller sample, and i is the largest: (i−1 choose k−2)/(n choose k)
	left []float64 // of n − 1 samples, and i is the largest: (i choose k−1)/(n−1 choose k)
}

// resize computes the shares for groups of n.
func (w *subsetWeights) resize(n, k int) {
	if w.n == n {
		return
	}
	*w = subsetWeights{n, k, resize(w.best, n), resize(w.pair, n), resize(w.left, n)}
	for i := range n {
		w.best[i], w.pair[i], w.left[i] = choose(i, k-1, n, k), choose(i-1, k-2, n, k), choose(i, k-1, n-1, k)
	}
}

// choose returns (a choose b)/(n choose k), 0 if there is no such choice.
func choose(a, b, n, k int) float64 {
	if b < 0 || a < b || n < k {
		return 0
	}
	ratio := 1.0
	for i := range b {
		ratio *= float64(a-i) / float64(n-i)
	}
	for i := b; i < k; i++ {
		ratio *= float64(i+1) / float64(n-i)
	}
	return ratio
}

// bestOfSubset writes s.
func bestOfSubset(dst, g []float64, w *subsetWeights) {
	above := 0.0
	for i := len(g) - 1; i >= 0; i-- {
		dst[i] = float64(w.best[i]*g[i]) + above
		above += float64(w.pair[i] * g[i])
	}
}

// bestOfSubsetLeftOut writes sloo. In the group without i the s_j sum up to k times the mean of the
// subsets' largest rewards; a sample above i has a rank less there.
func bestOfSubsetLeftOut(dst, g []float64, w *subsetWeights) {
	bestOfSubset(dst, g, w)
	share := float64(w.k) / float64(w.n-1)
	above, below := 0.0, 0.0
	for i := len(g) - 1; i >= 0; i-- {
		dst[i] -= share * above
		if i > 0 {
			above += float64(w.left[i-1] * g[i])
		}
	}
	for i, x := range g {
		dst[i] -= share * below
		below += float64(w.left[i] * x)
	}
}

// gainOfSubset writes sloo_minus_one. A sample adds something where it is the largest, and then what it has
// more than the second: from i − 1 to i that grows by g_i − g_{i−1} in each subset of i and k − 1 below.
func gainOfSubset(dst, g []float64, w *subsetWeights) {
	gain := 0.0
	for i, x := range g {
		if i > 0 {
			gain += float64(w.best[i] * (x - g[i-1]))
		}
		dst[i] = gain
	}
}
