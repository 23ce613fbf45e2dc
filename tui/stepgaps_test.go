package tui

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"vantage/model"
	"vantage/tui/trend"
)

// runOfSteps returns a made run of only those of its steps, from 1 on, that are logged.
func runOfSteps(last int, logged func(step int) bool) *madeSource {
	source, step := madeRun(last), 0
	source.chunks = slices.DeleteFunc(source.chunks, func(*model.Chunk) bool {
		step++
		return !logged(step)
	})
	return source
}

// runWithGap is a run of 60 steps of which 11 to 43 are missing.
func runWithGap() *madeSource {
	return runOfSteps(60, func(step int) bool { return step <= 10 || step >= 44 })
}

// The screen says which steps are missing, and says nothing of a run that logs every tenth.
func TestMissingStepsAreNamed(t *testing.T) {
	t.Parallel()
	for want, logged := range map[string]func(int) bool{
		"none of 11–43": func(step int) bool { return step <= 10 || step >= 44 },
		"no 7":          func(step int) bool { return step != 7 },
		"2 gaps":        func(step int) bool { return step != 7 && step != 20 },
		"":              func(step int) bool { return step%10 == 0 },
	} {
		drive(t, runOfSteps(60, logged), 120, 36, filterSettings(), func(d *driver) {
			if got := trend.GapsText(d.app.env); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}

// The row of rewards in the header has a cell for each step, and one where steps are missing: 10 steps, the gap, 17 steps.
func TestNewestValuesWithGaps(t *testing.T) {
	t.Parallel()
	drive(t, runWithGap(), 120, 36, filterSettings(), func(d *driver) {
		values := make([]float64, 27)
		for i := range values {
			values[i] = float64(i)
		}
		whole := slices.Insert(slices.Clone(values), 10, math.NaN())
		for _, c := range []struct {
			n, step, current int
			want             []float64
		}{{40, 26, 27, whole}, {40, 9, 9, whole}, {40, 10, 11, whole}, {18, 26, 17, whole[10:]}, {18, 9, -1, whole[10:]}, {3, 25, 1, whole[25:]}, {0, 26, -1, nil}, {40, -1, -1, whole}} {
			got, current := trend.NewestWithGaps(d.app.env, values, c.step, c.n)
			if diff := cmp.Diff(c.want, got, cmpopts.EquateNaNs(), cmpopts.EquateEmpty()); diff != "" || current != c.current {
				t.Errorf("%d values, step %d at %d, want %d: %s", c.n, c.step, current, c.current, diff)
			}
		}
	})
}
