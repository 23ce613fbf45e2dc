package estimators

import "math"

// whitening shifts and scales values so that the tokens of a batch have mean 0 and
// variance 1. Every token of a sample has the sample's value x, so that it is a mean
// of samples weighted by response tokens l; with T = Σ l:
//
//	m = Σ l x/(T + countEps) ;  v = Σ l (x − m)²/(T + countEps)·T/(T − 1) ;  A = (x − m)/√(v + eps)
//
// The frameworks sum over a padded matrix of float32, in an order that depends on its
// shape. Here the sums are float64 and the result is rounded, which agrees to 1e-4 of
// the largest advantage, except for values that hardly differ at all.
type whitening struct {
	countEps        float64 // added to T under both sums
	eps             float64
	ddof0           bool // without T/(T − 1)
	fromMoments     bool // v = (Σ l x²/T − m²)·T/(T − 1)
	epsIsFloor      bool // √max(v, eps) instead of √(v + eps)
	epsOutsideRoot  bool // √v + eps
	meanOnly        bool // no division
	meanOverPadding bool // m = Σ l x/(N·max l): padding counts as zeros
	needsTwoTokens  bool // fewer in the batch are a ValueError
}

// whitened completes e with what all estimators have in common that whiten over
// response tokens.
func (e *Estimator) whitened() *Estimator {
	e.DependsOnBatch, e.Tolerance, e.Needs.Lengths = true, 1e-4, true
	return e
}

// Sentences of the Doc of estimators that whiten.
const (
	docWhitenedRewards = "All tokens of a sample have one value at gamma 1; group ids are not used. " + docTokenSums
	docWhitenedCentred = "All tokens of a sample have one value at gamma 1; the group counts in μ only. " + docTokenSums
	docTokenSums       = "Summed in float64 here: agrees to 1e-4, not exactly. "
)

// after is the formula that whitens what f gives. The value is that of every token of
// a sample, at gamma 1.
func (w whitening) after(f formula) formula { return w.discounted(f, 1) }

// discounted is the formula that whitens the discounted returns of what f gives: token t of l has the
// value x·gamma^(l−1−t). A sample has the mean over its tokens.
func (w whitening) discounted(f formula, gamma float64) formula {
	return func(dst []float64, b Batch, s Scale) error {
		mustHaveLength(dst, b)
		refused := f(dst, b, s)
		values := newTokenValues(dst, b.Lengths, gamma)
		mean, factor := w.fit(&values)
		for i, x := range dst {
			if gamma != 1 {
				x = values.mean(i)
			}
			dst[i] = float64(float32((x - mean) * factor))
		}
		if refused == nil && w.needsTwoTokens {
			refused = tokenCountError(b)
		}
		return refused
	}
}

// tokenValues are the values of a batch: token t of sample i has x_i·gamma^(l−1−t).
type tokenValues struct {
	x       []float64
	lengths []int32
	gamma   float64

	powers, squaredPowers geometric // sums of gamma^k, and of gamma^(2k)
}

func newTokenValues(x []float64, lengths []int32, gamma float64) tokenValues {
	k := tokenValues{x: x, lengths: lengths, gamma: gamma}
	if gamma != 1 {
		longest := 0
		for _, l := range lengths {
			longest = max(longest, int(l))
		}
		k.powers, k.squaredPowers = newGeometric(gamma, longest), newGeometric(gamma*gamma, longest)
	}
	return k
}

// sum adds the values of sample i, for a gamma other than 1.
func (k *tokenValues) sum(i int) float64 { return k.x[i] * k.powers.sum(k.lengths[i]) }

// mean is that of the values of sample i; of a sample without tokens its reward's.
func (k *tokenValues) mean(i int) float64 {
	if k.lengths[i] == 0 {
		return k.x[i]
	}
	return k.sum(i) / float64(k.lengths[i])
}

// squares adds the squared differences of the values of sample i to m, for a gamma other than 1.
func (k *tokenValues) squares(i int, m float64) float64 {
	x, l := k.x[i], float64(k.lengths[i])
	return float64(x*x*k.squaredPowers.sum(k.lengths[i])) - float64(2*m*k.sum(i)) + float64(l*m*m)
}

// geometric are the sums 1 + q + … + q^(l−1), for q from 0 to 1, in a table up to the length of usual
// responses.
type geometric struct {
	q     float64
	table []float64
}

// tabledLength bounds the table, which a wrong length must not make huge.
const tabledLength = 1 << 17

func newGeometric(q float64, longest int) geometric {
	g := geometric{q, make([]float64, min(longest, tabledLength)+1)}
	for l := 1; l < len(g.table); l++ {
		g.table[l] = float64(g.table[l-1]*q) + 1
	}
	return g
}

func (g *geometric) sum(l int32) float64 {
	if int(l) < len(g.table) {
		return g.table[l]
	}
	return math.Expm1(float64(l)*math.Log(g.q)) / (g.q - 1)
}

// fit computes the whitening of one batch: A = (x − mean)·factor.
func (w whitening) fit(k *tokenValues) (mean, factor float64) {
	total, sum, longest := 0.0, 0.0, int32(0)
	for i, l := range k.lengths {
		longest = max(longest, l)
		total += float64(l)
		if k.gamma == 1 {
			sum += float64(float64(l) * k.x[i])
		} else {
			sum += k.sum(i)
		}
	}
	m := sum / (total + w.countEps)
	if w.meanOverPadding {
		m = sum / (float64(len(k.x)) * float64(longest))
	}
	return m, w.factor(k, m, total)
}

func (w whitening) factor(k *tokenValues, m, total float64) float64 {
	squares, around := 0.0, m
	if w.fromMoments {
		around = 0
	}
	if k.gamma == 1 {
		for i, l := range k.lengths {
			d := k.x[i] - around
			squares += float64(float64(l) * float64(d*d))
		}
	} else {
		for i := range k.lengths {
			squares += k.squares(i, around)
		}
	}
	v := squares / (total + w.countEps)
	if w.fromMoments {
		v -= float64(m * m)
	}
	if !w.ddof0 && total > 1 {
		v *= total / (total - 1)
	}
	switch {
	case w.meanOnly:
		return 1
	case w.epsOutsideRoot:
		return 1 / (math.Sqrt(v) + w.eps)
	case w.epsIsFloor:
		return 1 / math.Sqrt(math.Max(v, w.eps))
	default:
		return 1 / math.Sqrt(v+w.eps)
	}
}

func tokenCountError(b Batch) error {
	total := int64(0)
	for _, l := range b.Lengths {
		total += int64(l)
	}
	switch total {
	case 0:
		return valueError("At least one element in the mask has to be 1.")
	case 1:
		return valueError("The sum of the mask is one, which can cause a division by zero.")
	}
	return nil
}
