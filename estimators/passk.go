package estimators

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"vantage/estimators/torchsum"
)

// passK gives an advantage only to the best response of a group: its lead over
// the second best, r₁ − r₂, divided by s + 1e-6 (ddof 1) if scaled. All others get
// 0, and so does the best if another one equals it. NaN ranks above every number and
// gives NaN. Single-sample groups get NaN.
//
// Walder and Karkhanis, "Pass@K Policy Optimization", arXiv:2505.15201, for which
// verl cites arXiv:2503.19595.
func passK(scaled bool) formula {
	return perGroup(func(dst, r []float32) {
		clear(dst)
		if len(r) < 2 {
			for i := range dst {
				dst[i] = nan32()
			}
			return
		}
		best, second := topTwo(r)
		lead := r[best] - r[second]
		if scaled {
			lead /= torchsum.Std(r) + 1e-6
		}
		dst[best] = lead
	})
}

// heapFrom is the size from which on torch.topk(r, 2) uses a heap.
const heapFrom = 128

// topTwo returns the indices of the two largest values of r, NaN above all, in the
// order of torch.topk(r, 2). Among equal values it is the order in which
// std::nth_element of libstdc++ leaves them, which shows where the standard deviation
// is NaN. torch puts groups of 128 or more through a heap; here the first of their
// equal values comes first. len(r) ≥ 2.
func topTwo(r []float32) (best, second int) {
	if len(r) >= heapFrom {
		return firstTwo(r)
	}
	q := topTwoSelection{r: r}
	for i := range r {
		q.index[i] = uint8(i)
	}
	lo, hi := 0, len(r)
	for hi-lo > 3 {
		if cut := q.partition(lo, hi); cut <= 1 {
			lo = cut
		} else {
			hi = cut
		}
	}
	for i := lo + 1; i < hi; i++ {
		for k := i; k > lo && q.before(k, k-1); k-- {
			q.swap(k, k-1)
		}
	}
	return int(q.index[0]), int(q.index[1])
}

func firstTwo(r []float32) (best, second int) {
	best, second = 0, 1
	if ranksBefore(r[1], r[0]) {
		best, second = 1, 0
	}
	for i := 2; i < len(r); i++ {
		switch {
		case ranksBefore(r[i], r[best]):
			best, second = i, best
		case ranksBefore(r[i], r[second]):
			second = i
		}
	}
	return best, second
}

// ranksBefore reports whether x is larger than y, or NaN and y is not.
func ranksBefore(x, y float32) bool { return x > y || x != x && y == y }

// topTwoSelection is the state of the selection: a permutation of r.
type topTwoSelection struct {
	r     []float32
	index [heapFrom]uint8 // index[k] is the index in r of the k-th value
}

// before reports whether the i-th value ranks before the k-th.
func (q *topTwoSelection) before(i, k int) bool { return ranksBefore(q.r[q.index[i]], q.r[q.index[k]]) }

func (q *topTwoSelection) swap(i, k int) { q.index[i], q.index[k] = q.index[k], q.index[i] }

// partition moves the median of three to lo and the values that rank before it to the
// front.
func (q *topTwoSelection) partition(lo, hi int) (cut int) {
	q.swap(lo, q.median(lo+1, lo+(hi-lo)/2, hi-1))
	i, k := lo+1, hi
	for {
		for q.before(i, lo) {
			i++
		}
		for k--; q.before(lo, k); k-- {
		}
		if i >= k {
			return i
		}
		q.swap(i, k)
		i++
	}
}

// median returns which of three values libstdc++ takes for their median; that matters
// among equal ones.
func (q *topTwoSelection) median(a, b, c int) int {
	if q.before(a, b) {
		switch {
		case q.before(b, c):
			return b
		case q.before(a, c):
			return c
		}
		return a
	}
	switch {
	case q.before(a, c):
		return a
	case q.before(b, c):
		return c
	}
	return b
}

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
