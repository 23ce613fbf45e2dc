package chart

// usualWithin is how many distances on each side say what distance of two points is usual there.
const usualWithin = 4

// Gaps reports for each of the ascending values but the last whether there should have been others before the next
// one: it is at least twice as far away as most neighbours of theirs are. So every tenth step is no gap where every
// tenth is logged, nor where a run begins or ceases to log each. It is nil if there is no gap; of up to three values
// nobody knows.
func Gaps(x []float64) []bool {
	least, most := distances(x)
	if len(x) < 4 || most < 2*least {
		return nil
	}
	var gaps []bool
	for i := range len(x) - 1 {
		if x[i+1]-x[i] >= 2*least && isGap(x, i) {
			if gaps == nil {
				gaps = make([]bool, len(x))
			}
			gaps[i] = true
		}
	}
	return gaps
}

// distances returns the least and the largest distance of neighbours.
func distances(x []float64) (least, most float64) {
	for i := range len(x) - 1 {
		d := x[i+1] - x[i]
		if i == 0 {
			least, most = d, d
		}
		least, most = min(least, d), max(most, d)
	}
	return least, most
}

// isGap reports whether the distance behind value i is at least twice as long as most of those around it.
func isGap(x []float64, i int) bool {
	from, to := max(0, i-usualWithin), min(len(x)-1, i+usualWithin+1)
	shorter := 0
	for k := from; k < to; k++ {
		if 2*(x[k+1]-x[k]) <= x[i+1]-x[i] {
			shorter++
		}
	}
	return 2*shorter > to-from
}

// MissingColumns reports which of w columns of a plot over the axis lie in gaps of the ascending values: see [Gaps].
// It is nil if there is no gap.
func (a Axis) MissingColumns(x []float64, w int) []bool {
	var missing []bool
	for i, gap := range Gaps(x) {
		if !gap || x[i+1] <= a.Lo || x[i] >= a.Hi {
			continue
		}
		if missing == nil {
			missing = make([]bool, max(0, w))
		}
		from, to := -1, w
		if x[i] >= a.Lo {
			from = a.PlotColumn(x[i], w)
		}
		if x[i+1] <= a.Hi {
			to = a.PlotColumn(x[i+1], w)
		}
		for column := from + 1; column < to; column++ {
			missing[column] = true
		}
	}
	return missing
}
