package model

import "math"

// lengths are those of the responses whose advantages have one sign.
type lengths struct {
	n, sum int
	lo, hi int32
}

func noLengths() lengths { return lengths{lo: math.MaxInt32, hi: -1} }

func (l lengths) moments() moments {
	if l.n == 0 {
		return moments{}
	}
	return moments{weight: float64(l.n), sum: float64(l.sum), lo: float64(l.lo), hi: float64(l.hi), n: l.n}
}

// bySign looks at the advantages of a group, and takes in the lengths of its responses by
// their sign. Which sign is hard to guess: a branch first asks what is seldom so, whether
// a length is the least or the greatest so far.
func bySign(advantages []float64, count []int32, up, down *lengths) traits {
	count = count[:len(advantages)]
	pos, zero, neg, sums := 0, 0, 0, [2]int{}
	for i, x := range advantages {
		l, above, below := count[i], one(x > 0), one(x < 0)
		pos += above
		neg += below
		zero += one(x == 0)
		sums[0] += int(l) & -above
		sums[1] += int(l) & -below
		if (l < up.lo || l > up.hi) && x > 0 {
			up.lo, up.hi = min(up.lo, l), max(up.hi, l)
		}
		if (l < down.lo || l > down.hi) && x < 0 {
			down.lo, down.hi = min(down.lo, l), max(down.hi, l)
		}
	}
	up.n, up.sum = up.n+pos, up.sum+sums[0]
	down.n, down.sum = down.n+neg, down.sum+sums[1]
	return traits{pos: int32(pos), zero: int32(zero), neg: int32(neg), alive: zero < len(advantages), vague: pos+zero+neg < len(advantages)}
}

// signedLengths is what bySign gathers, without the responses that have no tokens.
func signedLengths(advantages []float64, count []int32) (up, down moments) {
	for i, x := range advantages {
		switch w := float64(count[i]); {
		case w == 0:
		case x > 0:
			up.add(w, 1)
		case x < 0:
			down.add(w, 1)
		}
	}
	return up, down
}

// lengthSums are sums over the lengths of some responses.
type lengthSums struct {
	n, total     float64
	sum, squares float64 // of what they are longer than the first
}

func sumLengths(count []int32) lengthSums {
	s := lengthSums{n: float64(len(count))}
	for _, l := range count {
		d := float64(l) - float64(count[0])
		s.total += float64(l)
		s.sum += d
		s.squares += d * d
	}
	return s
}
