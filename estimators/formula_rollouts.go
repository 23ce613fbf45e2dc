package estimators

import (
	"fmt"
	"strconv"
	"strings"

	"vantage/estimators/torchsum"
)

// rolloutsOf calls f with the samples [lo, hi) of each rollout of group g.
func (b Batch) rolloutsOf(g int, f func(lo, hi int)) {
	for lo := b.Offsets[g]; lo < b.Offsets[g+1]; {
		hi := lo + 1
		for hi < b.Offsets[g+1] && b.Rollouts != nil && b.Rollouts[hi] == b.Rollouts[lo] {
			hi++
		}
		f(lo, hi)
		lo = hi
	}
}

// rolloutMeans is f over the mean rewards of the rollouts, float32 from left to right; every sample gets
// what its rollout gets.
func rolloutMeans(f formula) formula {
	return func(dst []float64, b Batch, s Scale) error {
		mustHaveLength(dst, b)
		means := Batch{Offsets: make([]int, 1, len(b.Offsets))}
		for g := range b.Groups() {
			b.rolloutsOf(g, func(lo, hi int) {
				sum := float32(0)
				for _, r := range b.Rewards[lo:hi] {
					sum += float32(r)
				}
				means.Rewards = append(means.Rewards, float64(sum/float32(hi-lo)))
			})
			means.Offsets = append(means.Offsets, len(means.Rewards))
		}
		advantages := make([]float64, len(means.Rewards))
		err := f(advantages, means, s)
		next := 0
		for g := range b.Groups() {
			b.rolloutsOf(g, func(lo, hi int) {
				for i := lo; i < hi; i++ {
					dst[i] = advantages[next]
				}
				next++
			})
		}
		return err
	}
}

// oncePerRollout is GRPO in which a rollout counts once, whatever the number of its samples, which share
// one reward:
//
//	A = (r − μ) / (s + 1e-6) if there are two rollouts or more and s > 0, else r − μ
//
// μ and s, ddof 1, are those of one reward per rollout, float32. Samples of a rollout with different
// rewards, or with NaN, are a ValueError.
func oncePerRollout(dst []float64, b Batch, s Scale) error {
	mustHaveLength(dst, b)
	rewards := make([]float32, largestGroup(b.Offsets))
	var refused error
	for g := range b.Groups() {
		once := rewards[:0]
		b.rolloutsOf(g, func(lo, hi int) {
			once = append(once, float32(b.Rewards[lo]))
			if refused == nil && !allEqual(b.Rewards[lo:hi]) {
				refused = unequalRollout(b, g, lo, hi)
			}
		})
		mean := torchsum.Mean(once)
		divisor := float32(1)
		if std := torchsum.StdWithMean(once, mean); s != ScaleNone && len(once) > 1 && std > 0 {
			divisor = std + 1e-6
		}
		for i := b.Offsets[g]; i < b.Offsets[g+1]; i++ {
			dst[i] = float64((float32(b.Rewards[i]) - mean) / divisor)
		}
	}
	return refused
}

// allEqual reports whether all values equal the first; NaN equals nothing, but a single value does.
func allEqual(x []float64) bool {
	for _, v := range x[1:] {
		if v != x[0] {
			return false
		}
	}
	return true
}

// unequalRollout is the ValueError for samples [lo, hi) of group g, which have different rewards.
func unequalRollout(b Batch, g, lo, hi int) error {
	var rows, rewards []string
	for i := lo; i < hi; i++ {
		rows = append(rows, strconv.Itoa(i))
		rewards = append(rewards, pythonFloat(b.Rewards[i]))
	}
	text := fmt.Sprintf("all samples in rollout %d must share one reward; rows [%s] have rewards [%s]",
		b.Rollouts[lo], strings.Join(rows, ", "), strings.Join(rewards, ", "))
	return &Refusal{Kind: "ValueError", Text: text, Groups: []int{g}}
}

// pythonFloat writes a number as Python does: 1.0, nan, 1e-05.
func pythonFloat(x float64) string {
	text := strings.ToLower(strconv.FormatFloat(x, 'g', -1, 64))
	if size := max(x, -x); size < 1e16 && size >= 1e-4 || x == 0 {
		text = strconv.FormatFloat(x, 'f', -1, 64)
	}
	if !strings.ContainsAny(text, ".ein") {
		text += ".0"
	}
	return text
}
