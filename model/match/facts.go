package match

import (
	"fmt"
	"math"
	"slices"

	"vantage/model"
	"vantage/model/units"
)

// Facts are what the advantages that a trainer logged tell by themselves of some groups, whatever gave them. They are sums, so that those
// of several steps can be joined.
type Facts struct {
	Groups  int // of two samples or more, with a finite reward and advantage each
	Differ  int // of these, with rewards that differ
	Dead    int // of these, with advantages that are all 0
	Off     int // of the others, with advantages on a line over three rewards or more that is 0 elsewhere than at their mean
	ZeroSum int // of the others, with the sum 0

	Best, BestDown  int // samples with the best reward of a living group, and those of them with a negative advantage
	Inverted        int // living groups whose best samples are pushed down, and lower than the rest
	Positive, Minus int // samples of living groups by the sign of their advantage
	Reward          int // living groups whose advantages are the reward times a factor
	Squared         int // living groups that are divided by their variance
	First, Last     AtRow
	Whole, Halved   int // living groups with a divisor that is of all their samples, and of half as many
	Unequal         int // groups in which samples of equal reward have different advantages, neither 0
	Longer, Later   Pairs
	Zeros, Means    Moments // of the lines that rise: the reward of advantage 0, and the mean reward
	NaN, Infinite   int     // samples of which the log has an advantage that is no number
	Samples         int     // of which the log has an advantage
	Low, High       float64 // the least and the greatest of the finite ones; of nothing both 0
	hasFinite       bool
	maxAbs          float64 // of the group at hand
}

// Moments are a number of values with their sum and sum of squares.
type Moments struct {
	N            int
	Sum, Squares float64
}

func (m *Moments) add(x float64) { m.N, m.Sum, m.Squares = m.N+1, m.Sum+x, m.Squares+x*x }

// Std is the standard deviation of the values.
func (m Moments) Std() float64 {
	mean := m.Sum / float64(m.N)
	return math.Sqrt(max(0, m.Squares/float64(m.N)-mean*mean))
}

// AtRow counts living groups whose baseline is the reward of one of their rows.
type AtRow struct {
	N         int
	Low, High int // of these, where it is the least and the greatest reward of the group
	Away      int // groups whose baseline is another; of those where its reward is near their mean nothing is told
}

// Told is how many groups tell whether that row is their baseline.
func (a AtRow) Told() int { return a.N + a.Away }

// IsBaseline reports whether that row is the baseline of most groups, be its reward the least or the greatest: if it were always the same,
// that may be the baseline.
func (a AtRow) IsBaseline() bool {
	const most, either = 0.95, 0.05
	n := float64(a.Told())
	return a.N > 0 && float64(a.N) >= most*n && float64(a.N-a.Low) >= either*n && float64(a.N-a.High) >= either*n
}

// Pairs are samples of one group with equal rewards and different advantages, by something else in which they differ.
type Pairs struct {
	N     int
	Lower int // those of which the one that has more has the lower advantage
}

// How near numbers must be to say what they are: logs of three or four decimals pass.
const (
	nearZero = 0.01 // of the width of the rewards: a baseline
	farFrom  = 0.05 // of it: another one
	nearSum  = 5e-3 // of the largest advantage, for each sample
)

// Living are the groups whose rewards differ, and which train.
func (f *Facts) Living() int { return f.Differ - f.Dead }

// OneBaseline reports whether the groups of a step have one baseline though their means differ, and whether they tell.
func (f *Facts) OneBaseline() (is, told bool) {
	const few, spread = 3, 4
	told = f.Zeros.N >= few && f.Means.Std() > 0
	return told && spread*f.Zeros.Std() < f.Means.Std(), told
}

// Add adds a group, in input order. Samples of which the log has no advantage do not count, and leave no group.
func (f *Facts) Add(rewards, advantages []float64, lengths []int32) {
	finite := true
	for i, a := range advantages {
		switch {
		case units.IsFinite(a):
			f.Samples++
			f.takeValue(a)
		case math.IsInf(a, 0):
			f.Samples, f.Infinite = f.Samples+1, f.Infinite+1
		case model.IsLogged(a):
			f.Samples, f.NaN = f.Samples+1, f.NaN+1
		}
		finite = finite && areFinite(a, rewards[i])
	}
	if finite && len(rewards) > 1 {
		f.addWhole(rewards, advantages, lengths)
	}
}

func (f *Facts) takeValue(a float64) {
	if !f.hasFinite {
		f.Low, f.High, f.hasFinite = a, a, true
	}
	f.Low, f.High = min(f.Low, a), max(f.High, a)
}

// IsConstant reports whether all finite advantages are one value other than 0.
func (f *Facts) IsConstant() bool { return f.hasFinite && f.Low == f.High && f.Low != 0 }

