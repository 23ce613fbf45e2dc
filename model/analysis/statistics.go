package analysis

import (
	"context"
	"math"
	"runtime"
	"slices"

	"vantage/model"
	"vantage/model/units"
)

// statistics are sums over the samples of a step, or of a block. original, returns and processed are
// weighted by tokens, as the trainer's metrics are, and leave out responses without tokens.
type statistics struct {
	rewards                           moments // as the estimator reads them
	unfiltered                        moments // unfiltered advantages
	returns                           moments // processed advantages
	processed                         moments // processed advantages that are not 0
	positive, negative                moments // response lengths by the sign of the unfiltered advantage
	keptPositive, keptNegative        int     // kept samples with tokens, by the same sign
	filtered                          int     // samples that are dropped or have no tokens
	sumAbsUnfiltered, sumAbsProcessed float64 // of finite |A|, residue aside
	sumProcessed, sumSquares          float64 // of finite processed A, residue aside
	knownLength, knownAdvantage       moments // of samples of known length and finite processed A

	// sums of squares and products around the means
	processedSquares                          float64
	lengthSquares, advantageSquares, products float64
}

// sum takes two passes, since one would lose the squares to cancellation.
func (a *Analysis) sum(ctx context.Context) {
	parts := a.memory.emptySums(len(a.shaped.blocks))
	eachBlock(ctx, a.shaped.blocks, func(k int, b block) {
		switch s := &parts[k]; {
		case a.plan.onlyMeans && s.addPlainRewards(a, b), s.addPlain(a, b):
		default:
			s.add(a, b)
		}
	})
	all := &a.sums
	*all = statistics{}
	for i := range parts {
		all.merge(&parts[i])
	}
	if a.plan.onlyMeans {
		return
	}
	eachBlock(ctx, a.shaped.blocks, func(k int, b block) { parts[k].addSquares(a, b, all) })
	for i := range parts {
		all.processedSquares += parts[i].processedSquares
		all.lengthSquares += parts[i].lengthSquares
		all.advantageSquares += parts[i].advantageSquares
		all.products += parts[i].products
	}
}

// add adds a block to everything but the squares.
func (s *statistics) add(a *Analysis, b block) {
	for i := b.lo; i < b.hi; i++ {
		x, y, w := a.Unfiltered[i], a.Processed[i], float64(a.shaped.tokenWeights[i])
		moves, trains := a.Moves(i), true
		if a.Status != nil {
			if a.Status[i] == model.StatusErrored {
				continue // as if it were not there
			}
			trains = a.Status[i].Trains()
			moves = moves && trains
		}
		s.rewards.add(a.unfiltered.rewards[i], 1)
		if units.IsFinite(x) && trains && (a.residue == nil || !a.residue[i].unfiltered) {
			s.sumAbsUnfiltered += math.Abs(x)
		}
		if units.IsFinite(y) {
			if moves {
				s.sumAbsProcessed += math.Abs(y)
				s.sumProcessed += y
				s.sumSquares += y * y
			}
			if a.Lengths[i] >= 0 {
				s.knownLength.add(w, 1)
				s.knownAdvantage.add(y, 1)
			}
		}
		if w == 0 {
			s.filtered++
			continue
		}
		s.unfiltered.add(x, w)
		s.returns.add(y, w)
		if y != 0 {
			s.processed.add(y, w)
		}
		kept := model.Count01(a.Keep[i])
		s.filtered += 1 - kept
		switch {
		case x > 0:
			s.positive.add(w, 1)
			s.keptPositive += kept
		case x < 0:
			s.negative.add(w, 1)
			s.keptNegative += kept
		}
	}
}

// addPlainRewards is addPlain for rewards alone.
func (s *statistics) addPlainRewards(a *Analysis, b block) bool {
	if b.lo == b.hi || a.Status != nil {
		return false
	}
	rewards := plainMoments(a.unfiltered.rewards[b.lo:b.hi])
	if math.IsNaN(rewards.sum) {
		return false
	}
	s.rewards = rewards
	return true
}

