package lanes

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// allOf does everything to the groups of a batch that kernels do.
func allOf(x []float64, starts *Starts, n int) (figures []float32, stored []float64, kept []bool, exact bool) {
	tile := make(Tile, n)
	exact = tile.Load(x, starts)
	if n <= MaxSize {
		sum := tile.Sum()
		figures = append(figures, sum[:]...)
	}
	mean := tile.StdWelford() // any eight numbers
	std := tile.Std(&mean)
	figures = append(append(figures, mean[:]...), std[:]...)
	leftToRight := tile.SumLeftToRight()
	figures = append(figures, leftToRight[:]...)
	normalized, squares := slices.Clone(tile), make(Tile, n)
	normalized.Normalize(&mean, &std)
	tile.Squares(squares, &mean)
	figures = append(append(figures, normalized.values()...), squares.values()...)
	stored, kept = make([]float64, len(x)), make([]bool, len(x))
	if exact {
		sorted, marks := slices.Clone(tile), make([]Mark, n)
		sorted.Sort()
		figures = append(figures, sorted.values()...)
		var top, bottom Best
		top.Count, bottom.Count = tile.Signs()
		for g := range Width {
			top.Count[g] -= top.Count[g] / 3
			bottom.Count[g] /= 2
		}
		top.BoundBy(sorted, 1)
		bottom.BoundBy(sorted, -1)
		tile.Select(marks, &top, &bottom)
		StoreMarks(kept, starts, marks)
	}
	tile.Store(stored, starts)
	return figures, stored, kept, exact
}

// values returns the values of all groups.
func (t Tile) values() (x []float32) {
	for _, v := range t {
		x = append(x, v[:]...)
	}
	return x
}

// compareKernels compares the kernels with what is done value by value. NaN equals NaN, and of two
// zeros of different sign either may be sorted first.
func compareKernels(t *testing.T, x []float64, starts *Starts, n int) {
	t.Helper()
	if !hasAVX2 {
		t.Skip("a processor without AVX2")
	}
	figures, stored, kept, exact := allOf(x, starts, n)
	hasAVX2 = false
	wantFigures, wantStored, wantKept, wantExact := allOf(x, starts, n)
	hasAVX2 = true
	sameFigure := func(a, b float32) bool { return same(a, b) || exact && a == b }
	sameStored := func(a, b float64) bool {
		return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
	}
	if exact != wantExact || !slices.EqualFunc(figures, wantFigures, sameFigure) ||
		!slices.EqualFunc(stored, wantStored, sameStored) || !slices.Equal(kept, wantKept) {
		t.Errorf("groups of %d at %v of %v are computed otherwise by the kernels", n, *starts, x[:min(64, len(x))])
	}
}

func TestKernels(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for n := range 601 {
		for range 3 {
			x, starts := randomBatch(random, n)
			compareKernels(t, x, &starts, n)
		}
	}
}

// FuzzKernels reads a batch from the bytes: a number of values, then float32, so that bits of any
// kind come.
func FuzzKernels(f *testing.F) {
	f.Add([]byte("\x09 groups of nine: the bytes of a text are numbers of any kind"), uint64(1))
	f.Fuzz(func(t *testing.T, raw []byte, seed uint64) {
		if len(raw) < 5 {
			return
		}
		x := make([]float64, (len(raw)-1)/4)
		for i := range x {
			x[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(raw[1+4*i:])))
		}
		n := int(raw[0]) % (len(x) + 1)
		random := rand.New(rand.NewPCG(seed, 0))
		starts := someStarts(random, len(x), n)
		compareKernels(t, x, &starts, n)
	})
}
