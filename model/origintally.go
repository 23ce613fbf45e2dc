package model

import "math"

// originTally sums up the advantages before the filter.
type originTally struct {
	tokens               moments // of the advantages over tokens
	positive, negative   moments // of the lengths of responses by the sign of their advantage
	up, down             int     // samples by the sign of their advantage
	abs, largest         float64 // sum of |A|, and the greatest, of those that are finite
	undefined            few     // groups for which the formula gives no number although their rewards are numbers
	upTokens, downTokens int     // samples by sign, those without tokens left out
}

// weigh takes in advantages over tokens, and tells whether all of them are numbers, and
// finite.
func (t *originTally) weigh(advantages []float64, count []int32, l *lengthSums) bool {
	product, abs, largest, lo, hi := 0.0, 0.0, 0.0, math.Inf(1), math.Inf(-1)
	count = count[:len(advantages)]
	for i, x := range advantages {
		size := math.Abs(x)
		abs += size
		if size > largest {
			largest = size
		}
		product += x * float64(count[i])
		if x < lo && count[i] != 0 {
			lo = x
		}
		if x > hi && count[i] != 0 {
			hi = x
		}
	}
	if finite(abs) {
		t.abs, t.largest = abs, largest
		t.tokens = moments{weight: l.total, sum: product, lo: lo, hi: hi, n: l.live}
		return true
	}
	t.abs, t.largest = sizes(advantages)
	for i, x := range advantages {
		t.tokens.add(x, float64(count[i]))
	}
	return false
}

func zeros(advantages []float64) (n int) {
	for _, x := range advantages {
		n += one(x == 0)
	}
	return n
}

// sizes returns the sum of |A| and the greatest, of those that are finite.
func sizes(advantages []float64) (sum, largest float64) {
	for _, x := range advantages {
		size := math.Abs(x)
		if !finite(size) {
			continue
		}
		sum += size
		if size > largest {
			largest = size
		}
	}
	return sum, largest
}

func (t *originTally) merge(o *originTally) {
	t.tokens.merge(o.tokens)
	t.positive.merge(o.positive)
	t.negative.merge(o.negative)
	t.up, t.down = t.up+o.up, t.down+o.down
	t.upTokens, t.downTokens = t.upTokens+o.upTokens, t.downTokens+o.downTokens
	t.undefined.merge(o.undefined)
	t.abs, t.largest = t.abs+o.abs, max(t.largest, o.largest)
}
