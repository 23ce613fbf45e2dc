package lossweight

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Four rows of 1, 2, 3 and 4 tokens by token-mean, T = 10; the second one is dead.
var (
	fourWeights    = []float64{0.1, 0.2, 0.3, 0.4}
	fourAdvantages = []float64{2, 0, -1, 1.5}
)

func TestMass(t *testing.T) {
	m := MassOf(fourWeights, fourAdvantages)
	// By hand: up 0.1·2 + 0.4·1.5, down 0.3·1, live 0.1 + 0.3 + 0.4.
	near(t, "positive", m.Positive, 0.8)
	near(t, "negative", m.Negative, 0.3)
	near(t, "total", m.Total(), 1.1)
	near(t, "negative to positive", m.NegativeToPositive(), 0.375)
	near(t, "dilution", m.Dilution(), 1.25)
	if m.Rows != 4 || m.Live != 3 {
		t.Errorf("%d rows, %d live; want 4, 3", m.Rows, m.Live)
	}
	half := MassOf(fourWeights[:2], fourAdvantages[:2])
	if sum := half.Plus(MassOf(fourWeights[2:], fourAdvantages[2:])); math.Abs(sum.Total()-m.Total()) > 1e-12 || sum.Live != 3 {
		t.Errorf("the halves add up to %+v, want %+v", sum, m)
	}
	near(t, "share", half.ShareOf(m), 0.2/1.1)
}

func TestMassOfNothing(t *testing.T) {
	dead := MassOf([]float64{0.5, 0.5}, []float64{0, 0})
	if !math.IsInf(dead.Dilution(), 1) || !math.IsNaN(dead.NegativeToPositive()) || dead.Total() != 0 {
		t.Errorf("a dead step: dilution %v, ratio %v, total %v; want +Inf, NaN, 0", dead.Dilution(), dead.NegativeToPositive(), dead.Total())
	}
	// A NaN in one row must not make the figures of the others NaN.
	m := MassOf([]float64{0.5, 0.25, math.NaN()}, []float64{1, math.NaN(), 1})
	if m.Rows != 3 || m.Live != 1 || m.Weight != 0.5 || m.Total() != 0.5 {
		t.Errorf("with NaN: %+v", m)
	}
}

// Quartiles are those of the sorted lengths.
func TestQuartiles(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		lengths := make([]int32, 1+random.IntN(40))
		width := int32(1) << random.IntN(31)
		for i := range lengths {
			lengths[i] = random.Int32N(width)
		}
		sorted := slices.Sorted(slices.Values(lengths))
		var want [3]int32
		for k := range want {
			want[k] = sorted[int(math.Ceil(float64(len(sorted)*(k+1))/4))-1]
		}
		if got := Quartiles(lengths); got != want {
			t.Fatalf("quartiles of %v are %v, want %v", sorted, got, want)
		}
	}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) < 1e-12) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}
