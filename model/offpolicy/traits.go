package offpolicy

import (
	"math"

	rules "vantage/estimators/offpolicy"
	"vantage/model/diagnosis"
	"vantage/model/units"
)

// traits are sums over tokens that tell what parts the log-probs of two sides: how d goes with r, whether one side is a token late, whether
// d has one sign, and where the trainer has no probability left.
type traits struct {
	tokens           int
	r, d, rr, rd, dd float64

	pairs                     int // of neighbouring tokens
	straight, later, earlier  float64
	firsts, others            int
	ofFirsts, ofOthers        float64 // Σ|d| of the first token of a row, and of the others
	fell, rose                int     // tokens whose d is below −1e-3, and above it
	cut                       int     // tokens without a probability left
	rows, oneSided, negatives int     // rows whose d nearly all have one sign, and those of them where it is −
}

const (
	hardly  = 1e-3 // |d| that says nothing: logs round to four decimals
	cutFrom = diagnosis.NoChance
)

// add takes a row whose sides have one length: its tokens, and pairs of neighbours as they are and with the trainer's side a token later
// and earlier.
func (t *traits) add(x rules.Row) {
	var sumR, sumD, rr, rd, dd, straight, later, earlier, others, r0, o0 float64
	fell, rose, tokens, pairs, before := 0, 0, 0, 0, -1
	for i, p := range x.Sampler {
		if x.Mask != nil && !x.Mask[i] {
			continue
		}
		r, o := float64(p), float64(x.Trainer[i])
		d := o - r
		if d < cutFrom && units.IsFinite(r) {
			t.cut++
		}
		if d-d != 0 {
			continue
		}
		away := math.Abs(d)
		sumR, sumD, rr, rd, dd = sumR+r, sumD+d, rr+r*r, rd+r*d, dd+d*d
		if tokens++; tokens == 1 {
			t.firsts, t.ofFirsts = t.firsts+1, t.ofFirsts+away
		} else {
			others += away
		}
		if d < -hardly {
			fell++
		} else if d > hardly {
			rose++
		}
		if before == i-1 && i > 0 {
			pairs++
			straight, later, earlier = straight+away, later+math.Abs(o-r0), earlier+math.Abs(o0-r)
		}
		before, r0, o0 = i, r, o
	}
	t.join(&traits{
		tokens: tokens, r: sumR, d: sumD, rr: rr, rd: rd, dd: dd, pairs: pairs, straight: straight, later: later, earlier: earlier,
		others: max(0, tokens-1), ofOthers: others,
	})
	t.row(fell, rose)
}

// join adds the sums of other tokens.
func (t *traits) join(x *traits) {
	t.tokens, t.r, t.d, t.rr, t.rd, t.dd = t.tokens+x.tokens, t.r+x.r, t.d+x.d, t.rr+x.rr, t.rd+x.rd, t.dd+x.dd
	t.pairs, t.straight, t.later, t.earlier = t.pairs+x.pairs, t.straight+x.straight, t.later+x.later, t.earlier+x.earlier
	t.firsts, t.others, t.ofFirsts, t.ofOthers = t.firsts+x.firsts, t.others+x.others, t.ofFirsts+x.ofFirsts, t.ofOthers+x.ofOthers
	t.fell, t.rose, t.cut = t.fell+x.fell, t.rose+x.rose, t.cut+x.cut
	t.rows, t.oneSided, t.negatives = t.rows+x.rows, t.oneSided+x.oneSided, t.negatives+x.negatives
}

// row takes how many tokens of a row are below and above the sampler's.
func (t *traits) row(fell, rose int) {
	t.fell, t.rose = t.fell+fell, t.rose+rose
	const least, nearlyAll = 8, 0.95
	n := float64(fell + rose)
	if n < least {
		return
	}
	t.rows++
	switch {
	case float64(fell) >= nearlyAll*n:
		t.oneSided, t.negatives = t.oneSided+1, t.negatives+1
	case float64(rose) >= nearlyAll*n:
		t.oneSided++
	}
}

// slope is by how much d grows with r, and fit the share of the variance of d that this explains.
func (t *traits) slope() (slope, fit float64) {
	n := float64(t.tokens)
	varR, varD, both := t.rr-t.r*t.r/n, t.dd-t.d*t.d/n, t.rd-t.r*t.d/n
	return both / varR, both * both / (varR * varD)
}

// correlation is that of the log-probs of both sides.
func (t *traits) correlation() float64 {
	n := float64(t.tokens)
	varR, varD, both := t.rr-t.r*t.r/n, t.dd-t.d*t.d/n, t.rd-t.r*t.d/n
	return (varR + both) / math.Sqrt(varR*(varR+varD+2*both))
}
