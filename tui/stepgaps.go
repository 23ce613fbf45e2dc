package tui

import (
	"fmt"
	"math"
	"slices"

	"vantage/tui/chart"
)

// gapsText says which steps are not in the log between others, "none of 11–43" or "3 gaps": "" if none is missing, or as
// long as the log is read.
func (e env) gapsText() string {
	if p := e.snap.Run.Progress; !p.CaughtUp && !e.sourceState.ended {
		return ""
	}
	steps := stepNumbers(e.result.trend)
	text, n := "", 0
	for i, gap := range chart.Gaps(steps) {
		if !gap {
			continue
		}
		n++
		first, last := steps[i]+1, steps[i+1]-1
		text = fmt.Sprintf("none of %.0f–%.0f", first, last)
		if first == last {
			text = fmt.Sprintf("no %.0f", first)
		}
	}
	if n > 1 {
		return fmt.Sprintf("%d gaps", n)
	}
	return text
}

// missingColumns reports which of w columns of a chart are of steps that no run on it has.
func (a App) missingColumns(x chart.Axis, w int) []bool {
	all := slices.Repeat([]bool{true}, w)
	for _, run := range a.drawnRuns() {
		missing := x.MissingColumns(stepNumbers(run.trend), w)
		for i := range all {
			all[i] = all[i] && missing != nil && missing[i]
		}
	}
	return all
}

// newestWithGaps returns the newest values over the steps, at most n with a NaN wherever steps are missing, and the
// index among them of a step, which is given by its index in the trend: -1 if it is not among them.
func (e env) newestWithGaps(values []float64, step, n int) (shown []float64, current int) {
	gaps := chart.Gaps(stepNumbers(e.result.trend))
	current = -1
	for i := len(values) - 1; i >= 0 && len(shown) < n; i-- {
		if gaps != nil && gaps[i] {
			shown = append(shown, math.NaN())
		}
		if i == step {
			current = len(shown)
		}
		shown = append(shown, values[i])
	}
	shown = shown[:min(n, len(shown))]
	slices.Reverse(shown)
	if current >= len(shown) {
		return shown, -1
	}
	if current >= 0 {
		current = len(shown) - 1 - current
	}
	return shown, current
}
