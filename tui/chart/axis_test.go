package chart_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vantage/themes"
	"vantage/tui/chart"
)

// The row of a value is that of its dot: 0.5 on an axis from 0 to 1 is round(0.5·15) = 8 dots below the top of four rows of
// four, in the third.
func TestRowLabels(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		h      int
		want   []string
	}{
		{0, 1, 4, []string{"1.0", "", "", "0.0"}},
		{0, 1, 3, []string{"1.0", "0.5", "0.0"}}, // round(0.5·11) = 6 of 12
		{0, 1, 12, []string{"1.00", "", "", "0.75", "", "", "0.50", "", "0.25", "", "", "0.00"}},
		// 0.8, 0.6 and 0.4 are 0.132, 0.488 and 0.843 from the top, dots 2, 7 and 13 of 16
		{0.312, 0.874, 4, []string{"0.8", "", "", "0.4"}},
		{0, 3, 4, []string{"3", "2", "1", "0"}},
		{-10, 10, 3, []string{"10", "0", "-10"}},
		// 200k is a fifth of 11 dots below the top, in the first row; 100k 6.6 dots, in the second
		{0, 250_000, 3, []string{"200k", "100k", "0"}},
		// 0.60, 0.58 and 0.56 are 0.043, 0.478 and 0.913 from the top, dots 1, 7 and 14
		{0.556, 0.602, 4, []string{"0.60", "", "", "0.56"}},
		{0.5, 0.9, 2, []string{"0.900", "0.500"}},
		{0.5, 0.9, 1, []string{"0.900"}},
		{-math.MaxFloat64, math.MaxFloat64, 3, []string{"1.8e+308", "", "-1.8e+308"}},
	} {
		if got := (chart.Axis{Lo: c.lo, Hi: c.hi}).RowLabels(c.h); !slices.Equal(got, c.want) {
			t.Errorf("%v to %v in %d rows: %q, want %q", c.lo, c.hi, c.h, got, c.want)
		}
	}
}

// From five rows on there are three labels, whatever the values. In four rows two of three values may be in the same one: they are
// more than a quarter of the axis apart, 3.75 of 15 dots, and a row has 4.
func TestThereAreThreeLabels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-1e12, 1e12), 1, 5).Draw(t, "values")
		lo, hi := chart.Range(values)
		axis, h := (chart.Axis{Lo: lo, Hi: hi}).Widened(), rapid.IntRange(4, 40).Draw(t, "h")
		n := 0
		for _, label := range axis.RowLabels(h) {
			if label != "" {
				n++
			}
		}
		if n < min(3, h-2) || n > max(7, h/3+1) {
			t.Fatalf("%d labels on %v in %d rows: %q", n, axis, h, axis.RowLabels(h))
		}
	})
}

// The first step is below column 0 and the last ends at the edge; 50 of 1 to 101 is round(0.49·39)/2 = 9.
func TestStepLabels(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		w      int
		want   string
	}{
		{1, 101, 20, "1        50      101"},
		{1, 101, 4, "1"},
		{7, 7, 6, "7"},
		{0, 10, 21, "0         5        10"},
		{1, 3, 30, "1              2             3"},
		{1, 3, 0, ""},
	} {
		got := (chart.Axis{Lo: c.lo, Hi: c.hi}).StepLabels(c.w)
		want := c.want
		for len(want) < c.w {
			want += " "
		}
		if got != want {
			t.Errorf("%v to %v in %d cells:\n%q, want\n%q", c.lo, c.hi, c.w, got, want)
		}
	}
}

// Solve counts of groups of eight have nine bins, one for each number.
func TestOneBinForEachNumber(t *testing.T) {
	counts := []float64{0, 8, 8, 3, math.NaN()}
	axis, bins, ok := chart.WholeAxis(counts, 61)
	if !ok || bins != 9 || axis != (chart.Axis{Lo: -0.5, Hi: 8.5}) {
		t.Errorf("%v, %d bins, %v", axis, bins, ok)
	}
	h := chart.BinWithZeros(axis, bins, counts, nil)
	if want := []int{1, 0, 0, 1, 0, 0, 0, 0, 2}; !slices.Equal(h.Counts, want) || h.NonFinite != 1 {
		t.Errorf("%v, want %v", h.Counts, want)
	}
	if first, last := axis.WholeBounds(8, bins); first != 8 || last != 8 {
		t.Errorf("the last bin is %v to %v", first, last)
	}
}

// Lengths from 100 to 350 are 251 numbers: in 61 columns five to a bin, 51 bins, the last up to 354.
func TestBinsOfManyNumbersHaveWholeBounds(t *testing.T) {
	axis, bins, ok := chart.WholeAxis([]float64{100, 350, 220}, 61)
	if !ok || bins != 51 || axis != (chart.Axis{Lo: 99.5, Hi: 354.5}) {
		t.Errorf("%v, %d bins, %v", axis, bins, ok)
	}
	if first, last := axis.WholeBounds(24, bins); first != 220 || last != 224 {
		t.Errorf("bin 24 is %v to %v, want 220 to 224", first, last)
	}
	if h := chart.Bin(axis, bins, []float64{219, 220, 224, 225}, nil); h.Counts[23] != 1 || h.Counts[24] != 2 || h.Counts[25] != 1 {
		t.Errorf("counts around 220 to 224: %v", h.Counts[23:26])
	}
}

func TestFractionsHaveNoWholeAxis(t *testing.T) {
	for _, values := range [][]float64{nil, {math.NaN()}, {1, 2, 2.5}, {0, 1e300}} {
		if _, _, ok := chart.WholeAxis(values, 61); ok {
			t.Errorf("%v are whole numbers", values)
		}
	}
	if axis, bins, ok := chart.WholeAxis([]float64{-3, -3}, 5); !ok || bins != 1 || axis != (chart.Axis{Lo: -3.5, Hi: -2.5}) {
		t.Errorf("a constant: %v, %d bins, %v", axis, bins, ok)
	}
}

// Three bins in eleven columns have slots of three, each a bar of two and a gap, from the second column on: (11−9)/2.
func TestBarsOfFewNumbers(t *testing.T) {
	axis := chart.Axis{Lo: -0.5, Hi: 2.5}
	h := chart.Histogram{Axis: axis, Counts: []int{1, 0, 2}}
	got := chart.Mirror(themes.Mono(), chart.Unicode(), h, chart.Histogram{}, axis.BarLabels(3, 11), 11, 3)
	want := []string{
		"       ██  ",
		" ██    ██  ",
		" 0  1  2 ──",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	// below the same axis
	both := chart.Mirror(themes.Mono(), chart.Unicode(), h, h, "", 11, 3)
	if both[2] != " ▀▀    ██  " {
		t.Errorf("below: %q", both[2])
	}
}
