package model

import "math"

// lengths are those of the responses whose advantages have one sign; one without tokens
// does not count.
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

// bySign counts the advantages of a group, which are numbers, and takes in the lengths of
// its responses by their sign. Which sign is hard to guess: a branch first asks what is
// seldom so, whether a length is 0, the least or the greatest so far.
func bySign(advantages []float64, count []int32, up, down *lengths) (pos, neg int) {
	above, below := *up, *down
	count = count[:len(advantages)]
	for i, x := range advantages {
		l, plus, minus := count[i], one(x > 0), one(x < 0)
		pos += plus
		neg += minus
		if l == 0 {
			above.n -= plus
			below.n -= minus
			continue
		}
		above.sum += int(l) & -plus
		below.sum += int(l) & -minus
		if (l < above.lo || l > above.hi) && x > 0 {
			above.lo, above.hi = min(above.lo, l), max(above.hi, l)
		}
		if (l < below.lo || l > below.hi) && x < 0 {
			below.lo, below.hi = min(below.lo, l), max(below.hi, l)
		}
	}
	above.n += pos
	below.n += neg
	*up, *down = above, below
	return pos, neg
}

// lengthSums are sums over the lengths of some responses.
type lengthSums struct {
	n, total     float64
	sum, squares float64 // of what they are longer than the first
	live         int     // those that are not 0
}

func sumLengths(count []int32) lengthSums {
	s := lengthSums{n: float64(len(count))}
	for _, l := range count {
		d := float64(l) - float64(count[0])
		s.total += float64(l)
		s.live += one(l != 0)
		s.sum += d
		s.squares += d * d
	}
	return s
}