func (f *Facts) addWhole(rewards, advantages []float64, lengths []int32) {
	f.Groups++
	l, all, rewardsOf := spanOf(rewards), momentsOf(advantages), momentsOf(rewards)
	f.maxAbs = all.maxAbs
	isLine := isOnLine(rewards, advantages, l, all.maxAbs)
	if !isLine {
		f.addPairs(rewards, advantages, lengths)
	}
	if rewards[l.low] == rewards[l.high] {
		return
	}
	f.Differ++
	if all.maxAbs == 0 {
		f.Dead++
		return
	}
	if math.Abs(all.sum) <= nearSum*all.maxAbs*float64(all.n) {
		f.ZeroSum++
	}
	f.addSigns(rewards, advantages, rewards[l.high], all)
	if isLine {
		f.addLine(rewards, advantages, l, rewardsOf)
	} else {
		f.First.Away, f.Last.Away = f.First.Away+1, f.Last.Away+1
	}
}

// addSigns counts whom a living group pushes up and down.
func (f *Facts) addSigns(rewards, advantages []float64, best float64, all moments) {
	const residue = 1e-6
	n, sum, down := 0, 0.0, 0
	for i, a := range advantages {
		isDown := a < -residue*all.maxAbs
		switch {
		case isDown:
			f.Minus++
		case a > residue*all.maxAbs:
			f.Positive++
		}
		if rewards[i] == best {
			n, sum = n+1, sum+a
			if isDown {
				down++
			}
		}
	}
	f.Best, f.BestDown = f.Best+n, f.BestDown+down
	mean, rest := sum/float64(n), (all.sum-sum)/float64(all.n-n)
	if mean < -residue*all.maxAbs && mean < rest {
		f.Inverted++
	}
}

// addLine adds what the line of the advantages of a living group over its rewards says of its baseline and divisor.
func (f *Facts) addLine(rewards, advantages []float64, l span, of moments) {
	width := rewards[l.high] - rewards[l.low]
	slope := (advantages[l.high] - advantages[l.low]) / width
	if slope <= 0 {
		return
	}
	zero, mean := rewards[l.low]-advantages[l.low]/slope, of.sum/float64(of.n)
	f.Zeros.add(zero)
	f.Means.add(mean)
	isFar := func(x float64) bool { return math.Abs(mean-x) > farFrom*width }
	isAt := func(x float64) bool { return math.Abs(zero-x) <= nearZero*width }
	if isAt(0) && isFar(0) {
		f.Reward++
	}
	if isFar(zero) && hasThird(rewards, l) {
		f.Off++
	}
	if n := float64(of.n); math.Abs(zero-mean) <= nearZero*width {
		f.Whole += model.Count01(isDividedBy(slope, of.std(), n))
		f.Halved += model.Count01(isDividedBy(slope, of.std(), n/2))
	}
	for _, row := range []struct {
		at     *AtRow
		reward float64
	}{{&f.First, rewards[0]}, {&f.Last, rewards[len(rewards)-1]}} {
		switch {
		case !isFar(row.reward):
		case !isAt(row.reward):
			row.at.Away++
		default:
			row.at.N++
			row.at.Low += model.Count01(row.reward == rewards[l.low])
			row.at.High += model.Count01(row.reward == rewards[l.high])
		}
	}
	const near, far = 0.02, 0.1
	std, unbiased := of.std(), of.unbiasedStd()
	offBy := func(divisor float64) float64 { return math.Abs(slope*divisor - 1) }
	isSquare := offBy(std*std) < near || offBy(unbiased*unbiased) < near
	isOther := offBy(std) <= far || offBy(unbiased) <= far || offBy(1) <= far
	if isAtMean := math.Abs(zero-mean) <= nearZero*width; isSquare && !isOther && isAtMean {
		f.Squared++
	}
}

// isDividedBy reports whether the divisor of a group is that of so many samples: their deviation with ddof 1, or the share of the others
// where each is left out of its baseline.
func isDividedBy(slope, std, n float64) bool {
	const near = 3e-3 // eps is less, and 32 samples differ from 16 by more
	if n <= 1 {
		return false
	}
	return math.Abs(slope*std*math.Sqrt(n/(n-1))-1) < near || math.Abs(slope*(n-1)/n-1) < near
}

// hasThird reports whether a group has a reward between the least and the greatest: two are always on a line, also where advantages are
// clipped.
func hasThird(rewards []float64, l span) bool {
	return slices.ContainsFunc(rewards, func(r float64) bool { return r != rewards[l.low] && r != rewards[l.high] })
}

