package torchsum

import (
	"math"
	"testing"
)

// Four chains whatever the length, so x8 joins chain 0: ((big−big+1)+1)+1… for nine
// values. Sum adds x8 first and loses it.
func TestSumColumnOrder(t *testing.T) {
	x := []float32{big, 1, 1, 1, -big, 0, 0, 0, 1}
	// p0 = big−big+1, p1 = p2 = p3 = 1.
	if got := SumColumn(x); got != 4 {
		t.Errorf("Column = %v, want 4", got)
	}
	// x8 first, then the lanes: (1+big)+1+1+1−big, where big+1 = big.
	if got := Sum(x); got != 0 {
		t.Errorf("Sum = %v, want 0", got)
	}
	if got := SumColumn([]float32{1, 2, 3}); got != 6 {
		t.Errorf("Column of three = %v", got)
	}
}

// Chain 0 is big and then ones; the first sixteen terms are folded, so that the other
// sixteen add up: big + 16.
func TestSumColumnCascade(t *testing.T) {
	x := make([]float32, 4*32)
	for i := 0; i < len(x); i += 4 {
		x[i] = 1
	}
	x[0] = big
	if got := SumColumn(x); got != big+16 {
		t.Errorf("Column = %v, want %v", got, float32(big+16))
	}
}

// The first four of five columns are added value by value, the fifth in four chains; of three
// columns each, and of eight.
func TestSumColumnOfOrder(t *testing.T) {
	x := []float32{big, 1, 1, 1, -big, 0, 0, 0, 1}
	const valueByValue, fourChains, oneColumn = 1, 4, 0
	for _, c := range []struct {
		k, columns int
		want       float32
	}{{0, 1, oneColumn}, {0, 3, fourChains}, {3, 4, valueByValue}, {3, 5, valueByValue}, {4, 5, fourChains}, {0, 8, fourChains}, {31, 33, valueByValue}, {32, 33, fourChains}} {
		if got := SumColumnOf(c.k, c.columns)(x); got != c.want {
			t.Errorf("column %d of %d: %v, want %v", c.k, c.columns, got, c.want)
		}
	}
	// Folded after sixteen terms: the second sixteen add up before they meet big.
	y := make([]float32, 32)
	for i := range y {
		y[i] = 1
	}
	y[0] = big
	if got := SumColumnOf(0, 4)(y); got != big+16 {
		t.Errorf("32 values: %v, want %v", got, float32(big+16))
	}
}

func TestSumLeftToRightOrder(t *testing.T) {
	if got := SumLeftToRight([]float32{big, 1, -big, 1}); got != 1 {
		t.Errorf("Plain = %v, want 1", got)
	}
}

// 2^53 + 1 = 2^53, so that a sum shows its order. Of PyTorch's, four values fill a register, and the registers are
// dealt to four chains.
func TestSumsOfFloat64Order(t *testing.T) {
	const huge = 1 << 53
	for _, c := range []struct {
		name string
		sum  func([]float64) float64
		x    []float64
		want float64
	}{
		{"numpy, 7: left to right", SumNumpy[float64], []float64{huge, 1, 1, 1, 1, 1, -huge}, 0},
		// (((huge+0)+(0−huge)) + …) + the ninth, which is added last.
		{"numpy, 9: the remainder comes last", SumNumpy[float64], []float64{huge, 0, 0, -huge, 0, 0, 0, 0, 1}, 1},
		// r0 = huge − huge, r1 = 1 + 1.
		{"numpy, 16: eight chains", SumNumpy[float64], []float64{huge, 1, 0, 0, 0, 0, 0, 0, -huge, 1, 0, 0, 0, 0, 0, 0}, 2},
		// Halves of 64 and 72, whose sums are 0 and 72.
		{"numpy, 136: halves", SumNumpy[float64], halves(huge, 64, 72), 72},
		{"PyTorch, 3: left to right", Sum64, []float64{huge, 1, -huge}, 0},
		// The fifth value comes first: ((1+huge)+1+1)−huge, where huge+1 = huge.
		{"PyTorch, 5: the remainder comes first", Sum64, []float64{huge, 0, 0, -huge, 1}, 0},
		// Lane 0 of the chains 0 and 1 is huge − huge, lane 1 has 1 + 1.
		{"PyTorch, 8: chains before lanes", Sum64, []float64{huge, 1, 0, 0, -huge, 1, 0, 0}, 2},
	} {
		if got := c.sum(c.x); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// halves returns huge, zeros and −huge, then ones.
func halves(huge float64, first, second int) []float64 {
	x := make([]float64, first+second)
	x[0], x[first-8] = huge, -huge
	for i := first; i < len(x); i++ {
		x[i] = 1
	}
	return x
}

// Of 1, 2 and 3 the mean is 2, the standard deviation 1.
func TestNaNMeanStd(t *testing.T) {
	nan := float32(math.NaN())
	buf := make([]float32, 5)
	mean, std, count := NaNMeanStd([]float32{1, nan, 2, 3, nan}, buf, Sum, Sum)
	if mean != 2 || std != 1 || count != 3 {
		t.Errorf("%v, %v of %d", mean, std, count)
	}
	mean, std, count = NaNMeanStd([]float32{nan, 7}, buf[:2], SumColumn, Sum)
	if mean != 7 || std == std || count != 1 {
		t.Errorf("one value: %v, %v of %d", mean, std, count)
	}
	mean, std, count = NaNMeanStd([]float32{nan}, buf[:1], Sum, Sum)
	if mean == mean || std == std || count != 0 {
		t.Errorf("none: %v, %v of %d", mean, std, count)
	}
	inf := float32(math.Inf(1))
	if mean, std, _ = NaNMeanStd([]float32{1, inf, 2}, buf[:3], Sum, Sum); mean != inf || std != inf {
		t.Errorf("an infinity: %v, %v", mean, std)
	}
	if mean, std, _ = NaNMeanStd([]float32{1, inf, -inf}, buf[:3], Sum, Sum); mean == mean || std == std {
		t.Errorf("infinities of both signs: %v, %v", mean, std)
	}
	if mean, std, _ = NaNMeanStd([]float32{inf, inf}, buf[:2], Sum, Sum); mean != inf || std == std {
		t.Errorf("only infinities: %v, %v", mean, std)
	}
}
