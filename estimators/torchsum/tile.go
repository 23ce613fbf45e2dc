package torchsum

import "math"

// Width is the number of groups that are computed at once: value i of all eight is one [Vector], a register of AVX2, so that
// whatever is done to a group, in whatever order, is done to eight. No order of additions changes by that, and no bit: each group
// has a lane of its own. [Groups] finds groups of one size in a batch, and a [Tile] holds their values, float32.
//
//	Load → Sum, Std or StdWelford → Normalize → Store     advantages
//	Load → Sort, Signs → Select → Store, StoreMarks       the filter
//
// Where [Limit] is 0, one group is computed after the other, and no Tile may be used. Tests compare the two bit for bit, but NaN
// is NaN: which of two NaN an addition gives depends on the order of its operands.
const Width = 8

// maxSize is the size of the largest group: from there on PyTorch folds the sums of a group,
// which a Tile does not.
const maxSize = cascadeFrom - 1

// Vector has a value of each of eight groups.
type Vector [Width]float32

// Over returns v/n.
func (v *Vector) Over(n int) (quotient Vector) {
	for g, x := range v {
		quotient[g] = x / float32(n)
	}
	return quotient
}

// Finite reports whether no value is NaN or an infinity.
func (v *Vector) Finite() bool {
	finite := true
	for _, x := range v {
		finite = finite && x-x == 0
	}
	return finite
}

// Starts are the indices at which eight groups begin in a batch. A group may be there more than
// once.
type Starts [Width]int

// Tile holds eight groups of one size: t[i][g] is value i of group g.
type Tile []Vector

// block is the number of values of each group that Load and Store turn at once.
// The rest is done value by value.
const block = 4

// Load fills t with the groups of x, rounded to float32. It is exact if no value was rounded and
// none is NaN.
func (t Tile) Load(x []float64, starts *Starts) (exact bool) {
	mustHold(len(x), starts, len(t))
	whole := len(t) &^ (block - 1)
	exact = true
	if whole > 0 {
		exact = load(&t[0], &x[0], starts, whole/block) == 0
	}
	for i := whole; i < len(t); i++ {
		for g, start := range starts {
			v := x[start+i]
			t[i][g] = float32(v)
			exact = exact && float64(float32(v)) == v
		}
	}
	return exact
}

// Store writes t to the groups of dst.
func (t Tile) Store(dst []float64, starts *Starts) {
	mustHold(len(dst), starts, len(t))
	whole := len(t) &^ (block - 1)
	if whole > 0 {
		store(&dst[0], starts, &t[0], whole/block)
	}
	for i := whole; i < len(t); i++ {
		for g, start := range starts {
			dst[start+i] = float64(t[i][g])
		}
	}
}

func mustHold(length int, starts *Starts, size int) {
	for _, start := range starts {
		if start < 0 || start > length-size {
			panic("torchsum: a group is not within the batch")
		}
	}
}

// Normalize replaces each value x by (x − mean)/divisor.
func (t Tile) Normalize(mean, divisor *Vector) {
	if len(t) > 0 {
		normalize(&t[0], len(t), mean, divisor)
	}
}

// Squares writes to dst the squared differences to the mean, in float32. len(dst) == len(t).
func (t Tile) Squares(dst Tile, mean *Vector) {
	if dst = dst[:len(t)]; len(t) > 0 {
		square(&dst[0], &t[0], len(t), mean)
	}
}

// Sum returns the sum of each group in the order of Sum. It panics if the groups are larger
// than maxSize.
func (t Tile) Sum() (s Vector) {
	if len(t) > maxSize {
		panic("torchsum: groups are too large")
	}
	return t.sum(orderOf(len(t)))
}

// SumLeftToRight returns the sum of each group as SumLeftToRight does.
func (t Tile) SumLeftToRight() (s Vector) { return t.sum(order{width: 1}) }

func (t Tile) sum(o order) (s Vector) {
	if len(t) > 0 {
		sum(&s, &t[0], o.width, o.registers, len(t)-o.width*o.registers)
	}
	return s
}

// order is that of PyTorch: a group is so many registers of width values each, which are added lane
// by lane, and a rest, which is added first.
type order struct{ width, registers int }

// orderOf returns the order for groups of n. A register has eight values; where they fill none,
// PyTorch deals single values.
func orderOf(n int) order {
	if n < lanes {
		return order{1, n}
	}
	return order{lanes, n / lanes}
}

// Std returns the standard deviation of each group as StdWithMean does: in float64, from
// left to right.
func (t Tile) Std(mean *Vector) (s Vector) {
	if len(t) > 0 {
		std(&s, &t[0], len(t), mean, divisorOf(len(t)))
	}
	return s
}

// StdWelford returns the standard deviation of each group as StdOfRow does.
func (t Tile) StdWelford() (s Vector) {
	if len(t) > 0 {
		welford(&s, &t[0], len(t), divisorOf(len(t)))
	}
	return s
}

// divisorOf is n − 1. PyTorch does not let it fall below 0: one value gives 0/0.
func divisorOf(n int) float64 { return float64(max(0, n-1)) }

