package torchsum

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// odd are values that are easily got wrong: zeros of both signs, denormals, what float32 rounds,
// infinities, NaN.
var odd = []float64{
	0, math.Copysign(0, -1), 1e-45, -1e-40, 0.1, 1 << 24, math.MaxFloat32, -math.MaxFloat32, 1e300,
	math.Inf(1), math.Inf(-1), math.NaN(),
}

// randomBatch returns up to eight groups of n values in a batch, in any order and alignment. Values
// are on a grid, any float32 or odd, so that ties, rounding and special cases happen.
func randomBatch(random *rand.Rand, n int) (x []float64, starts Starts) {
	x = make([]float64, (Width+1)*n+random.IntN(Width+1))
	kind := random.IntN(4)
	for i := range x {
		switch {
		case kind == 0 || kind == 3 && i%40 != 0:
			x[i] = float64(float32(random.IntN(11)-5) / 10)
		case kind == 1:
			x[i] = float64(math.Float32frombits(random.Uint32()))
		case kind == 2:
			x[i] = random.NormFloat64()
		default:
			x[i] = odd[random.IntN(len(odd))]
		}
	}
	starts = someStarts(random, len(x), n)
	return x, starts
}

// someStarts returns where groups of n values begin that do not overlap, of a batch of so many
// values, which has room for one at least.
func someStarts(random *rand.Rand, values, n int) (starts Starts) {
	rows := min(Width, values/max(1, n))
	gaps := values - rows*n
	for g, k := range random.Perm(rows) {
		starts[g] = k*n + gaps/2
	}
	for g := rows; g < Width; g++ {
		starts[g] = starts[0]
	}
	return starts
}

func needRegisters(t *testing.T) {
	t.Helper()
	if Limit() == 0 {
		t.Skip("no registers")
	}
}

// row returns group g of a tile.
func (t Tile) row(g int) []float32 {
	x := make([]float32, len(t))
	for i, v := range t {
		x[i] = v[g]
	}
	return x
}

// randomTiles returns tiles of all sizes.
func randomTiles(t *testing.T) (tiles []Tile) {
	t.Helper()
	needRegisters(t)
	random := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= maxSize; n++ {
		for range 4 {
			x, starts := randomBatch(random, n)
			tile := make(Tile, n)
			tile.Load(x, &starts)
			tiles = append(tiles, tile)
		}
	}
	return tiles
}

// same reports whether two numbers have the same bits or both are NaN.
func same(a, b float32) bool {
	return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
}

// A Sum adds one group after the other, and knows what PyTorch itself printed.
func TestSumsAreThoseOfTorchsum(t *testing.T) {
	for _, tile := range randomTiles(t) {
		sum := tile.Sum()
		mean := sum.Over(len(tile))
		std, welford, leftToRight := tile.Std(&mean), tile.StdWelford(), tile.SumLeftToRight()
		for g := range Width {
			x := tile.row(g)
			if want := Sum(x); !same(sum[g], want) {
				t.Errorf("Sum of %v = %v, want %v", x, sum[g], want)
			}
			if want := SumLeftToRight(x); !same(leftToRight[g], want) {
				t.Errorf("SumLeftToRight of %v = %v, want %v", x, leftToRight[g], want)
			}
			if want := StdWithMean(x, mean[g]); !same(std[g], want) {
				t.Errorf("Std of %v = %v, want %v", x, std[g], want)
			}
			if want := StdOfRow(x); !same(welford[g], want) {
				t.Errorf("StdWelford of %v = %v, want %v", x, welford[g], want)
			}
		}
	}
}

// In float32, one operation after the other.
func TestNormalizeAndSquares(t *testing.T) {
	for _, tile := range randomTiles(t) {
		sum := tile.Sum()
		mean := sum.Over(len(tile))
		std := tile.Std(&mean)
		before, squares := slices.Clone(tile), make(Tile, len(tile))
		tile.Squares(squares, &mean)
		tile.Normalize(&mean, &std)
		for i, v := range tile {
			for g, got := range v {
				if want := (before[i][g] - mean[g]) / std[g]; !same(got, want) {
					t.Fatalf("(%v - %v)/%v = %v, want %v", before[i][g], mean[g], std[g], got, want)
				}
				d := before[i][g] - mean[g]
				if want := d * d; !same(squares[i][g], want) {
					t.Fatalf("(%v - %v)² = %v, want %v", before[i][g], mean[g], squares[i][g], want)
				}
			}
		}
	}
}

