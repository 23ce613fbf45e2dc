package sweep

import (
	"slices"
	"testing"

	"vantage/estimators"
)

// The closed forms are those of the frameworks' sources; estimators with another baseline
// have none.
func TestClosedFormOf(t *testing.T) {
	for _, c := range []struct {
		framework, name string
		scale           estimators.Scale
		want            closedForm
		ok              bool
	}{
		{"easyr1", "grpo", "group", closedForm{true, 1, 0}, true},
		{"verl", "grpo", "group", closedForm{true, 1, 1e-6}, true},
		{"verl", "grpo", "none", closedForm{}, true},
		{"trl", "grpo", "group", closedForm{true, 1, 1e-4}, true},
		{"trl", "grpo", "batch", closedForm{}, false},
		{"twinkle", "grpo", "group", closedForm{true, 1, 1e-8}, true},
		{"open-instruct", "standard", "group", closedForm{true, 0, 1e-8}, true},
		{"verl", "grpo_passk", "group", closedForm{}, false},            // best minus second
		{"nemo-rl", "grpo", "group", closedForm{}, false},               // leave-one-out
		{"skyrl", "grpo_batch_normalize", "group", closedForm{}, false}, // normalised again over the batch
		{"prime-rl", "max_rl", "none", closedForm{}, false},             // divided by the mean
	} {
		e, err := estimators.Find(c.framework, c.name)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := closedFormOf(e, c.scale); ok != c.ok || ok && got != c.want {
			t.Errorf("%s %s %s: %+v, %v, want %+v", c.framework, c.name, c.scale, got, ok, c.want)
		}
	}
}

// Of up to two samples every ratio between 0 and 1 keeps one; 1 means no filter.
func TestFirstEquivalent(t *testing.T) {
	if got := firstEquivalent([]float64{0, 0.05, 0.5, 0.95, 1}, 2); !slices.Equal(got, []int{0, 1, 1, 1, 4}) {
		t.Errorf("%v", got)
	}
	if got := firstEquivalent([]float64{0.5, 0.6, 0.7}, 3); !slices.Equal(got, []int{0, 0, 2}) { // 3 · 0.7 = 2.1
		t.Errorf("%v", got)
	}
}
