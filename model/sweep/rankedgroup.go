package sweep

import "math"

// ranked is a group whose samples are sorted as the filter keeps them, with sums from
// the first on: what any numbers of kept samples add up to is then a difference of a
// few of these, and each of the 441 pairs of ratios costs the same, however many
// samples there are.
//
// Signs are exact, though the sums are float64 and the estimator's own are float32 in
// an order of its own: its mean is at most n·2⁻²⁴ of the largest reward away, and if a
// kept reward lies nearer to the mean than twice that, or if the rewards hardly
// differ, the estimator itself is asked.
type ranked struct {
	pos, neg side
	zeros    int
	atZero   float64 // sum of the rewards of those, less the centre
	aroundZ  float64 // and of their squares
	largest  float64 // |r|
	finite   bool    // all rewards and advantages are
}

// side is the samples of one sign, the first that is kept first.
type side struct {
	rewards      []float64 // less the centre: the mean of the group
	sum, squares []float64 // of the first k of them
	adv, advs    []float64 // of the first k advantages, and of their squares
}

func (s *side) clear() {
	s.rewards = s.rewards[:0]
	s.sum, s.squares = append(s.sum[:0], 0), append(s.squares[:0], 0)
	s.adv, s.advs = append(s.adv[:0], 0), append(s.advs[:0], 0)
}

func (s *side) add(reward, advantage float64) {
	n := len(s.rewards)
	s.rewards = append(s.rewards, reward)
	s.sum, s.squares = append(s.sum, s.sum[n]+reward), append(s.squares, s.squares[n]+reward*reward)
	s.adv, s.advs = append(s.adv, s.adv[n]+advantage), append(s.advs, s.advs[n]+advantage*advantage)
}

// addTo adds the advantages of so many kept samples, for each number.
func (s *side) addTo(to []sums, numbers []int) {
	for k, n := range numbers {
		to[k].sum += s.adv[n]
		to[k].squares += s.advs[n]
	}
}

// load takes over a group: rank lists its positive samples best first, then its
// negative ones worst first.
func (r *ranked) load(rewards, original []float64, rank []int, positive int) {
	r.pos.clear()
	r.neg.clear()
	r.zeros, r.atZero, r.aroundZ, r.largest, r.finite = 0, 0, 0, 0, true
	centre := 0.0
	for _, x := range rewards {
		centre += x
		r.largest = max(r.largest, math.Abs(x))
	}
	centre /= float64(len(rewards))
	for i, x := range original {
		r.finite = r.finite && x-x == 0
		if x == 0 {
			y := rewards[i] - centre
			r.zeros, r.atZero, r.aroundZ = r.zeros+1, r.atZero+y, r.aroundZ+y*y
		}
	}
	r.finite = r.finite && centre-centre == 0
	for k, i := range rank {
		if k < positive {
			r.pos.add(rewards[i]-centre, original[i])
		} else {
			r.neg.add(rewards[i]-centre, original[i])
		}
	}
}

// short adds what keeping so few does that they keep their advantages.
func (r *ranked) short(t *tally, pos, neg int, alive bool) {
	t.kept += pos + neg + r.zeros
	t.sum += r.pos.adv[pos] + r.neg.adv[neg]
	t.squares += r.pos.advs[pos] + r.neg.advs[neg]
	t.abs += r.pos.adv[pos] - r.neg.adv[neg]
	t.fate(alive, pos+neg > 0, true)
}

// spreadOut is how large a share of the largest reward the spread must be: below it
// float32 loses too much of it for sums to be told to six digits.
const spreadOut = 1.0 / 8

// hardly is a spread at which thresholds of estimators are not far.
const hardly = 1e-3

// around is the mean of so many kept rewards, less the centre, and the sum of the
// squares around it.
func (r *ranked) around(pos, neg int) (mean, squares float64) {
	sum := r.pos.sum[pos] + r.neg.sum[neg] + r.atZero
	mean = sum / float64(pos+neg+r.zeros)
	return mean, r.pos.squares[pos] + r.neg.squares[neg] + r.aroundZ - sum*mean
}

// differ reports whether so many kept rewards are numbers that differ enough for no
// threshold to apply.
func (r *ranked) differ(pos, neg int) bool {
	_, squares := r.around(pos, neg)
	return r.finite && squares > hardly*hardly*float64(pos+neg+r.zeros)
}

// anew adds what keeping so many does if their advantages are computed anew under a
// law, where they differ; nothing, and false, if that is too near to call.
func (r *ranked) anew(t *tally, l law, pos, neg int, alive bool) bool {
	n := pos + neg + r.zeros
	mean, squares := r.around(pos, neg)
	if least := spreadOut * r.largest; !(squares > least*least*float64(n)) {
		return false
	}
	near := float64(n) * 0x1p-23 * r.largest
	over, sure := r.pos.beyond(pos, mean, near, 1)
	under, also := r.neg.beyond(neg, mean, near, -1)
	if !sure || !also {
		return false
	}
	divisor := l.divisor(squares, n)
	away := r.pos.away(pos, over, mean) - r.neg.away(neg, under, mean) + math.Abs(r.atZero-float64(r.zeros)*mean)
	t.kept += n
	t.flips += pos - over + neg - under
	t.squares += squares / (divisor * divisor)
	t.abs += away / divisor
	t.fate(alive, true, false)
	return true
}

// beyond counts how many of the first k lie on their own side of the mean: above it
// those with sign 1, below it those with -1. They are sorted, so that those are the
// first ones. It is not sure if one lies too near.
func (s *side) beyond(k int, mean, near, sign float64) (n int, sure bool) {
	n = k
	for n > 0 && (s.rewards[n-1]-mean)*sign <= near {
		n--
	}
	return n, n == k || (s.rewards[n]-mean)*sign < -near
}

// away sums up how far the first k are from the mean, those beyond it on their own
// side and the others on the other; negative ones count negative.
func (s *side) away(k, beyond int, mean float64) float64 {
	return 2*(s.sum[beyond]-float64(beyond)*mean) - (s.sum[k] - float64(k)*mean)
}
