package trend

import (
	"math"
	"strings"

	"vantage/model/analysis"
	"vantage/model/figures"
	"vantage/model/units"
)

// Listed is a row of a list of metrics: one of them, or neighbours under one path of which none is a number, so that a list does not fill
// with NaN.
type Listed struct {
	analysis.Metric // the first

	Name string // of all of them: critic/advantages/mean, max, min
}

// List returns the rows of a list of metrics.
func List(metrics []analysis.Metric) []Listed {
	var rows []Listed
	for i, m := range metrics {
		path, last := splitPath(m.Name)
		if i > 0 && isNaN(m) && isNaN(metrics[i-1]) {
			if before, _ := splitPath(metrics[i-1].Name); path != "" && before == path {
				rows[len(rows)-1].Name += ", " + last
				continue
			}
		}
		rows = append(rows, Listed{m, m.Name})
	}
	return rows
}

// isNaN reports whether a trainer's metric is NaN. One of ours is then not defined, each for a reason of its own.
func isNaN(m analysis.Metric) bool {
	return math.IsNaN(m.Value) && !strings.HasPrefix(m.Name, ours)
}

// splitPath cuts the last part off a name; the path is "" if it has one part.
func splitPath(name string) (path, last string) {
	at := strings.LastIndexByte(name, '/')
	return name[:max(0, at)], name[at+1:]
}

// ours begins the names of metrics that no trainer logs.
const ours = "vantage/"

// MetricText returns the value of a metric. Where one of ours is not defined it is missing; a trainer's is NaN, as the trainer logs it.
func MetricText(name string, x float64) string {
	switch {
	case !math.IsNaN(x):
		return units.Short(x)
	case strings.HasPrefix(name, ours):
		return units.Missing
	}
	return "NaN"
}

// WithoutNaN says behind a mean reward how many rewards it leaves out, as the header does: ", 1 NaN"; "" for other metrics.
func WithoutNaN(x *analysis.StepFigures, name string) string {
	mean, counted := figures.Reward(x)
	isMean := name == "critic/score/mean" || name == "critic/rewards/mean"
	if !isMean || x.InvalidRewards == 0 || counted || !units.IsFinite(mean) {
		return ""
	}
	return ", " + units.Count(x.InvalidRewards) + " NaN"
}
