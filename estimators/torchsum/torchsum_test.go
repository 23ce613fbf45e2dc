package torchsum

import (
	"math"
	"testing"
)

// big is 2^24: float32(big + 1) == big, so that a sum shows its order.
const big = 1 << 24

// The sums are calculated by hand from the order in the package documentation. Each
// differs from the left-to-right sum.
func TestSumOrder(t *testing.T) {
	for _, c := range []struct {
		name string
		x    []float32
		want float32
	}{
		// (((x0+x4)+x1)+x2)+x3 = ((big-big)+1)+1+1; left to right: 0.
		{"5: the fifth joins the first", []float32{big, 1, 1, 1, -big}, 3},
		// ((x0+x4+x5)+x1)+x2+x3 = (big-big+1)+3; left to right: 1.
		{"6: and so does the sixth", []float32{big, 1, 1, 1, -big, 1}, 4},
		// s = x8 first, then the lanes: ((1+big)+1…)-big = 0, where big+1 = big.
		{"9: the remainder comes first", []float32{big, -big, 0, 0, 0, 0, 0, 0, 1}, 0},
		// Lane 0 is big-big = 0 in the first chain, lanes 1 to 7 are 1+0.
		{"16: lanes before lanes", append([]float32{big, 1, 1, 1, 1, 1, 1, 1}, -big, 0, 0, 0, 0, 0, 0, 0), 7},
		// Registers 0 and 4 share a chain: lane 0 is ((big-big)+1)+1+1.
		{"40: registers are dealt to four chains", registers(big, 1, 1, 1, -big), 3},
	} {
		if got := Sum(c.x); got != c.want {
			t.Errorf("%s: Sum = %v, want %v", c.name, got, c.want)
		}
	}
}

// registers returns one register per value: the value in lane 0, zeros after it.
func registers(first ...float32) []float32 {
	x := make([]float32, lanes*len(first))
	for i, v := range first {
		x[i*lanes] = v
	}
	return x
}

// One chain, lane 0 of registers 0, 4, 8, …: the first sixteen terms are folded before
// the next ones are added. With big first, a chain without folding loses every 1 that
// follows; the cascade adds the 1s of the second sixteen among themselves: big + 16.
func TestCascade(t *testing.T) {
	chain := make([]float32, 4*32)
	chain[0] = big
	for i := 16; i < 32; i++ {
		chain[4*i] = 1
	}
	if got := Sum(registers(chain...)); got != big+16 {
		t.Errorf("32 terms per chain: %v, want %v", got, big+16)
	}
	if got := Sum(registers(chain[:4*31]...)); got != big+16 {
		t.Errorf("31 terms per chain, 15 ones stay in the first level, big is added last: %v, want %v", got, big+16)
	}
	if got := Sum(registers(chain[:4*15]...)); got != big {
		t.Errorf("15 terms per chain: %v, want %v", got, big)
	}
}

// Whole numbers below 2^24 add without error in any order.
func TestSumExact(t *testing.T) {
	for n := range 5000 {
		x, want := make([]float32, n), float32(0)
		for i := range x {
			x[i] = float32(i%7 - 2)
			want += x[i]
		}
		if got := Sum(x); got != want {
			t.Fatalf("n = %d: Sum = %v, want %v", n, got, want)
		}
	}
	x := make([]float32, 9_000_000)
	for i := range x {
		x[i] = 1
	}
	if got := Sum(x); got != 9_000_000 {
		t.Errorf("9 000 000 ones: %v", got)
	}
}

// PyTorch's values for eight rewards of 0.7 and of 10.1. The float32 mean
// misses them by 2^-24 and 2^-20, so the two-pass result is √(8/7) of that, and
// Welford's is 0. The values 1, 2, 3, 4 have variance 5/3.
func TestStd(t *testing.T) {
	for _, c := range []struct {
		x            []float32
		twoPass, row float32
	}{
		{[]float32{.7, .7, .7, .7, .7, .7, .7, .7}, float32(math.Sqrt(8.0/7) / (1 << 24)), 0},
		{[]float32{10.1, 10.1, 10.1, 10.1, 10.1, 10.1, 10.1, 10.1}, float32(math.Sqrt(8.0/7) / (1 << 20)), 0},
		{[]float32{1, 2, 3, 4}, 1.2909944, 1.2909944},
	} {
		if got := Std(c.x); got != c.twoPass {
			t.Errorf("Std(%v) = %v, want %v", c.x, got, c.twoPass)
		}
		if got := StdOfRow(c.x); got != c.row {
			t.Errorf("StdOfRow(%v) = %v, want %v", c.x, got, c.row)
		}
	}
}

func TestSpecialCases(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	isNaN := func(name string, v float32) {
		t.Helper()
		if !math.IsNaN(float64(v)) {
			t.Errorf("%s = %v, want NaN", name, v)
		}
	}
	if got := Sum(nil); got != 0 {
		t.Errorf("Sum of nothing = %v", got)
	}
	if got := Sum([]float32{1, inf, 1}); got != inf {
		t.Errorf("Sum with infinity = %v", got)
	}
	isNaN("Mean of nothing", Mean(nil))
	isNaN("Std of nothing", Std(nil))
	isNaN("Std of one", Std([]float32{3}))
	isNaN("Std with infinity", Std([]float32{1, inf, 1}))
	isNaN("Sum with NaN", Sum([]float32{1, nan}))
	isNaN("Sum of both infinities", Sum([]float32{inf, -inf}))
	for _, v := range []float32{3, nan, inf} {
		isNaN("row of one", StdOfRow([]float32{v}))
	}
	isNaN("row with infinity", StdOfRow([]float32{1, inf}))
	isNaN("row with NaN", StdOfRow([]float32{nan, 1}))
}

func TestNoAllocation(t *testing.T) {
	x := make([]float32, 4096)
	if n := testing.AllocsPerRun(10, func() { Std(x); StdOfRow(x) }); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}
