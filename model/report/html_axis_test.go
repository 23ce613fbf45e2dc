package report

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// An axis holds its values, has a few round ticks in order, and every value has a place on the plot.
func TestPlotAxis(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.OneOf(rapid.Float64(), rapid.Float64Range(-3, 3), rapid.Float64Range(0, 1e5), rapid.SampledFrom([]float64{0, 1, 5e-324, 1e300, -math.MaxFloat64, math.MaxFloat64}))
		lo, hi := number.Draw(t, "lo"), number.Draw(t, "hi")
		if lo > hi {
			lo, hi = hi, lo
		}
		a := newPlotAxis(lo, hi)
		for _, v := range []float64{lo, hi, lo/2 + hi/2} {
			if y := a.y(v); !(y >= plotTop-0.01 && y <= plotBottom+0.01) {
				t.Fatalf("%g is at %g on the axis of %g to %g", v, y, lo, hi)
			}
		}
		for i, v := range a.ticks {
			if i > 0 && !(v > a.ticks[i-1]) {
				t.Fatalf("ticks %g", a.ticks)
			}
			if y := a.y(v); !(y >= plotTop-0.01 && y <= plotBottom+0.01) {
				t.Fatalf("the tick %g is at %g", v, y)
			}
		}
		if n := len(a.ticks); n > 8 || n == 1 {
			t.Fatalf("%d ticks", n)
		}
	})
}

func TestPlotAxisLabels(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		want   []string
	}{
		{0.498, 0.889, []string{"0.4", "0.5", "0.6", "0.7", "0.8", "0.9"}},
		{0.71, 0.81, []string{"0.70", "0.75", "0.80", "0.85"}},
		{45, 291, []string{"0", "100", "200", "300"}},
		{0, 1, []string{"0.0", "0.5", "1.0"}},
		{-1, 1, []string{"-1.0", "-0.5", "0.0", "0.5", "1.0"}},
		{1469, 1505, []string{"1460", "1470", "1480", "1490", "1500", "1510"}},
		{0, 5.1e-9, []string{"0", "2.0e-09", "4.0e-09", "6.0e-09"}},
		{0, 5400, []string{"0", "2.0k", "4.0k", "6.0k"}},
	} {
		if got := newPlotAxis(c.lo, c.hi).labels(); !slices.Equal(got, c.want) {
			t.Errorf("%g to %g: %q, want %q", c.lo, c.hi, got, c.want)
		}
	}
}
