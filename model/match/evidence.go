package match

import (
	"fmt"
	"math"
	"slices"

	"vantage/model/analysis"
	"vantage/model/units"
)

// evidence is what logged advantages look like.
type evidence struct {
	groups     int // with a logged advantage for every sample, not all 0
	zeroSum    int // of these, with sum 0
	unitStd    int // of these, with standard deviation 1
	equalPairs equalPairs
	order      order
	steps      []moments
}

// evidenceClues says what the logged advantages look like.
func evidenceClues(grouped []*analysis.GroupedStep) []string {
	var f evidence
	for _, s := range grouped {
		f.steps = append(f.steps, momentsOf(s.LoggedAdvantages))
		for g := range len(s.Offsets) - 1 {
			lo, hi := s.Offsets[g], s.Offsets[g+1]
			f.add(s.LoggedAdvantages[lo:hi], s.LoggedRewards[lo:hi], s.Lengths[lo:hi])
		}
	}
	return f.sentences()
}

func (f *evidence) add(advantages, rewards []float64, lengths []int32) {
	m := momentsOf(advantages)
	if m.n < len(advantages) || m.n == 0 {
		return
	}
	f.equalPairs.add(advantages, rewards, lengths, m.maxAbs)
	f.order.add(advantages, rewards)
	if m.maxAbs == 0 {
		return
	}
	f.groups++
	if math.Abs(m.sum) < 1e-3*m.maxAbs*float64(m.n) {
		f.zeroSum++
	}
	if roughly(m.std(), 1) || roughly(m.unbiasedStd(), 1) {
		f.unitStd++
	}
}

func roughly(x, y float64) bool { return math.Abs(x-y) < 0.02 }

// moments are sums over the finite values of a slice.
type moments struct {
	n                       int
	sum, sumSquares, maxAbs float64
}

// std is that of a population.
func (m moments) std() float64 {
	mean := m.sum / float64(m.n)
	return math.Sqrt(max(0, m.sumSquares/float64(m.n)-mean*mean))
}

// unbiasedStd is that of a sample, with ddof 1.
func (m moments) unbiasedStd() float64 {
	return m.std() * math.Sqrt(float64(m.n)/float64(max(1, m.n-1)))
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

// sentences says what the values look like, without a cause: the same look has many.
func (f *evidence) sentences() []string {
	var all []string
	say := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	if f.groups == 0 {
		say("every logged advantage is 0, although rewards differ")
		return all
	}
	if text := f.order.sentence(); text != "" {
		all = append(all, text)
	}
	if text := f.equalPairs.sentence(); text != "" {
		all = append(all, text)
	}
	switch {
	case f.zeroSum == f.groups && f.unitStd == f.groups:
		say("within every group the logged advantages have mean 0 and std 1")
	case f.zeroSum == f.groups:
		say("within every group the logged advantages sum to 0")
	case f.isBatchNormalised():
		say("at every step the logged advantages have mean 0 and std 1, and sum to 0 in %s", shareOf(f.zeroSum, f.groups))
	default:
		say("the logged advantages sum to 0 in %s", shareOf(f.zeroSum, f.groups))
	}
	return all
}

// isBatchNormalised reports whether the advantages of each step have mean 0 and std 1, closer than random
// numbers of that mean and std do.
func (f *evidence) isBatchNormalised() bool {
	return !slices.ContainsFunc(f.steps, func(m moments) bool {
		mean := m.sum / float64(m.n)
		return m.n > 0 && (math.Abs(mean) > 1e-3 || math.Abs(m.std()-1) > 1e-3 && math.Abs(m.unbiasedStd()-1) > 1e-3)
	})
}

// shareOf returns "only 3/8 (38%) groups".
func shareOf(n, of int) string {
	if n == 0 {
		return fmt.Sprintf("none of %s", units.Plural(of, "groups"))
	}
	return fmt.Sprintf("only %s groups", units.Fraction(n, of))
}
