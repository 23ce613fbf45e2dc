package estimators

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// By hand: of 1, ¼, 0, 0 three are below the mean and one is not, so two go. The mean of 1 and ¼ is ⅝,
// their standard deviation with ddof 0 is ⅜. Of 1, 0, 1 none goes; of 0, 0, 1, that has two below, one.
func TestRecDropsSurplus(t *testing.T) {
	e, err := find(t, "trinity", "rec").With("drop=balance")
	if err != nil {
		t.Fatal(err)
	}
	b := Batch{Rewards: []float64{1, .25, 0, 0, 1, 0, 1, 0, 0, 1}, Offsets: []int{0, 4, 7, 10}}
	var r Result
	if err := process(&r, e, b, ScaleNone, 1, 1, false); err != nil {
		t.Fatal(err)
	}
	want := []float64{.375, -.375, 0, 0, float64(float32(1 - float32(2./3))), -float64(float32(2. / 3)), float64(float32(1 - float32(2./3))), -.5, 0, .5}
	if diff := cmp.Diff(want, r.Processed); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]bool{true, true, false, false, true, true, true, true, false, true}, r.Kept); diff != "" {
		t.Error(diff)
	}
	if err := process(&r, e, b, ScaleGroup, 1, 1, false); err != nil || r.Processed[0] != float64(float32(.375)/(float32(.375)+recEps)) {
		t.Error(err, r.Processed)
	}
	if !e.Draws || e.CanFilter || !e.Selects() {
		t.Error("a filter of its own is not told")
	}
}

// An estimator that leaves out samples does so within those that a filter keeps.
func TestSelectedSamplesAreFiltered(t *testing.T) {
	e, err := find(t, "papers", "pods").With("num_generations_grad=4")
	if err != nil {
		t.Fatal(err)
	}
	b := Batch{Rewards: []float64{1, .75, .5, .5, .25, 0}, Offsets: []int{0, 6}}
	var r Result
	if err := process(&r, e, b, ScaleGroup, 0.5, 1, false); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]bool{true, false, false, false, true, true}, r.Kept); diff != "" {
		t.Error(diff) // 1, .75, .25 and 0 are chosen, and of the first two the better is kept
	}
	if r.Processed[1] != 0 || r.Unfiltered[1] == 0 || r.Unfiltered[2] != 0 {
		t.Errorf("%v of %v", r.Processed, r.Unfiltered)
	}
}
