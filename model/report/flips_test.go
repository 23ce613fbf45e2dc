package report

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"vantage/model"
)

// Every format names the kinds of flips, and says how many samples train. Of 0 .5 1 keep_neg_ratio 0 keeps
// .5 and 1, of 0 0 1 1 it keeps 1 and 1: recompute makes 1 0→− of the first and 2 +→0 of the second.
func TestKindsOfFlips(t *testing.T) {
	set := model.DefaultSettings()
	set.KeepNeg, set.Recompute = 0, true
	for name, c := range map[string]struct {
		write func(io.Writer, *Report) (*Charts, error)
		want  []string
	}{
		"text": {Text, []string{"flips: 6 of 8 kept samples change sign in recompute: 2 0→−, 4 +→0", "8/14 (57%)           4/14 (29%)"}},
		"md":   {Markdown, []string{"flips: 6 of 8 kept samples change sign in recompute: 2 0→−, 4 +→0.", "| 2/7 (29%) |"}},
		"csv":  {CSV, []string{",nonzero_samples,flips,invalid_rewards,flips/pos_to_neg,flips/neg_to_pos,flips/zero_to_pos,flips/zero_to_neg,flips/pos_to_zero,flips/neg_to_zero,", "1,false,7,2,1,4,2,3,0,0,0,0,1,2,0,"}},
		"json": {JSON, []string{`"nonzero_samples": 4`, `"flips": 6`, `"zero_to_neg": 2`, `"pos_to_zero": 4`}},
	} {
		var out bytes.Buffer
		if _, err := c.write(&out, reportOf(t, 2, set, []float64{0, .5, 1}, []float64{0, 0, 1, 1})); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: no %q in\n%s", name, want, out.String())
			}
		}
	}
}

// A kind of warning is counted once in a step, though both ratios raise it: 2 of 4 are kept where 0.7 is asked.
func TestWarningsCountSteps(t *testing.T) {
	set := model.DefaultSettings()
	set.KeepPos, set.KeepNeg = 0.7, 0.7
	var out bytes.Buffer
	if _, err := Text(&out, reportOf(t, 3, set, []float64{1, 1, 1, 1, 0, 0, 0, 0})); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "effective-ratio            from step 1, at 3/3 (100%) of the steps") {
		t.Error(out.String())
	}
}