// Sort sorts each group, the least value first. No value is NaN.
//
// It is Batcher's odd-even merge sort (AFIPS Spring Joint Computer Conference 1968, pages 307-314):
// which two values are exchanged next, if the first is larger, does not depend on the values, so
// that eight groups are sorted at once. Of n values about n/4·log²n pairs are: 19 of 8, 543 of 64.
// Sorted runs of p values are merged, first those of one value; in a merge the values at a distance
// of k are exchanged, first at p, in runs of k neighbours, but not with another merge's:
//
//	for p := 1; p < n; p *= 2 {
//		for k := p; k > 0; k /= 2 {
//			for i := k % p; i+k < n; i += 2 * k {
//				if (i+k)%(2*p) != 0 {
//					exchange t[i:min(i+k, n-k)] and t[i+k:]
//				}
//			}
//		}
//	}
func (t Tile) Sort() {
	if len(t) > 0 {
		sort(&t[0], len(t))
	}
}

// Signs counts the positive and the negative values of each group.
func (t Tile) Signs() (positive, negative Counts) {
	if len(t) > 0 {
		signs(&positive, &negative, &t[0], len(t))
	}
	return positive, negative
}

// Counts are numbers of values of eight groups.
type Counts [Width]int32

// Mark says of a value of each of eight groups whether it is kept: all bits are set if so.
type Mark [Width]uint32

// Best is what a filter keeps of the values of one sign: so many of the most extreme ones, of equal
// ones those that come first. Bound is the least extreme of them, an infinity if Count is 0.
type Best struct {
	Bound Vector
	Count Counts
}

// BoundBy fills in the bound by the values in order: for the largest ones if sign is 1, for the
// smallest ones if it is −1.
func (b *Best) BoundBy(sorted Tile, sign int) {
	for g, count := range b.Count {
		switch {
		case count == 0:
			b.Bound[g] = float32(math.Inf(sign))
		case sign > 0:
			b.Bound[g] = sorted[len(sorted)-int(count)][g]
		default:
			b.Bound[g] = sorted[count-1][g]
		}
	}
}

// Select marks the largest values that are kept, the smallest ones, and zeros. Other values become
// 0. No value is NaN. len(marks) == len(t).
func (t Tile) Select(marks []Mark, largest, smallest *Best) {
	if marks = marks[:len(t)]; len(t) > 0 {
		choose(&marks[0], &t[0], len(t), largest, smallest)
	}
}

// StoreMarks writes to kept which values of the groups are marked.
func StoreMarks(kept []bool, starts *Starts, marks []Mark) {
	mustHold(len(kept), starts, len(marks))
	whole := len(marks) &^ (block - 1)
	if whole > 0 {
		storeMarks(&kept[0], starts, &marks[0], whole/block)
	}
	for i := whole; i < len(marks); i++ {
		for g, start := range starts {
			kept[start+i] = marks[i][g] != 0
		}
	}
}

// Groups goes through the groups of a batch, up to eight of one size at a time, wherever in the batch
// they are:
//
//	for q.Next() {
//		… q.Size, q.Starts, q.Rows
//	}
//
// Empty groups are left out.
type Groups struct {
	Size   int    // values in each of the groups
	Rows   int    // how many groups they are
	Starts Starts // where they begin; those beyond Rows repeat the first, unless it comes alone

	limit   int // the largest size of groups that come together
	offsets []int
	waiting []Waiting // by size
	next    int       // the next group; after the last one, the next size that waits
}

// Waiting are groups of one size that are not eight yet.
type Waiting struct {
	starts Starts
	rows   int
}

// GroupsOf returns the groups offsets[g] to offsets[g+1]. Those larger than limit, which is at most
// [Limit], come alone. The others wait in memory, which is zero, or in new memory if the largest
// of them has len(memory) values or more.
func GroupsOf(offsets []int, limit int, memory []Waiting) Groups {
	largest := 0
	for g := 1; g < len(offsets); g++ {
		largest = max(largest, offsets[g]-offsets[g-1])
	}
	largest = min(largest, limit)
	if largest >= len(memory) {
		memory = make([]Waiting, largest+1)
	}
	return Groups{limit: limit, offsets: offsets, waiting: memory[:largest+1], next: 1}
}

// Alone reports whether the current group is too large to come with others.
func (q *Groups) Alone() bool { return q.Size > q.limit }

// Next goes to the next groups.
func (q *Groups) Next() bool {
	for ; q.next < len(q.offsets); q.next++ {
		start := q.offsets[q.next-1]
		size := q.offsets[q.next] - start
		if size == 0 {
			continue
		}
		if size > q.limit {
			q.next++
			q.Size, q.Rows, q.Starts[0] = size, 1, start
			return true
		}
		w := &q.waiting[size]
		w.starts[w.rows] = start
		if w.rows++; w.rows == Width {
			q.next++
			q.take(w, size)
			return true
		}
	}
	return q.nextRest()
}

func (q *Groups) nextRest() bool {
	for size := q.next - len(q.offsets); size < len(q.waiting); size++ {
		if w := &q.waiting[size]; w.rows > 0 {
			q.next = len(q.offsets) + size
			q.take(w, size)
			return true
		}
	}
	return false
}

func (q *Groups) take(w *Waiting, size int) {
	q.Size, q.Rows, q.Starts = size, w.rows, w.starts
	for g := q.Rows; g < Width; g++ {
		q.Starts[g] = q.Starts[0]
	}
	w.rows = 0
}
