package match

import (
	"fmt"
	"math"
	"slices"

	"vantage/model/analysis"
	"vantage/model/units"
)

type evidence struct {
	groups     int // with a logged advantage for every sample, not all 0
	zeroSum    int // of these, with sum 0
	unitStd    int // of these, with standard deviation 1
	equalPairs equalPairs
	order      order
	steps      []moments
}

func evidenceClues(grouped []*analysis.GroupedStep) []string {
	var f evidence
	for _, s := range grouped {
		f.steps = append(f.steps, momentsOf(s.LoggedAdvantages))
	}
	for g := range groupsOf(grouped) {
		f.add(g.logged, g.rewards, g.lengths)
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
		if units.IsFinite(x) {
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

// equalPairs counts samples of one group with equal rewards: every estimator that reads
// only rewards gives them the same advantage.
type equalPairs struct {
	groups          int // with such samples
	differing       int // of these, with different advantages
	differentLength int // pairs in input order that differ in advantage and length
	longerIsLower   int // of these, with the lower advantage for the longer response
}

// equalTolerance is the difference, as a share of the largest advantage, up to which two
// advantages count as equal.
const equalTolerance = 1e-4

func (p *equalPairs) add(advantages, rewards []float64, lengths []int32, maxAbs float64) {
	latest := map[float64]int{} // the latest sample with this reward
	hasPair, hasDifferent := false, false
	for i, r := range rewards {
		j, seen := latest[r]
		latest[r] = i
		if !seen {
			continue
		}
		hasPair = true
		gap := advantages[i] - advantages[j]
		if math.Abs(gap) <= equalTolerance*maxAbs {
			continue
		}
		hasDifferent = true
		if lengths[i] >= 0 && lengths[j] >= 0 && lengths[i] != lengths[j] {
			p.differentLength++
			if gap < 0 == (lengths[i] > lengths[j]) {
				p.longerIsLower++
			}
		}
	}
	if hasPair {
		p.groups++
	}
	if hasDifferent {
		p.differing++
	}
}

// sentence returns a clue, or "" if equal rewards always have equal advantages.
func (p *equalPairs) sentence() string {
	const minPairs, minShare = 8, 0.95
	switch {
	case p.differing == 0:
		return ""
	case p.differentLength >= minPairs && float64(p.longerIsLower) > minShare*float64(p.differentLength):
		return fmt.Sprintf("%s give samples of equal reward different advantages, and the longer response nearly always the lower one, "+
			"as a length penalty that is not in the logged reward would give",
			units.Fraction(p.differing, p.groups)+" groups")
	}
	return fmt.Sprintf("%s give samples of equal reward different advantages: they come from more than this reward",
		units.Fraction(p.differing, p.groups)+" groups")
}

// order counts pairs of samples of one group whose rewards differ, and advantages too: every estimator that
// reads one reward gives more to the better one.
type order struct {
	pairs, rising int // neighbours in input order; of these, with more for the better one
}

func (o *order) add(advantages, rewards []float64) {
	for i := 1; i < len(rewards); i++ {
		reward, advantage := rewards[i]-rewards[i-1], advantages[i]-advantages[i-1]
		if reward == 0 || advantage == 0 || !areFinite(reward, advantage) {
			continue
		}
		o.pairs++
		if reward > 0 == (advantage > 0) {
			o.rising++
		}
	}
}

// sentence says how far the advantages follow the reward, "" if they always do, or if few pairs tell.
func (o *order) sentence() string {
	const minPairs, chance = 20, 0.6
	share := float64(o.rising) / float64(max(1, o.pairs))
	switch {
	case o.pairs < minPairs || o.rising == o.pairs:
		return ""
	case share < chance && share > 1-chance:
		return fmt.Sprintf("the logged advantages do not follow this reward: of two samples of a group the better one has the higher "+
			"advantage in %.0f%% of %d pairs, as by chance", 100*share, o.pairs)
	}
	return fmt.Sprintf("of two samples of a group the one with the higher reward has the higher advantage in %.0f%% of %d pairs", 100*share,
		o.pairs)
}

// missingRowsClue says that rows are missing, if the log shows it although no group of it is whole: groups
// differ in size; the advantages of each lie on a rising line over its rewards, as those of nearly all
// estimators do; and where that line is 0, which is the mean of all rows, is not the mean of the rows in
// the log, but one that the rewards of more rows could have. It returns "" otherwise.
func missingRowsClue(grouped []*analysis.GroupedStep) string {
	lines, largest, rows, groups, differ := []groupLine{}, 0, 0, 0, false
	for g := range groupsOf(grouped) {
		n := len(g.rewards)
		differ = differ || largest > 0 && n != largest
		largest, rows, groups = max(largest, n), rows+n, groups+1
		if !isAffine(g.rewards, g.logged) {
			return ""
		}
		if l, ok := lineOf(g.rewards, g.logged); ok {
			lines = append(lines, l)
		}
	}
	if !differ || len(lines) < minProvingGroups {
		return ""
	}
	for size := largest; size <= 2*largest; size++ {
		if fitsSize(lines, size) {
			return fmt.Sprintf("rows are missing: no group can be compared, but with %d rows in each the logged advantages of all groups "+
				"fit rows that are not in the log, %s",
				size, units.Fraction(size*groups-rows, size*groups))
		}
	}
	return ""
}

// groupLine is the line of the advantages of a group over its rewards.
type groupLine struct {
	rows      int
	sum       float64 // of the rewards
	zero      float64 // the reward of advantage 0: the mean of all rows of the group
	low, high float64 // rewards
	binary    bool    // all rewards are low or high
}

// lineOf returns false if rewards or advantages of the group are all equal.
func lineOf(rewards, advantages []float64) (groupLine, bool) {
	l := groupLine{rows: len(rewards), low: math.Inf(1), high: math.Inf(-1), binary: true}
	var below, above float64 // advantages at low and high
	for i, r := range rewards {
		if !areFinite(r, advantages[i]) {
			return l, false
		}
		l.sum += r
		if r < l.low {
			l.low, below = r, advantages[i]
		}
		if r > l.high {
			l.high, above = r, advantages[i]
		}
	}
	for _, r := range rewards {
		l.binary = l.binary && (r == l.low || r == l.high)
	}
	if l.low == l.high || above <= below {
		return l, false
	}
	l.zero = l.low - below*(l.high-l.low)/(above-below)
	return l, true
}

// fitsSize reports whether all groups may have had so many rows. Groups of two rewards must then have had whole
// numbers of either; of others the missing rewards must have been among those in sight. At least one must
// lack rows, and half of all must be of two rewards, since the others prove little.
func fitsSize(lines []groupLine, size int) bool {
	lacking, binary := false, 0
	for _, l := range lines {
		missing := float64(size - l.rows)
		total := l.zero*float64(size) - l.sum // the sum of the missing rewards
		const tolerance = 1e-3
		if missing < 0 || total < l.low*missing-tolerance || total > l.high*missing+tolerance {
			return false
		}
		lacking = lacking || missing > 0
		if l.binary {
			binary++
			if high := (total - l.low*missing) / (l.high - l.low); math.Abs(high-math.Round(high)) > tolerance*float64(size) {
				return false
			}
		}
	}
	return lacking && 2*binary >= len(lines)
}
