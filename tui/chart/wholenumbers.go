package chart

import "math"

// WholeAxis returns the axis and the number of bins, at most w, of a histogram of whole numbers: one bin for each
// number from the smallest to the largest, or for every 2, 3, … if they are too many. The bounds of bins lie half a
// unit beside numbers. It returns false if a value is no whole number, or there is none.
func WholeAxis(values []float64, w int) (axis Axis, bins int, ok bool) {
	const exact = 1 << 52 // from here on half a unit is lost
	found := false
	for _, v := range values {
		if !isFinite(v) {
			continue
		}
		if v != math.Trunc(v) || math.Abs(v) > exact {
			return Axis{}, 0, false
		}
		found = true
	}
	if !found || w < 1 {
		return Axis{}, 0, false
	}
	lo, hi := Range(values)
	numbers := hi - lo + 1
	each := math.Ceil(numbers / float64(w))
	bins = int(math.Ceil(numbers / each))
	return Axis{lo - 0.5, lo - 0.5 + each*float64(bins)}, bins, true
}

// WholeBounds returns the first and the last whole number of a bin of an axis by [WholeAxis].
func (a Axis) WholeBounds(bin, bins int) (first, last float64) {
	lo, hi := a.Edges(bin, bins)
	return math.Round(lo + 0.5), math.Round(hi - 0.5)
}

// maxBarWidth bounds the cells of a bar, so that two numbers are two bars and not two halves of the chart.
const maxBarWidth = 7

// Bars is where the bars of a histogram are drawn in a chart: those of few bins are several cells wide.
type Bars struct{ start, slot, width int }

// NewBars places so many bins in w cells, in the middle. At least w bins have a cell each.
func NewBars(bins, w int) Bars {
	slot := max(1, w/max(1, bins))
	width := slot
	if slot > 1 {
		width = min(slot-1, maxBarWidth)
	}
	return Bars{start: max(0, w-slot*bins) / 2, slot: slot, width: width}
}

// Middle returns the column in the middle of a bar.
func (b Bars) Middle(bin int) int { return b.start + bin*b.slot + b.offset() + (b.width-1)/2 }

func (b Bars) offset() int { return (b.slot - b.width) / 2 }

// Slot returns the bin whose bar is in a column, or nearest to it.
func (b Bars) Slot(column int) int { return max(0, column-b.start) / b.slot }

// bin returns the bin whose bar is in a column, or false between bars.
func (b Bars) bin(column int) (int, bool) {
	x := column - b.start
	if x < 0 {
		return 0, false
	}
	within := x%b.slot - b.offset()
	return x / b.slot, within >= 0 && within < b.width
}
