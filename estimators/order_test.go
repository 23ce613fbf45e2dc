package estimators

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// keepByOrder is [Keep] by cutting each group along an order; false if one cannot be cut.
func keepByOrder(kept []bool, adv, rewards []float64, order []uint16, offsets []int, keepPos, keepNeg float64) bool {
	fillTrue(kept)
	for g := 1; g < len(offsets); g++ {
		lo, hi := offsets[g-1], offsets[g]
		positive, zero := 0, 0
		for _, a := range adv[lo:hi] {
			positive += one(a > 0)
			zero += one(a == 0)
		}
		c, ok := CutOf(adv[lo:hi], rewards[lo:hi], order[lo:hi], positive, zero, keepPos, keepNeg)
		if !ok {
			return false
		}
		for _, d := range c.Dropped {
			for _, at := range order[lo:hi][d.From:d.To] {
				kept[lo+int(at)] = false
			}
		}
	}
	return true
}

// An order names each sample once, from the largest value down, and equal ones as they come.
func TestOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		levels := rapid.SampledFrom([]int{1, 3, 1000}).Draw(t, "levels")
		values := rapid.SliceOfN(rapid.Map(rapid.IntRange(-levels, levels), func(i int) float64 { return float64(i) / 3 }), 0, 100).Draw(t, "values")
		cut := rapid.IntRange(0, len(values)).Draw(t, "cut")
		order := make([]uint16, len(values))
		Order(order, values, []int{0, cut, len(values)})
		for _, group := range [][2]int{{0, cut}, {cut, len(values)}} {
			v, places := values[group[0]:group[1]], order[group[0]:group[1]]
			for i := 1; i < len(places); i++ {
				if a, b := places[i-1], places[i]; v[a] < v[b] || v[a] == v[b] && a >= b {
					t.Fatalf("%v before %v: %v", a, b, v)
				}
			}
			all := slices.Clone(places)
			slices.Sort(all)
			for i, at := range all {
				if int(at) != i {
					t.Fatalf("places %v", places)
				}
			}
		}
	})
}

// What is cut off along the order of the rewards is what the trainer's sort of the advantages
// keeps, though different rewards may have one advantage: then it may be refused, but not
// where every reward has its own.
func TestCutIsSortAndTake(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		levels := rapid.SampledFrom([]int{1, 3, 1000}).Draw(t, "levels")
		rewards := rapid.SliceOfN(rapid.Map(rapid.IntRange(-levels, levels), func(i int) float64 { return float64(i) }), 1, 60).Draw(t, "rewards")
		shift := rapid.IntRange(-levels, levels).Draw(t, "shift")
		merged := rapid.SampledFrom([]int{1, 2, 5}).Draw(t, "merged")
		adv := make([]float64, len(rewards))
		for i, r := range rewards {
			adv[i] = float64((int(r)+levels)/merged*merged - levels - shift)
		}
		pos, neg := rapid.Float64Range(0, 1).Draw(t, "pos"), rapid.Float64Range(0, 1).Draw(t, "neg")
		order, offsets := make([]uint16, len(adv)), []int{0, len(adv)}
		Order(order, rewards, offsets)
		got := make([]bool, len(adv))
		switch ok := keepByOrder(got, adv, rewards, order, offsets, pos, neg); {
		case !ok && merged == 1:
			t.Fatal("refused, though equal advantages have equal rewards")
		case ok && !slices.Equal(got, plainKeep(adv, pos, neg)):
			t.Fatalf("kept %v of %v, want %v", got, adv, plainKeep(adv, pos, neg))
		}
	})
}
