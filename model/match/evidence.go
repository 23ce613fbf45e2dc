package match

import (
	"fmt"
	"math"

	"vantage/model/analysis"
	"vantage/model/units"
)

// evidence is what logged advantages look like.
type evidence struct {
	groups          int // with a logged advantage for every sample, not all 0
	zeroSum         int // of these, with sum 0
	unitStd         int // of these, with standard deviation 1
	equalPairs      equalPairs
	n               int
	sum, sumSquares float64
}

// evidenceClues says what the logged advantages look like and what that usually means.
func evidenceClues(grouped []*analysis.GroupedStep) []string {
	var f evidence
	for _, s := range grouped {
		for g := range len(s.Offsets) - 1 {
			lo, hi := s.Offsets[g], s.Offsets[g+1]
			f.add(s.LoggedAdvantages[lo:hi], s.LoggedRewards[lo:hi], s.Lengths[lo:hi])
		}
	}
	return f.sentences()
}

func (f *evidence) add(advantages, rewards []float64, lengths []int32) {
	m := momentsOf(advantages)
	f.n += m.n
	f.sum += m.sum
	f.sumSquares += m.sumSquares
	if m.n < len(advantages) || m.n == 0 {
		return
	}
	f.equalPairs.add(advantages, rewards, lengths, m.maxAbs)
	if m.maxAbs == 0 {
		return
	}
	f.groups++
	if math.Abs(m.sum) < 1e-3*m.maxAbs*float64(m.n) {
		f.zeroSum++
	}
	std := math.Sqrt(m.sumSquares/float64(m.n) - (m.sum/float64(m.n))*(m.sum/float64(m.n)))
	if unbiased := std * math.Sqrt(float64(m.n)/float64(max(1, m.n-1))); roughly(std, 1) || roughly(unbiased, 1) {
		f.unitStd++
	}
}

func roughly(x, y float64) bool { return math.Abs(x-y) < 0.02 }

// moments are sums over the finite values of a slice.
type moments struct {
	n                       int
	sum, sumSquares, maxAbs float64
}

func momentsOf(values []float64) moments {
	var p moments
	for _, x := range values {
		if x-x == 0 {
			p.n++
			p.sum += x
			p.sumSquares += x * x
			p.maxAbs = max(p.maxAbs, math.Abs(x))
		}
	}
	return p
}

func (f *evidence) sentences() []string {
	var all []string
	say := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	mean := f.sum / float64(f.n)
	std := math.Sqrt(max(0, f.sumSquares/float64(f.n)-mean*mean))
	if text := f.equalPairs.sentence(); text != "" {
		all = append(all, text)
	}
	switch {
	case f.groups == 0:
		say("every logged advantage is 0, although rewards differ: perhaps they were logged before they were computed")
	case f.zeroSum == f.groups && f.unitStd == f.groups:
		say("within every group the logged advantages have mean 0 and std 1, so the estimator is of the GRPO kind: the rewards or their weights must differ (see --reward and --weights), or eps does")
	case f.zeroSum == f.groups:
		say("within every group the logged advantages sum to 0, yet no scale fits: perhaps they were divided by the std of another batch than the step, or normalised twice")
	case roughly(mean, 0) && roughly(std, 1):
		say("over all samples the logged advantages have mean %+.2f and std %.2f, and sum to 0 in %s: they were normalised over the batch, perhaps a second time", mean, std, shareOf(f.zeroSum, f.groups))
	default:
		say("the logged advantages sum to 0 in %s: the groups may be found by the wrong key (see --group-by), or a baseline of another kind was taken off", shareOf(f.zeroSum, f.groups))
	}
	return all
}

// shareOf returns "only 3/8 (38%) groups".
func shareOf(n, of int) string {
	if n == 0 {
		return fmt.Sprintf("none of %s", units.Plural(of, "groups"))
	}
	return fmt.Sprintf("only %s groups", units.Fraction(n, of))
}
