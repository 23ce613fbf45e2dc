package sweep

import (
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"math"
	"slices"

	"vantage/estimators"
	"vantage/estimators/torchsum"
	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/units"
)

// groupWorker computes the outcomes of one group at a time and reuses its buffers.
type groupWorker struct {
	*accumulator
	seed        maphash.Seed
	key         uint64 // hash of the rewards, the advantages and what counts as residue of them
	uncacheable bool   // the outcomes depend on more than the key

	group      *analysis.Group
	unfiltered []float64
	batch      estimators.Batch
	counts     signCounts
	zeros      int
	rank       []int // positive samples best first, then negative ones worst first
	sorted     rankedGroup

	pending           []keptPair
	signedRanks       []int
	pendingBatch      estimators.Batch // the kept rewards of each pending pair as a group
	pendingUnfiltered []float64        // their unfiltered advantages
	pendingRecomputed []float64
	allKept           []bool

	kept      []bool
	processed []float64
	keyBytes  []byte
}

func (w *groupWorker) load(g *analysis.Group) {
	lo, hi := g.Start, g.End
	w.group, w.unfiltered = g, w.a.Unfiltered[lo:hi]
	w.batch = w.a.Batch.OneGroup(lo, hi)
	w.uncacheable = w.batch.Lengths != nil && w.entry.Needs.Lengths || w.entry.Needs.Baselines || w.entry.Needs.Components ||
		w.entry.Needs.Columns != 0
	w.rank = w.rank[:0]
	w.counts, w.zeros = signCounts{}, 0
	w.keyBytes = binary.LittleEndian.AppendUint64(append(w.keyBytes[:0], byte(g.Fate)), math.Float64bits(residueBound(g)))
	for i, x := range w.unfiltered {
		w.keyBytes = binary.LittleEndian.AppendUint64(w.keyBytes, math.Float64bits(x))
		w.keyBytes = binary.LittleEndian.AppendUint64(w.keyBytes, math.Float64bits(w.batch.Rewards[i]))
		if x > 0 {
			w.counts.pos++
		} else if x < 0 {
			w.counts.neg++
		} else if x == 0 {
			w.zeros++
		}
	}
	w.key = maphash.Bytes(w.seed, w.keyBytes)
}

func (w *groupWorker) newPairOutcomes() *pairOutcomes {
	o := &pairOutcomes{posCounts: keptCounts(w.counts.pos, w.grid.Pos), negCounts: keptCounts(w.counts.neg, w.grid.Neg)}
	o.recomputed = make([]Outcome, len(o.posCounts)*len(o.negCounts))
	o.posSums, o.negSums = make([]moments, len(o.posCounts)), make([]moments, len(o.negCounts))
	return o
}

// keptCounts returns the numbers that the ratios keep of n samples, ascending.
func keptCounts(n int, ratios []float64) []int {
	all := model.Mapped(ratios, func(r float64) int { return estimators.KeepCount(n, r) })
	slices.Sort(all)
	return slices.Compact(all)
}

func (w *groupWorker) addGroup(o *pairOutcomes) {
	n := len(w.unfiltered)
	w.rankSamples()
	w.sorted.load(w.batch.Rewards, w.unfiltered, w.rank, w.counts.pos, residueBound(w.group))
	w.kept = slices.Grow(w.kept[:0], n)[:n]
	w.processed = slices.Grow(w.processed[:0], n)[:n]
	alive := w.group.Fate == model.FateAlive
	for i := range w.kept {
		w.kept[i] = true
	}
	o.unfiltered.add(outcomeOf(w.group, false, w.batch.Rewards, w.unfiltered, w.unfiltered, w.kept))
	o.groups, o.zeros = o.groups+1, o.zeros+w.zeros
	if alive {
		o.alive++
	}
	switch {
	case n == w.zeros || !w.group.CanKeepTwo():
	case w.zeros == 0:
		o.noZero++
	case w.zeros == 1:
		o.oneZero++
	}
	w.sorted.pos.addAdvantages(o.posSums, o.posCounts)
	w.sorted.neg.addAdvantages(o.negSums, o.negCounts)
	if !w.groupLocal {
		return
	}
	for i, pos := range o.posCounts {
		for j, neg := range o.negCounts {
			w.addRecomputed(&o.recomputed[i*len(o.negCounts)+j], pos, neg, alive)
		}
	}
	w.flushPending()
}

