package estimators

import (
	"math"
	"slices"
	"sort"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// The counts are those of the trainer's Python: int() of the float64 product.
func TestKeepCount(t *testing.T) {
	for _, c := range []struct {
		n     int
		ratio float64
		want  int
	}{
		{10, 0.7, 7},
		{3, 0.7, 2},
		{100, 0.29, 28},
		{100, 0.57, 56},
		{5, 0, 0},
		{5, 1, 5},
		{5, 1.5, 5},
		{0, 0.5, 0},
		{1, 0.01, 1},
		{3, 0.1, 1},
	} {
		if got := KeepCount(c.n, c.ratio); got != c.want {
			t.Errorf("KeepCount(%d, %v) = %d, want %d", c.n, c.ratio, got, c.want)
		}
	}
}

func TestKeep(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name     string
		adv      []float64
		pos, neg float64
		want     []int // the samples kept
	}{
		{"ties keep batch order", []float64{1, 1, 1, -1, -1, -1}, 0.7, 0.4, []int{0, 1, 3}},
		{"best and worst first", []float64{1, 3, 2, -1, -3, -2}, 0.4, 0.4, []int{1, 4}},
		{"zeros always, NaN never", []float64{0, nan, math.Copysign(0, -1), 1, -1}, 0, 0, []int{0, 2}},
		{"one sign alone", []float64{1, 2, -1, -2, 0}, 1, 0, []int{0, 1, 4}},
		{"a NaN is dropped by the other sign's ratio too", []float64{nan, 1, -1}, 1, 0.5, []int{1, 2}},
		{"all kept, NaN too", []float64{nan, 1, -1, 0}, 1, 1, []int{0, 1, 2, 3}},
		{"infinities", []float64{inf, 1, -inf, -1}, 0.5, 0.5, []int{0, 2}},
		{"infinities dropped", []float64{inf, 1, -inf, -1}, 0, 0, nil},
	} {
		kept := make([]bool, len(c.adv))
		Keep(kept, make([]float64, len(c.adv)), c.adv, []int{0, len(c.adv)}, c.pos, c.neg)
		if diff := cmp.Diff(c.want, indices(kept)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// indices returns the indices of the kept samples.
func indices(kept []bool) []int {
	var at []int
	for i, k := range kept {
		if k {
			at = append(at, i)
		}
	}
	return at
}

// keepBySort is the rule as the trainer has it: sort and take the first.
func keepBySort(adv []float64, pos, neg float64) []bool {
	kept := make([]bool, len(adv))
	take := func(ratio float64, before func(a, b float64) bool, sign func(float64) bool) {
		var rows []int
		for i, a := range adv {
			if sign(a) {
				rows = append(rows, i)
			}
		}
		sort.SliceStable(rows, func(i, j int) bool { return before(adv[rows[i]], adv[rows[j]]) })
		for _, row := range rows[:KeepCount(len(rows), ratio)] {
			kept[row] = true
		}
	}
	take(pos, func(a, b float64) bool { return a > b }, func(a float64) bool { return a > 0 })
	take(neg, func(a, b float64) bool { return a < b }, func(a float64) bool { return a < 0 })
	take(1, func(_, _ float64) bool { return false }, func(a float64) bool { return a == 0 })
	return kept
}

// The selection keeps what a stable sort keeps, in groups of all sizes, with many ties
// and with few, of values that float32 holds and of others.
func TestKeepEqualsSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		levels := rapid.SampledFrom([]int{1, 3, 10, 1000}).Draw(t, "levels")
		divisor := rapid.SampledFrom([]float64{2, 3}).Draw(t, "divisor")
		adv := rapid.SliceOfN(rapid.Map(rapid.IntRange(-levels, levels), func(i int) float64 { return float64(i) / divisor }), 0, 300).Draw(t, "adv")
		size := rapid.IntRange(1, 100).Draw(t, "size")
		pos, neg := rapid.Float64Range(0, 0.999).Draw(t, "pos"), rapid.Float64Range(0, 1).Draw(t, "neg")
		offsets, want := []int{0}, []bool(nil)
		for group := range slices.Chunk(adv, size) {
			want = append(want, keepBySort(group, pos, neg)...)
			offsets = append(offsets, len(want))
		}
		got, processed := make([]bool, len(adv)), make([]float64, len(adv))
		Keep(got, processed, adv, offsets, pos, neg)
		if !slices.Equal(got, want) {
			t.Fatalf("kept %v, want %v", got, want)
		}
		for i, a := range adv {
			if processed[i] != IfKept(want[i], a) {
				t.Fatalf("sample %d: processed %v of %v, kept %v", i, processed[i], a, want[i])
			}
		}
		for g := 1; g < len(offsets); g++ {
			lo, hi := offsets[g-1], offsets[g]
			checkCounts(t, adv[lo:hi], got[lo:hi], pos, neg)
		}
	})
}

