package sweep

import "math"

// rankedGroup is a group sorted in the order in which the filter keeps samples, with
// prefix sums: the totals of any numbers of kept samples are differences of a few of them,
// so each of the 441 pairs of ratios costs the same, whatever the size of the group.
//
// Signs are exact, although these sums are float64 and the estimator's float32 in its own
// order: its mean is off by at most n·2⁻²⁴ of the largest reward. If a kept reward lies
// within twice that of the mean, or if the rewards hardly differ, the estimator computes.
type rankedGroup struct {
	pos, neg     rankedSide
	zeros        int     // samples with advantage 0: always kept
	zeroLo       float64 // least and largest of their centred rewards
	zeroHi       float64
	zeroSum      float64 // of their centred rewards
	zeroSquares  float64
	maxAbsReward float64
	finite       bool // all rewards and advantages are
}

// rankedSide is the samples of one sign, the first to be kept first. The slices of sums
// have one element more than rewards: element k is that of the first k samples.
type rankedSide struct {
	rewards                         []float64 // less the mean of the group
	rewardSums, rewardSquares       []float64
	advantageSums, advantageSquares []float64
}

func (s *rankedSide) clear() {
	s.rewards = s.rewards[:0]
	s.rewardSums, s.rewardSquares = append(s.rewardSums[:0], 0), append(s.rewardSquares[:0], 0)
	s.advantageSums, s.advantageSquares = append(s.advantageSums[:0], 0), append(s.advantageSquares[:0], 0)
}

func (s *rankedSide) add(reward, advantage float64) {
	n := len(s.rewards)
	if advantage-advantage != 0 {
		advantage = 0 // sums are of finite advantages
	}
	s.rewards = append(s.rewards, reward)
	s.rewardSums, s.rewardSquares = append(s.rewardSums, s.rewardSums[n]+reward), append(s.rewardSquares, s.rewardSquares[n]+reward*reward)
	s.advantageSums, s.advantageSquares = append(s.advantageSums, s.advantageSums[n]+advantage), append(s.advantageSquares, s.advantageSquares[n]+advantage*advantage)
}

// addAdvantages adds to dst[k] the original advantages of the first counts[k] samples.
func (s *rankedSide) addAdvantages(dst []moments, counts []int) {
	for k, n := range counts {
		dst[k].sum += s.advantageSums[n]
		dst[k].sumSquares += s.advantageSquares[n]
	}
}

// load takes a group: rank lists its positive samples best first, then its negative ones
// worst first.
func (r *rankedGroup) load(rewards, original []float64, rank []int, positive int) {
	r.pos.clear()
	r.neg.clear()
	r.zeros, r.zeroSum, r.zeroSquares, r.maxAbsReward, r.finite = 0, 0, 0, 0, true
	r.zeroLo, r.zeroHi = math.Inf(1), math.Inf(-1)
	mean := 0.0
	for _, x := range rewards {
		mean += x
		r.maxAbsReward = max(r.maxAbsReward, math.Abs(x))
	}
	mean /= float64(len(rewards))
	for i, x := range original {
		r.finite = r.finite && x-x == 0
		if x == 0 {
			y := rewards[i] - mean
			r.zeros, r.zeroSum, r.zeroSquares = r.zeros+1, r.zeroSum+y, r.zeroSquares+y*y
			r.zeroLo, r.zeroHi = min(r.zeroLo, y), max(r.zeroHi, y)
		}
	}
	r.finite = r.finite && mean-mean == 0
	for k, i := range rank {
		if k < positive {
			r.pos.add(rewards[i]-mean, original[i])
		} else {
			r.neg.add(rewards[i]-mean, original[i])
		}
	}
}

// addOriginal adds the group to o with the original advantages of the first pos and neg
// samples: too few are kept to recompute.
func (r *rankedGroup) addOriginal(o *Outcome, pos, neg int, alive bool) {
	o.Kept += pos + neg + r.zeros
	o.Trained += pos + neg
	o.sum += r.pos.advantageSums[pos] + r.neg.advantageSums[neg]
	o.sumSquares += r.pos.advantageSquares[pos] + r.neg.advantageSquares[neg]
	o.sumAbs += r.pos.advantageSums[pos] - r.neg.advantageSums[neg]
	o.countFate(alive, pos+neg > 0, true)
}

// minSpreadShare is the smallest std, as a share of the largest reward, for which sums
// agree with float32 to five digits.
const minSpreadShare = 1.0 / 32

// minSpread is a std well above the thresholds under which estimators treat rewards as
// equal.
const minSpread = 1e-3

// keptMoments returns the mean of the kept rewards, less that of the group, and the sum of
// squares around it.
func (r *rankedGroup) keptMoments(pos, neg int) (mean, squares float64) {
	sum := r.pos.rewardSums[pos] + r.neg.rewardSums[neg] + r.zeroSum
	mean = sum / float64(pos+neg+r.zeros)
	return mean, r.pos.rewardSquares[pos] + r.neg.rewardSquares[neg] + r.zeroSquares - sum*mean
}

// rewardsDiffer reports whether n kept rewards are finite and differ enough for no threshold
// to apply, given their sum of squares around their mean.
func (r *rankedGroup) rewardsDiffer(squares float64, n int) bool {
	return r.finite && squares > minSpread*minSpread*float64(n)
}

// addRecomputed adds the group to o with advantages recomputed by the closed form over the
// first pos and neg samples, whose rewards differ and have these moments. It returns false, and
// adds nothing, if float32 could give another sign.
func (r *rankedGroup) addRecomputed(o *Outcome, form closedForm, pos, neg int, mean, squares float64, alive bool) bool {
	n := pos + neg + r.zeros
	if least := minSpreadShare * r.maxAbsReward; !(squares > least*least*float64(n)) {
		return false
	}
	margin := float64(n) * 0x1p-23 * r.maxAbsReward
	above, aboveSure := r.pos.countBeyond(pos, mean, margin, 1)
	below, belowSure := r.neg.countBeyond(neg, mean, margin, -1)
	zeroSure := r.zeros == 0 || mean < r.zeroLo-margin || mean > r.zeroHi+margin // all of them flip, and train
	if !aboveSure || !belowSure || !zeroSure {
		return false
	}
	scale := 1 / form.divisor(squares, n)
	distances := r.pos.sumDistances(pos, above, mean) - r.neg.sumDistances(neg, below, mean) + math.Abs(r.zeroSum-float64(r.zeros)*mean)
	o.Kept += n
	o.Trained += n
	o.Flips += pos - above + neg - below + r.zeros
	o.sumSquares += squares * scale * scale
	o.sumAbs += distances * scale
	o.countFate(alive, true, false)
	return true
}

// countBeyond counts how many of the first k samples are above the mean for sign 1, below
// it for sign -1; being sorted, they come first. It is not sure if a reward is within
// margin of the mean.
func (s *rankedSide) countBeyond(k int, mean, margin, sign float64) (n int, sure bool) {
	n = k
	for n > 0 && (s.rewards[n-1]-mean)*sign <= margin {
		n--
	}
	return n, n == k || (s.rewards[n]-mean)*sign < -margin
}

// sumDistances returns Σ|r − mean| over the first k samples, of which the first beyond are
// on the far side of the mean. For negative samples the result is negated.
func (s *rankedSide) sumDistances(k, beyond int, mean float64) float64 {
	return 2*(s.rewardSums[beyond]-float64(beyond)*mean) - (s.rewardSums[k] - float64(k)*mean)
}