// addPlain is add for a block as most are: no status, tokens in every response, all numbers finite. It gives the same bits, and adds
// nothing if it reports that the block is another. With sums in registers, and without branches on signs, which nobody can predict, a
// sample takes a third of the time.
func (s *statistics) addPlain(a *Analysis, b block) bool {
	if b.lo == b.hi || a.Status != nil {
		return false
	}
	rewards := plainMoments(a.unfiltered.rewards[b.lo:b.hi])
	advantages, lengths, keep := a.Unfiltered[b.lo:b.hi], a.Lengths[b.lo:b.hi], a.Keep[b.lo:b.hi]
	before := sumPlain(advantages, lengths)
	all := sumLengths(lengths)
	processed, after := advantages, before
	if !a.corrected.isUnfiltered {
		processed = a.Processed[b.lo:b.hi]
		after = sumPlain(processed, lengths)
	}
	if math.IsNaN(rewards.sum) || !before.isPlain() || !after.isPlain() || all.lo <= 0 {
		return false
	}
	positive, negative := sumBySign(lengths, advantages)
	nonzero, nonzeroWeight := positive.n+negative.n, positive.sum+negative.sum
	if !a.corrected.isUnfiltered {
		up, down := sumBySign(lengths, processed)
		nonzero, nonzeroWeight = up.n+down.n, up.sum+down.sum
	}
	kept, keptPositive, keptNegative := all.n, positive.n, negative.n
	if slices.Contains(keep, false) {
		kept, keptPositive, keptNegative = 0, 0, 0
		for i, x := range advantages {
			isKept := model.Count01(keep[i])
			kept += isKept
			keptPositive += isKept & model.Count01(x > 0)
			keptNegative += isKept & model.Count01(x < 0)
		}
	}
	s.rewards, s.knownLength = rewards, all.moments()
	s.unfiltered = moments{all.n, float64(all.sum), before.weighted, before.lo, before.hi}
	s.returns = moments{all.n, float64(all.sum), after.weighted, after.lo, after.hi}
	if s.processed = (moments{nonzero, float64(nonzeroWeight), after.weighted, after.lo, after.hi}); nonzero < all.n &&
		!(after.lo < 0 && after.hi > 0) {
		s.processed.lo, s.processed.hi = extremesNot0(processed)
	}
	s.knownAdvantage = moments{all.n, float64(all.n), after.sum, after.lo, after.hi}
	s.positive, s.negative = positive.moments(), negative.moments()
	s.keptPositive, s.keptNegative, s.filtered = keptPositive, keptNegative, all.n-kept
	s.sumAbsUnfiltered, s.sumAbsProcessed, s.sumProcessed, s.sumSquares = before.absolute, after.absolute, after.sum, after.squares
	if a.residue != nil {
		s.sumWithoutResidue(a, b)
	}
	return true
}

// sumWithoutResidue sums the advantages of a block in which all numbers are finite.
func (s *statistics) sumWithoutResidue(a *Analysis, b block) {
	s.sumAbsUnfiltered, s.sumAbsProcessed, s.sumProcessed, s.sumSquares = 0, 0, 0, 0
	for i := b.lo; i < b.hi; i++ {
		if !a.residue[i].unfiltered {
			s.sumAbsUnfiltered += math.Abs(a.Unfiltered[i])
		}
		if y := a.Processed[i]; !a.residue[i].processed {
			s.sumAbsProcessed += math.Abs(y)
			s.sumProcessed += y
			s.sumSquares += y * y
		}
	}
}

// extremesNot0 returns the least and the largest value other than 0, and 0 if there is none.
func extremesNot0(values []float64) (lo, hi float64) {
	for _, x := range values {
		switch {
		case x == 0:
		case lo == 0:
			lo, hi = x, x
		default:
			lo, hi = min(lo, x), max(hi, x)
		}
	}
	return lo, hi
}

// plainSums are sums of advantages x and lengths.
type plainSums struct {
	sum, weighted, absolute, squares float64 // of x, of x by length, of |x| and of x²
	lo, hi                           float64
}

