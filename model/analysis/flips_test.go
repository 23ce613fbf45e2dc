package analysis

import (
	"math"
	"testing"
)

// Groups of rewards of three levels, by hand. With keep_neg_ratio 0 and recompute the kept samples are
//
//	0 0 0 .5 .5 1   mean 1/3   kept .5 .5 1, mean 2/3: both .5 go from + to −
//	0 .5 1          mean 1/2   kept .5 1, mean 3/4: .5 goes from 0 to −
//	0 0 1 1         mean 1/2   kept 1 1, mean 1: both go from + to 0
//	1 1 1           mean 1     kept as they are: 0 stays 0
//
// and with keep_pos_ratio 0 of the same groups mirrored everything is mirrored.
func TestFlipsByKind(t *testing.T) {
	groups := [][]float64{{0, 0, 0, .5, .5, 1}, {0, .5, 1}, {0, 0, 1, 1}, {1, 1, 1}}
	var mirrored [][]float64
	for _, g := range groups {
		var m []float64
		for _, r := range g {
			m = append(m, 1-r)
		}
		mirrored = append(mirrored, m)
	}
	recompute := []string{"compute_new_adv", "true"}
	for _, c := range []struct {
		groups  [][]float64
		set     []string
		want    Flips
		text    string
		nonzero int
	}{
		{groups, append(recompute, "keep_neg_ratio", "0"), Flips{2, 0, 0, 1, 2, 0}, "2 +→−, 1 0→−, 2 +→0", 5},
		{mirrored, append(recompute, "keep_pos_ratio", "0"), Flips{0, 2, 1, 0, 0, 2}, "2 −→+, 1 0→+, 2 −→0", 5},
		// dropped samples have the advantage 0 and are no flips
		{groups, []string{"keep_neg_ratio", "0"}, Flips{}, "", 6},
		{groups, nil, Flips{}, "", 12},
	} {
		a := analyze(t, snapshotOf(c.groups...), settingsWith(t, c.set...))
		if a.Flips != c.want || a.Flips.String() != c.text || a.Flips.Total() != int(a.Metric("vantage/flips")) {
			t.Errorf("%v: flips %v, %q; want %v, %q", c.set, a.Flips, a.Flips, c.want, c.text)
		}
		if a.Nonzero != c.nonzero || a.Nonzero != int(a.Metric("vantage/nonzero_advantages")) {
			t.Errorf("%v: %d advantages are not 0, want %d", c.set, a.Nonzero, c.nonzero)
		}
	}
}

// An advantage that is no number has no sign, before or after.
func TestFlipOf(t *testing.T) {
	for _, c := range []struct {
		from, to float64
		want     string
	}{
		{1, -1, "+→−"},
		{-1, 1, "−→+"},
		{0, 2, "0→+"},
		{0, -2, "0→−"},
		{1, 0, "+→0"},
		{-1, math.Copysign(0, -1), "−→0"},
		{1, 2, ""},
		{0, math.Copysign(0, -1), ""},
		{math.NaN(), 1, ""},
		{0, math.NaN(), ""},
		{1, math.NaN(), ""},
	} {
		if got := FlipOf(c.from, c.to); got != c.want || (got != "") != IsFlip(c.from, c.to) {
			t.Errorf("%v to %v is %q, want %q", c.from, c.to, got, c.want)
		}
	}
}

// A step with NaN advantages counts only the numbers.
func TestNonzeroWithoutNaN(t *testing.T) {
	a := analyze(t, snapshotOf([]float64{1, 0, math.NaN()}, []float64{1, 0, 1, 0}), settingsWith(t))
	nonzero := 0
	for _, x := range a.Processed {
		if x < 0 || x > 0 {
			nonzero++
		}
	}
	if a.Nonzero != nonzero || nonzero < 4 {
		t.Errorf("%d, want %d of %v", a.Nonzero, nonzero, a.Processed)
	}
}
