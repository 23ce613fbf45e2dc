//go:build !amd64

package torchsum

// Limit returns the size of groups up to which eight can be computed at once: 511, or 0 if this
// processor has no such registers.
func Limit() int { return 0 }

const missing = "torchsum: this processor has no registers of eight values"

func load(*Vector, *float64, *Starts, int) int      { panic(missing) }
func store(*float64, *Starts, *Vector, int)         { panic(missing) }
func storeMarks(*bool, *Starts, *Mark, int)         { panic(missing) }
func normalize(*Vector, int, *Vector, *Vector)      { panic(missing) }
func sum(_, _ *Vector, _, _, _ int)                 { panic(missing) }
func square(_, _ *Vector, _ int, _ *Vector)         { panic(missing) }
func std(_, _ *Vector, _ int, _ *Vector, _ float64) { panic(missing) }
func welford(_, _ *Vector, _ int, _ float64)        { panic(missing) }
func sort(*Vector, int)                             { panic(missing) }
func signs(_, _ *Counts, _ *Vector, _ int)          { panic(missing) }
func choose(_ *Mark, _ *Vector, _ int, _, _ *Best)  { panic(missing) }
