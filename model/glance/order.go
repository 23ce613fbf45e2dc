package glance

import (
	"slices"
	"strconv"
	"strings"

	"vantage/model"
)

// Order says how steps are ranked: what a group of each fate adds to the badness of its step.
func Order() string {
	byWeight := map[float64][]string{}
	var weighed []float64
	for fate, w := range weights() {
		if w == 0 {
			continue
		}
		if !slices.Contains(weighed, w) {
			weighed = append(weighed, w)
		}
		byWeight[w] = append(byWeight[w], model.Fate(fate).String())
	}
	slices.SortFunc(weighed, func(a, b float64) int { return int(100 * (b - a)) })
	parts := make([]string, len(weighed))
	for i, w := range weighed {
		parts[i] = strings.Join(byWeight[w], ", ") + " " + strconv.FormatFloat(w, 'g', -1, 64)
	}
	return "by the mean of what their groups count: " + strings.Join(parts, "; ") + "; more where answers are alike, or the trainer would stop"
}
