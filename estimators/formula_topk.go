package estimators

// heapFrom is the size from which on torch.topk(r, 2) uses a heap.
const heapFrom = 128

// topTwo returns where the two largest values of r are, NaN above all, in the
// order in which torch.topk(r, 2) gives them. Which of several equal values comes
// first is what std::nth_element of libstdc++ leaves there; it shows where the
// standard deviation is NaN. Groups of 128 or more go through a heap in torch, and
// here the first of the equal ones is taken. len(r) ≥ 2.
func topTwo(r []float32) (best, second int) {
	if len(r) >= heapFrom {
		return firstTwo(r)
	}
	q := topTwoSelection{r: r}
	for i := range r {
		q.at[i] = uint8(i)
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
	return int(q.at[0]), int(q.at[1])
}

// firstTwo takes the first of equal values.
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

// ranksBefore reports whether x comes before y: larger, or NaN.
func ranksBefore(x, y float32) bool { return x > y || x != x && y == y }

// topTwoSelection is a permutation of r: at[k] is where the k-th value was.
type topTwoSelection struct {
	r  []float32
	at [heapFrom]uint8
}

// before reports whether the i-th value comes before the k-th.
func (q *topTwoSelection) before(i, k int) bool { return ranksBefore(q.r[q.at[i]], q.r[q.at[k]]) }

func (q *topTwoSelection) swap(i, k int) { q.at[i], q.at[k] = q.at[k], q.at[i] }

// partition moves the median of three to lo and what comes before it to the front.
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

// median is where libstdc++ finds the median of three values, which matters
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
