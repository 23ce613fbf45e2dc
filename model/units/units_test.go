package units_test

import (
	"math"
	"testing"
	"time"

	"vantage/model/units"
)

func TestSigned(t *testing.T) {
	for x, want := range map[float64]string{
		1.264: "+1.26", -0.5: "-0.50", 0: " 0.00", -0.001: " 0.00", 0.004: " 0.00",
		math.Inf(-1): "-inf", 12.5: "+12.50",
	} {
		if got := units.Signed(x); got != want {
			t.Errorf("Signed(%v) = %q, want %q", x, got, want)
		}
	}
	if got := units.Signed(math.NaN()); got != "nan" {
		t.Error(got)
	}
}

func TestShort(t *testing.T) {
	if got := units.Short(math.Copysign(0, -1)); got != "0" {
		t.Errorf("Short(-0) = %q", got)
	}
	for x, want := range map[float64]string{
		0: "0", 3: "3", -2: "-2", 0.6124: "0.612", 12.34: "12.3", 123.6: "124", 99_999: "99999",
		438_123: "438k", 1_234_567: "1.23M", 4.5e-8: "4.5e-08", 3.4028235e38: "3.4e+38", -1e300: "-1.0e+300", 0.9996: "1.00", 2.5: "2.50",
	} {
		if got := units.Short(x); got != want {
			t.Errorf("Short(%v) = %q, want %q", x, got, want)
		}
	}
}

func TestBrief(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 0.6124: "0.612", -12.34: "-12.3", 99.4: "99.4", 99.5: "100", 180.4: "180", 999.4: "999", 999.6: "1.0k",
		5_412: "5.4k", -9_960: "-10k", 54_250: "54k", 999_600: "1.0M", 1_234_567: "1.2M", 9.4e11: "940G", 1e12: "1e+12", 3.4028235e38: "3e+38",
	} {
		if got := units.Brief(x); got != want {
			t.Errorf("Brief(%v) = %q, want %q", x, got, want)
		}
	}
	if got := units.Brief(math.NaN()); got != "nan" {
		t.Error(got)
	}
}

func TestFraction(t *testing.T) {
	for _, test := range []struct {
		n, of int
		want  string
	}{
		{5, 32, "5/32 (16%)"},
		{0, 32, "0/32 (0%)"},
		{32, 32, "32/32 (100%)"},
		{1, 1000, "1/1000 (1%)"},
		{999, 1000, "999/1000 (99%)"},
		{0, 0, "0/0 (—)"},
	} {
		if got := units.Fraction(test.n, test.of); got != test.want {
			t.Errorf("Fraction(%d, %d) = %q, want %q", test.n, test.of, got, test.want)
		}
	}
}

func TestShares(t *testing.T) {
	for _, c := range []struct {
		x, y float64
		want string
	}{
		{0.4, 0.62, "40% 62%"},
		{0.012, 0.014, "1.2% 1.4%"},
		{0.9961, 0.9964, "99.61% 99.64%"},
		{0.5, 0.50001, "50% 50%"},
		{math.NaN(), 0.004, "nan% 0%"},
	} {
		if x, y := units.Shares(c.x, c.y); x+" "+y != c.want {
			t.Errorf("Shares(%v, %v) = %q, %q, want %q", c.x, c.y, x, y, c.want)
		}
	}
}

func TestCountAndBytes(t *testing.T) {
	for n, want := range map[int]string{7: "7", 99_999: "99999", 438_000: "438k", 12_300_000: "12.3M", 2_000_000_000: "2.00G"} {
		if got := units.Count(n); got != want {
			t.Errorf("Count(%d) = %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int64]string{512: "512 B", 1_200_000: "1.2 MB", 3_500_000_000: "3.5 GB", 999: "999 B", 120_000: "120 kB", 12_340_000: "12 MB"} {
		if got := units.Bytes(n); got != want {
			t.Errorf("Bytes(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestBytesOf(t *testing.T) {
	for _, c := range []struct {
		n, of int64
		want  string
	}{{1_200_000_000, 3_500_000_000, "1.2/3.5 GB"}, {800_000, 3_500_000_000, "800 kB/3.5 GB"}, {0, 12, "0/12 B"}} {
		if got := units.BytesOf(c.n, c.of); got != c.want {
			t.Errorf("%d of %d: %q, want %q", c.n, c.of, got, c.want)
		}
	}
}

func TestApproxDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		300 * time.Millisecond: "1 s", 41 * time.Second: "41 s", 98 * time.Second: "98 s",
		170 * time.Second: "3 min", 2*time.Hour + 10*time.Minute: "2 h",
	} {
		if got := units.ApproxDuration(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

func TestShortDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		90 * time.Microsecond: "< 1 ms", 12400 * time.Microsecond: "12 ms", 999 * time.Millisecond: "999 ms", 1300 * time.Millisecond: "1.3 s",
		4 * time.Second: "4 s", 12300 * time.Millisecond: "13 s", 3 * time.Minute: "3 min",
	} {
		if got := units.ShortDuration(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

func TestNearlyEqual(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		want   bool
	}{
		{0.5, 0.5, true},
		{0.5, math.Nextafter(0.5, 1), true},
		{-3, -3 + 1e-12, true},
		{0, 0, true},
		{1, 0, true},
		{0.5, 0.501, false},
		{0, 1e-300, false},
		{-math.MaxFloat64, math.MaxFloat64, false},
		{1e6, 1e6 + 1, false},
	} {
		if got := units.NearlyEqual(c.lo, c.hi); got != c.want {
			t.Errorf("Level(%v, %v) = %v", c.lo, c.hi, got)
		}
	}
}
