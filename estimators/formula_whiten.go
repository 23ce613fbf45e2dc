package estimators

import "math"

// whitening is what makes the tokens of a batch have mean 0 and variance 1. Every
// token of a sample has the sample's value x, so that it is a mean of samples
// weighted by response tokens l; with T = Σ l:
//
//	m = Σ l x/(T + lean) ;  v = Σ l (x − m)²/(T + lean)·T/(T − 1) ;  A = (x − m)/√(v + eps)
//
// A long sample pulls the mean towards its own value. The frameworks sum over a
// padded matrix of float32, in an order that depends on its shape; here the sums
// are float64 and the result is rounded, which agrees to 1e-4 of the largest
// advantage but for values that hardly differ at all.
type whitening struct {
	countEps       float64 // added to T under both sums
	eps        float64
	ddof0 bool // without T/(T − 1)
	fromMoments    bool // v = (Σ l x²/T − m²)·T/(T − 1)
	epsIsFloor      bool // √max(v, eps) and not √(v + eps)
	epsOutsideRoot    bool // √v + eps
	meanOnly     bool // no division
	meanOverPadding     bool // m = Σ l x/(N·max l): padding counts as zeros
	needsTwoTokens      bool // up to one token in the batch is a ValueError
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

// each calls f with every value and how many tokens have it.
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

// fit finds mean and factor.
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

// factor is one over the standard deviation.
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

// after is the estimator that whitens what f gives; nil is the reward itself. The
// value is that of every token of a sample, at gamma = 1.
func (w whitening) after(f formula) formula {
	return func(dst []float64, b Batch, s Scale) error {
		mustHaveLength(dst, b)
		var refused error
		if f == nil {
			copy(dst, b.Rewards)
		} else {
			refused = f(dst, b, s)
		}
		by := w.fit(tokenValues{dst, b.Lengths, 1})
		for i, x := range dst {
			dst[i] = by.at(x)
		}
		if refused == nil && w.needsTwoTokens {
			refused = tokenCountError(b)
		}
		return refused
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
		return &Refusal{Kind: "ValueError", Text: "At least one element in the mask has to be 1."}
	case 1:
		return &Refusal{Kind: "ValueError", Text: "The sum of the mask is one, which can cause a division by zero."}
	}
	return nil
}

// clipped is f with its results cut to ±by.
func clipped(f formula, low, high float32) formula {
	return func(dst []float64, b Batch, s Scale) error {
		err := f(dst, b, s)
		for i, a := range dst {
			dst[i] = clip(a, float64(low), float64(high))
		}
		return err
	}
}
