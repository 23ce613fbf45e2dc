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

// tokenWhitened completes e with what all estimators have in common that whiten over
// response tokens.
func tokenWhitened(e Estimator) *Estimator {
	if e.Scales == nil {
		e.Scales = []Scale{ScaleNone}
	}
	e.DependsOnBatch, e.Float, e.Tolerance, e.Needs.Lengths = true, Float32, 1e-4, true
	return &e
}

// Sentences of the Doc of estimators that whiten.
const (
	docWhitenedRewards = "All tokens of a sample have one value at gamma 1; group ids are not used. " + docTokenSums
	docWhitenedCentred = "All tokens of a sample have one value at gamma 1; the group counts in μ only. " + docTokenSums
	docTokenSums       = "Summed in float64 here: agrees to 1e-4, not to the bit. "
)

// after is the formula that whitens what f gives. The value is that of every token of
// a sample, at gamma 1.
func (w whitening) after(f formula) formula {
	return func(dst []float64, b Batch, s Scale) error {
		mustHaveLength(dst, b)
		refused := f(dst, b, s)
		line := w.fit(tokenValues{dst, b.Lengths, 1})
		for i, x := range dst {
			dst[i] = line.at(x)
		}
		if refused == nil && w.needsTwoTokens {
			refused = tokenCountError(b)
		}
		return refused
	}
}

// linear is the whitening of one batch: A = (x − mean)·factor.
type linear struct{ mean, factor float64 }

func (l linear) at(x float64) float64 { return float64(float32((x - l.mean) * l.factor)) }

// tokenValues are the values of a batch: token t of sample i has x_i·gamma^(l−1−t).
type tokenValues struct {
	x       []float64
	lengths []int32
	gamma   float64
}

// each calls f with every value and the number of tokens that have it.
func (k tokenValues) each(f func(x, count float64)) {
	for i, x := range k.x {
		if k.gamma == 1 {
			f(x, float64(k.lengths[i]))
			continue
		}
		for range k.lengths[i] {
			f(x, 1)
			x *= k.gamma
		}
	}
}

// fit computes mean and factor.
func (w whitening) fit(k tokenValues) linear {
	total, sum, longest := 0.0, 0.0, int32(0)
	for _, l := range k.lengths {
		longest = max(longest, l)
	}
	k.each(func(x, count float64) {
		total += count
		sum += float64(count * x)
	})
	m := sum / (total + w.countEps)
	if w.meanOverPadding {
		m = sum / (float64(len(k.x)) * float64(longest))
	}
	return linear{m, w.factor(k, m, total)}
}

// factor returns one over the standard deviation.
func (w whitening) factor(k tokenValues, m, total float64) float64 {
	squares := 0.0
	k.each(func(x, count float64) {
		d := x
		if !w.fromMoments {
			d -= m
		}
		squares += float64(count * float64(d*d))
	})
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

// tokenCountError is verl's ValueError for a batch of one token or none.
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
