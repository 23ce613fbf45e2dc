package estimators

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestColumnNames(t *testing.T) {
	for c := range columnCount {
		for _, name := range c.Names() {
			if got, ok := ColumnNamed(name); got != c || !ok {
				t.Errorf("%s is the column %s", name, got)
			}
		}
		if c.String() == "" {
			t.Errorf("column %d has no name", c)
		}
	}
	if _, ok := ColumnNamed("reward"); ok {
		t.Error("reward is a column")
	}
	if diff := cmp.Diff([]Column{Turns, State}, Columns(State, Turns).List()); diff != "" {
		t.Error(diff)
	}
}

// A number that stands for a name is a whole number below 2^53, and another for another name.
func TestNumberOfName(t *testing.T) {
	seen := map[float64]bool{}
	for _, name := range []string{"", "a", "b", "ab", "solver", "proposer", "e0_0", "e0_1"} {
		x := NumberOfName(name)
		if x != math.Trunc(x) || x < 0 || x >= 1<<53 || seen[x] {
			t.Errorf("%q: %v", name, x)
		}
		seen[x] = true
	}
}

func TestClasses(t *testing.T) {
	keys := []float64{7, 3, math.NaN(), 7, 5, 3, 7}
	var c classesOf[float64]
	for range 2 { // in the same memory
		c.sort(len(keys), func(i int) (float64, bool) { return keys[i], keys[i] == keys[i] })
		got := [][]int32{}
		for k := range c.count() {
			got = append(got, c.class(k))
		}
		if diff := cmp.Diff([][]int32{{0, 3, 6}, {1, 5}, {4}}, got); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]int32{0, 1, -1, 0, 2, 1, 0}, c.of); diff != "" {
			t.Error(diff)
		}
	}
}