func sumPlain(advantages []float64, lengths []int32) plainSums {
	lo, hi := advantages[0], advantages[0]
	sum, weighted, absolute, squares := 0.0, 0.0, 0.0, 0.0
	for i, x := range advantages {
		sum += x
		weighted += x * float64(lengths[i])
		absolute += math.Abs(x)
		squares += x * x
		if x < lo {
			lo = x
		}
		if x > hi {
			hi = x
		}
	}
	return plainSums{sum, weighted, absolute, squares, lo, hi}
}

// isPlain reports whether all advantages are finite, and so are their sums.
func (p *plainSums) isPlain() bool { return units.IsFinite(p.absolute) && units.IsFinite(p.squares) }

// plainMoments returns the moments of some values, each of weight 1. If one is NaN the sum is too, and the extremes are not.
func plainMoments(values []float64) moments {
	sum, lo, hi := 0.0, values[0], values[0]
	for _, x := range values {
		sum += x
		if x < lo {
			lo = x
		}
		if x > hi {
			hi = x
		}
	}
	return moments{len(values), float64(len(values)), sum, lo, hi}
}

// lengthSum is moments of lengths, whose sums are exact.
type lengthSum struct{ n, sum, lo, hi int }

// sumBySign sums the lengths, which are above 0, by the sign of their advantages.
func sumBySign(lengths []int32, advantages []float64) (positive, negative lengthSum) {
	up, upSum, upLow, upHigh := 0, 0, math.MaxInt, 0
	down, downSum, downLow, downHigh := 0, 0, math.MaxInt, 0
	for i, n32 := range lengths[:len(advantages)] {
		n, isUp, isDown := int(n32), model.Count01(advantages[i] > 0), model.Count01(advantages[i] < 0)
		up, down = up+isUp, down+isDown
		ofUp, ofDown := n&-isUp, n&-isDown
		upSum, downSum = upSum+ofUp, downSum+ofDown
		upLow, downLow = min(upLow, n|(isUp-1)&math.MaxInt), min(downLow, n|(isDown-1)&math.MaxInt)
		upHigh, downHigh = max(upHigh, ofUp), max(downHigh, ofDown)
	}
	return lengthSum{up, upSum, upLow, upHigh}, lengthSum{down, downSum, downLow, downHigh}
}

// sumLengths sums some lengths.
func sumLengths(lengths []int32) lengthSum {
	sum, lo, hi := 0, int32(math.MaxInt32), int32(math.MinInt32)
	for _, n := range lengths {
		sum += int(n)
		lo, hi = min(lo, n), max(hi, n)
	}
	return lengthSum{len(lengths), sum, int(lo), int(hi)}
}

func (l *lengthSum) moments() moments {
	if l.n == 0 {
		return moments{}
	}
	return moments{l.n, float64(l.n), float64(l.sum), float64(l.lo), float64(l.hi)}
}

func (s *statistics) merge(o *statistics) {
	s.rewards.merge(o.rewards)
	s.unfiltered.merge(o.unfiltered)
	s.returns.merge(o.returns)
	s.processed.merge(o.processed)
	s.positive.merge(o.positive)
	s.negative.merge(o.negative)
	s.knownLength.merge(o.knownLength)
	s.knownAdvantage.merge(o.knownAdvantage)
	s.keptPositive, s.keptNegative, s.filtered = s.keptPositive+o.keptPositive, s.keptNegative+o.keptNegative, s.filtered+o.filtered
	s.sumAbsUnfiltered, s.sumAbsProcessed = s.sumAbsUnfiltered+o.sumAbsUnfiltered, s.sumAbsProcessed+o.sumAbsProcessed
	s.sumProcessed, s.sumSquares = s.sumProcessed+o.sumProcessed, s.sumSquares+o.sumSquares
}

// addSquares adds the squares of a block around the means of the step.
func (s *statistics) addSquares(a *Analysis, b block, all *statistics) {
	processed, length, advantage := all.processed.mean(), all.knownLength.mean(), all.knownAdvantage.mean()
	var processedSquares, lengthSquares, advantageSquares, products float64
	lengths, weights := a.Lengths[b.lo:b.hi], a.shaped.tokenWeights[b.lo:b.hi]
	for i, y := range a.Processed[b.lo:b.hi] {
		w := float64(weights[i])
		if y != 0 && w != 0 {
			processedSquares += w * (y - processed) * (y - processed)
		}
		if lengths[i] >= 0 && units.IsFinite(y) {
			dl, dy := w-length, y-advantage
			lengthSquares += dl * dl
			advantageSquares += dy * dy
			products += dl * dy
		}
	}
	s.processedSquares, s.lengthSquares, s.advantageSquares, s.products = processedSquares, lengthSquares, advantageSquares, products
}

