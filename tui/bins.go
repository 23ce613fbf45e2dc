package tui

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"vantage/model/units"
	"vantage/tui/chart"
	"vantage/tui/layout"
)

// toggleBin shows only groups with a value in the bin that was clicked; the second time all again. A bin
// takes the place of one that was clicked before.
func (a App) toggleBin(h hit) App {
	bins := len(a.chartsFor(h.w).upper.Counts)
	bin := clampIndex(chart.NewBars(bins, h.w).Slot(h.x), bins)
	term, why := a.binTerm(a.chartsFor(h.w), bin, h.n == 1)
	a.panes.distribution.bin, a.panes.distribution.binShown = bin, true
	if term == "" {
		a.notice = why
		return a
	}
	text, was := strings.TrimSpace(a.activeFilter()), a.panes.distribution.binTerm
	rest, removed := withoutTerm(text, was)
	if !removed {
		rest, removed = withoutTerm(text, term)
		was = term
	}
	a.panes.distribution.binTerm = ""
	if !removed || was != term {
		a.panes.distribution.binTerm = term
		rest = withTerm(rest, term)
	}
	return a.filterByBin(rest)
}

// filterByBin sets the filter and says what it shows.
func (a App) filterByBin(text string) App {
	a, err := a.setFilter(text)
	if err != nil {
		a.notice = err.Error()
		return a
	}
	if a.position.view == viewFilter {
		a.position.view = viewOverview
		a = a.rearrange()
	}
	shown := fmt.Sprintf("%s of %s groups", units.Count(len(a.result.rows)), units.Count(a.result.analysis.Groups))
	if term := a.panes.distribution.binTerm; term != "" {
		a.notice = shown + " with " + term + "; a second click undoes it"
	} else {
		a.notice = "the filter of the bin is gone: " + shown
	}
	return a.focusPane(layout.Advantages)
}

// withTerm returns a query that holds where text and a term do.
func withTerm(text, term string) string {
	if strings.Contains(text, " or ") {
		text = "(" + text + ")"
	}
	return strings.TrimSpace(text + " " + term)
}

// withoutTerm returns text as it was before withTerm added a term.
func withoutTerm(text, term string) (rest string, removed bool) {
	if text != term && !strings.HasSuffix(text, " "+term) || term == "" {
		return text, false
	}
	rest = strings.TrimSpace(strings.TrimSuffix(text, term))
	if inner, ok := strings.CutPrefix(rest, "("); ok && strings.HasSuffix(inner, ")") && !strings.ContainsAny(inner[:len(inner)-1], "()") {
		rest = inner[:len(inner)-1]
	}
	return rest, true
}

// binTerm returns the query for the values in a bin above or below the axis; "" and the reason if there is none.
func (e env) binTerm(m chartCache, column int, below bool) (term, why string) {
	w := len(m.upper.Counts) // bins
	field, values, use, axis := m.distribution.field, m.distribution.above, []bool(nil), m.upper.Axis
	if below {
		field, values, use, axis = m.distribution.fieldBelow, m.distribution.below, m.distribution.keep, m.lower.Axis
	}
	if field == "" {
		return "", "a filter knows no field for this chart: / filters by " + fieldNames()
	}
	lo, hi := axis.Edges(column, w)
	in := binValues(axis, column, w, values, use, m.hasFigure)
	if len(in) == 0 {
		return "", fmt.Sprintf("nothing from %s to %s", units.Short(lo), units.Short(hi))
	}
	least, largest := chart.Range(in)
	switch {
	case least == largest && len(plainNumber(least, 17)) <= maxTyped/2:
		term = field + "=" + plainNumber(least, 17)
	default:
		term = rangeTerm(field, axis, column, w, values)
		if !m.hasFigure && lo <= 0 && hi > 0 {
			term += " " + field + "!=0" // which the chart leaves out
		}
	}
	if below && m.hasFigure {
		term += " sample.kept=1"
	}
	return term, ""
}

// binValues returns the values in a bin, zeros only where the chart draws them.
func binValues(axis chart.Axis, column, w int, values []float64, use []bool, zeros bool) []float64 {
	var in []float64
	for i, v := range values {
		if v-v == 0 && (zeros || v != 0) && (use == nil || use[i]) && axis.Column(v, w) == column {
			in = append(in, v)
		}
	}
	return in
}

// rangeTerm returns the query for the values between the edges of a bin, in as few digits as part them from
// those in the bins beside it.
func rangeTerm(field string, axis chart.Axis, column, w int, values []float64) string {
	lo, hi := axis.Edges(column, w)
	text := ""
	for digits := 2; digits <= 17; digits++ {
		from, to := plainNumber(lo, digits), plainNumber(hi, digits)
		least, _ := strconv.ParseFloat(from, 64) // plainNumber wrote it
		limit, _ := strconv.ParseFloat(to, 64)
		if column == 0 { // what lies beyond the axis is in the bins at its ends
			least = math.Inf(-1)
		}
		if column == w-1 {
			limit = math.Inf(1)
		}
		var terms []string
		if least > math.Inf(-1) {
			terms = append(terms, field+">="+from)
		}
		if limit < math.Inf(1) {
			terms = append(terms, field+"<"+to)
		}
		text = strings.Join(terms, " ")
		if partsBin(axis, column, w, values, least, limit) {
			break
		}
	}
	return text
}

// partsBin reports whether the values from least up to limit are those of the bin.
func partsBin(axis chart.Axis, column, w int, values []float64, least, limit float64) bool {
	for _, v := range values {
		if v-v == 0 && (v >= least && v < limit) != (axis.Column(v, w) == column) {
			return false
		}
	}
	return true
}

// plainNumber returns a number with so many digits, without an exponent where it is of a usual size.
func plainNumber(x float64, digits int) string {
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64) // it was formatted
	if size := math.Abs(x); size != 0 && (size < 1e-4 || size >= 1e7) {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return strconv.FormatFloat(x+0, 'f', -1, 64)
}
