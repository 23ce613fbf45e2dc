package offpolicy

import "math"

// Figures are what is said of a row whatever the rule, in float64, over its trainable tokens with two finite
// log-probs. They are NaN if there is none: 0 would be a claim.
type Figures struct {
	Tokens   int // trainable, with two finite numbers
	Unscored int // trainable, without

	MeanAbs, MaxAbs   float64 // |d|, in nats
	K1, K3            float64 // nats a token
	LogSequenceRatio  float64 // Σd
	LogGeometricRatio float64 // mean d
}

// FiguresOf returns the figures of a row. Of a row whose slices differ in length all tokens are unscored: the mask's
// trainable ones if it has a mask, else as many as the longer side has.
func FiguresOf(r Row) Figures {
	var all sums
	if !r.Even() {
		all.unscored = r.trainable()
		return all.figures()
	}
	for i := range r.Sampler {
		if r.Mask != nil && !r.Mask[i] {
			continue
		}
		if d := float64(r.Trainer[i]) - float64(r.Sampler[i]); d-d != 0 {
			all.unscored++
		} else {
			all.add(d, excess(d))
		}
	}
	return all.figures()
}

// sums are those over the tokens of a row of which [Figures] are made.
type sums struct {
	tokens, unscored           int
	total, absolute, most, k3s float64
}

// add takes a token: d, and its excess.
func (s *sums) add(d, beyond float64) {
	s.tokens++
	s.total, s.absolute, s.most = s.total+d, s.absolute+math.Abs(d), max(s.most, math.Abs(d))
	s.k3s += beyond
}

// excess is e^d − 1 − d. Near 0 it is the sum of the first terms of its series, to the last place: of the difference hardly a digit would
// be left.
func excess(d float64) float64 {
	const near = 1. / 16
	if d > near || d < -near {
		return math.Expm1(d) - d
	}
	square := d * d
	first, second := (1./2+d*(1./6))+square*(1./24+d*(1./120)), (1./720+d*(1./5040))+square*(1./40320+d*(1./362880))
	return square * (first + square*square*second)
}

func (s *sums) figures() Figures {
	nan := math.NaN()
	f := Figures{
		Tokens: s.tokens, Unscored: s.unscored, MeanAbs: nan, MaxAbs: nan, K1: nan, K3: nan, LogSequenceRatio: nan, LogGeometricRatio: nan,
	}
	if f.Tokens == 0 {
		return f
	}
	n := float64(f.Tokens)
	f.MeanAbs, f.MaxAbs, f.K1, f.K3 = s.absolute/n, s.most, -s.total/n, s.k3s/n
	f.LogSequenceRatio, f.LogGeometricRatio = s.total, s.total/n
	return f
}

func (r Row) trainable() int {
	if r.Mask == nil {
		return max(len(r.Sampler), len(r.Trainer))
	}
	n := 0
	for _, m := range r.Mask {
		if m {
			n++
		}
	}
	return n
}

// Differences are d of each token: NaN where it does not train or is unscored; nil if all of the row is.
func (r Row) Differences() []float32 {
	if !r.Even() {
		return nil
	}
	d := make([]float32, len(r.Sampler))
	for i := range d {
		d[i] = r.Trainer[i] - r.Sampler[i]
		if r.Mask != nil && !r.Mask[i] || d[i]-d[i] != 0 {
			d[i] = float32(math.NaN())
		}
	}
	return d
}
