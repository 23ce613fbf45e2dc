package analysis

import (
	"context"
	"math"
	"strconv"

	"vantage/model"
)

// MetricNames are the figures that some step of the run has, in the order in which a
// step lists them: a table needs its columns before its first row. They depend on
// whether the log has lengths, and on how many samples the largest group has. It fails
// where samples cannot be grouped.
func MetricNames(snap model.Snapshot, set model.Settings) ([]string, error) {
	g, err := snap.Grouping(set)
	if err != nil {
		return nil, err
	}
	length, largest := int32(-1), 0
	for i, step := range snap.Steps {
		_, offsets, err := g.Layout(step, snap.Open(i))
		if err != nil {
			return nil, err
		}
		for at := range offsets[1:] {
			largest = max(largest, offsets[at+1]-offsets[at])
		}
		for _, l := range step.Lengths {
			length = max(length, l)
		}
	}
	return metricNames(length, largest)
}

// metricNames are the figures of a step whose responses have lengths, unless length is
// negative, and whose largest group has so many samples: those of a step with one
// sample, and pass@k for the others.
func metricNames(length int32, largest int) ([]string, error) {
	store := model.NewStore()
	store.Append(&model.Chunk{Records: []model.Record{{Prompt: 1, Advantage: math.NaN(), Length: length}}})
	a, err := Analyze(context.Background(), store.Snapshot(), 0, model.DefaultSettings())
	if err != nil {
		return nil, err
	}
	var names []string
	for _, m := range a.Metrics {
		names = append(names, m.Name)
		if m.Name != "pass@1" {
			continue
		}
		for k := 2; k <= largest; k *= 2 {
			names = append(names, "pass@"+strconv.Itoa(k))
		}
	}
	return names, nil
}
