package match

import (
	"context"
	"fmt"
	"math"

	"vantage/model"
)

// sizes are the numbers of samples per prompt that people choose.
func sizes() []int { return []int{8, 16, 4, 32, 64, 2, 5, 6, 10, 12, 20, 24, 48, 128} }

// regroup tries the other ways of finding groups on the newest step, and says
// which of them some estimator fits.
func (r *Report) regroup(ctx context.Context, snap model.Snapshot, steps []int, set model.Settings) ([]string, error) {
	for _, other := range regroupings(set) {
		found, err := snap.Grouping(other)
		if err != nil || found == r.Grouping {
			continue
		}
		again := &Report{Compared: logged(snap.Steps[steps[0]])}
		err = again.all(ctx, snap, steps[:1], other)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil && again.Match() {
			v := again.Matches[0]
			flags := "--group-by " + string(other.GroupBy)
			if other.GroupBy == model.GroupByPosition {
				flags += fmt.Sprintf(" --num-generations %d", other.NumGenerations)
			}
			return []string{fmt.Sprintf("with %s, %s %s with scale %s reproduces step %d: the groups are found by the wrong key",
				flags, v.Framework, v.Estimator, v.Scale, snap.Steps[steps[0]].Number)}, nil
		}
	}
	return nil, nil
}

func regroupings(set model.Settings) []model.Settings {
	var all []model.Settings
	for _, by := range []model.GroupBy{model.GroupByID, model.GroupByPrompt} {
		set.GroupBy = by
		all = append(all, set)
	}
	set.GroupBy = model.GroupByPosition
	for _, n := range sizes() {
		set.NumGenerations = n
		all = append(all, set)
	}
	return all
}

func logged(step model.Step) int {
	n := 0
	for _, x := range step.Logged {
		if !math.IsNaN(x) {
			n++
		}
	}
	return n
}