// keptPair is how many samples of each sign are kept, and what to add the result to.
type keptPair struct {
	to       *Outcome
	pos, neg int
}

// addRecomputed adds the group to o, recomputed over the first pos and neg samples, or
// appends the pair to pending if the estimator must compute it.
func (w *groupWorker) addRecomputed(o *Outcome, pos, neg int, alive bool) {
	n := pos + neg + w.zeros
	mean, squares := w.sorted.keptMoments(pos, neg)
	switch {
	case n < 2:
		w.sorted.addUnfiltered(o, pos, neg, alive)
		if len(w.unfiltered) > w.zeros && w.group.CanKeepTwo() {
			o.TooFew++
		}
	case !w.hasForm || !w.sorted.finite || !(squares > minSpread*minSpread*float64(n)): // a threshold may apply
		w.markKept(pos, neg)
		estimators.Recompute(w.processed, w.entry, w.batch, w.a.Settings.Scale, w.unfiltered, w.kept)
		o.add(outcomeOf(w.group, true, w.batch.Rewards, w.unfiltered, w.processed, w.kept))
	case !w.sorted.addRecomputed(o, w.form, pos, neg, mean, squares, alive):
		w.pending = append(w.pending, keptPair{o, pos, neg})
	}
}

// flushPending computes all pending pairs in one call of the estimator, each as a group:
// one call per pair would cost more than the arithmetic.
func (w *groupWorker) flushPending() {
	if len(w.pending) == 0 {
		return
	}
	// k for the k-th best positive sample, -k for the k-th worst negative one, 0 for advantage 0
	w.signedRanks = slices.Grow(w.signedRanks[:0], len(w.unfiltered))[:len(w.unfiltered)]
	clear(w.signedRanks)
	for k, i := range w.rank {
		if k < w.counts.pos {
			w.signedRanks[i] = k + 1
		} else {
			w.signedRanks[i] = w.counts.pos - k - 1
		}
	}
	b := estimators.Batch{Rewards: w.pendingBatch.Rewards[:0], Offsets: append(w.pendingBatch.Offsets[:0], 0), Weights: w.batch.Weights}
	w.pendingUnfiltered = w.pendingUnfiltered[:0]
	for _, p := range w.pending {
		for i, rank := range w.signedRanks {
			if rank <= p.pos && -rank <= p.neg {
				b.Rewards, w.pendingUnfiltered = append(b.Rewards, w.batch.Rewards[i]), append(w.pendingUnfiltered, w.unfiltered[i])
			}
		}
		b.Offsets = append(b.Offsets, len(b.Rewards))
	}
	n := len(b.Rewards)
	w.pendingRecomputed, w.allKept = slices.Grow(w.pendingRecomputed[:0], n)[:n], slices.Grow(w.allKept[:0], n)[:n]
	for i := range w.allKept {
		w.allKept[i] = true
	}
	_ = w.entry.Compute(w.pendingRecomputed, b, w.a.Settings.Scale) // a refusal does not count, as in estimators.Recompute
	for k, p := range w.pending {
		lo, hi := b.Offsets[k], b.Offsets[k+1]
		p.to.add(outcomeOf(w.group, true, b.Rewards[lo:hi], w.pendingUnfiltered[lo:hi], w.pendingRecomputed[lo:hi], w.allKept[lo:hi]))
	}
	w.pendingBatch, w.pending = b, w.pending[:0]
}

// rankSamples sorts the samples of each sign as the filter keeps them: the largest |A|
// first, ties in batch order.
func (w *groupWorker) rankSamples() {
	w.rank = w.rank[:0]
	for i, x := range w.unfiltered {
		if x > 0 {
			w.rank = append(w.rank, i)
		}
	}
	for i, x := range w.unfiltered {
		if x < 0 {
			w.rank = append(w.rank, i)
		}
	}
	sortByMagnitude(w.rank[:w.counts.pos], w.unfiltered)
	sortByMagnitude(w.rank[w.counts.pos:], w.unfiltered)
}

