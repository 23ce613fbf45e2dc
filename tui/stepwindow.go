package tui

import (
	"fmt"
	"math"
	"strconv"

	"vantage/tui/chart"
)

// stepWindow is the steps that charts over the steps show.
type stepWindow struct {
	from, to int64
	last     int64 // so many steps up to the newest instead of from and to
}

// minWindow is the smallest window that keys make, from its first step to its last.
const minWindow = 4

// axisOfAllSteps returns the axis from the first step of any run that is drawn to the last.
func (a App) axisOfAllSteps() chart.Axis {
	x := a.stepAxis()
	for _, run := range a.drawnRuns() {
		if steps := run.trend.Steps; len(steps) > 0 {
			x.Lo, x.Hi = min(x.Lo, float64(steps[0].Step)), max(x.Hi, float64(steps[len(steps)-1].Step))
		}
	}
	return x
}

// windowAxis returns the axis of the steps that are shown.
func (a App) windowAxis() chart.Axis {
	all, w := a.axisOfAllSteps(), a.steps.window
	switch {
	case w == stepWindow{}:
		return all
	case w.last > 0:
		return chart.Axis{Lo: max(all.Lo, all.Hi-float64(w.last-1)), Hi: all.Hi}
	}
	return chart.Axis{Lo: float64(w.from), Hi: float64(w.to)}
}

// windowText says which steps are shown: "" if all are.
func (a App) windowText() string {
	if a.steps.window == (stepWindow{}) {
		return ""
	}
	x, all := a.windowAxis(), a.axisOfAllSteps()
	return fmt.Sprintf("steps %.0f–%.0f of %.0f–%.0f", x.Lo, x.Hi, all.Lo, all.Hi)
}

// showWindow shows some steps: at least a few, none beyond the runs, and if all would be shown, also those to come.
func (a App) showWindow(from, to float64) App {
	all := a.axisOfAllSteps()
	span := math.Min(math.Max(math.Round(to-from), minWindow), all.Hi-all.Lo)
	from = math.Round(from/2 + to/2 - span/2)
	from = math.Max(all.Lo, math.Min(from, all.Hi-span))
	to = from + span
	a.steps.window = stepWindow{from: int64(from), to: int64(to)}
	if from <= all.Lo && to >= all.Hi {
		a.steps.window = stepWindow{}
	}
	return a
}

// zoomSteps shows half as many steps (by > 0) or twice as many, around the one on the screen if it is among them.
func (a App) zoomSteps(by int) App {
	if a.result.trend == nil {
		return a
	}
	x := a.windowAxis()
	middle, half := x.Lo/2+x.Hi/2, (x.Hi-x.Lo)/4
	if here := float64(a.place.step); here >= x.Lo && here <= x.Hi {
		middle = here
	}
	if by < 0 {
		half *= 4
	}
	return a.showWindow(middle-half, middle+half)
}

// panSteps shows the steps half a window later (by > 0) or earlier.
func (a App) panSteps(by int) App {
	if a.result.trend == nil {
		return a
	}
	x, all := a.windowAxis(), a.axisOfAllSteps()
	shift := float64(by) * math.Max(1, math.Round((x.Hi-x.Lo)/2))
	switch {
	case a.steps.window == stepWindow{}:
		a.notice = "all steps are shown: x shows fewer"
		return a
	case by > 0 && x.Hi >= all.Hi || by < 0 && x.Lo <= all.Lo:
		a.notice = "no step beyond these"
		return a
	}
	return a.showWindow(x.Lo+shift, x.Hi+shift)
}

// moveStepInWindow is moveStep for charts: the window follows the step.
func (a App) moveStepInWindow(by int) App {
	a = a.moveStep(by)
	return a.windowAtStep()
}

// windowAtStep moves the window so far that it shows the step on the screen.
func (a App) windowAtStep() App {
	if a.result.trend == nil || a.steps.window == (stepWindow{}) {
		return a
	}
	x, here := a.windowAxis(), float64(a.place.step)
	switch {
	case here < x.Lo:
		return a.showWindow(here, here+x.Hi-x.Lo)
	case here > x.Hi:
		return a.showWindow(here-(x.Hi-x.Lo), here)
	}
	return a
}

// runRange shows some steps in charts: "100 200", "last 50", "all".
func runRange(a App, args []string) (App, error) {
	usage := fmt.Errorf("range takes two steps (100 200), last and a count (last 50), or all")
	if a.result.trend == nil {
		return a, fmt.Errorf("no step is computed yet")
	}
	switch {
	case len(args) == 1 && args[0] == "all":
		a.steps.window = stepWindow{}
	case len(args) == 2 && args[0] == "last":
		n, err := strconv.ParseInt(args[1], 10, 32)
		if err != nil || n < 2 {
			return a, usage
		}
		a.steps.window = stepWindow{last: n}
	case len(args) == 2:
		from, err := strconv.ParseInt(args[0], 10, 64)
		to, errTo := strconv.ParseInt(args[1], 10, 64)
		if all := a.axisOfAllSteps(); err != nil || errTo != nil || from >= to || float64(to) <= all.Lo || float64(from) >= all.Hi {
			return a, usage
		}
		a = a.showWindow(float64(from), float64(to))
	default:
		return a, usage
	}
	if a.drawsSteps() {
		return a, nil
	}
	a = a.openSteps()
	return a, nil
}
