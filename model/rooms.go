package model

// rooms are slices for the columns of steps, cut from long ones: the garbage collector follows each that has memory of its own, and a log
// has thousands of short steps. A step that outgrows its room leaves it, and the memory is free once all steps have left a long slice.
type rooms[T any] struct {
	free  []T // of the newest long slice
	taken int // values
}

// Limits of a long slice, in values.
const (
	longRoom   = 1 << 15
	sharedRoom = 8 // rooms at least are cut from one, and it is at most such a part of what was taken before: a small log takes little
)

// take returns an empty slice with room for n values.
func (r *rooms[T]) take(n int) []T {
	long := min(longRoom, r.taken/sharedRoom)
	r.taken += n
	if n > len(r.free) {
		if sharedRoom*n > long {
			return make([]T, 0, n)
		}
		r.free = make([]T, long)
	}
	room := r.free[:0:n]
	r.free = r.free[n:]
	return room
}