// sortByMagnitude sorts indexes of values, the largest magnitude first. The usual few are
// inserted one by one, which is faster than a function that compares.
func sortByMagnitude(indexes []int, values []float64) {
	const few = 32
	if len(indexes) > few {
		slices.SortStableFunc(indexes, func(i, j int) int { return cmp.Compare(math.Abs(values[j]), math.Abs(values[i])) })
		return
	}
	for k := 1; k < len(indexes); k++ {
		i, at := indexes[k], k
		for x := math.Abs(values[i]); at > 0 && math.Abs(values[indexes[at-1]]) < x; at-- {
			indexes[at] = indexes[at-1]
		}
		indexes[at] = i
	}
}

// markKept marks the first pos and neg samples of the rank, and those with advantage 0.
func (w *groupWorker) markKept(pos, neg int) {
	for i, x := range w.unfiltered {
		w.kept[i] = x == 0
	}
	for _, i := range w.rank[:pos] {
		w.kept[i] = true
	}
	for _, i := range w.rank[w.counts.pos : w.counts.pos+neg] {
		w.kept[i] = true
	}
}

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
	train                           []int // how many of the advantages are more than residue
}

func (s *rankedSide) clear() {
	s.rewards = s.rewards[:0]
	s.rewardSums, s.rewardSquares = append(s.rewardSums[:0], 0), append(s.rewardSquares[:0], 0)
	s.advantageSums, s.advantageSquares, s.train = append(s.advantageSums[:0], 0), append(s.advantageSquares[:0], 0), append(s.train[:0], 0)
}

// add adds a sample; an advantage up to the bound is residue.
func (s *rankedSide) add(reward, advantage, bound float64) {
	n := len(s.rewards)
	s.train = append(s.train, s.train[n]+model.Count01(math.Abs(advantage) > bound))
	if !units.IsFinite(advantage) || math.Abs(advantage) <= bound {
		advantage = 0 // sums are of finite advantages
	}
	s.rewards = append(s.rewards, reward)
	s.rewardSums, s.rewardSquares = append(s.rewardSums, s.rewardSums[n]+reward), append(s.rewardSquares, s.rewardSquares[n]+reward*reward)
	s.advantageSums, s.advantageSquares = append(s.advantageSums, s.advantageSums[n]+advantage),
		append(s.advantageSquares, s.advantageSquares[n]+advantage*advantage)
}

// addAdvantages adds to dst[k] the unfiltered advantages of the first counts[k] samples.
func (s *rankedSide) addAdvantages(dst []moments, counts []int) {
	for k, n := range counts {
		dst[k].sum += s.advantageSums[n]
		dst[k].sumSquares += s.advantageSquares[n]
		dst[k].train += s.train[n]
	}
}

// load takes a group: rank lists its positive samples best first, then its negative ones
// worst first. An advantage up to the bound is residue.
func (r *rankedGroup) load(rewards, unfiltered []float64, rank []int, positive int, bound float64) {
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
	for i, x := range unfiltered {
		r.finite = r.finite && units.IsFinite(x)
		if x == 0 {
			y := rewards[i] - mean
			r.zeros, r.zeroSum, r.zeroSquares = r.zeros+1, r.zeroSum+y, r.zeroSquares+y*y
			r.zeroLo, r.zeroHi = min(r.zeroLo, y), max(r.zeroHi, y)
		}
	}
	r.finite = r.finite && units.IsFinite(mean)
	for k, i := range rank {
		if k < positive {
			r.pos.add(rewards[i]-mean, unfiltered[i], bound)
		} else {
			r.neg.add(rewards[i]-mean, unfiltered[i], bound)
		}
	}
}

