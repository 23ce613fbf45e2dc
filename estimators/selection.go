package estimators

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"vantage/estimators/torchsum"
)

// selection writes to kept which samples the estimator itself takes of a batch. The others have advantage 0.
type selection = func(kept []bool, b Batch)

// Select writes to kept which samples of a batch the estimator itself takes, all of them under most
// estimators. The advantages of the others are 0: the trainer leaves them out of the loss. It takes what
// Advantage takes; len(kept) == N.
func (e *Estimator) Select(kept []bool, b Batch) {
	if e.selects == nil || e.MissingIn(b) != "" {
		fillTrue(kept)
		return
	}
	e.selects(kept, b)
}

// Selects reports whether the estimator leaves out samples by itself.
func (e *Estimator) Selects() bool { return e.selects != nil }

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

func (w rec) advantages(dst []float64, b Batch, s Scale) error {
	return refuseGroupsOfOne(w.compute, "UnboundLocalError",
		"cannot access local variable 'rewards' where it is not associated with a value")(dst, b, s)
}

func (w rec) compute(dst []float64, b Batch, s Scale) error {
	mustHaveLength(dst, b)
	n := largestGroup(b.Offsets)
	r, taken, kept := make([]float32, n), make([]float32, n), make([]bool, n)
	for lo, hi := range b.ranges() {
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
		dst[i] = IfKept(kept[i], float64(a))
	}
}

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

func (w rec) selects(kept []bool, b Batch) {
	r := make([]float32, largestGroup(b.Offsets))
	for lo, hi := range b.ranges() {
		toFloat32(r[:hi-lo], b.Rewards[lo:hi])
		w.keep(kept[lo:hi], r[:hi-lo])
	}
}

// pods keeps of each group the m samples whose rewards vary most, and is GRPO among them:
//
//	A_i = (r_i − μ)/(s + 1e-4) of a kept sample, 0 of the others
//
// μ and s, ddof 1, are those of the kept rewards, float32. The m of greatest variance are always the i
// best and the m − i worst of the group: Xu et al., "Not All Rollouts are Useful: Down-Sampling Rollouts
// in LLM Reinforcement Learning", arXiv:2504.13818, 2025, theorem 1.
//
// The authors try i = m, 0, 1, …, m − 1; of equal variances the first counts. Of equal rewards those that
// come first in the batch are kept here, PyTorch's sort takes any.
type pods struct{ m int }

const podsEps = 1e-4

func (p pods) advantages(dst []float64, b Batch, _ Scale) error {
	mustHaveLength(dst, b)
	clear(dst)
	w := newPodsWorkspace(b, p.m)
	var small []int
	for g := range b.Groups() {
		lo, hi := b.Offsets[g], b.Offsets[g+1]
		if hi-lo < p.m {
			small = append(small, g)
		}
		kept := w.choose(b.Rewards[lo:hi])
		mean, std := torchsum.Mean(w.best), torchsum.Std(w.best)
		for k, i := range kept {
			dst[lo+i] = float64((w.best[k] - mean) / (std + podsEps))
		}
	}
	if small != nil {
		return &Refusal{
			Kind: "RuntimeError", Text: fmt.Sprintf("num_generations_grad = %d needs groups of as many samples", p.m), Groups: small,
		}
	}
	return nil
}

func (p pods) selects(kept []bool, b Batch) {
	clear(kept)
	w := newPodsWorkspace(b, p.m)
	for lo, hi := range b.ranges() {
		for _, i := range w.choose(b.Rewards[lo:hi]) {
			kept[lo+i] = true
		}
	}
}

// podsWorkspace is memory for one group at a time.
type podsWorkspace struct {
	m         int
	order     []int     // samples by descending reward
	sorted    []float32 // their rewards
	best, try []float32 // rewards of some
	kept      []int
}

func newPodsWorkspace(b Batch, m int) *podsWorkspace {
	n := largestGroup(b.Offsets)
	return &podsWorkspace{m: m, order: make([]int, n), sorted: make([]float32, n), kept: make([]int, n)}
}

// choose returns the samples of the group with rewards r that are kept, and leaves their rewards in best.
func (w *podsWorkspace) choose(r []float64) []int {
	n := len(r)
	m := min(w.m, n)
	order := w.order[:n]
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { // NaN counts as the largest, as in PyTorch
		return -cmp.Or(cmp.Compare(toInt(math.IsNaN(r[i])), toInt(math.IsNaN(r[j]))), cmp.Compare(float32(r[i]), float32(r[j])))
	})
	for at, i := range order {
		w.sorted[at] = float32(r[i])
	}
	top := w.split(w.sorted[:n], m)
	kept := append(w.kept[:0], order[:top]...)
	kept = append(kept, order[n-(m-top):]...)
	return kept
}

// split returns how many of the m kept samples are best ones, the others worst, and leaves their rewards
// in best.
func (w *podsWorkspace) split(sorted []float32, m int) (top int) {
	w.best, top = append(w.best[:0], sorted[:m]...), m
	variance := torchsum.Variance(w.best)
	for i := range m {
		w.try = append(append(w.try[:0], sorted[:i]...), sorted[len(sorted)-(m-i):]...)
		if v := torchsum.Variance(w.try); v > variance {
			variance, top = v, i
			w.best, w.try = w.try, w.best
		}
	}
	return top
}