// processedStd is the unbiased std over tokens of the processed advantages that are not 0, 0 if
// there are none. If all are equal it is 0 too, whatever rounding made of their mean.
func (s *statistics) processedStd() float64 {
	if s.processed.n == 0 {
		return 0
	}
	squares := s.processedSquares
	if s.processed.constant() {
		squares = 0
	}
	return math.Sqrt(squares / (s.processed.weight - 1))
}

// lengthCorrelation is Pearson's r of response length and processed advantage, NaN if either is
// constant.
func (s *statistics) lengthCorrelation() float64 {
	if s.knownLength.constant() || s.knownAdvantage.constant() {
		return math.NaN()
	}
	return s.products / math.Sqrt(s.lengthSquares*s.advantageSquares)
}

// moments are sum and extremes of weighted values.
type moments struct {
	n                   int // number of values
	weight, sum, lo, hi float64
}

// add adds a value. A NaN makes mean and extremes NaN, as in torch.
func (m *moments) add(x, weight float64) {
	if m.n == 0 {
		m.lo, m.hi = x, x
	}
	m.n++
	m.weight += weight
	m.sum += x * weight
	m.widen(x, x)
}

func (m *moments) merge(o moments) {
	switch {
	case o.n == 0:
		return
	case m.n == 0:
		*m = o
		return
	}
	m.n += o.n
	m.weight += o.weight
	m.sum += o.sum
	m.widen(o.lo, o.hi)
}

// widen extends the extremes to lo and hi; NaN stays.
func (m *moments) widen(lo, hi float64) {
	if lo < m.lo || lo != lo {
		m.lo = lo
	}
	if hi > m.hi || hi != hi {
		m.hi = hi
	}
}

// mean is 0 if there are no values.
func (m *moments) mean() float64 {
	if m.n == 0 {
		return 0
	}
	return m.sum / m.weight
}

func (m *moments) constant() bool { return m.lo == m.hi }

func (m *moments) appendTo(metrics []Metric, mean, hi, lo string) []Metric {
	return append(metrics, Metric{mean, m.mean()}, Metric{hi, m.hi}, Metric{lo, m.lo})
}

// blockSize is the least number of samples in a block. Statistics are summed block by block, so it
// must not depend on the machine.
const blockSize = 1 << 13

// block is a run of whole groups [from, to) of a step; its samples are [lo, hi).
type block struct{ from, to, lo, hi int }

// blocksOf divides the groups of a step into blocks.
func blocksOf(offsets []int) []block {
	var blocks []block
	b := block{}
	for g := 1; g < len(offsets); g++ {
		if b.to, b.hi = g, offsets[g]; b.hi-b.lo >= blockSize || g == len(offsets)-1 {
			blocks = append(blocks, b)
			b = block{from: b.to, lo: b.hi}
		}
	}
	return blocks
}

// maxWorkers is the number of processors that one step may use: training needs the others.
const maxWorkers = 4

func workers() int { return min(maxWorkers, runtime.GOMAXPROCS(0)) }

// eachBlock calls do with the index and the value of each block, in several goroutines, until ctx ends.
func eachBlock(ctx context.Context, blocks []block, do func(k int, b block)) {
	model.InParallel(ctx, workers(), len(blocks), func(k int) { do(k, blocks[k]) })
}

// Wilson returns the 95 % score interval of the share k/n (E. B. Wilson, 1927), [0, 1] if n
// is 0.
func Wilson(k, n int) [2]float64 {
	if n == 0 {
		return [2]float64{0, 1}
	}
	const z = 1.959963984540054
	p, m := float64(k)/float64(n), float64(n)
	middle := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	low, high := middle-half, middle+half
	if k == 0 {
		low = 0
	}
	if k == n {
		high = 1
	}
	return [2]float64{low, high}
}
