package torchsum

import (
	"math"
	"slices"
	"testing"
)

// The sizes up to 64 for which PyTorch 2.15 on a CPU gives so many equal values a standard deviation that
// is not 0: torch.full((n,), x, dtype=torch.float64).std().
func TestStd64OfEqualValues(t *testing.T) {
	for x, want := range map[float64][]int{
		0.1:       {3, 6, 7, 9, 11, 12, 15, 18, 19, 23, 24, 28, 31, 33, 36, 37, 38, 39, 41, 43, 44, 45, 46, 47, 48, 50, 53, 54, 57, 59, 60},
		0.3:       {9, 11, 13, 14, 17, 18, 34, 36, 37, 41, 44, 45, 46, 47, 49, 52, 53, 54, 55, 56, 59, 62},
		1000000.1: {7, 9, 13, 14, 18, 21, 26, 27, 28, 29, 30, 36, 37, 41, 42, 47, 49, 51, 52, 54, 56, 58, 62},
		0.5:       nil,
	} {
		var got []int
		for n := 2; n <= 64; n++ {
			if Std64(slices.Repeat([]float64{x}, n)) != 0 {
				got = append(got, n)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v: %v, want %v", x, got, want)
		}
	}
	if got := Std64([]float64{1, 2, 3, 4}); got != math.Sqrt(5.0/3) {
		t.Errorf("Std64(1 2 3 4) = %v", got)
	}
	for _, x := range [][]float64{nil, {1}, {1, math.NaN()}, {1, math.Inf(1)}} {
		if got := Std64(x); !math.IsNaN(got) {
			t.Errorf("Std64(%v) = %v, want NaN", x, got)
		}
	}
}
