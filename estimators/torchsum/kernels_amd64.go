package torchsum

import "golang.org/x/sys/cpu"

// Limit returns the size of groups up to which eight can be computed at once: 511, or 0 if this
// processor has no such registers.
func Limit() int {
	if cpu.X86.HasAVX2 {
		return maxSize
	}
	return 0
}

// load loads so many blocks of four values of each group. rounded is not 0 if a value of them does
// not fit float32, or is NaN.
//
//go:noescape
func load(t *Vector, x *float64, starts *Starts, blocks int) (rounded int)

//go:noescape
func store(dst *float64, starts *Starts, t *Vector, blocks int)

//go:noescape
func storeMarks(kept *bool, starts *Starts, marks *Mark, blocks int)

//go:noescape
func normalize(t *Vector, n int, mean, divisor *Vector)

// sum adds a group of so many registers of width values each, and a rest.
//
//go:noescape
func sum(s, t *Vector, width, registers, rest int)

//go:noescape
func square(dst, t *Vector, n int, mean *Vector)

//go:noescape
func std(s, t *Vector, n int, mean *Vector, divisor float64)

//go:noescape
func welford(s, t *Vector, n int, divisor float64)

//go:noescape
func sort(t *Vector, n int)

//go:noescape
func signs(positive, negative *Counts, t *Vector, n int)

//go:noescape
func choose(marks *Mark, t *Vector, n int, largest, smallest *Best)
