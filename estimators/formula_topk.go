package estimators

// heapFrom is the size from which on torch.topk(r, 2) uses a heap.
const heapFrom = 128

// topTwo returns the indices of the two largest values of r, NaN above all, in the
// order of torch.topk(r, 2). Among equal values it is the order in which
// std::nth_element of libstdc++ leaves them, which shows where the standard deviation
// is NaN. torch puts groups of 128 or more through a heap; here the first of their
// equal values comes first. len(r) ≥ 2.
func topTwo(r []float32) (best, second int) {
	if len(r) >= heapFrom {
		return firstTwo(r)
	}
	q := topTwoSelection{r: r}
	for i := range r {
		q.index[i] = uint8(i)
	}
	lo, hi := 0, len(r)
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
	return int(q.index[0]), int(q.index[1])
}

// firstTwo is topTwo with the first of equal values.
func firstTwo(r []float32) (best, second int) {
	best, second = 0, 1
	if ranksBefore(r[1], r[0]) {
		best, second = 1, 0
	}
	for i := 2; i < len(r); i++ {
		switch {
		case ranksBefore(r[i], r[best]):
			best, second = i, best
		case ranksBefore(r[i], r[second]):
			second = i
		}
	}
	return best, second
}

// ranksBefore reports whether x is larger than y, or NaN and y is not.
func ranksBefore(x, y float32) bool { return x > y || x != x && y == y }

// topTwoSelection is the state of the selection: a permutation of r.
type topTwoSelection struct {
	r     []float32
	index [heapFrom]uint8 // index[k] is the index in r of the k-th value
}

// before reports whether the i-th value ranks before the k-th.
func (q *topTwoSelection) before(i, k int) bool { return ranksBefore(q.r[q.index[i]], q.r[q.index[k]]) }

func (q *topTwoSelection) swap(i, k int) { q.index[i], q.index[k] = q.index[k], q.index[i] }

// partition moves the median of three to lo and the values that rank before it to the
// front.
func (q *topTwoSelection) partition(lo, hi int) (cut int) {
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

// median returns which of three values libstdc++ takes for their median; that matters
// among equal ones.
func (q *topTwoSelection) median(a, b, c int) int {
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
