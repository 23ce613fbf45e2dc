package analysis

import (
	"context"
	"math"
	"slices"
	"strconv"

	"vantage/model"
)

// MetricNames are the names of the metrics that any step of the run has, in the order in which steps
// list them: what a table needs before its first row. They depend on whether the log has lengths, and
// on the size of the largest group, and they lack pass@k and the solve rate if the rewards of no run say
// what is solved. It fails if samples cannot be grouped.
func MetricNames(snap model.Snapshot, set model.Settings) ([]string, error) {
	grouping, err := snap.Grouping(set)
	if err != nil {
		return nil, err
	}
	maxLength, maxSize := int32(-1), 0
	for i, step := range snap.Steps {
		_, offsets, err := snap.Layout(grouping.GroupRule, i)
		if err != nil {
			return nil, err
		}
		for g := range offsets[1:] {
			maxSize = max(maxSize, offsets[g+1]-offsets[g])
		}
		for _, l := range step.Lengths {
			maxLength = max(maxLength, l)
		}
	}
	hasSolved := slices.ContainsFunc(snap.RewardScales(set), func(r model.RewardScale) bool { return r.Discrete })
	return metricNames(set, maxLength, maxSize, hasSolved)
}

// metricNames are those of a step with one sample of a length, which is negative if unknown, under the
// group filter and the loss of set, and if hasSolved pass@k for groups of up to maxSize samples.
func metricNames(set model.Settings, length int32, maxSize int, hasSolved bool) ([]string, error) {
	store := model.NewStore()
	store.Append(&model.Chunk{Records: []model.Record{{Prompt: 1, Advantage: math.NaN(), Length: length}}})
	plain := model.DefaultSettings()
	plain.Overlong, plain.GroupFilter, plain.Loss, plain.StageOptions = set.Overlong, set.GroupFilter, set.Loss, set.StageOptions
	a, err := Analyze(context.Background(), store.Snapshot(), 0, plain)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, m := range a.Metrics {
		if IsSolveMetric(m.Name) && !hasSolved {
			continue
		}
		names = append(names, m.Name)
		if m.Name == "pass@1" {
			for k := 2; k <= maxSize; k *= 2 {
				names = append(names, "pass@"+strconv.Itoa(k))
			}
		}
	}
	return names, nil
}