// What is loaded is stored again, and nothing beside it is touched.
func TestLoadStore(t *testing.T) {
	needRegisters(t)
	random := rand.New(rand.NewPCG(3, 4))
	for n := range maxSize + 1 {
		x, starts := randomBatch(random, n)
		tile, exact := make(Tile, n), true
		got, want := make([]float64, len(x)), make([]float64, len(x))
		for _, start := range starts {
			for i, v := range x[start : start+n] {
				want[start+i] = float64(float32(v))
				exact = exact && want[start+i] == v
			}
		}
		if tile.Load(x, &starts) != exact {
			t.Errorf("size %d: exact is not %v", n, exact)
		}
		tile.Store(got, &starts)
		if !slices.EqualFunc(got, want, func(a, b float64) bool { return a == b || a != a && b != b }) {
			t.Errorf("size %d: other values are stored than were loaded", n)
		}
	}
}

func TestLoadPanicsBeyondBatch(t *testing.T) {
	needRegisters(t)
	for _, starts := range []Starts{{0, 0, 0, 0, 0, 0, 0, 5}, {-1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("no panic for four of eight values from %v on", starts)
				}
			}()
			make(Tile, 4).Load(make([]float64, 8), &starts)
		}()
	}
}

// Sort, Signs, Select and StoreMarks against a stable sort of each group.
func TestFilter(t *testing.T) {
	needRegisters(t)
	random := rand.New(rand.NewPCG(5, 6))
	for n := range maxSize + 1 {
		x, starts := randomBatch(random, n)
		for i, v := range x {
			if x[i] = float64(float32(v)); v != v {
				x[i] = 0
			}
		}
		tile, sorted, marks := make(Tile, n), make(Tile, n), make([]Mark, n)
		tile.Load(x, &starts)
		copy(sorted, tile)
		sorted.Sort()
		positive, negative := tile.Signs()
		var top, bottom Best
		kept, wantKept := make([]bool, len(x)), make([]bool, len(x))
		for g, start := range starts {
			row := x[start : start+n]
			if want := slices.Sorted(slices.Values(tile.row(g))); !slices.Equal(sorted.row(g), want) {
				t.Fatalf("sorted: %v, want %v", sorted.row(g), want)
			}
			top.Count[g], bottom.Count[g] = random.Int32N(positive[g]+1), random.Int32N(negative[g]+1)
			wantPositive, wantNegative := markBest(wantKept[start:start+n], row, int(top.Count[g]), int(bottom.Count[g]))
			if int(positive[g]) != wantPositive || int(negative[g]) != wantNegative {
				t.Fatalf("%d positive, %d negative in %v", positive[g], negative[g], row)
			}
		}
		top.BoundBy(sorted, 1)
		bottom.BoundBy(sorted, -1)
		tile.Select(marks, &top, &bottom)
		StoreMarks(kept, &starts, marks)
		got := make([]float64, len(x))
		tile.Store(got, &starts)
		for i, keep := range wantKept {
			want := 0.0
			if keep {
				want = x[i]
			}
			if kept[i] != keep || got[i] != want {
				t.Fatalf("value %d of groups of %d is kept: %v, want %v; it is %v, want %v", i, n, kept[i], keep, got[i], want)
			}
		}
	}
}

// markBest marks the largest and the smallest of x, of equal ones the first, and zeros. It counts
// the positive and the negative ones.
func markBest(kept []bool, x []float64, largest, smallest int) (positive, negative int) {
	order := make([]int, len(x))
	for i, v := range x {
		order[i] = i
		kept[i] = v == 0
		if v > 0 {
			positive++
		} else if v < 0 {
			negative++
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(x[j], x[i]) })
	for _, i := range order[:largest] {
		kept[i] = true
	}
	slices.Sort(order)
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(x[i], x[j]) })
	for _, i := range order[:smallest] {
		kept[i] = true
	}
	return positive, negative
}

// Each group comes once, with seven others of its size or at the end.
func TestGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOf(rapid.OneOf(rapid.IntRange(0, 5), rapid.IntRange(500, 520))).Draw(t, "sizes")
		offsets := []int{0}
		want := map[int]int{}
		for _, n := range sizes {
			if n > 0 {
				want[offsets[len(offsets)-1]] = n
			}
			offsets = append(offsets, offsets[len(offsets)-1]+n)
		}
		memory := make([]Waiting, rapid.IntRange(0, 9).Draw(t, "memory"))
		limit := rapid.SampledFrom([]int{0, 3, maxSize}).Draw(t, "limit")
		q := GroupsOf(offsets, limit, memory)
		for q.Next() {
			for g, start := range q.Starts {
				if g >= q.Rows && start != q.Starts[0] && !q.Alone() {
					t.Fatalf("group %d of %d begins at %d", g, q.Rows, start)
				}
			}
			if q.Alone() != (q.Size > limit) || q.Alone() && q.Rows != 1 {
				t.Fatalf("%d large groups at once", q.Rows)
			}
			for _, start := range q.Starts[:q.Rows] {
				if want[start] != q.Size {
					t.Fatalf("a group of %d at %d, want %d", q.Size, start, want[start])
				}
				delete(want, start)
			}
		}
		if len(want) > 0 {
			t.Fatalf("not seen: %v", want)
		}
	})
}
