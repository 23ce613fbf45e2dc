package units

import (
	"math"
	"testing"
)

// What is not finite has no sign to show, and what rounds to 0 none either.
func TestSignedOrMissing(t *testing.T) {
	for x, want := range map[float64]string{1.256: "+1.26", -0.5: "-0.50", 1e-9: "0.00", -1e-9: "0.00", math.Inf(1): Missing, math.Inf(-1): Missing} {
		if got := SignedOrMissing(x); got != want {
			t.Errorf("%v is %q, not %q", x, got, want)
		}
	}
	if got := SignedOrMissing(math.NaN()); got != Missing || IsFinite(math.NaN()) || IsFinite(float32(math.Inf(1))) || !IsFinite(math.MaxFloat64) {
		t.Errorf("NaN is %q", got)
	}
}