// addUnfiltered adds the group to o with the unfiltered advantages of the first pos and neg
// samples: too few are kept to recompute.
func (r *rankedGroup) addUnfiltered(o *Outcome, pos, neg int, alive bool) {
	o.Kept += pos + neg + r.zeros
	o.Trained += r.pos.train[pos] + r.neg.train[neg]
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

// closedForm is the formula of most estimators for a group of two or more samples with
// rewards that differ, where μ is the mean of the group and s its standard deviation:
//
//	A = (r − μ) / (s + eps)    scaled, s with n − ddof
//	A =  r − μ                 otherwise
//
// It gives the signs and sums of advantages from a few sums of rewards, but not their last
// bits: see rankedGroup.
type closedForm struct {
	scaled bool
	ddof   int
	eps    float64
}

func closedForms() []closedForm {
	all := []closedForm{{}}
	for _, ddof := range []int{1, 0} {
		for _, eps := range []float64{0, 1e-8, 1e-6, 1e-5, 1e-4} {
			all = append(all, closedForm{true, ddof, eps})
		}
	}
	return all
}

// closedFormOf returns the closed form of an estimator. Estimators are functions, so it is
// found by running them on groups of several sizes and spreads, alone and as one batch. It
// returns false if no form explains all results, or if the estimator reads more than
// rewards.
func closedFormOf(e *estimators.Estimator, s estimators.Scale) (closedForm, bool) {
	if s == estimators.ScaleBatch || !e.NeedsOnlyRewards() {
		return closedForm{}, false
	}
	for _, f := range closedForms() {
		if f.matches(e, s) {
			return f, true
		}
	}
	return closedForm{}, false
}

// probeGroups returns rewards for which the forms differ: the last groups have so small a std that an
// eps of 1e-8 changes the result.
func probeGroups() [][]float64 {
	return [][]float64{
		{0, 1},
		{1, 0, 0},
		{0.25, -1, 0.5, 2, 0.125},
		{1, 1, 0, 1, 0, 0, 0},
		{3, -2, 0.5, 0.25, 1, -0.75, 2, 0},
		{0, 0.001},
		{0.001, 0, 0, 0.0005, 0},
		{-0.002, 0.001, 0, 0.003},
	}
}

// formTolerance is the largest relative difference between an estimator and its closed
// form: float32 and a little more.
const formTolerance = 1e-6

func (f closedForm) matches(e *estimators.Estimator, s estimators.Scale) bool {
	combined := estimators.Batch{Offsets: []int{0}}
	for _, rewards := range probeGroups() {
		single := estimators.Batch{Rewards: rewards, Offsets: []int{0, len(rewards)}}
		if !f.matchesBatch(e, s, single) {
			return false
		}
		combined.Rewards = append(combined.Rewards, rewards...)
		combined.Offsets = append(combined.Offsets, len(combined.Rewards))
	}
	return f.matchesBatch(e, s, combined)
}

func (f closedForm) matchesBatch(e *estimators.Estimator, s estimators.Scale, b estimators.Batch) bool {
	e.CleanInto(b.Rewards, b.Rewards)
	got := make([]float64, len(b.Rewards))
	_ = e.Compute(got, b, s) // the values are there even if the framework would refuse the batch, as for ragged groups
	for g := range b.Groups() {
		from := b.Offsets[g]
		for i, want := range f.advantages(b.Group(g)) {
			if !(math.Abs(got[from+i]-want) <= formTolerance*(1+math.Abs(want))) {
				return false
			}
		}
	}
	return true
}

func (f closedForm) advantages(rewards []float64) []float64 {
	mean, squares := torchsum.SumLeftToRight(rewards)/float64(len(rewards)), 0.0
	for _, r := range rewards {
		squares += (r - mean) * (r - mean)
	}
	return model.Mapped(rewards, func(r float64) float64 { return (r - mean) / f.divisor(squares, len(rewards)) })
}

// divisor returns what r − μ is divided by; squares is Σ(r − μ)² of n rewards.
func (f closedForm) divisor(squares float64, n int) float64 {
	if !f.scaled {
		return 1
	}
	return math.Sqrt(squares/float64(n-f.ddof)) + f.eps
}
