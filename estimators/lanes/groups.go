package lanes

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
// [MaxSize], come alone. The others wait in memory, which is zero, or in new memory if the largest
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
