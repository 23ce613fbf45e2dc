package estimators

// topTwo returns where the two largest values of r are, NaN above all, in the
// order in which torch.topk(r, 2) gives them. Which of several equal values comes
// first is what std::nth_element of libstdc++ leaves there; it shows where the
// standard deviation is NaN. From 128 values on torch uses a heap instead, and
// here the first of the equal ones is taken. len(r) ≥ 2.
func topTwo(r []float32) (best, second int) {
	q := selection{r: r, at: make([]int, len(r))}
	for i := range q.at {
		q.at[i] = i
	}
	lo, hi := 0, len(r)
	if len(r) >= 128 {
		q.first()
		return q.at[0], q.at[1]
	}
	for hi-lo > 3 {
		if cut := q.partition(lo, hi); cut <= 1 {
			lo = cut
		} else {
			hi = cut
		}
	}
	for i := lo + 1; i < hi; i++ {
		for k := i; k > lo && q.before(k, k-1); k-- {
			q.swap(k, k-1)
		}
	}
	return q.at[0], q.at[1]
}

// selection is a permutation of r: at[k] is where the k-th value was.
type selection struct {
	r  []float32
	at []int
}

// before reports whether the value at i comes before that at k: larger, or NaN.
func (q selection) before(i, k int) bool {
	x, y := q.r[q.at[i]], q.r[q.at[k]]
	return x > y || x != x && y == y
}

func (q selection) swap(i, k int) { q.at[i], q.at[k] = q.at[k], q.at[i] }

// partition moves the median of three to lo and what comes before it to the front.
func (q selection) partition(lo, hi int) (cut int) {
	q.swap(lo, q.median(lo+1, lo+(hi-lo)/2, hi-1))
	i, k := lo+1, hi
	for {
		for q.before(i, lo) {
			i++
		}
		for k--; q.before(lo, k); k-- {
		}
		if i >= k {
			return i
		}
		q.swap(i, k)
		i++
	}
}

// median is where libstdc++ finds the median of three values, which matters
// among equal ones.
func (q selection) median(a, b, c int) int {
	if q.before(a, b) {
		switch {
		case q.before(b, c):
			return b
		case q.before(a, c):
			return c
		}
		return a
	}
	switch {
	case q.before(a, c):
		return a
	case q.before(b, c):
		return c
	}
	return b
}

// first moves the two largest values to the front, the first of equal ones first.
func (q selection) first() {
	for k := range 2 {
		best := k
		for i := k + 1; i < len(q.at); i++ {
			if q.before(i, best) {
				best = i
			}
		}
		q.swap(k, best)
	}
}