// addPairs counts neighbours of equal reward and different advantage. An advantage of 0 may be one that is masked.
func (f *Facts) addPairs(rewards, advantages []float64, lengths []int32) {
	const reach = 64 // samples back
	differs := false
	for i := range rewards {
		for j := i - 1; j >= max(0, i-reach); j-- {
			if rewards[j] != rewards[i] {
				continue
			}
			gap := advantages[i] - advantages[j]
			if math.Abs(gap) <= affineTolerance*f.maxAbs || advantages[i] == 0 || advantages[j] == 0 {
				break
			}
			differs = true
			f.Later.take(gap < 0)
			if lengths[i] >= 0 && lengths[j] >= 0 && lengths[i] != lengths[j] {
				f.Longer.take(gap < 0 == (lengths[i] > lengths[j]))
			}
			break
		}
	}
	if differs {
		f.Unequal++
	}
}

func (p *Pairs) take(isLower bool) {
	p.N++
	if isLower {
		p.Lower++
	}
}

// Ordered reports whether nearly all pairs are the same way round: more is lower, or more is higher.
func (p Pairs) Ordered() (lower, ok bool) {
	const least, most = 16, 0.95
	switch share := float64(p.Lower) / float64(max(1, p.N)); {
	case p.N < least:
		return false, false
	case share >= most:
		return true, true
	default:
		return false, share <= 1-most
	}
}

// span is the places of the least and of the greatest reward of a group.
type span struct{ low, high int }

func spanOf(rewards []float64) (l span) {
	for i, r := range rewards {
		if r < rewards[l.low] {
			l.low = i
		}
		if r > rewards[l.high] {
			l.high = i
		}
	}
	return l
}

// isOnLine reports whether the advantages of a group lie on a line over its rewards.
func isOnLine(rewards, advantages []float64, l span, maxAbs float64) bool {
	slope := 0.0
	if width := rewards[l.high] - rewards[l.low]; width > 0 {
		slope = (advantages[l.high] - advantages[l.low]) / width
	}
	for i, r := range rewards {
		if math.Abs(advantages[i]-advantages[l.low]-slope*(r-rewards[l.low])) > affineTolerance*maxAbs {
			return false
		}
	}
	return true
}

// Join adds those of other groups.
func (f *Facts) Join(o *Facts) {
	for _, p := range [][2]*int{
		{&f.Groups, &o.Groups},
		{&f.Differ, &o.Differ},
		{&f.Dead, &o.Dead},
		{&f.Off, &o.Off},
		{&f.ZeroSum, &o.ZeroSum},
		{&f.Best, &o.Best},
		{&f.BestDown, &o.BestDown},
		{&f.Inverted, &o.Inverted},
		{&f.Positive, &o.Positive},
		{&f.Minus, &o.Minus},
		{&f.Reward, &o.Reward},
		{&f.Squared, &o.Squared},
		{&f.Whole, &o.Whole},
		{&f.Halved, &o.Halved},
		{&f.First.N, &o.First.N},
		{&f.First.Low, &o.First.Low},
		{&f.First.High, &o.First.High},
		{&f.Last.N, &o.Last.N},
		{&f.First.Away, &o.First.Away},
		{&f.Last.Away, &o.Last.Away},
		{&f.Last.Low, &o.Last.Low},
		{&f.Last.High, &o.Last.High},
		{&f.Unequal, &o.Unequal},
		{&f.Longer.N, &o.Longer.N},
		{&f.Longer.Lower, &o.Longer.Lower},
		{&f.Later.N, &o.Later.N},
		{&f.Later.Lower, &o.Later.Lower},
		{&f.NaN, &o.NaN},
		{&f.Infinite, &o.Infinite},
		{&f.Samples, &o.Samples},
		{&f.Zeros.N, &o.Zeros.N},
		{&f.Means.N, &o.Means.N},
	} {
		*p[0] += *p[1]
	}
	f.Zeros.Sum, f.Zeros.Squares = f.Zeros.Sum+o.Zeros.Sum, f.Zeros.Squares+o.Zeros.Squares
	f.Means.Sum, f.Means.Squares = f.Means.Sum+o.Means.Sum, f.Means.Squares+o.Means.Squares
	if o.hasFinite {
		f.takeValue(o.Low)
		f.takeValue(o.High)
	}
}

// rowClue says that the baseline of each group is the reward of one of its rows, "" if it is not.
func (f *Facts) rowClue() string {
	for _, row := range []struct {
		at   AtRow
		name string
	}{{f.First, "first"}, {f.Last, "last"}} {
		if row.at.IsBaseline() {
			return fmt.Sprintf("the baseline of each group is the reward of its %s row: of %s groups the advantage is 0 there, and "+
				"follows the reward from it",
				row.name, units.Fraction(row.at.N, row.at.Told()))
		}
	}
	return ""
}