func checkCounts(t *rapid.T, adv []float64, kept []bool, pos, neg float64) {
	t.Helper()
	var all, got [3]int // negative, zero, positive
	for i, a := range adv {
		sign := 1 + toInt(a > 0) - toInt(a < 0)
		all[sign]++
		got[sign] += toInt(kept[i])
	}
	if want := [3]int{KeepCount(all[0], neg), all[1], KeepCount(all[2], pos)}; got != want {
		t.Fatalf("kept %v of %v, want %v", got, all, want)
	}
}

// Insertion, selection and the sort that selection falls back on agree.
func TestBoundEqualsThatOfSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SliceOfN(rapid.Uint64Range(1, 50), 1, 100).Draw(t, "v")
		k := rapid.IntRange(1, len(v)).Draw(t, "k")
		want := boundBySort(slices.Clone(v), k)
		if k == len(v) {
			want = selectionBound{}
		}
		if got := boundOf(v, make([]uint64, len(v)), k); got != want {
			t.Fatalf("bound %v, want %v", got, want)
		}
	})
}

// Sorted, reversed and organ-pipe groups do not take quadratic time, which would be
// minutes at 2^20 samples.
func TestKeepLargeGroups(t *testing.T) {
	const n = 1 << 20
	for name, value := range map[string]func(i int) float64{
		"rising":  func(i int) float64 { return float64(i + 1) },
		"falling": func(i int) float64 { return float64(n - i) },
		"pipe":    func(i int) float64 { return float64(min(i, n-i) + 1) },
		"equal":   func(int) float64 { return 1 },
	} {
		adv, kept := make([]float64, n), make([]bool, n)
		for i := range adv {
			adv[i] = value(i)
		}
		Keep(kept, make([]float64, n), adv, []int{0, n}, 0.25, 1)
		got := 0
		for _, k := range kept {
			got += toInt(k)
		}
		if got != n/4 {
			t.Errorf("%s: kept %d of %d, want a quarter", name, got, n)
		}
	}
}

func TestCheckRatios(t *testing.T) {
	for _, c := range []struct {
		pos, neg float64
		want     string
	}{
		{1, 1, ""},
		{0, 0.5, ""},
		{-0.1, 1, "AssertionError: keep_pos_ratio must be in [0, 1], got -0.1"},
		{1, 1.1, "AssertionError: keep_neg_ratio must be in [0, 1], got 1.1"},
		{math.NaN(), 1, "AssertionError: keep_pos_ratio must be in [0, 1], got nan"},
		{2, -3, "AssertionError: keep_neg_ratio must be in [0, 1], got -3.0"},
		{math.Inf(-1), 1, "AssertionError: keep_pos_ratio must be in [0, 1], got -inf"},
		{math.Inf(1), 1, "AssertionError: keep_pos_ratio must be in [0, 1], got inf"},
		{-1e-5, 1, "AssertionError: keep_pos_ratio must be in [0, 1], got -1e-05"},
		{1e16, 1, "AssertionError: keep_pos_ratio must be in [0, 1], got 1e+16"},
		{1e15, 1, "AssertionError: keep_pos_ratio must be in [0, 1], got 1000000000000000.0"},
	} {
		if got := errorText(CheckRatios(c.pos, c.neg)); got != c.want {
			t.Errorf("CheckRatios(%v, %v) = %q, want %q", c.pos, c.neg, got, c.want)
		}
	}
}
