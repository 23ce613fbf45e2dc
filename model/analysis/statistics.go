package analysis

import (
	"context"
	"math"
)

// statistics are sums over the samples of a step, or of a block. original, returns and processed are
// weighted by tokens, as the trainer's metrics are, and leave out responses without tokens.
type statistics struct {
	rewards                         moments // as the estimator reads them
	original                        moments // original advantages
	returns                         moments // processed advantages
	processed                       moments // processed advantages that are not 0
	positive, negative              moments // response lengths by the sign of the original advantage
	keptPositive, keptNegative      int     // kept samples with tokens, by the same sign
	filtered                        int     // samples that are dropped or have no tokens
	sumAbsOriginal, sumAbsProcessed float64 // of finite |A|
	sumProcessed, sumSquares        float64 // of finite processed A
	knownLength, knownAdvantage     moments // of samples of known length and finite processed A

	// sums of squares and products around the means
	processedSquares                          float64
	lengthSquares, advantageSquares, products float64
}

// sum takes two passes, since one would lose the squares to cancellation.
func (a *Analysis) sum(ctx context.Context) statistics {
	parts := make([]statistics, len(a.input.blocks))
	eachBlock(ctx, a.input.blocks, func(k int, b block) { parts[k].add(a, b) })
	var all statistics
	for i := range parts {
		all.merge(&parts[i])
	}
	eachBlock(ctx, a.input.blocks, func(k int, b block) { parts[k].addSquares(a, b, &all) })
	for i := range parts {
		all.mergeSquares(&parts[i])
	}
	return all
}

// add adds a block to everything but the squares.
func (s *statistics) add(a *Analysis, b block) {
	for i := b.lo; i < b.hi; i++ {
		x, y, w := a.Original[i], a.Processed[i], float64(a.input.tokenWeights[i])
		s.rewards.add(a.original.rewards[i], 1)
		if isFinite(x) {
			s.sumAbsOriginal += math.Abs(x)
		}
		if isFinite(y) {
			s.sumAbsProcessed += math.Abs(y)
			s.sumProcessed += y
			s.sumSquares += y * y
			if a.Lengths[i] >= 0 {
				s.knownLength.add(w, 1)
				s.knownAdvantage.add(y, 1)
			}
		}
		if w == 0 {
			s.filtered++
			continue
		}
		s.original.add(x, w)
		s.returns.add(y, w)
		if y != 0 {
			s.processed.add(y, w)
		}
		kept := count01(a.Keep[i])
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

func (s *statistics) merge(o *statistics) {
	s.rewards.merge(o.rewards)
	s.original.merge(o.original)
	s.returns.merge(o.returns)
	s.processed.merge(o.processed)
	s.positive.merge(o.positive)
	s.negative.merge(o.negative)
	s.knownLength.merge(o.knownLength)
	s.knownAdvantage.merge(o.knownAdvantage)
	s.keptPositive, s.keptNegative, s.filtered = s.keptPositive+o.keptPositive, s.keptNegative+o.keptNegative, s.filtered+o.filtered
	s.sumAbsOriginal, s.sumAbsProcessed = s.sumAbsOriginal+o.sumAbsOriginal, s.sumAbsProcessed+o.sumAbsProcessed
	s.sumProcessed, s.sumSquares = s.sumProcessed+o.sumProcessed, s.sumSquares+o.sumSquares
}

// addSquares adds the squares of a block around the means of the step.
func (s *statistics) addSquares(a *Analysis, b block, all *statistics) {
	processed, length, advantage := all.processed.mean(), all.knownLength.mean(), all.knownAdvantage.mean()
	for i := b.lo; i < b.hi; i++ {
		y, w := a.Processed[i], float64(a.input.tokenWeights[i])
		if y != 0 && w != 0 {
			s.processedSquares += w * (y - processed) * (y - processed)
		}
		if a.Lengths[i] >= 0 && isFinite(y) {
			dl, dy := w-length, y-advantage
			s.lengthSquares += dl * dl
			s.advantageSquares += dy * dy
			s.products += dl * dy
		}
	}
}

func (s *statistics) mergeSquares(o *statistics) {
	s.processedSquares += o.processedSquares
	s.lengthSquares, s.advantageSquares, s.products = s.lengthSquares+o.lengthSquares, s.advantageSquares+o.advantageSquares, s.products+o.products
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
