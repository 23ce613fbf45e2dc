package chart

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"vantage/model/units"
)

// RowLabels returns a label for each of h rows of a plot whose lines have the axis, from the top: round values
// in the rows where they are drawn, at least two in 4 rows and three in more, and "" elsewhere.
func (a Axis) RowLabels(h int) []string {
	labels := make([]string, max(0, h))
	if h < 3 {
		a.labelEnds(labels)
		return labels
	}
	step := a.tickStep(max(3, h/3+1))
	if step == 0 {
		a.labelEnds(labels)
		return labels
	}
	first := math.Ceil(a.Lo/step - tickTolerance)
	for n := range a.ticks(step) {
		v := (first + float64(n)) * step
		if row := a.plotRow(v, h); labels[row] == "" {
			labels[row] = tickText(v, step)
		}
	}
	return labels
}

// tickTolerance is what a round value may be beyond the axis by rounding, in steps.
const tickTolerance = 1e-9

func (a Axis) labelEnds(labels []string) {
	if len(labels) > 0 {
		labels[0] = units.Short(a.Hi)
	}
	if len(labels) > 1 {
		labels[len(labels)-1] = units.Short(a.Lo)
	}
}

// tickStep returns the distance of round values of which at least three are on the axis, and not more than n if
// that is possible; 0 if the axis is too long for numbers.
func (a Axis) tickStep(n int) float64 {
	best, unit := 0.0, math.Pow(10, math.Ceil(math.Log10(a.Hi/2-a.Lo/2))+1)
	for range 4 {
		for _, part := range []float64{1, 0.5, 0.25, 0.2} {
			count := a.ticks(unit * part)
			if best > 0 && count > n {
				return best
			}
			if count >= 3 {
				best = unit * part
			}
		}
		unit /= 10
	}
	return best
}

// ticks returns how many multiples of step are on the axis.
func (a Axis) ticks(step float64) int {
	return int(math.Floor(a.Hi/step+tickTolerance)-math.Ceil(a.Lo/step-tickTolerance)) + 1
}

// tickText writes a round value with the decimals of its step.
func tickText(v, step float64) string {
	if math.Abs(v) >= 99_950 || step < 1e-3 {
		return units.Short(v)
	}
	decimals, scaled := 0, step
	for ; decimals < 4 && math.Abs(scaled-math.Round(scaled)) > 1e-6; scaled *= 10 {
		decimals++
	}
	return units.Fixed(v, decimals)
}

// StepLabels returns a line of w cells with whole numbers below the columns where a plot draws them: the two ends
// of the axis, and round numbers between them as far as there is room.
func (a Axis) StepLabels(w int) string {
	line := newLabelLine(w)
	line.place(stepText(a.Lo), a.PlotColumn(a.Lo, w))
	line.place(stepText(a.Hi), a.PlotColumn(a.Hi, w))
	step := roundDistance(a.Hi-a.Lo, len(stepText(a.Hi))+4, w)
	for n := math.Floor(a.Lo/step) + 1; n*step < a.Hi; n++ {
		line.place(stepText(n*step), a.PlotColumn(n*step, w))
	}
	return string(line)
}

func stepText(x float64) string { return strconv.FormatFloat(x, 'f', 0, 64) }

// BarLabels returns a line of w cells with the numbers of an axis by [WholeAxis] below their bars: the two ends, and
// as many between them as there is room for, at equal distances.
func (a Axis) BarLabels(bins, w int) string {
	line, bars := newLabelLine(w), NewBars(bins, w)
	first, _ := a.WholeBounds(0, bins)
	last, end := a.WholeBounds(bins-1, bins)
	line.place(stepText(first), bars.Middle(0))
	line.place(stepText(end), bars.Middle(bins-1))
	each := int(roundDistance(float64(bins), len(stepText(last))+labelGap, w))
	for bin := each; bin < bins; bin += each {
		number, _ := a.WholeBounds(bin, bins)
		line.place(stepText(number), bars.Middle(bin))
	}
	return string(line)
}

// roundDistance returns the distance of round numbers over a span, so far apart that labels of so many cells fit into w.
func roundDistance(span float64, label, w int) float64 {
	for unit := 1.0; ; unit *= 10 {
		for _, part := range []float64{1, 2, 5} {
			if step := unit * part; span/step*float64(label) <= float64(w) || w < 1 {
				return step
			}
		}
	}
}

// labelGap is the least distance of two labels.
const labelGap = 2

// labelLine is a line of labels that do not touch.
type labelLine []rune

func newLabelLine(w int) labelLine { return []rune(strings.Repeat(" ", max(0, w))) }

// place writes a label with its middle in a column, but within the line, unless it would touch another.
func (l labelLine) place(text string, column int) {
	label, w := []rune(text), len(l)
	at := max(0, min(column-(len(label)-1)/2, w-len(label)))
	from, to := max(0, at-labelGap), min(w, at+len(label)+labelGap)
	if at+len(label) > w || slices.ContainsFunc(l[from:to], func(r rune) bool { return r != ' ' }) {
		return
	}
	copy(l[at:], label)
}
