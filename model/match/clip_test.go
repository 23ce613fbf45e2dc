package match

import (
	"math"
	"strings"
	"testing"
)

// clipRewards are groups with one or two rewards far from the others.
var clipRewards = map[string][]float64{"a": {1, 0, 0, 0, 0, 0, 0, 0}, "b": {1, 1, 0, 0, 1, 0, 0, 0}, "c": {3, 1, 1, 1, 1, 1, 1, 0}}

func clipRows(advantages map[string][]float64) (rows []row) {
	for _, group := range []string{"a", "b", "c"} {
		for i, a := range advantages[group] {
			rows = append(rows, row{group, clipRewards[group][i], a})
		}
	}
	return rows
}

// What a trainer did to the advantages after it normalised them is told with its parameter. The numbers are Python's: of TRL's formula,
// (r − mean) / (std + 1e-4) with ddof 1, cut to ±2, or to −0.5 to 2; and of std + 1e-3 with ddof 0, printed with four decimals.
func TestChangedAfterNormalisation(t *testing.T) {
	trl := map[string][]float64{
		"a": {2.4741739, -0.3534534, -0.3534534, -0.3534534, -0.3534534, -0.3534534, -0.3534534, -0.3534534},
		"b": {1.2073814, 1.2073814, -0.7244289, -0.7244289, 1.2073814, -0.7244289, -0.7244289, -0.7244289},
		"c": {2.2465234, -0.1497682, -0.1497682, -0.1497682, -0.1497682, -0.1497682, -0.1497682, -1.347914},
	}
	cut := func(low, high float64) map[string][]float64 {
		clipped := map[string][]float64{}
		for group, all := range trl {
			for _, x := range all {
				clipped[group] = append(clipped[group], math.Min(math.Max(x, low), high))
			}
		}
		return clipped
	}
	for name, c := range map[string]struct {
		advantages map[string][]float64
		want       string
	}{
		"clipped":          {cut(-2, 2), "grpo with scale group reproduces it clipped to ±2 after normalisation, which cuts 2 samples"},
		"clipped unevenly": {cut(-0.5, 2), "grpo with scale group reproduces it clipped to -0.5 to 2 after normalisation, which cuts 8 samples"},
		"another std, rounded": {map[string][]float64{
			"a": {2.6378, -0.3768, -0.3768, -0.3768, -0.3768, -0.3768, -0.3768, -0.3768}, "b": {1.2883, 1.2883, -0.773, -0.773, 1.2883, -0.773, -0.773, -0.773},
			"c": {2.3988, -0.1599, -0.1599, -0.1599, -0.1599, -0.1599, -0.1599, -1.4393},
		}, "they equal (r − mean) / (std + 1e-3) of each group, ddof 0, rounded to 4 decimals"},
	} {
		r := run(t, clipRows(c.advantages))
		if r.HasMatch() || len(r.Clues) != 1 || !strings.Contains(r.Clues[0], c.want) {
			t.Errorf("%s: match %v, clues %q, want %q", name, r.HasMatch(), r.Clues, c.want)
		}
	}
}

// A dead group whose logged advantages are rounding alone says nothing: the others are those of RLOO, normalised over the batch. Of them
// Python gives a = r − (Σ − r) / (n − 1) over a std of 0.7697 with ddof 1.
func TestRoundingOfADeadGroupSaysNothing(t *testing.T) {
	rows := []row{{"a", 1, 0.86591292}, {"a", 0, -0.86591292}, {"a", 0, -0.86591292}, {"a", 1, 0.86591292}}
	for range 8 {
		rows = append(rows, row{"b", 0.7, -9.3e-8})
	}
	rows = append(rows, row{"c", 3, 1.73182584}, row{"c", 1, -1.73182584}, row{"c", 3, 1.73182584}, row{"c", 1, -1.73182584})
	r := run(t, rows)
	found := false
	for _, v := range r.Matches {
		found = found || v.Framework == "trl" && v.Estimator == "rloo_normalize_advantages"
	}
	if !found {
		t.Errorf("matches %v, clues %q", r.Matches, r.Clues)
	}
}
