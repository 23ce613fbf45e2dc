package sweep

import (
	"slices"
	"testing"

	"vantage/estimators"
)

// The laws are those that the sources of the frameworks have, and estimators that
// compare otherwise have none.
func TestLaws(t *testing.T) {
	for _, c := range []struct {
		framework, name string
		scale           estimators.Scale
		want            law
		ok              bool
	}{
		{"easyr1", "grpo", "group", law{true, 1, 0}, true},
		{"verl", "grpo", "group", law{true, 1, 1e-6}, true},
		{"verl", "grpo", "none", law{}, true},
		{"trl", "grpo", "group", law{true, 1, 1e-4}, true},
		{"trl", "grpo", "batch", law{}, false},
		{"twinkle", "grpo", "group", law{true, 1, 1e-8}, true},
		{"open-instruct", "standard", "group", law{true, 0, 1e-8}, true},
		{"verl", "grpo_passk", "group", law{}, false},            // the best against the second
		{"nemo-rl", "grpo", "group", law{}, false},               // against the others
		{"skyrl", "grpo_batch_normalize", "group", law{}, false}, // and then against the batch
		{"prime-rl", "max_rl", "none", law{}, false},             // divided by the mean
	} {
		e, err := estimators.Find(c.framework, c.name)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := lawOf(e, c.scale); ok != c.ok || ok && got != c.want {
			t.Errorf("%s %s %s: %+v, %v, want %+v", c.framework, c.name, c.scale, got, ok, c.want)
		}
	}
}

// Of up to two samples every ratio between 0 and 1 keeps one; 1 stands for no filter.
func TestAlike(t *testing.T) {
	if got := alike([]float64{0, 0.05, 0.5, 0.95, 1}, 2); !slices.Equal(got, []int{0, 1, 1, 1, 4}) {
		t.Errorf("%v", got)
	}
	if got := alike([]float64{0.5, 0.6, 0.7}, 3); !slices.Equal(got, []int{0, 0, 2}) { // 3 · 0.7 = 2.1
		t.Errorf("%v", got)
	}
}
