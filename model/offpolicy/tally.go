package offpolicy

import (
	"math"
	"strconv"

	rules "vantage/estimators/offpolicy"
	"vantage/model/units"
)

// Tally is sums over rows, of which nothing else is kept.
type Tally struct {
	Rows, Compared   int // all, and those with a token that can be compared
	Tokens, Unscored int // trainable: with two finite log-probs, and without

	// Effective is how many rows count as much if each weighs the product of its ratios: (Σw)² / Σw², of one step or summed over steps.
	// Top is the share of the heaviest row in Σw, of several steps the largest. They are known once all rows are there.
	Effective, Top float64

	Aged   int // rows whose lag is known
	sumLag float64

	sumAbs, sumK1, sumK3, maxAbs float64

	ofRows weights
	means  spread
}

// Span is the figures of some steps.
type Span struct {
	First, Last int
	Tally
}

// Add takes the figures of a row.
func (t *Tally) Add(f rules.Figures) {
	t.Rows++
	t.Tokens, t.Unscored = t.Tokens+f.Tokens, t.Unscored+f.Unscored
	if f.Tokens == 0 {
		return
	}
	t.Compared++
	n := float64(f.Tokens)
	t.sumAbs, t.sumK1, t.sumK3 = t.sumAbs+f.MeanAbs*n, t.sumK1+f.K1*n, t.sumK3+f.K3*n
	t.maxAbs = max(t.maxAbs, f.MaxAbs)
	t.ofRows.add(f.LogSequenceRatio)
	t.means.add(n, f.MeanAbs)
}

func (t *Tally) aged(lag int) { t.Aged, t.sumLag = t.Aged+1, t.sumLag+float64(lag) }

// Settle computes what all rows of one step decide together.
func (t *Tally) Settle() { t.Effective, t.Top = t.ofRows.effective(), t.ofRows.top() }

// join adds other rows, of another step unless it is settled afterwards.
func (t *Tally) join(other *Tally) {
	t.Rows, t.Compared = t.Rows+other.Rows, t.Compared+other.Compared
	t.Tokens, t.Unscored = t.Tokens+other.Tokens, t.Unscored+other.Unscored
	t.Aged, t.sumLag = t.Aged+other.Aged, t.sumLag+other.sumLag
	t.sumAbs, t.sumK1, t.sumK3 = t.sumAbs+other.sumAbs, t.sumK1+other.sumK1, t.sumK3+other.sumK3
	t.maxAbs = max(t.maxAbs, other.maxAbs)
	t.ofRows.join(other.ofRows)
	t.means.join(other.means)
	t.pool(other)
}

// pool adds what the rows of another step decided together.
func (t *Tally) pool(other *Tally) {
	t.Effective += other.Effective
	if !(t.Top >= other.Top) && other.Compared > 0 {
		t.Top = other.Top
	}
}

// MeanAbs is the mean |d| of a token, in nats; NaN without tokens, as the next.
func (t *Tally) MeanAbs() float64 { return t.sumAbs / float64(t.Tokens) }

// MaxAbs is the largest |d|.
func (t *Tally) MaxAbs() float64 {
	if t.Tokens == 0 {
		return math.NaN()
	}
	return t.maxAbs
}

// K1 is the mean of −d.
func (t *Tally) K1() float64 { return t.sumK1 / float64(t.Tokens) }

// K3 is the mean of e^d − 1 − d.
func (t *Tally) K3() float64 { return t.sumK3 / float64(t.Tokens) }

// EffectiveShare is the share of the rows that count: NaN without rows that can be compared.
func (t *Tally) EffectiveShare() float64 { return t.Effective / float64(t.Compared) }

// Lag is the mean lag in versions, NaN if none is known.
func (t *Tally) Lag() float64 { return t.sumLag / float64(t.Aged) }

// weights are sums over rows by their logarithms, relative to the largest: no ratio is too large.
type weights struct {
	largest, sum, squares float64
	rows                  int
}

// add takes a row; one of weight 0 has the logarithm −Inf.
func (w *weights) add(log float64) {
	if w.rows++; w.rows == 1 {
		w.largest = math.Inf(-1)
	}
	switch {
	case math.IsInf(log, -1):
		return
	case log > w.largest:
		scale := math.Exp(w.largest - log)
		w.sum, w.squares, w.largest = w.sum*scale, w.squares*scale*scale, log
	}
	x := math.Exp(log - w.largest)
	w.sum, w.squares = w.sum+x, w.squares+x*x
}

// join adds other rows.
func (w *weights) join(x weights) {
	if w.rows == 0 || x.rows == 0 {
		if x.rows > 0 {
			*w = x
		}
		return
	}
	w.rows += x.rows
	if x.largest > w.largest {
		*w, x = weights{x.largest, x.sum, x.squares, w.rows}, *w
	}
	if x.sum > 0 {
		scale := math.Exp(x.largest - w.largest)
		w.sum, w.squares = w.sum+x.sum*scale, w.squares+x.squares*scale*scale
	}
}

// effective is (Σw)² / Σw², 0 if no row has a weight.
func (w *weights) effective() float64 {
	if w.squares == 0 {
		return 0
	}
	return w.sum * w.sum / w.squares
}

// top is the share of the heaviest row, NaN without one.
func (w *weights) top() float64 {
	if w.sum == 0 {
		return math.NaN()
	}
	return 1 / w.sum
}

// spread is the mean |d| of the tokens of some rows, and how far rows are from it.
type spread struct {
	n                int     // rows
	tokens, sum      float64 // and Σ|d|
	even, once, both float64 // Σ of squared tokens of a row: alone, times its mean |d|, and times the square of that
}

func (s *spread) add(tokens, mean float64) {
	square := tokens * tokens
	s.join(spread{1, tokens, tokens * mean, square, square * mean, square * mean * mean})
}

func (s *spread) join(x spread) {
	s.n, s.tokens, s.sum = s.n+x.n, s.tokens+x.tokens, s.sum+x.sum
	s.even, s.once, s.both = s.even+x.even, s.once+x.once, s.both+x.both
}

func (s *spread) mean() float64 { return s.sum / s.tokens }

// around is Σ (Σ|d| of a row − what it would be at a mean)².
func (s *spread) around(mean float64) float64 { return max(0, s.both-2*mean*s.once+mean*mean*s.even) }

// Nats writes a figure with three digits, — for none.
func Nats(x float64) string {
	if x != x {
		return units.Missing
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// Share writes a share with a decimal, — for none.
func Share(x float64) string {
	if x != x {
		return units.Missing
	}
	return strconv.FormatFloat(100*x, 'f', 1, 64) + "%"
}
