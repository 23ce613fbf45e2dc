package scalars

import (
	"math"
	"testing"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*max(1, math.Abs(want)) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// The values are those of pymannkendall 1.4.3 original_test, pyhomogeneity 1.1 pettitt_test (p by its formula) and scipy 1.16
// stats.mannwhitneyu with method asymptotic.
func TestStatisticsAgreeWithOthers(t *testing.T) {
	trend := TrendOf([]float64{3.1, 2.9, 3.4, 3.3, 3.9, 3.3, 4.1, 4.4, 4.0, 4.6, 4.4, 5.0})
	near(t, "z", trend.Z, 3.3759668094834963)
	near(t, "p", trend.P, 0.0007355679222680322)
	near(t, "change", trend.Change, 1.8595238095238102)
	shift := ShiftOf([]float64{1.2, 0.8, 1.1, 0.9, 1.3, 1.0, 1.1, 2.2, 1.9, 2.4, 2.1, 2.0, 2.3, 1.8})
	if shift.At != 7 {
		t.Errorf("the level changes at %d, want 7", shift.At)
	}
	near(t, "p of the shift", shift.P, 0.014893166141848676)
	p, higher := Differ([]float64{1.2, 0.8, 1.1, 0.9, 1.3, 1.0, 1.1}, []float64{1.1, 1.9, 2.4, 1.2, 2.0})
	near(t, "p of the ranks", p, 0.04056238277425714)
	if !higher {
		t.Error("the second list is the higher")
	}
}

// A course of 0, …, 0, 3, 6, … bends where it leaves 0; a straight line has no bend.
func TestBend(t *testing.T) {
	var bent, straight []float64
	for i := range 40 {
		bent = append(bent, 3*float64(max(0, i-20)))
		straight = append(straight, float64(i)+0.1*float64(i%3))
	}
	b := BendOf(bent)
	if b.At != 20 || b.P > 1e-9 {
		t.Errorf("%+v", b)
	}
	near(t, "slope before", b.Before, 0)
	near(t, "slope after", b.After, 3)
	if b := BendOf(straight); b.P < 1e-3 {
		t.Errorf("a straight line: %+v", b)
	}
}

func TestOfLittle(t *testing.T) {
	for _, values := range [][]float64{nil, {1}, {1, 1}, {2, 2, 2, 2, 2, 2, 2, 2, 2, 2}} {
		if trend := TrendOf(values); trend.P != 1 || trend.Z != 0 {
			t.Errorf("%v: %+v", values, trend)
		}
		if shift := ShiftOf(values); shift.P != 1 {
			t.Errorf("%v: %+v", values, shift)
		}
		if bend := BendOf(values); bend.P != 1 {
			t.Errorf("%v: %+v", values, bend)
		}
	}
}
